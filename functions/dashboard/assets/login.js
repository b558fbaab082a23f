// Who asks? A token, kept for this tab alone.
import { v1 } from './api.js';
import { h } from './dom.js';
import { field } from './field.js';
import { busy, toast } from './notice.js';
import { setToken } from './store.js';

const FORM = /^eds_[0-9A-Za-z]+$/;

/** @type {import('./app.js').View} Shown in place of any view that needs a token. */
export function loginView() {
	const token = field({
		label: 'API token',
		hint: 'It begins with eds_. The service prints one at its first start; whoever runs it makes others.',
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
		const text = token.input.value.trim();
		toast.clear();
		if (!FORM.test(text)) return token.refuse('A token is eds_ and letters and digits.');
		token.accept();
		return busy(button, async () => {
			try {
				await v1('GET', '/domains?limit=1', { token: text });
				setToken(text);
			} catch (problem) {
				if (problem.status === 401)
					token.refuse('This token is unknown, expired or revoked.');
				else toast.problem(problem);
			}
		});
	};
	const node = h(
		'div',
		{ class: 'view narrow' },
		h('h1', { tabindex: -1 }, 'Your domains'),
		h(
			'p',
			{ class: 'lead' },
			'DKIM selectors, MTA-STS and reports of the domains you monitor.',
		),
		h(
			'form',
			{ class: 'card', novalidate: true, onsubmit: submit },
			token.element,
			button,
			toast.element,
		),
		h('p', { class: 'muted' }, 'The token stays in this tab until you close it or log out.'),
	);
	return { title: 'Log in', node };
}
