// The tests that this browser has made or shown, newest first: stored in this browser only, until
// they expire.
import { h } from './dom.js';
import { icon } from './icons.js';
import { announce } from './notice.js';
import { testAddress } from './sessions.js';
import { badge } from './state.js';
import { foreign, plain } from './text.js';
import { at } from './time.js';
import { scoreText, verdictOf } from './verdict.js';

const KEY = 'eds-tests';
const MAX = 20;

/** @typedef {{testId: string, expiresAt: string, from?: string, receivedAt?: string, kind?: string, title?: string, score?: number}} Recent */

const isOne = (one) => /^[a-z2-7]{26}$/.test(one?.testId) && Date.parse(one.expiresAt) > Date.now();

/** @returns {Recent[]} */
function read() {
	try {
		const list = JSON.parse(localStorage.getItem(KEY) ?? '[]');
		return Array.isArray(list) ? list.filter(isOne).slice(0, MAX) : [];
	} catch {
		return []; // the browser stores nothing, or the stored text is invalid
	}
}

function write(list) {
	try {
		if (list.length === 0) localStorage.removeItem(KEY);
		else localStorage.setItem(KEY, JSON.stringify(list.slice(0, MAX)));
	} catch {
		// Without storage the list lasts only as long as the page.
	}
}

/** @param {import('./sessions.js').Session} session */
export function rememberTest(session) {
	const { testId, expiresAt, status, spamScore, results } = session;
	const { kind, title } = status === 'completed' ? verdictOf(session) : {};
	const one = { testId, expiresAt, from: results?.headers.fromDomain, receivedAt: results?.headers.receivedAt, kind, title, score: spamScore };
	write([one, ...read().filter((other) => other.testId !== testId)]);
}

export function forgetTest(testId) {
	write(read().filter((other) => other.testId !== testId));
}

function row({ testId, from, receivedAt, kind, title, score }, remove) {
	const name = from ? `from ${plain(from)}` : testId;
	return h(
		'li',
		null,
		h('a', { href: testAddress(testId) }, from ? ['Mail from ', foreign(from)] : ['Address ', h('code', null, foreign(`${testId.slice(0, 6)}…`))]),
		title ? badge(kind, `${plain(title, 40)}, ${scoreText(Number(score))}`) : badge('unknown', 'no message yet'),
		h('span', { class: 'muted' }, receivedAt && at(receivedAt)),
		h('button', { type: 'button', class: 'quiet small', 'aria-label': `Remove the test ${name} from this list`, onclick: remove }, icon('bad')),
	);
}

/** A section with the recent tests; empty without any. */
export function recentTests() {
	const list = h('ul', { class: 'recent' });
	const heading = h('h2', { tabindex: -1 }, 'Your recent tests');
	const section = h(
		'section',
		{ class: 'recent-tests' },
		heading,
		h('p', { class: 'muted' }, 'This list is kept in your browser only. A test is deleted 48 hours after its address was made.'),
		list,
		h('button', { type: 'button', class: 'small', onclick: () => removeAll() }, 'Remove all from this list'),
	);
	const end = (text) => {
		section.hidden = list.children.length === 0;
		announce(text);
		(section.hidden ? document.querySelector('h1') : heading).focus();
	};
	const removeAll = () => {
		write([]);
		list.replaceChildren();
		end('The list is empty.');
	};
	for (const one of read()) {
		const item = row(one, () => {
			forgetTest(one.testId);
			item.remove();
			end('Removed from the list.');
		});
		list.append(item);
	}
	section.hidden = list.children.length === 0;
	return section;
}
