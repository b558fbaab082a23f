// One selector: its key, its findings, its history, and the actions on it.
import { getHistory } from './domain-api.js';
import { fill, h } from './dom.js';
import { icon } from './icons.js';
import { busyButton, problemBox, toast } from './notice.js';
import { badge, disc, factsAcross } from './state.js';
import { foreign, plain, sentence } from './text.js';
import { at, days, since } from './time.js';

const STATES = {
	active: ['good', 'active', 'Valid, and seen in a report within 30 days'],
	unused: ['good', 'unused', 'Valid, and not seen in a report lately'],
	revoked: ['bad', 'revoked', 'The key was withdrawn'],
	invalid: ['bad', 'invalid', 'No signature can be verified with it'],
	unknown: ['unknown', 'unknown', 'DNS has not answered yet'],
};

const TYPES = { rsa: 'RSA', ed25519: 'Ed25519' };

const keyText = ({ keyType, keySize }) =>
	[TYPES[keyType], keySize !== null && `${keySize} bits`].filter(Boolean).join(', ');

function findings(kind, items) {
	return items.map(({ message }) => h('li', null, disc(kind), h('p', null, sentence(message))));
}

function change(entry) {
	const what = entry.valid
		? ['valid', keyText(entry)].filter(Boolean).join(', ')
		: entry.errors.map(({ message }) => message).join(' ') || 'unknown';
	return h(
		'li',
		null,
		at(entry.changedAt),
		h('span', null, badge(entry.valid ? 'good' : 'bad', entry.valid ? 'valid' : 'invalid')),
		h('span', { class: 'muted' }, foreign(what)),
	);
}

function history(domain, { selector }) {
	const body = h('div', { class: 'history' }, h('p', { class: 'muted' }, 'Loading …'));
	const load = async () => {
		try {
			const changes = await getHistory(domain.id, selector);
			fill(
				body,
				changes.length === 0
					? h('p', { class: 'muted' }, 'Nothing has changed in 90 days.')
					: h('ul', null, changes.map(change)),
			);
		} catch (problem) {
			fill(body, problemBox(problem, load));
		}
	};
	const details = h(
		'details',
		null,
		h('summary', { 'aria-label': `History of ${plain(selector)}` }, icon('next'), ' History'),
		body,
	);
	details.addEventListener('toggle', () => details.open && load());
	return details;
}

function evidenceFacts({ addedManually, checkedAt, evidence }) {
	const { firstSeen, lastSeen, passCount, failCount, cname } = evidence;
	return factsAcross(
		['Last check', checkedAt === null ? 'not yet' : since(checkedAt)],
		['Known from', addedManually ? 'registration' : firstSeen === null ? 'its key in DNS' : 'reports'],
		['In reports', firstSeen === null ? 'not seen' : days(firstSeen, lastSeen)],
		[
			'Messages',
			firstSeen !== null &&
				`${passCount.toLocaleString()} passed, ${failCount.toLocaleString()} failed`,
		],
		['Alias for', cname && h('code', null, foreign(cname))],
	);
}

function button(label, attributes, item, action) {
	return busyButton(
		{
			class: 'small',
			'aria-label': `${label} ${plain(item.selector)}`,
			...attributes,
		},
		label,
		async () => {
			try {
				const said = await action(item);
				if (said) toast.say('off', plain(said, 300));
			} catch (problem) {
				toast.problem(problem);
			}
		},
	);
}

/**
 * @param {import('./domain-api.js').Selector} item
 * @param {{check: Function, remove: Function}} actions
 * @param {{old?: Element, gone: () => void}} options old: the row that this one replaces; gone:
 *   called after the selector was deleted
 */
export function selectorRow(domain, item, actions, { old, gone }) {
	const [kind, word, title] = STATES[item.state];
	const remove = async (entry) => {
		const said = await actions.remove(entry);
		if (said) gone();
		return said;
	};
	const fresh = h(
		'li',
		{ class: 'card selector', id: `selector-${item.selector}` },
		h(
			'div',
			{ class: 'selector-head' },
			h('h3', null, h('code', null, foreign(item.selector))),
			h('span', { title }, badge(kind, word)),
			h('span', { class: 'muted' }, keyText(item)),
			h(
				'div',
				{ class: 'actions' },
				button('Check now', {}, item, actions.check),
				button('Delete', { class: 'small quiet' }, item, remove),
			),
		),
		item.errors.length + item.warnings.length > 0 &&
			h(
				'ul',
				{ class: 'findings' },
				findings('bad', item.errors),
				findings('warn', item.warnings),
			),
		evidenceFacts(item),
		history(domain, item),
	);
	if (old?.querySelector('details').open) fresh.querySelector('details').open = true;
	return fresh;
}
