// Messages about events and errors: announced to screen readers, and shown with what to do about
// them.
import { fill, h } from './dom.js';
import { icon } from './icons.js';
import { isLimit, limitBox } from './limit.js';
import { getToken } from './store.js';
import { sentence } from './text.js';
import { duration } from './time.js';

/** Announces the text to screen readers, without moving anything on the page. */
export function announce(text) {
	const live = document.getElementById('live');
	live.textContent = '';
	setTimeout(() => (live.textContent = text), 50);
}

function explain(problem) {
	if (problem.code === 'busy')
		return 'The service is busy. Nothing is lost; try again in a moment.';
	return problem.message;
}

function whenAgain({ retryAfterS }) {
	return retryAfterS > 0 ? ` Try again in ${duration(retryAfterS * 1000)}.` : '';
}

/**
 * A box about a failed request: the error, and a button if trying again may help.
 * @param {import('./api.js').Problem} problem
 */
export function problemBox(problem, retry) {
	if (isLimit(problem) && !getToken()) return limitBox(problem, retry);
	return h(
		'div',
		{ class: 'notice bad', role: 'alert' },
		icon('warn'),
		h('p', null, sentence(explain(problem)), whenAgain(problem)),
		retry && h('button', { type: 'button', class: 'small', onclick: retry }, 'Try again'),
	);
}

/** A piece of information in the color of its state: good, warn, bad, unknown. */
export function notice(kind, ...children) {
	return h('div', { class: `notice ${kind}` }, icon(kind), h('p', null, children));
}

/** A place of fixed height for the message of a request, so that nothing moves when it appears. */
export function slot(...children) {
	const element = h('div', { class: 'slot' }, children);
	return {
		element,
		clear: () => fill(element, children),
		problem: (problem, retry) => fill(element, problemBox(problem, retry)),
		say: (kind, text) => {
			fill(element, notice(kind, text));
			announce(text);
		},
	};
}

const TOAST_MS = 8000;

/**
 * The message of an action, shown over the page so that nothing in it moves. A success disappears
 * by itself; a problem stays until it is closed or the action is tried again.
 */
export const toast = {
	clear: () => document.getElementById('said')?.remove(),
	problem: (problem, retry) => showToast(problemBox(problem, retry), null),
	say: (kind, text) => {
		showToast(notice(kind, text), kind === 'bad' ? null : TOAST_MS);
		announce(text);
	},
};

function showToast(box, ms) {
	toast.clear();
	const close = h(
		'button',
		{ type: 'button', class: 'quiet small', 'aria-label': 'Close the message' },
		icon('bad'),
	);
	const element = h('div', { class: 'toast', id: 'said' }, box, close);
	close.addEventListener('click', () => element.remove());
	document.getElementById('toasts').append(element);
	if (ms !== null) setTimeout(() => element.remove(), ms);
}

/**
 * A button that runs work. Until work is done, the button shows that and cannot be pressed again.
 * @param {() => Promise<void>} work
 */
export function busyButton(attributes, label, work) {
	const button = h('button', { type: 'button', ...attributes }, label);
	button.addEventListener('click', () => busy(button, work));
	return button;
}

/** Runs work; until it is done, the button is switched off but keeps the focus. */
export async function busy(button, work) {
	if (button.getAttribute('aria-disabled') === 'true') return;
	button.setAttribute('aria-disabled', 'true');
	try {
		await work();
	} finally {
		button.removeAttribute('aria-disabled');
	}
}

/** The text for an empty list, and what to do about it. */
export function empty(title, ...children) {
	return h('div', { class: 'empty' }, h('h3', null, title), children);
}
