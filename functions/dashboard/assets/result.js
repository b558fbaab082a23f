// A test result: verdict and score, the changes to make, the points, then every analysis.
import { compareCard, noteSeen } from './compare.js';
import { copyButton } from './copy.js';
import { demands } from './demands.js';
import { fill, h } from './dom.js';
import { decodeWords } from './encoded-words.js';
import { icon } from './icons.js';
import { announce, busyButton, notice, slot } from './notice.js';
import { recordCard } from './record.js';
import { rawHeaders } from './raw-headers.js';
import { analyses, unjudged } from './analyses.js';
import { besides } from './besides.js';
import { save } from './save.js';
import { gauge, pointsTable } from './score.js';
import { reanalyze } from './sessions.js';
import { badge, disc, facts } from './state.js';
import { newTestButton } from './tester.js';
import { count, foreign, plain, sentence } from './text.js';
import { at, countdown } from './time.js';
import { actions, points, scoreText, verdictOf } from './verdict.js';

function messageFacts({ email, results: { headers, helo } }) {
	return facts(
		[
			'Subject',
			headers.subject === null
				? h('span', { class: 'muted' }, 'none')
				: foreign(decodeWords(headers.subject), 120),
		],
		['From', headers.fromDomain && foreign(headers.fromDomain)],
		[
			'Envelope sender',
			headers.mailFrom
				? foreign(headers.mailFrom, 120)
				: h('span', { class: 'muted' }, 'empty (<>)'),
		],
		[
			'Delivered by',
			helo.clientAddress && [
				foreign(helo.name ?? 'unnamed', 80),
				' [',
				foreign(helo.clientAddress),
				']',
			],
		],
		['Received', at(headers.receivedAt)],
		['Sent to', foreign(email)],
	);
}

const LIST = new Intl.ListFormat('en');
const REASONS_MAX = 4;

// again: the button for another analysis, shown when the headline says that nothing is decided.
function summary(session, again) {
	const verdict = verdictOf(session);
	const missing = unjudged(session);
	const { reasons } = verdict;
	return h(
		'section',
		{ class: `card summary ${verdict.kind}`, 'aria-labelledby': 'verdict' },
		h(
			'div',
			{ class: 'summary-words' },
			h('h1', { id: 'verdict', tabindex: -1 }, plain(verdict.title)),
			h('p', { class: 'lead' }, verdict.sentence),
			reasons.length > 0 &&
				h(
					'ul',
					{ class: 'reasons' },
					reasons.slice(0, REASONS_MAX).map((text) => h('li', null, sentence(text))),
				),
			missing.length > 0 &&
				h('p', { class: 'unjudged' }, `Could not be judged: ${LIST.format(missing)}.`),
			again && h('div', { class: 'actions' }, again),
		),
		h(
			'p',
			{ class: 'score' },
			h('span', { class: 'score-number' }, scoreText(session.spamScore)),
			h('span', { class: 'muted' }, verdict.isOpen ? 'spam score' : `spam score · ${verdict.name}`),
		),
		gauge(session.spamScore),
		messageFacts(session),
	);
}

function action(advice) {
	const gain = advice.points > 0 && badge('bad', `${points(advice.points)} points`);
	return h(
		'li',
		{ class: advice.severity },
		h(
			'p',
			null,
			advice.severity === 'urgent' ? badge('bad', 'decides') : gain,
			' ',
			sentence(advice.message),
		),
		advice.record && recordCard(advice.record),
	);
}

function nothingToDo(session) {
	return verdictOf(session).isOpen
		? notice('off', 'No check that gave a result costs points. The other checks gave no result yet.')
		: notice(
				'good',
				'Nothing costs points, and nothing was found for which receivers refuse the message. Possible improvements are listed below.',
			);
}

// Advice that costs points or decides the outcome is all shown; the rest may stay folded.
function actionList(session) {
	const all = actions(session);
	const decisive = all.filter(({ severity, points: cost }) => severity === 'urgent' || cost > 0);
	const free = decisive.length > 0 ? all.filter((one) => !decisive.includes(one)) : [];
	return h(
		'section',
		{ class: 'actions-to-take' },
		h('h2', null, 'What to do'),
		all.length === 0
			? nothingToDo(session)
			: h('ol', { class: 'advice' }, (decisive.length > 0 ? decisive : all).map(action)),
		free.length > 0 &&
			h(
				'details',
				{ class: 'card raw' },
				h(
					'summary',
					null,
					disc('off'),
					h('strong', null, `${count(free.length, 'improvement')} without effect on the score`),
					icon('next'),
				),
				h('ol', { class: 'advice details-body' }, free.map(action)),
			),
	);
}

function saveJson(session) {
	const text = `${JSON.stringify(session, null, 2)}\n`;
	save(`mail-test-${session.testId}.json`, 'application/json', [text]);
}

function details(session) {
	return [
		actionList(session),
		demands(session.results.requirements),
		h(
			'section',
			null,
			h('h2', null, 'Where the points come from'),
			session.scoreBreakdown.length === 0
				? h('p', { class: 'muted' }, 'No rule applied.')
				: pointsTable(session.scoreBreakdown, session.spamScore),
		),
		h('section', null, h('h2', null, 'What was checked'), analyses(session)),
		besides(session.results),
		rawHeaders(session.testId),
		compareCard(session.testId),
	];
}

/** @param {import('./sessions.js').Session} first */
export function resultView(first, { signal, over, test }) {
	let session = first;
	noteSeen(first);
	const head = h('div');
	const body = h('div', null, details(session));
	const message = slot(
		h(
			'p',
			{ class: 'muted' },
			'Deleted in ',
			countdown(first.expiresAt, signal, over),
			'. Until then anybody with the link can see it.',
		),
	);
	const news = h('div', { class: 'toast' });
	signal.addEventListener('abort', () => news.remove());

	const replace = (next, words) => {
		session = next;
		showSummary();
		fill(body, details(session));
		news.remove();
		announce(`${words} ${verdictOf(session).title}.`);
	};
	const again = busyButton({}, [icon('again'), 'Analyze again'], async () => {
		message.say('unknown', 'Asking DNS anew …');
		try {
			const answer = await reanalyze(session.testId);
			test.adopt(answer);
			replace(answer.data, 'Analyzed again.');
			message.say('good', 'Analyzed again just now, with the present DNS records.');
		} catch (problem) {
			message.problem(problem);
		}
	});
	const bar = h(
		'div',
		{ class: 'actions toolbar' },
		copyButton(location.href, {
			label: 'Copy link',
			what: 'to this result',
			icon: 'link',
			class: 'copy',
		}),
		h(
			'button',
			{ type: 'button', onclick: () => saveJson(session) },
			icon('down'),
			'Export JSON',
		),
		newTestButton('New test', {}, message),
	);

	// The button moves to where it matters most; if it has just been pressed, it keeps the
	// focus.
	function showSummary() {
		const hadFocus = document.activeElement === again;
		const { isOpen, isUnseen } = verdictOf(session);
		const isFirst = isOpen && !isUnseen;
		fill(head, summary(session, isFirst && again));
		if (!isFirst) bar.prepend(again);
		if (hadFocus) again.focus({ preventScroll: true });
	}
	showSummary();

	return {
		node: h('div', { class: 'view' }, head, bar, message.element, body),
		newer: (next) => {
			const show = h('button', { type: 'button', class: 'primary small' }, 'Show it');
			show.addEventListener('click', () => {
				replace(next, 'The newer message.');
				scrollTo(0, 0);
				head.querySelector('h1').focus({ preventScroll: true });
			});
			fill(news, h('p', { role: 'status' }, 'There is a newer result.'), show);
			document.getElementById('toasts').append(news);
		},
		expired: () => {
			message.say(
				'warn',
				'The 48 hours are over and the service has deleted the test. What you see is ' +
					'the last copy: export it before you leave the page.',
			);
			again.remove();
		},
	};
}
