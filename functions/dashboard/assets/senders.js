// The sources of mail in the domain's name: known services first, then the others, then forwarders.
import { listSources } from './domain-api.js';
import { fill, h } from './dom.js';
import { problemBox } from './notice.js';
import { badge } from './state.js';
import { count, foreign } from './text.js';
import { days } from './time.js';

/**
 * @typedef {object} Source
 * @property {string | null} source   the address; null for mail whose reports name none
 * @property {string | null} name     the name that DNS confirms
 * @property {string | null} operator
 * @property {{prefix: string, asn: number, name: string | null} | null} network
 * @property {{list: string, state: 'listed' | 'clean' | 'unknown'}[]} lists
 * @property {'service' | 'unknown' | 'forwarder'} class
 * @property {number} messages
 * @property {number} passed
 * @property {number} forwarded
 * @property {number} failed
 * @property {string} firstDay
 * @property {string} lastDay
 * @property {{code: string, message: string} | null} finding
 */

const GROUPS = [
	['service', 'Known services', 'Operators that send for many domains.'],
	['unknown', 'Other senders', 'Your own servers, or others in your name.'],
	['forwarder', 'Forwarders', 'They forward mail that you sent to somebody else.'],
];
const SHOWN = 8;

/**
 * Addresses of one operator are one sender; an address without a known operator is a sender of its
 * own.
 */
function bySender(sources) {
	const senders = new Map();
	for (const source of sources) {
		const { operator, messages, passed, forwarded, failed, firstDay, lastDay } = source;
		const key = operator ? `operator ${operator}` : `address ${source.source}`;
		const sender = senders.get(key) ?? {
			operator,
			addresses: [],
			messages: 0,
			passed: 0,
			forwarded: 0,
			failed: 0,
			firstDay,
			lastDay,
			worst: source,
		};
		sender.addresses.push(source);
		sender.messages += messages;
		sender.passed += passed;
		sender.forwarded += forwarded;
		sender.failed += failed;
		if (firstDay < sender.firstDay) sender.firstDay = firstDay;
		if (lastDay > sender.lastDay) sender.lastDay = lastDay;
		if (failed > sender.worst.failed) sender.worst = source;
		senders.set(key, sender);
	}
	return [...senders.values()].sort((a, b) => b.messages - a.messages);
}

function state({ passed, forwarded, failed }) {
	if (failed === 0 && passed === 0) return badge('off', 'forwarded');
	if (failed === 0) return badge('good', 'passes');
	return passed > 0 || forwarded > 0 ? badge('warn', 'some fails') : badge('bad', 'fails');
}

const address = ({ source }) =>
	source === null ? 'Addresses that reports do not name' : h('code', null, foreign(source, 60));

function title({ operator, addresses }) {
	const [{ source, name }] = addresses;
	if (operator) return operator;
	return name === null ? address({ source }) : foreign(name, 80);
}

function where({ operator, addresses }) {
	const [{ source, name }] = addresses;
	if (addresses.length > 1) return count(addresses.length, 'address', 'addresses');
	return (operator || name !== null) && address({ source });
}

/** The network of a sender that has no known operator and no name. */
function network({ operator, addresses }) {
	const [{ network: its }] = addresses;
	return !operator && its && foreign(its.name ?? `AS${its.asn}`, 100);
}

function listed({ addresses }) {
	const those = addresses.filter(({ lists }) => lists.some(({ state: its }) => its === 'listed'));
	if (those.length === 0) return null;
	const names = new Set(
		those.flatMap(({ lists }) => lists.filter((one) => one.state === 'listed').map(({ list }) => list)),
	);
	return h(
		'p',
		{ class: 'failed' },
		addresses.length === 1 ? 'It is on' : `${count(those.length, 'address is', 'addresses are')} on`,
		names.size === 1 ? ' the blocklist ' : ' the blocklists ',
		[...names].join(', '),
		', so receivers may refuse its mail.',
	);
}

function row(sender) {
	const { messages, failed, firstDay, lastDay, worst } = sender;
	const place = where(sender);
	const whose = network(sender);
	return h(
		'li',
		null,
		h('div', { class: 'log-name' }, h('strong', null, title(sender))),
		h(
			'p',
			{ class: 'log-numbers' },
			count(messages, 'message'),
			failed > 0 && h('span', { class: 'failed' }, `, ${failed.toLocaleString()} failed`),
		),
		state(sender),
		h(
			'div',
			{ class: 'log-more' },
			listed(sender),
			h('p', null, worst.finding ? foreign(worst.finding.message, 500) : 'All its mail passes.'),
			h(
				'p',
				{ class: 'muted' },
				place && [place, ' · '],
				whose && [whose, ' · '],
				days(`${firstDay}T00:00:00Z`, `${lastDay}T23:59:59Z`),
			),
		),
	);
}

function group(senders, [name, heading, meaning]) {
	const list = h('ul', { class: `log senders ${name}` }, senders.slice(0, SHOWN).map(row));
	const more = h('button', { type: 'button' }, `Show all ${senders.length}`);
	more.hidden = senders.length <= SHOWN;
	more.addEventListener('click', () => {
		fill(list, senders.map(row));
		more.hidden = true;
		list.children[SHOWN].tabIndex = -1;
		list.children[SHOWN].focus();
	});
	return h(
		'section',
		{ 'aria-label': heading },
		h('h3', null, heading),
		h('p', { class: 'muted' }, meaning),
		list,
		more,
	);
}

/** @returns {{node: Node, load: () => Promise<void>}} */
export function sendersSection(domain, signal) {
	const body = h('div');
	const node = h('section', null, h('h2', null, 'Who sends in your name'), body);
	async function load() {
		try {
			const sources = await listSources(domain.id, signal);
			node.hidden = sources.length === 0;
			fill(
				body,
				GROUPS.map((each) => [each, bySender(sources.filter((one) => one.class === each[0]))])
					.filter(([, senders]) => senders.length > 0)
					.map(([each, senders]) => group(senders, each)),
			);
		} catch (problem) {
			if (!signal.aborted) fill(body, problemBox(problem, load));
		}
	}
	node.hidden = true;
	return { node, load };
}
