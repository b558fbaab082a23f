// Checks any domain, without an account: shows its mail setup in DNS and the records to publish.
import { send } from './api.js';
import { domainState } from './check-result.js';
import { fill, h } from './dom.js';
import { field } from './field.js';
import { announce, problemBox } from './notice.js';
import { nameIn, plain } from './text.js';

const NAME = /^[^\s.@/]+(\.[^\s.@/]+)+\.?$/;

const SUBJECTS = [
	['MX records', 'Can mail to the domain be delivered?'],
	['SPF', 'Who may send in its name, and can receivers read it?'],
	['DMARC', 'What happens to forged mail, and who is told?'],
	['MTA-STS and TLS reports', 'Must senders use TLS, and do they say when it fails?'],
	['DANE', 'Are the mail servers’ TLSA records valid?'],
	['CAA and BIMI', 'Are these optional records valid?'],
];

/** @returns {Promise<object>} the publicly visible mail setup of the domain */
const checkDomain = async (name, signal) =>
	(await send('GET', `/api/v1/check?domain=${encodeURIComponent(name)}`, { signal })).data.data;

export const checkAddress = (name) => `#/check/${encodeURIComponent(name)}`;

function form(name, again) {
	const domain = field({
		label: 'Domain',
		hint: 'The part after the @ in its addresses, like example.com.',
		input: h('input', {
			type: 'text',
			name: 'domain',
			inputmode: 'url',
			autocapitalize: 'none',
			autocomplete: 'off',
			spellcheck: 'false',
			value: name,
		}),
	});
	const submit = (event) => {
		event.preventDefault();
		const wanted = nameIn(domain.input.value);
		if (!NAME.test(wanted)) return domain.refuse('Enter a domain like example.com.');
		domain.accept();
		if (wanted === name) return again();
		location.hash = checkAddress(wanted);
		return undefined;
	};
	return h(
		'form',
		{ class: 'one-line', novalidate: true, onsubmit: submit },
		domain.element,
		h('button', { class: 'primary', type: 'submit' }, 'Check'),
	);
}

function subjects() {
	return h(
		'section',
		{ class: 'checks' },
		h('h2', null, 'What is looked at'),
		h(
			'ul',
			null,
			SUBJECTS.map(([title, what]) =>
				h('li', null, h('strong', null, title), h('span', null, what)),
			),
		),
		h(
			'p',
			{ class: 'muted' },
			'Only DNS is queried. The service connects to no server of the domain, and stores nothing.',
		),
	);
}

/** @type {import('./app.js').View} */
export function checkView([name], signal) {
	const body = h('div', { class: 'check' });
	const load = async () => {
		fill(body, h('p', { class: 'muted loading' }, 'Asking DNS …'));
		try {
			const check = await checkDomain(name, signal);
			fill(body, domainState(check));
			announce(body.querySelector('.verdict').textContent);
		} catch (problem) {
			if (!signal.aborted) fill(body, problemBox(problem, load));
		}
	};
	if (name) load();
	else fill(body, subjects());
	return {
		title: name ? plain(name) : 'Domain check',
		node: h(
			'div',
			{ class: 'view' },
			h('h1', { tabindex: -1 }, 'Is a domain set up for mail?'),
			h(
				'p',
				{ class: 'lead' },
				'See what DNS publishes about its mail: problems first, with the records to publish.',
			),
			form(name ?? '', load),
			body,
		),
	};
}
