// A part of the page that is refreshed when its data in the service changes.
import { fill, h } from './dom.js';
import { notice, problemBox } from './notice.js';
import { poll } from './poll.js';

/** @type {import('./poll.js').Pace} What changes by itself: reports arrive, DNS is checked. */
const FOLLOW = { quickMs: 4000, quickForMs: 120000, slowMs: 30000 };

const nameOf = (element) => element.getAttribute('aria-label') ?? element.textContent;

// The focus survives a change: it stays on the element, or moves to the one that replaces it.
function keepFocus(body, change) {
	const held = document.activeElement;
	const isInside = body.contains(held);
	change();
	if (!isInside || document.activeElement === held) return;
	const heir = held.isConnected
		? held
		: [...body.querySelectorAll(held.localName)].find((one) => nameOf(one) === nameOf(held));
	heir?.focus({ preventScroll: true });
}

/**
 * Loads data, shows it, and shows it again whenever it has changed. The shown data stays while the
 * service cannot be reached.
 *
 * @param {{load: () => Promise<object>, show: (data: object) => void, body: Node,
 *   signal: AbortSignal}} options body is what show fills
 * @returns {{node: Node, refresh: () => Promise<void>}}
 */
export function live({ load, show, body, signal }) {
	const node = h('div', { class: 'live' }, h('p', { class: 'muted loading' }, 'Loading …'));
	const lost = h(
		'div',
		{ class: 'toast' },
		notice('warn', 'The connection is lost. This page may be out of date; it tries to connect again.'),
	);
	let seen = null;
	let asked = 0;
	let shown = 0;

	const refresh = async () => {
		const turn = ++asked;
		const data = await load();
		if (turn < shown) return; // a later request was answered first
		shown = turn;
		lost.remove();
		const version = JSON.stringify(data);
		if (version === seen || signal.aborted) return;
		keepFocus(body, () => show(data));
		if (seen === null) fill(node, body);
		seen = version;
	};
	// The data was deleted meanwhile, in another tab or by another user.
	const gone = (problem) => {
		seen = null;
		lost.remove();
		fill(node, problemBox(problem));
	};
	const failed = (problem) =>
		problem.status === 404 ? gone(problem) : document.getElementById('toasts').append(lost);
	signal.addEventListener('abort', () => lost.remove());
	const begin = async () => {
		try {
			await refresh();
			poll(refresh, FOLLOW, { signal, failed });
		} catch (problem) {
			if (!signal.aborted) fill(node, problemBox(problem, begin));
		}
	};
	begin();
	return { node, refresh };
}
