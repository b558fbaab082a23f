// The findings of SPF, DKIM and DMARC: whether the sender is the one that From names.
import { h } from './dom.js';
import { badge, facts } from './state.js';
import { count, foreign, sentence } from './text.js';

const named = (domain) => (domain === null ? null : h('code', null, foreign(domain)));

const SPF = {
	pass: ['good', 'pass', 'The domain authorizes this server.'],
	fail: ['bad', 'fail', 'The domain says that this server may not send for it.'],
	softfail: [
		'warn',
		'soft fail',
		'The domain says that this server probably may not send for it.',
	],
	neutral: ['warn', 'neutral', 'The domain says nothing about this server.'],
	none: ['warn', 'no record', 'The domain publishes no SPF record.'],
	permerror: ['bad', 'broken record', 'The record cannot be evaluated.'],
	temperror: ['unknown', 'unknown', 'DNS gave no answer.'],
};
const NO_CLIENT = [
	'unknown',
	'unknown',
	'The sending address is not a public one, so SPF says nothing.',
];

const isClientUnknown = ({ results }) => results.advice.some(({ code }) => /^client-/.test(code));

const OPEN_PASS = ['warn', 'pass', 'SPF passes, but the record lets other people’s servers pass, too.'];

// A pass through a record that lets other servers pass too proves little.
const isOpenPass = ({ results }) =>
	results.advice.some(({ code, severity }) => code === 'spf-pass' && severity !== 'good');

/** @returns {import('./analyses.js').Finding} */
export function spf(session) {
	const { results } = session;
	const isUnjudged = results.spf.result === 'none' && isClientUnknown(session);
	const [kind, word, text] = isUnjudged
		? NO_CLIENT
		: isOpenPass(session)
			? OPEN_PASS
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
	temperror: ['unknown', 'unknown', 'DNS gave no answer.'],
	permerror: ['bad', 'not applicable', 'From does not name exactly one domain.'],
};
const UNDECIDED = [
	'unknown',
	'unknown',
	'Without the public address that sent the message only an aligned signature could decide.',
];
const POLICY = {
	none: 'none: deliver as usual, only report',
	quarantine: 'quarantine: treat as suspicious',
	reject: 'reject: refuse it',
};

const NAMES = {
	aligned: 'is aligned with',
	unaligned: 'is not aligned with',
	undecided: 'may or may not be aligned with',
};

// "SPF pass for bounce.example.net, which is not aligned with example.com (relaxed)"
function comparison({ domain, fromDomain, mode, names, result }) {
	if (domain === null) return 'none';
	return [
		`${result}: `,
		named(domain),
		fromDomain && [` ${NAMES[names]} `, named(fromDomain), ` (${mode})`],
	];
}

// The policy, the tag that gives it, and the reason why it is lowered.
function policyWords({ policy, publishedPolicy, tag, testing, percent }) {
	if (policy === null) return null;
	return [
		POLICY[policy],
		tag && [' \u2013 by ', h('code', null, `${tag}=${publishedPolicy}`)],
		testing && policy !== publishedPolicy && ', lowered by t=y',
		percent !== null && percent !== undefined && `, for ${percent} % at receivers that still read pct=`,
	];
}

function wholeRecord({ record, recordDomain }) {
	if (!record) return null;
	return [
		h('p', { class: 'found-at' }, 'Found at ', h('code', null, foreign(`_dmarc.${recordDomain}`)), ':'),
		h('pre', { tabindex: 0, 'aria-label': 'DMARC record' }, foreign(record, 4096)),
	];
}

/** @returns {import('./analyses.js').Finding} */
export function dmarc(session) {
	const { dmarc: found, headers, spf: spfFound, dkim: dkimFound } = session.results;
	const [kind, word, text] =
		found.result === 'temperror' && isClientUnknown(session)
			? UNDECIDED
			: DMARC[found.result];
	const { alignment } = found;
	const signers = dkimFound.signatures.filter((item) => item.valid).map((item) => item.domain);
	return {
		kind,
		word,
		text: found.fromDomainExists === false ? 'The From domain does not exist.' : text,
		evidence: [
			facts(
				['From domain', named(headers.fromDomain)],
				[
					'Organizational domain',
					found.organizationalDomain && named(found.organizationalDomain),
				],
				['If it fails', policyWords(found)],
				[
					'SPF',
					alignment
						? comparison(alignment.spf)
						: spfFound.domain && [named(spfFound.domain), `: ${spfFound.result}`],
				],
				[
					'DKIM',
					alignment
						? comparison(alignment.dkim)
						: signers.length > 0 && signers.map((domain, i) => [i > 0 && ', ', named(domain)]),
				],
			),
			wholeRecord(found),
		],
	};
}
