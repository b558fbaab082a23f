// A secret that is shown only once.
import { copyButton } from './copy.js';
import { h } from './dom.js';

/**
 * @param {{title: string, label: string, what: string, secret: string}} parts label: name of the
 *   region; what: name of the secret, announced when it was copied
 * @param {...(Node | string)} text the purpose of the secret
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
