// The changes of a domain in DNS, newest first, loaded when the user opens them.
import { KINDS, TITLES } from './check-result.js';
import { listPostureChanges } from './domain-api.js';
import { fill, h } from './dom.js';
import { icon } from './icons.js';
import { busyButton, problemBox } from './notice.js';
import { badge, disc } from './state.js';
import { foreign } from './text.js';
import { at } from './time.js';

const RECORD_MAX = 2000;

function lines(record) {
	if (record === null) return h('p', { class: 'muted' }, 'Nothing was published.');
	return h(
		'pre',
		{ tabindex: 0 },
		record.split('\n').map((line, i) => [i > 0 && '\n', foreign(line, RECORD_MAX)]),
	);
}

function side(title, { state, record }) {
	return h(
		'div',
		null,
		h('p', null, `${title} `, badge(KINDS[state], state)),
		lines(record),
	);
}

const isSame = ({ old, new: now }) => old.record === now.record && old.state === now.state;

function found({ old, new: now }) {
	const added = now.findings.filter((code) => !old.findings.includes(code));
	const gone = old.findings.filter((code) => !now.findings.includes(code));
	const list = (codes) => codes.map((code, i) => [i > 0 && ', ', h('code', null, foreign(code))]);
	return [
		added.length > 0 && h('p', null, 'Found since: ', list(added)),
		gone.length > 0 && h('p', null, 'No longer found: ', list(gone)),
	];
}

function entry(change) {
	return h(
		'li',
		{ class: 'change' },
		h('p', null, h('strong', null, TITLES[change.item] ?? foreign(change.item)), ' ', h('span', { class: 'muted' }, at(change.changedAt))),
		!isSame(change) && [side('Before:', change.old), side('Since then:', change.new)],
		found(change),
	);
}

/** @returns {{element: Node, refresh: () => void}} refresh loads the list again while it is open */
export function postureHistory(id, signal) {
	const list = h('ul', { class: 'plain changes' });
	const body = h('div', { class: 'details-body' }, h('p', { class: 'muted' }, 'Loading …'));
	const foot = h('div', { class: 'actions' });

	const more = async (page) => {
		const { data, next } = await listPostureChanges(id, signal, page);
		list.append(...data.map(entry));
		fill(
			foot,
			next &&
				busyButton({}, 'Show more', () =>
					more(next).catch((problem) => fill(foot, problemBox(problem, () => more(next)))),
				),
		);
	};
	const load = async () => {
		try {
			fill(list);
			await more();
			fill(
				body,
				list.children.length > 0
					? [list, foot]
					: h('p', { class: 'muted' }, 'Nothing has changed in 90 days.'),
			);
		} catch (problem) {
			if (!signal.aborted) fill(body, problemBox(problem, load));
		}
	};
	const element = h(
		'details',
		{ class: 'card raw' },
		h('summary', null, disc('off'), h('strong', null, 'Changes in 90 days'), icon('next')),
		body,
	);
	element.addEventListener('toggle', () => element.open && load());
	return { element, refresh: () => element.open && load() };
}
