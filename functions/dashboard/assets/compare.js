// Two tests beside each other: the effect of a change of DNS, or of the sender.
import { fill, h } from './dom.js';
import { decodeWords } from './encoded-words.js';
import { field } from './field.js';
import { icon } from './icons.js';
import { announce, notice, problemBox } from './notice.js';
import { compareSessions, testAddress } from './sessions.js';
import { badge, disc } from './state.js';
import { table } from './table.js';
import { count, foreign, plain, sentence } from './text.js';
import { at } from './time.js';
import { points, ruleText, scoreText, verdictOf } from './verdict.js';

const TEST_ID = /(?:^|[^a-z2-7])([a-z2-7]{26})(?:[^a-z2-7]|$)/;
const SEEN_MAX = 5;

const seen = new Map(); // results shown in this tab, the latest last

export const compareAddress = (before, after) => `#/compare/${before}/${after}`;

const subjectOf = (subject) =>
	subject === null ? 'no subject' : plain(decodeWords(subject), 60);

/** Remembers a result, so that the page can offer it for a comparison. */
export function noteSeen({ testId, results: { headers } }) {
	seen.delete(testId);
	seen.set(testId, headers.subject);
	if (seen.size > SEEN_MAX) seen.delete(seen.keys().next().value);
}

function seenLinks(testId) {
	const others = [...seen].filter(([id]) => id !== testId).reverse();
	return (
		others.length > 0 &&
		h(
			'ul',
			null,
			others.map(([id, subject]) =>
				h('li', null, h('a', { href: compareAddress(id, testId) }, subjectOf(subject))),
			),
		)
	);
}

/** On the page of a result: a form that asks for another test to compare it with. */
export function compareCard(testId) {
	const other = field({
		label: 'The other test',
		hint: 'Its link, its address or its ID. Anybody who has the link of the comparison sees both results.',
		input: h('input', {
			type: 'text',
			name: 'test',
			autocapitalize: 'none',
			autocomplete: 'off',
			spellcheck: 'false',
		}),
	});
	const submit = (event) => {
		event.preventDefault();
		const id = TEST_ID.exec(other.input.value.trim())?.[1];
		if (!id) return other.refuse('Enter the link, the address or the ID of a test.');
		if (id === testId) return other.refuse('This is the same test. Enter another one.');
		location.hash = compareAddress(id, testId);
		return undefined;
	};
	return h(
		'details',
		{ class: 'card raw compare' },
		h(
			'summary',
			null,
			disc('off'),
			h('strong', null, 'Compare with an earlier test'),
			icon('next'),
		),
		h(
			'div',
			{ class: 'details-body' },
			seenLinks(testId),
			h(
				'form',
				{ class: 'one-line', novalidate: true, onsubmit: submit },
				other.element,
				h('button', { type: 'submit' }, 'Compare'),
			),
		),
	);
}

const value = (given) => {
	if (given === null) return h('span', { class: 'muted' }, 'none');
	return typeof given === 'string' ? foreign(given, 200) : String(given);
};

const pointsOf = (score) =>
	score === null ? h('span', { class: 'muted' }, 'none') : points(score);

const beforeAndAfter = (what, rows) => table([what, 'Before', 'After'], [], rows);

function testCell({ testId, subject, receivedAt, spamScore, verdict, outlook }) {
	const { kind, title } = verdictOf({ verdict, results: { outlook: outlook && { state: outlook } } });
	return [
		h('a', { href: testAddress(testId) }, subjectOf(subject)),
		h('br'),
		receivedAt ? at(receivedAt) : '',
		h('br'),
		badge(kind, title),
		' ',
		spamScore === null ? '' : scoreText(spamScore),
	];
}

function headline({ scoreChange }) {
	if (scoreChange === 0) return 'The score is the same';
	const by = Math.abs(scoreChange).toFixed(1);
	return scoreChange < 0 ? `The score is better by ${by}` : `The score is worse by ${by}`;
}

const section = (title, isShown, body) =>
	isShown && h('section', null, h('h2', null, title), body);

const adviceList = (list) =>
	h('ul', { class: 'advice' }, list.map(({ message }) => h('li', null, h('p', null, sentence(message ?? '')))));

const STATES = { met: 'good', missed: 'bad', undecided: 'unknown', 'not-applicable': 'off' };
const stateOf = (state) => (state === null ? value(null) : badge(STATES[state] ?? 'off', plain(state).replaceAll('-', ' ')));

function differences(comparison) {
	const { before, after, rules, measured, requirements, advice } = comparison;
	const nothing = [rules, measured, requirements, advice.resolved, advice.added].every((list) => list.length === 0);
	return [
		h('div', { class: 'card' }, table(['Before', 'After'], [], [[testCell(before), testCell(after)]])),
		nothing && notice('off', 'All results are the same.'),
		section('No longer advised', advice.resolved.length > 0, adviceList(advice.resolved)),
		section('Newly advised', advice.added.length > 0, adviceList(advice.added)),
		advice.remaining > 0 &&
			h('p', { class: 'muted' }, `${count(advice.remaining, 'piece')} of advice ${advice.remaining === 1 ? 'applies' : 'apply'} to both tests.`),
		section('Points', rules.length > 0, beforeAndAfter('Rule', rules.map((rule) =>
			[ruleText(rule.rule) || plain(rule.rule), pointsOf(rule.before), pointsOf(rule.after)]))),
		section('Requirements', requirements.length > 0, beforeAndAfter('Requirement', requirements.map((item) =>
			[`${plain(item.provider)}: ${plain(item.requirement)}`, stateOf(item.before), stateOf(item.after)]))),
		section('What was measured', measured.length > 0, beforeAndAfter('Name', measured.map((item) =>
			[h('code', null, plain(item.name)), value(item.before), value(item.after)]))),
	];
}

/** @type {import('./app.js').View} */
export function compareView([before, after], signal) {
	const title = h('h1', { tabindex: -1 }, 'Two tests');
	const body = h('div', { class: 'comparison' });
	const load = async () => {
		fill(body, h('p', { class: 'muted loading' }, 'Comparing …'));
		try {
			const comparison = await compareSessions(before, after, signal);
			title.textContent = headline(comparison);
			fill(body, differences(comparison));
			announce(`${headline(comparison)}.`);
		} catch (problem) {
			if (!signal.aborted) fill(body, problemBox(problem, load));
		}
	};
	load();
	return { title: 'Two tests', node: h('div', { class: 'view' }, title, body) };
}
