// Buttons that copy.
import { fill, h } from './dom.js';
import { icon } from './icons.js';
import { announce } from './notice.js';
import { clean, cleanLines } from './text.js';

const SHOWN_MS = 2000;

// Browsers offer the clipboard to secure origins only; elsewhere the older command may still work.
async function copy(text) {
	if (navigator.clipboard) return navigator.clipboard.writeText(text);
	const field = h('textarea', { class: 'unseen', 'aria-hidden': 'true' });
	field.value = text;
	(document.querySelector('dialog[open]') ?? document.body).append(field);
	field.select();
	const done = document.execCommand('copy');
	field.remove();
	if (!done) throw new Error('refused');
	return undefined;
}

function face(name, text) {
	return [icon(name), h('span', null, text)];
}

/**
 * A button that copies text and shows a tick for a moment.
 * @param {string} text
 * @param {{label?: string, what: string, class?: string, icon?: string, lines?: boolean}} options
 *   what: the name of the text, for screen readers; lines: line breaks are part of the text
 */
export function copyButton(text, options) {
	const { label = 'Copy', what, icon: picture = 'copy', lines = false, ...attributes } = options;
	const button = h(
		'button',
		{ type: 'button', class: 'copy small', ...attributes, 'aria-label': `${label} ${what}` },
		face(picture, label),
	);
	let timer = 0;
	const show = (name, said) => {
		clearTimeout(timer);
		fill(button, face(name, said));
		timer = setTimeout(() => fill(button, face(picture, label)), SHOWN_MS);
	};
	button.addEventListener('click', async () => {
		try {
			await copy(lines ? cleanLines(text) : clean(text));
			show('good', 'Copied');
			announce(`Copied ${what}`);
		} catch {
			show('bad', 'Failed');
			announce('The browser did not allow copying. Select the text and copy it by hand.');
		}
		button.focus();
	});
	return button;
}
