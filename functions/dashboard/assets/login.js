// Login: asks for a token and keeps it for this tab only.
import { v1 } from './api.js';
import { h, newId } from './dom.js';
import { field } from './field.js';
import { busy } from './notice.js';
import { setToken } from './store.js';
import { clean, plainSentence } from './text.js';

const FORM = /^eds_[0-9A-Za-z]+$/;

// Extracts the token from pasted text, such as a header line or a quoted token.
const tokenIn = (text) => clean(text).replace(/^[\s"']*(authorization:\s*)?(bearer\s+)?|[\s"']+$/gi, '');

// A form that calls take() with a token that the service accepts; it shows the error for any other token.
function tokenForm(take, attributes, ...more) {
	const token = field({
		label: 'API token',
		hint: 'It begins with eds_. The service prints the first one when it starts for the first time. Create more under Tokens, or ask the operator.',
		input: h('input', {
			type: 'password',
			autocomplete: 'off',
			spellcheck: 'false',
			name: 'token',
		}),
	});
	const button = h('button', { class: 'primary', type: 'submit' }, 'Log in');

	const submit = async (event) => {
		event.preventDefault();
		const text = tokenIn(token.input.value);
		if (!FORM.test(text)) return token.refuse('A token is eds_ and letters and digits.');
		token.accept();
		return busy(button, async () => {
			try {
				await v1('GET', '/domains?limit=1', { token: text });
				take(text);
			} catch ({ status, message }) {
				token.refuse(
					status === 401
						? 'This token is unknown, expired or revoked.'
						: plainSentence(message),
				);
			}
		});
	};
	return h(
		'form',
		{ ...attributes, novalidate: true, onsubmit: submit },
		token.element,
		h('div', { class: 'actions' }, more, button),
	);
}

/** @type {import('./app.js').View} Shown in place of any view that needs a token. */
export function loginView() {
	const node = h(
		'div',
		{ class: 'view narrow' },
		h('h1', { tabindex: -1 }, 'Your domains'),
		h(
			'p',
			{ class: 'lead' },
			'DKIM selectors, MTA-STS and reports of the domains you monitor.',
		),
		tokenForm(setToken, { class: 'card' }),
		h('p', { class: 'muted' }, 'The token stays in this tab until you close it or log out.'),
	);
	return { title: 'Log in', node };
}

/**
 * Asks for another token in a dialog over the page, whose content and input stay as they are.
 * @returns {Promise<string | null>} null to log out
 */
export function askForToken() {
	const id = newId('dialog');
	const leave = h('button', { type: 'button' }, 'Log out');
	const form = tokenForm((token) => dialog.close(token), {}, leave);
	const dialog = h(
		'dialog',
		{ 'aria-labelledby': id },
		h('h2', { id }, 'Log in again'),
		h('p', null, 'Your token has expired or was revoked. Nothing that you entered is lost.'),
		form,
	);
	return new Promise((done) => {
		dialog.addEventListener('cancel', (event) => event.preventDefault());
		dialog.addEventListener('close', () => {
			dialog.remove();
			done(dialog.returnValue || null);
		});
		leave.addEventListener('click', () => dialog.close(''));
		document.body.append(dialog);
		dialog.showModal();
		form.elements.token.focus();
	});
}
