// The header of the message as it was received.
import { copyButton } from './copy.js';
import { fill, h } from './dom.js';
import { icon } from './icons.js';
import { problemBox } from './notice.js';
import { getHeaders } from './sessions.js';
import { disc } from './state.js';
import { foreignLines } from './text.js';

const SHOWN_MAX = 65536;

function shown({ headers, truncated }) {
	return [
		h('div', { class: 'actions' }, copyLines(headers)),
		h(
			'pre',
			{ tabindex: 0, 'aria-label': 'Header of the message' },
			foreignLines(headers, SHOWN_MAX),
		),
		truncated && h('p', { class: 'muted' }, 'The header is longer; only its first 64 KiB are shown.'),
	];
}

const copyLines = (headers) => copyButton(headers, { what: 'the header', lines: true });

/** The header of the message, which is loaded when the user opens this part. */
export function rawHeaders(testId) {
	const body = h(
		'div',
		{ class: 'details-body' },
		h('p', { class: 'muted' }, 'Reading the message …'),
	);
	let asked = false;
	const load = async () => {
		asked = true;
		try {
			fill(body, shown(await getHeaders(testId)));
		} catch (problem) {
			fill(body, problemBox(problem, load));
		}
	};
	const details = h(
		'details',
		{ class: 'card raw' },
		h('summary', null, disc('off'), h('strong', null, 'Raw headers'), icon('next')),
		body,
	);
	details.addEventListener('toggle', () => details.open && !asked && load());
	return details;
}
