// The message for a user without an account when the hourly limit is used up: why, until when, and
// what to do meanwhile.
import { h } from './dom.js';
import { icon } from './icons.js';
import { duration } from './time.js';

const SHARED = 'Everybody on your network (an office, a mobile provider) shares this limit.';

/** By the code of the refusal: what is used up, and what to do meanwhile. */
const LIMITS = {
	'too-many-sessions': {
		what: 'Your network has made as many test addresses as it may in an hour.',
		meanwhile: ['Your existing test addresses accept further messages until their 48 hours are over.', 'Results of earlier tests stay available.', SHARED],
	},
	'too-many-checks': {
		what: 'Your network has checked as many domains as it may in an hour.',
		meanwhile: [
			'With an account, add your domains under Domains: they are checked all day and have a limit of their own.',
			SHARED,
		],
	},
	'too-many-reanalyses': {
		what: 'Your network has had as many messages analyzed again as it may in an hour.',
		meanwhile: ['The present result stays available.', 'A message sent again to the same address is analyzed at once.', SHARED],
	},
};

export const isLimit = ({ code, status }) => status === 429 && code in LIMITS;

function untilThen(seconds, over) {
	const end = Date.now() + seconds * 1000;
	const element = h('strong', { class: 'countdown' }, duration(seconds * 1000));
	const timer = setInterval(() => {
		const left = end - Date.now();
		element.textContent = duration(left);
		if (left <= 0) over();
		if (left <= 0 || !element.isConnected) clearInterval(timer);
	}, 1000);
	return element;
}

/** @param {import('./api.js').Problem} problem of isLimit */
export function limitBox({ code, retryAfterS }, retry) {
	const { what, meanwhile } = LIMITS[code];
	const again = h('p', null, 'You can go on in ', untilThen(retryAfterS, () => again.replaceChildren('You can go on now.')), '.');
	return h(
		'section',
		{ class: 'card limit', role: 'alert' },
		h('h2', null, icon('warn'), ' The limit of this hour is reached'),
		h('p', null, what),
		again,
		h('ul', null, meanwhile.map((text) => h('li', null, text))),
		retry && h('button', { type: 'button', class: 'small', onclick: retry }, 'Try again'),
	);
}
