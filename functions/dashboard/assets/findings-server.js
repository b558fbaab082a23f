// The findings about the sending server, the delivery, and the form of the message.
import { h } from './dom.js';
import { badge, facts } from './state.js';
import { count, foreign, plain, sentence } from './text.js';
import { at } from './time.js';

const code = (text) => (text === null ? null : h('code', null, foreign(text)));

const PTR = {
	valid: ['good', 'valid', 'The address has a reverse name, which resolves back to the address.'],
	mismatch: ['warn', 'mismatch', 'The reverse name does not match the server.'],
	missing: ['bad', 'missing', 'The address has no reverse name.'],
	unknown: ['unknown', 'unknown', 'Reverse DNS could not be judged.'],
};
const HELO = {
	confirmed: 'resolves to the sending address',
	elsewhere: 'leads to another address',
	unresolved: 'does not resolve',
	literal: 'is the address itself',
	unknown: 'could not be looked up',
};

/** @returns {import('./analyses.js').Finding} */
export function reverseDns({ results: { ptr, helo } }) {
	const [kind, word, text] = PTR[ptr.state];
	const noName = ptr.state === 'unknown' ? 'unknown' : 'none';
	const isConfirmed = {
		valid: 'yes',
		mismatch: 'not as it should',
		missing: 'no name to confirm',
		unknown: 'unknown',
	};
	return {
		kind,
		word,
		text,
		evidence: [
			facts(
				['Sending address', code(helo.clientAddress)],
				['Reverse name (PTR)', ptr.record ? code(ptr.record) : noName],
				['Confirmed forward', isConfirmed[ptr.state]],
				['Greeting (HELO)', helo.name && [code(helo.name), ` ${HELO[helo.state]}`]],
			),
		],
	};
}

const MX = {
	valid: ['good', 'valid', 'Bounces and replies can be delivered.'],
	none: ['bad', 'missing', 'The sender’s domain has no MX record.'],
	invalid: ['bad', 'invalid', 'The MX records of the sender’s domain are not valid.'],
	unknown: ['unknown', 'unknown', 'The MX records could not be judged.'],
};

function exchange({ preference, exchange: host, addresses, alias }) {
	return h(
		'li',
		null,
		`${preference} `,
		code(host),
		' ',
		h(
			'span',
			{ class: 'muted' },
			addresses.length > 0 ? foreign(addresses.join(', ')) : 'no public address',
			alias && ', an alias (CNAME), which the name of a mail server must not be',
		),
	);
}

/** @returns {import('./analyses.js').Finding} */
export function mx({ results }) {
	const [kind, word, text] = MX[results.mx.state];
	return {
		kind,
		word,
		text,
		evidence: [
			facts(['Domain', code(results.mx.domain)]),
			results.mx.records.length > 0 &&
				h('ul', { class: 'plain' }, results.mx.records.map(exchange)),
		],
	};
}

const LISTS = {
	combined: 'Combined list',
	relay: 'Open relays and spam sources',
	reputation: 'Reputation',
	reported: 'Reported by users',
};
const LISTED = { listed: 'bad', clean: 'good', unknown: 'unknown' };

function listRow({ list, state, codes, reason, operator, lookUp }) {
	return h(
		'li',
		null,
		badge(LISTED[state], state),
		h('strong', null, operator ? plain(operator) : LISTS[list]),
		lookUp?.startsWith('https://') &&
			state !== 'clean' &&
			h('a', { href: lookUp, rel: 'noreferrer', target: '_blank' }, 'Look it up'),
		h(
			'span',
			{ class: 'muted' },
			sentence(reason),
			codes.length > 0 && [' ', foreign(codes.join(', '))],
		),
	);
}

/** @returns {import('./analyses.js').Finding} */
export function blocklists({
	results: {
		blocklists: { listed, results },
	},
}) {
	const unknown = results.filter(({ state }) => state === 'unknown').length;
	const evidence = [h('ul', { class: 'lists' }, results.map(listRow))];
	if (listed > 0)
		return {
			kind: 'bad',
			word: `on ${count(listed, 'list')}`,
			text: 'The sending address is listed.',
			evidence,
		};
	if (unknown > 0)
		return {
			kind: 'unknown',
			word: `${unknown} of ${results.length} unknown`,
			evidence,
			text:
				unknown === results.length
					? 'None of the lists could be queried. That costs no points.'
					: 'No list contains the address, but not every list could be queried. That costs no points.',
		};
	return { kind: 'good', word: 'clean', text: 'No list contains the sending address.', evidence };
}

const DATE = {
	ok: 'as it should be',
	missing: 'missing',
	future: 'in the future',
	past: 'days in the past',
	unreadable: 'not readable',
	unknown: 'not read',
};

const PARTS = {
	'list-unsubscribe': 'List-Unsubscribe',
	'https-uri': 'An https address in it',
	'list-unsubscribe-post': 'List-Unsubscribe-Post',
	'one-click-value': 'Its value is List-Unsubscribe=One-Click',
	'once-each': 'Each field once',
	signed: 'Both covered by a valid signature',
	aligned: 'That signature is of the From domain',
};
const PART = { met: ['good', 'yes'], missed: ['off', 'no'], undecided: ['unknown', 'unknown'] };

// The conditions of one-click unsubscription; empty without a List-Unsubscribe field.
function unsubscribeParts(unsubscribe, found) {
	if (!unsubscribe || !found.listUnsubscribe) return null;
	return h(
		'ul',
		{ class: 'lists' },
		unsubscribe.parts.map(({ part, state }) =>
			h('li', null, badge(...(PART[state] ?? PART.missed)), PARTS[part] ?? part),
		),
	);
}

function formFaults({ form }) {
	if (!form) return [];
	const { doubled, eightBit, longLines, fromMailboxes } = form;
	return [
		doubled.length > 0 && ['Twice', code(doubled.join(', '))],
		eightBit.length > 0 && ['Octets over 127 in', code(eightBit.join(', '))],
		fromMailboxes > 1 && ['Mailboxes in From', String(fromMailboxes)],
		longLines > 0 && ['Lines over 998 octets', String(longLines)],
		(form.bareCr || form.bareLf) && ['Line ends', 'a CR or LF alone'],
		!form.hasRecipient && form.whole && ['Recipient', 'neither To nor Cc'],
	].filter(Boolean);
}

/** @returns {import('./analyses.js').Finding} */
export function headers({ results }) {
	const { headers: found, advice } = results;
	const faults = formFaults(results);
	const isMissing = advice.some(({ code: name }) => name === 'message-id-missing');
	const isBad = isMissing || ['missing', 'future', 'past', 'unreadable'].includes(found.dateState);
	const hasFault = faults.some(([name]) => name !== 'Recipient');
	const yes = (is) => (is ? 'yes' : 'no');
	return {
		kind: isBad || hasFault ? 'warn' : found.dateState === 'ok' ? 'good' : 'unknown',
		word: isBad
			? 'incomplete'
			: hasFault
				? 'bad form'
				: found.dateState === 'ok'
					? 'complete'
					: 'not all read',
		text: isBad
			? 'A field that every message needs is missing or wrong.'
			: hasFault
				? 'The message violates RFC 5322.'
				: 'Message-ID and Date are correct.',
		evidence: [
			facts(
				['Message-ID', found.messageId === null ? 'none' : code(found.messageId)],
				[
					'Date',
					found.date === null
						? DATE[found.dateState]
						: [at(found.date), found.dateState !== 'ok' && `, ${DATE[found.dateState]}`],
				],
				['Received', at(found.receivedAt)],
				...faults,
				['List-Unsubscribe', yes(found.listUnsubscribe)],
				['One-click unsubscribe', yes(found.oneClick)],
			),
			unsubscribeParts(results.unsubscribe, found),
		],
	};
}

const NO_TLS = {
	none: {
		kind: 'bad',
		word: 'no TLS',
		text: 'The message arrived over a connection that was not encrypted. Gmail refuses such mail.',
	},
	unknown: {
		kind: 'off',
		word: 'not seen',
		text: 'The connection of the sending server was not seen, so it is not known whether it was encrypted.',
	},
};

/** @returns {import('./analyses.js').Finding} */
export function transport({ results: { helo, tls } }) {
	if (helo.tls !== null)
		return {
			kind: 'good',
			word: 'encrypted',
			text: 'The message arrived over TLS.',
			evidence: [
				facts(
					['TLS', foreign(tls?.version ?? helo.tls)],
					['Cipher', tls?.cipher && foreign(tls.cipher)],
				),
			],
		};
	return { ...NO_TLS[tls?.state === 'none' ? 'none' : 'unknown'], evidence: [] };
}
