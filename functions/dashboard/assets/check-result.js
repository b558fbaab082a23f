// The findings in DNS about a domain: first the steps to take, then each subject.
import { h } from './dom.js';
import { icon } from './icons.js';
import { notice } from './notice.js';
import { recordCard } from './record.js';
import { badge, disc, facts } from './state.js';
import { count, foreign, plain, plainName, sentence } from './text.js';
import { at, since } from './time.js';

/**
 * @typedef {'ok' | 'unknown' | 'warning' | 'error'} State
 * @typedef {object} Finding
 * @property {State} state
 * @property {string} code
 * @property {string} message
 * @property {string} advice
 * @property {import('./record.js').Change | null} record
 */

export const KINDS = { ok: 'good', unknown: 'unknown', warning: 'warn', error: 'bad' };
export const TITLES = {
	zone: 'Domain and name servers',
	mx: 'MX records',
	spf: 'SPF',
	dmarc: 'DMARC',
	'mta-sts': 'MTA-STS',
	'tls-rpt': 'TLS reports',
	dane: 'DANE',
	caa: 'CAA',
	bimi: 'BIMI',
	dnssec: 'DNSSEC',
};
const NONE = {
	mx: 'no record',
	spf: 'no record',
	dmarc: 'no record',
	'mta-sts': 'not used',
	'tls-rpt': 'not used',
	dane: 'not used',
	caa: 'no limit',
	bimi: 'not used',
};

const code = (text) => h('code', null, foreign(text, 2000));

// Every domain has a zone; the other subjects may be unpublished, which is no fault.
const wordOf = ({ name, state, record }) =>
	state === 'ok' && record === null && NONE[name] ? NONE[name] : state;
const kindOf = ({ name, state, record }) =>
	state === 'ok' && record === null && NONE[name] ? 'off' : KINDS[state];

function findingItem({ state, message, advice, record }) {
	return h(
		'li',
		null,
		h('p', null, disc(state === 'ok' ? 'off' : KINDS[state]), h('span', null, sentence(message), ' ', advice && sentence(advice))),
		record && recordCard(record),
	);
}

function exchanges({ exchanges: all }) {
	return h(
		'ul',
		{ class: 'plain' },
		all.map(({ host, preference, addresses, alias }) =>
			h(
				'li',
				null,
				`${preference} `,
				code(host || '.'),
				' ',
				h('span', { class: 'muted' }, foreign(addresses.join(', ')), alias && ' an alias'),
			),
		),
	);
}

function tree({ lookups, lookupsMax, tree: nodes }) {
	return h(
		'div',
		{ class: 'evaluation' },
		h('p', null, `${count(lookups, 'DNS lookup')} of the ${lookupsMax} that receivers allow.`),
		nodes.length > 1 &&
			h(
				'ul',
				{ class: 'tree' },
				nodes.map(({ depth, via, domain, record }) =>
					h(
						'li',
						{ class: `depth-${Math.min(depth, 6)}` },
						via && `${via} `,
						code(domain),
						h('p', { class: 'muted' }, foreign(record, 200)),
					),
				),
			),
	);
}

const AGREEMENT = { true: 'takes reports', false: 'does not take them', null: 'is not known to' };

function policy({ domain, policy: name, destinations }) {
	return facts(
		['Record of', domain && code(domain)],
		['Policy', name],
		[
			'Reports to',
			destinations.length > 0 &&
				h(
					'ul',
					{ class: 'plain' },
					destinations.map(({ address, authorized }) =>
						h('li', null, code(address), ` ${AGREEMENT[authorized]}`),
					),
				),
		],
	);
}

const DETAILS = { mx: exchanges, spf: tree, dmarc: policy };

function published(record) {
	return h(
		'pre',
		{ tabindex: 0, 'aria-label': 'Published' },
		record.split('\n').map((line, i) => [i > 0 && '\n', foreign(line, 4000)]),
	);
}

// For a domain of the account: an item for which DNS gives no answer now keeps its earlier finding.
function ageOf({ checkedAt, changedAt }, latest) {
	if (changedAt === undefined) return false;
	return h(
		'p',
		{ class: 'muted' },
		checkedAt !== latest && ['DNS does not answer now; this was seen ', since(checkedAt), '. '],
		'Since ',
		at(changedAt),
		'.',
	);
}

function subject(item, latest) {
	const { name, state, record, findings, details } = item;
	const kind = kindOf(item);
	const first = findings[0];
	return h(
		'details',
		{ class: 'card analysis', open: state === 'error' },
		h(
			'summary',
			null,
			disc(kind),
			h('strong', null, TITLES[name]),
			badge(kind, wordOf(item)),
			h('span', { class: 'summary-text' }, first ? sentence(first.message) : ''),
			icon('next'),
		),
		h(
			'div',
			{ class: 'details-body' },
			record !== null ? published(record) : h('p', { class: 'muted' }, 'Nothing is published.'),
			details && DETAILS[name]?.(details),
			findings.length > 0 && h('ul', { class: 'advice' }, findings.map(findingItem)),
			ageOf(item, latest),
		),
	);
}

function step({ state, message, advice, record }) {
	return h(
		'li',
		null,
		h('p', null, badge(KINDS[state], state), ' ', sentence(message)),
		advice && h('p', null, sentence(advice)),
		record && recordCard(record),
	);
}

function verdictOf(domain, errors, warnings, isUnknown) {
	if (errors > 0) return ['bad', `${count(errors, 'thing is', 'things are')} wrong with ${domain}`];
	if (warnings > 0)
		return ['warn', `${domain} works; ${count(warnings, 'thing', 'things')} could be better`];
	if (isUnknown) return ['unknown', `DNS did not answer everything about ${domain}`];
	return ['good', `${domain} is in order`];
}

/** @param {{domain: string, checkedAt: string, state: State, items: object[]}} check */
export function domainState({ domain, checkedAt, state, items }) {
	const all = items.flatMap(({ findings }) => findings);
	const of = (wanted) => all.filter((finding) => finding.state === wanted);
	const steps = [...of('error'), ...of('warning')];
	const [kind, title] = verdictOf(
		plainName(domain),
		of('error').length,
		of('warning').length,
		state === 'unknown',
	);
	return [
		h(
			'section',
			{ class: `card summary ${kind}` },
			h(
				'div',
				{ class: 'summary-words' },
				h('h2', { class: 'verdict' }, title),
				h('p', { class: 'lead' }, 'Seen in DNS ', since(checkedAt), '.'),
			),
		),
		h(
			'section',
			{ class: 'actions-to-take' },
			h('h2', null, 'What to do'),
			steps.length > 0
				? h('ol', { class: 'advice' }, steps.map(step))
				: notice(kind, kind === 'good' ? 'Nothing.' : 'DNS did not answer. Try again in a moment.'),
		),
		h('section', null, h('h2', null, 'Checks'), items.map((item) => subject(item, checkedAt))),
	];
}
