// The reporters of the domain: who they are, and the owner's decision to accept or block each.
import { decideReporter, listReporters } from './domain-api.js';
import { fill, h, keyedList } from './dom.js';
import { announce, busyButton, problemBox, toast } from './notice.js';
import { badge } from './state.js';
import { count, foreign } from './text.js';
import { on } from './time.js';

/**
 * @typedef {object} Reporter
 * @property {string} domain
 * @property {'verified' | 'unverified' | 'accepted' | 'blocked'} standing
 * @property {'accepted' | 'blocked' | null} decision
 * @property {string} firstSeenAt
 * @property {string} lastSeenAt
 * @property {string | null} verifiedAt
 * @property {number} verifiedReports
 * @property {number} otherReports   in mails that did not prove their sender
 */

const STANDINGS = {
	verified: ['good', 'verified', 'Its mails prove who sent them, so its reports count.'],
	accepted: ['good', 'accepted', 'You accepted it, so its reports count whatever its mails prove.'],
	unverified: ['off', 'unverified', 'None of its mails proved who sent it, so its reports by mail do not count; files that you upload do.'],
	blocked: ['bad', 'blocked', 'You blocked it, so its reports do not count.'],
};

// The decisions that the owner can make, by the reporter's standing: [label, decision].
const CHOICES = {
	verified: [['Block', 'blocked']],
	unverified: [['Accept', 'accepted'], ['Block', 'blocked']],
	accepted: [['Take back', null]],
	blocked: [['Take back', null]],
};

// Reporters that wait for a decision come first.
const ORDER = ['unverified', 'blocked', 'accepted', 'verified'];
const SHOWN = 20;

const inOrder = (reporters) =>
	[...reporters].sort(
		(a, b) =>
			ORDER.indexOf(a.standing) - ORDER.indexOf(b.standing) ||
			b.lastSeenAt.localeCompare(a.lastSeenAt),
	);

function choice(domain, { domain: name }, [label, decision], changed) {
	return busyButton(
		{ class: 'small', 'aria-label': `${label} ${name}` },
		label,
		async () => {
			try {
				await decideReporter(domain.id, name, decision);
				announce('Done.');
				await changed();
			} catch (problem) {
				toast.problem(problem);
			}
		},
	);
}

function row(domain, reporter, changed) {
	const { domain: name, standing, lastSeenAt, verifiedReports, otherReports } = reporter;
	const [kind, word, meaning] = STANDINGS[standing];
	return h(
		'li',
		null,
		h('div', { class: 'log-name' }, h('strong', null, foreign(name, 80))),
		h('p', { class: 'log-numbers' }, count(verifiedReports + otherReports, 'report')),
		badge(kind, word),
		h(
			'div',
			{ class: 'log-more' },
			h('p', { class: 'muted' }, meaning, ' Last report on ', on(lastSeenAt), '.'),
			h(
				'div',
				{ class: 'actions' },
				CHOICES[standing].map((each) => choice(domain, reporter, each, changed)),
			),
		),
	);
}

/**
 * @param {() => void} decided called when other reports count than before
 * @returns {{node: Node, load: () => Promise<void>}}
 */
export function reportersSection(domain, signal, decided) {
	const list = h('ul', { class: 'log reporters' });
	const trouble = h('div');
	const more = h('button', { type: 'button' });
	const node = h('section', null, h('h2', null, 'Reporters'), trouble, list, more);
	let all = [];
	let isWhole = false;
	const changed = async () => {
		await load();
		decided();
	};
	const update = keyedList(
		list,
		({ domain: name }) => name,
		(reporter) => row(domain, reporter, changed),
	);
	const show = () => {
		update(isWhole ? all : all.slice(0, SHOWN));
		more.hidden = isWhole || all.length <= SHOWN;
		more.textContent = `Show all ${all.length} reporters`;
		node.hidden = all.length === 0;
	};
	async function load() {
		try {
			all = inOrder(await listReporters(domain.id, signal));
			fill(trouble);
			show();
		} catch (problem) {
			if (!signal.aborted) fill(trouble, problemBox(problem, load));
		}
	}
	more.addEventListener('click', () => {
		isWhole = true;
		show();
		list.children[SHOWN]?.querySelector('button').focus();
	});
	node.hidden = true;
	return { node, load };
}
