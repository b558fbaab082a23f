// A field of a form: its label, a hint about valid input, and the error in it.
import { h, newId } from './dom.js';

/**
 * An error replaces the hint, so that nothing on the page moves.
 *
 * @param {{label: string, hint: string | Node, input: HTMLElement}} parts
 * @returns {{element: Node, input: HTMLElement, refuse: (text: string) => void, accept: () => void}}
 *   refuse shows the error and moves the focus to the field; the input stays
 */
export function field({ label, hint, input }) {
	const id = newId('field');
	const wrong = h('p', { class: 'wrong', id: `${id}-wrong`, role: 'alert', hidden: true });
	input.id = id;
	input.setAttribute('aria-describedby', `${id}-hint ${id}-wrong`);
	const help = h('p', { class: 'hint', id: `${id}-hint` }, hint);
	const show = (text) => {
		wrong.textContent = text;
		help.hidden = text !== '';
		wrong.hidden = text === '';
		if (text) input.setAttribute('aria-invalid', 'true');
		else input.removeAttribute('aria-invalid');
	};
	input.addEventListener('input', () => show(''));
	return {
		element: h('div', { class: 'field' }, h('label', { for: id }, label), input, help, wrong),
		input,
		refuse: (text) => {
			show(text);
			input.focus();
		},
		accept: () => show(''),
	};
}

/** A checkbox with its label. */
export function tick(label, hint) {
	const id = newId('tick');
	const input = h('input', { type: 'checkbox', 'aria-describedby': hint && id });
	return {
		element: h(
			'div',
			null,
			h('label', { class: 'tick' }, input, label),
			hint && h('p', { class: 'hint', id }, hint),
		),
		input,
	};
}
