// A question that must be answered before something happens.
import { h, newId } from './dom.js';

/**
 * Asks the question. Resolves to true when the user chose the action; Escape and Cancel give false.
 * @param {{title: string, body: (Node | string)[], action: string, danger?: boolean,
 *   tick?: string}} question tick: label of a box that must be ticked first
 * @returns {Promise<boolean>}
 */
export function ask({ title, body, action, danger = false, tick }) {
	const id = newId('dialog');
	const box = tick && h('input', { type: 'checkbox' });
	const go = h('button', { type: 'button', class: danger ? 'danger' : 'primary' }, action);
	const cancel = h('button', { type: 'button' }, 'Cancel');
	const dialog = h(
		'dialog',
		{ 'aria-labelledby': id },
		h('h2', { id }, title),
		body.map((part) => (part instanceof Node ? part : h('p', null, part))),
		box && h('label', { class: 'tick' }, box, tick),
		h('div', { class: 'actions' }, cancel, go),
	);

	return new Promise((done) => {
		dialog.addEventListener('close', () => {
			dialog.remove();
			done(dialog.returnValue === 'go');
		});
		cancel.addEventListener('click', () => dialog.close(''));
		go.addEventListener('click', () => go.disabled || dialog.close('go'));
		if (box) {
			go.disabled = true;
			box.addEventListener('change', () => (go.disabled = !box.checked));
		}
		document.body.append(dialog);
		dialog.showModal();
		cancel.focus();
	});
}
