// A secret that nobody is shown again.
import { copyButton } from './copy.js';
import { h } from './dom.js';

/**
 * @param {{title: string, label: string, what: string, secret: string}} parts label: of the region;
 *   what: the secret, to those who hear that it was copied
 * @param {...(Node | string)} text what it is for
 */
export function shownOnce({ title, label, what, secret }, ...text) {
	const node = h(
		'section',
		{ class: 'card secret', tabindex: -1, 'aria-label': label },
		h('h2', null, title),
		h('p', null, text),
		h('p', null, h('code', null, secret)),
		h(
			'div',
			{ class: 'actions' },
			copyButton(secret, { what }),
			h('button', { type: 'button', class: 'small', onclick: () => node.remove() }, 'I have it'),
		),
	);
	return node;
}
