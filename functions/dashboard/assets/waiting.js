// The wait for a message.
import { copyButton } from './copy.js';
import { fill, h } from './dom.js';
import { announce } from './notice.js';
import { foreign } from './text.js';
import { checkList } from './tester.js';
import { countdown } from './time.js';

const STUCK_AFTER_MS = 60000;

const CALM = [
	'Waiting for your message',
	'It is shown here as soon as it arrives. Leave the page open, or ' +
		'open it again later; it checks for the message only while it is visible.',
];
const STUCK = [
	'Still nothing. Is the mail stuck in your sending box?',
	'Look into the outbox or the mail ' +
		'queue of the sending server, and check the address for a typing error. Some servers try again only ' +
		'after many minutes; this page continues to check.',
];
const ALONE = [
	'The connection is lost',
	'This page tries to connect again. Nothing is lost: a message that ' +
		'arrives meanwhile is stored, and is shown as soon as the connection works again.',
];

function waitLine() {
	const title = h('strong');
	const text = h('p', { class: 'muted' });
	const element = h(
		'div',
		{ class: 'wait' },
		h('span', { class: 'pulse', 'aria-hidden': 'true' }),
		h('div', null, title, text),
	);
	let shown = null;
	const say = (words) => {
		if (shown === words) return;
		if (shown !== null) announce(words.join('. '));
		shown = words;
		fill(title, words[0]);
		fill(text, words[1]);
	};
	return { element, say };
}

// A shell command in one line that sends a message. Its parts come from the service
// itself.
const curlLine = (email, smtpUrl) =>
	"printf '%s\\r\\n' 'From: you@example.com' " +
	`'To: ${email}' 'Subject: A test' '' 'Hello' | ` +
	`curl ${smtpUrl} --mail-from you@example.com --mail-rcpt ${email} -T -`;

// Mail programs cannot deliver to a domain that only this machine knows.
function byShell(email, smtpUrl) {
	const line = curlLine(email, smtpUrl);
	return [
		h(
			'p',
			null,
			'Mail programs cannot deliver to this domain, because only the machine of the service knows it. ',
			'Send from there:',
		),
		h('pre', { class: 'shell', tabindex: 0, 'aria-label': 'Command that sends a message' }, line),
		h(
			'div',
			{ class: 'actions' },
			copyButton(line, { label: 'Copy command', what: 'that sends a message', class: 'copy' }),
		),
	];
}

const byMailProgram = () =>
	h(
		'p',
		{ class: 'muted' },
		'Send it from the server and with the sender address that you want to test, ',
		'and with a typical text.',
	);

function addressCard({ email, smtpUrl }) {
	const [local, domain] = email.split('@');
	return h(
		'section',
		{ class: 'card address', 'aria-labelledby': 'address-title' },
		h('h2', { id: 'address-title' }, 'Send a message to'),
		h(
			'p',
			{ class: 'email', id: 'address' },
			foreign(local),
			h('wbr'),
			'@',
			h('wbr'),
			foreign(domain),
		),
		h(
			'div',
			{ class: 'actions' },
			copyButton(email, { label: 'Copy address', what: email, class: 'copy primary' }),
			!smtpUrl &&
				h('a', { class: 'button', href: `mailto:${email}?subject=Test` }, 'Open mail program'),
			copyButton(location.href, {
				label: 'Copy link',
				what: 'to this page',
				icon: 'link',
				class: 'copy',
			}),
		),
		smtpUrl ? byShell(email, smtpUrl) : byMailProgram(),
	);
}

/**
 * @param {import('./sessions.js').Session} session
 * @returns {{node: Node, connected: Function, disconnected: Function, leave: Function}}
 */
export function waitingView(session, { signal, over }) {
	const line = waitLine();
	let usual = CALM;
	const leave = new AbortController();
	signal.addEventListener('abort', () => leave.abort());
	const timer = setTimeout(() => {
		usual = STUCK;
		line.say(usual);
	}, STUCK_AFTER_MS);
	leave.signal.addEventListener('abort', () => clearTimeout(timer));
	line.say(usual);

	const node = h(
		'div',
		{ class: 'view' },
		h('h1', { tabindex: -1 }, 'Your test address'),
		addressCard(session),
		line.element,
		h(
			'p',
			{ class: 'muted' },
			'The address works for another ',
			countdown(session.expiresAt, leave.signal, over),
			'.',
		),
		checkList('What will be checked'),
	);
	return {
		node,
		connected: () => line.say(usual),
		disconnected: () => line.say(ALONE),
		leave: () => leave.abort(),
	};
}
