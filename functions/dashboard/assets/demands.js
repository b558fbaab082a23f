// The demands of large mailbox providers: a row for each demand, a column for each provider.
import { h } from './dom.js';
import { badge } from './state.js';
import { sentence } from './text.js';

const PROVIDERS = { gmail: 'Gmail', yahoo: 'Yahoo', microsoft: 'Microsoft' };

const TITLES = {
	'spf-or-dkim': 'SPF or DKIM passes',
	ptr: 'The reverse name resolves back to the address',
	tls: 'The connection is encrypted',
	'message-form': 'The message is well-formed',
	'dkim-key': 'The DKIM key is long enough',
	'spf-and-dkim': 'SPF and DKIM both pass',
	'dmarc-record': 'The From domain has a DMARC record',
	'from-aligned': 'SPF or DKIM is aligned with the From domain',
	'one-click-unsubscribe': 'Unsubscribing takes one click',
};

const SCOPES = {
	everyone: 'For every sender',
	bulk: 'For bulk senders: over 5,000 messages a day from the domain',
};

// A missed demand on bulk senders is only a warning, because it does not apply to those who send
// little.
function cellBadge({ state, scope }) {
	if (state === 'met') return badge('good', 'met');
	if (state === 'missed') return badge(scope === 'bulk' ? 'warn' : 'bad', 'missed');
	if (state === 'undecided') return badge('unknown', 'undecided');
	return badge('off', 'not applicable');
}

function cell(item, provider) {
	return h(
		'td',
		null,
		h('span', { class: 'demand-provider', 'aria-hidden': 'true' }, PROVIDERS[provider]),
		item
			? cellBadge(item)
			: h('span', { class: 'muted' }, '\u2013', h('span', { class: 'unseen' }, 'no such demand')),
	);
}

const WEIGHT = { missed: 0, undecided: 1, met: 2, 'not-applicable': 3 };

function row(name, items) {
	const [telling] = [...items].sort((one, other) => WEIGHT[one.state] - WEIGHT[other.state]);
	const isOpen = telling.state === 'missed' || telling.state === 'undecided';
	return h(
		'tr',
		null,
		h(
			'th',
			{ scope: 'row' },
			TITLES[name] ?? name,
			h('p', null, sentence(telling.evidence)),
			isOpen && telling.advice && h('p', { class: 'demand-advice' }, sentence(telling.advice)),
		),
		Object.keys(PROVIDERS).map((provider) =>
			cell(
				items.find((item) => item.provider === provider),
				provider,
			),
		),
	);
}

function group(scope, items) {
	const names = [...new Set(items.map(({ requirement }) => requirement))];
	return h(
		'tbody',
		null,
		h('tr', null, h('th', { scope: 'rowgroup', colspan: 4, class: 'demand-scope' }, SCOPES[scope])),
		names.map((name) =>
			row(
				name,
				items.filter(({ requirement }) => requirement === name),
			),
		),
	);
}

/** @param {{provider: string, requirement: string, scope: string, state: string}[] | undefined} items */
export function demands(items) {
	if (!items?.length) return null;
	return h(
		'section',
		{ class: 'demands' },
		h('h2', { id: 'demands' }, 'What large providers demand'),
		h(
			'table',
			{ 'aria-labelledby': 'demands' },
			h(
				'thead',
				null,
				h(
					'tr',
					null,
					h('td', null),
					Object.values(PROVIDERS).map((name) => h('th', { scope: 'col' }, name)),
				),
			),
			Object.keys(SCOPES).map((scope) =>
				group(
					scope,
					items.filter((item) => item.scope === scope),
				),
			),
		),
		h(
			'p',
			{ class: 'muted' },
			'One message does not show how much you send, and only the providers see how often their users complain.',
		),
	);
}
