// What SPF, DKIM and DMARC found: who says that the sender is who he says.
import { h } from './dom.js';
import { badge, facts } from './state.js';
import { count, foreign, sentence } from './text.js';

const named = (domain) => (domain === null ? null : h('code', null, foreign(domain)));

const SPF = {
	pass: ['good', 'pass', 'The domain authorises this server.'],
	fail: ['bad', 'fail', 'The domain says that this server may not send for it.'],
	softfail: [
		'warn',
		'soft fail',
		'The domain says that this server probably may not send for it.',
	],
	neutral: ['warn', 'neutral', 'The domain says nothing about this server.'],
	none: ['warn', 'no record', 'The domain publishes no SPF record.'],
	permerror: ['bad', 'broken record', 'The record cannot be evaluated.'],
	temperror: ['unknown', 'unknown', 'DNS gave no answer for now.'],
};
const NO_CLIENT = [
	'unknown',
	'unknown',
	'The sending address is not a public one, so SPF says nothing.',
];

const isClientUnknown = ({ results }) => results.advice.some(({ code }) => /^client-/.test(code));

/** @returns {import('./analyses.js').Finding} */
export function spf(session) {
	const { results } = session;
	const [kind, word, text] =
		results.spf.result === 'none' && isClientUnknown(session)
			? NO_CLIENT
			: SPF[results.spf.result];
	return {
		kind,
		word,
		text,
		evidence: [
			facts(
				['Sender’s domain', named(results.spf.domain)],
				[
					'Sending address',
					results.helo.clientAddress &&
						h('code', null, foreign(results.helo.clientAddress)),
				],
				[
					'Greeting (HELO)',
					results.helo.name && [
						named(results.helo.name),
						`: SPF ${results.helo.spf.result}`,
					],
				],
			),
		],
	};
}

const DKIM = {
	valid: ['good', 'valid', 'The signature proves that the message was not changed.'],
	invalid: ['bad', 'invalid', 'No signature of the message verifies.'],
	none: ['warn', 'not signed', 'The message carries no signature.'],
	unknown: ['unknown', 'unknown', 'The signature could not be judged now.'],
};
const PARTLY = ['bad', 'one invalid', 'A signature is valid, but another one is not.'];

const SIGNATURE = {
	valid: 'good',
	invalid: 'bad',
	testing: 'off',
	temporary: 'unknown',
	unchecked: 'unknown',
};
const HASH = { match: 'matches', mismatch: 'does not match', unknown: 'not compared' };

function signature(item) {
	return h(
		'li',
		{ class: 'signature' },
		h(
			'p',
			null,
			badge(SIGNATURE[item.state], item.state),
			' ',
			named(item.domain ?? 'unreadable'),
		),
		facts(
			['Selector', item.selector && h('code', null, foreign(item.selector))],
			['Algorithm', item.algorithm && foreign(item.algorithm)],
			['Canonicalization', item.canonicalization && foreign(item.canonicalization)],
			['Key', item.key],
			['Body hash', HASH[item.bodyHash]],
			['Header hash', HASH[item.headerHash]],
		),
		item.errors.map(({ message }) => h('p', null, sentence(message))),
	);
}

/** @returns {import('./analyses.js').Finding} */
export function dkim({ results }) {
	const { state, signatures } = results.dkim;
	const isMixed = state === 'valid' && signatures.some((item) => item.state === 'invalid');
	const [kind, word, text] = isMixed ? PARTLY : DKIM[state];
	const list = h('ul', { class: 'signatures' }, signatures.map(signature));
	return {
		kind,
		word:
			signatures.length > 1 && !isMixed
				? `${word}, ${count(signatures.length, 'signature')}`
				: word,
		text,
		evidence: signatures.length > 0 ? [list] : [],
	};
}

const DMARC = {
	pass: ['good', 'pass', 'The From address is proven by SPF or DKIM.'],
	fail: ['bad', 'fail', 'Neither SPF nor DKIM proves the From address.'],
	none: ['warn', 'no record', 'The domain publishes no DMARC record.'],
	temperror: ['unknown', 'unknown', 'DNS gave no answer for now.'],
	permerror: ['bad', 'not applicable', 'From does not name exactly one domain.'],
};
const POLICY = {
	none: 'none: deliver as usual, only report',
	quarantine: 'quarantine: treat as suspicious',
	reject: 'reject: refuse it',
};

/** @returns {import('./analyses.js').Finding} */
export function dmarc({ results }) {
	const [kind, word, text] = DMARC[results.dmarc.result];
	const aligned = results.dkim.signatures.filter((item) => item.valid).map((item) => item.domain);
	return {
		kind,
		word,
		text,
		evidence: [
			facts(
				['From domain', named(results.headers.fromDomain)],
				['If it fails', POLICY[results.dmarc.policy]],
				[
					'Sender’s domain',
					results.spf.domain && [
						named(results.spf.domain),
						`: SPF ${results.spf.result}`,
					],
				],
				[
					'Signed by',
					aligned.length > 0 &&
						aligned.map((domain, i) => [i > 0 && ', ', named(domain)]),
				],
			),
		],
	};
}
