// The start page: one button that makes a test address.
import { h } from './dom.js';
import { busyButton, slot } from './notice.js';
import { recentTests } from './recent.js';
import { createSession, testAddress } from './sessions.js';

/** The examined aspects of a message: a name, and the question that each answers. */
export const CHECKS = [
	['SPF', 'May this server send for the domain?'],
	['DKIM', 'Is the message signed, and the signature intact?'],
	['DMARC', 'Does SPF or DKIM align with the From domain? What does the policy ask for?'],
	['Reverse DNS', 'Does the IP address have a name that resolves back to it?'],
	['MX records', 'Can the sender’s domain receive bounces and replies?'],
	['Blocklists', 'Is the sending address on one of four lists?'],
	['Headers', 'Message-ID, Date, unsubscribing'],
	['Encryption', 'Did the message come over TLS?'],
];

export function checkList(title) {
	return h(
		'section',
		{ class: 'checks' },
		h('h2', null, title),
		h(
			'ul',
			null,
			CHECKS.map(([name, what]) =>
				h('li', null, h('strong', null, name), h('span', null, what)),
			),
		),
	);
}

/** Makes a test address and opens the page that waits for its message. */
export function newTestButton(label, attributes, message) {
	return busyButton(attributes, label, async () => {
		message.clear();
		try {
			const { testId } = await createSession();
			location.hash = testAddress(testId);
		} catch (problem) {
			message.problem(problem);
		}
	});
}

/** @type {import('./app.js').View} */
export function startView() {
	const message = slot(
		h(
			'p',
			{ class: 'muted' },
			'No account, nothing to install. Address and result are deleted after 48 hours.',
		),
	);
	const node = h(
		'div',
		{ class: 'view start' },
		h(
			'div',
			{ class: 'hero' },
			h('h1', { tabindex: -1 }, 'Will your mail arrive?'),
			h(
				'p',
				{ class: 'lead' },
				'Send one message from your own server to an address made for you. ' +
					'A moment later you see how receivers will judge it, why, and what to change.',
			),
			newTestButton('Get a test address', { class: 'primary large' }, message),
			message.element,
		),
		recentTests(),
		checkList('What is checked'),
	);
	return { title: 'Mail tester', node };
}
