// Verdicts, rules and advice in plain words.

/** The ranges of the score. */
const VERDICTS = {
	ham: { kind: 'good', name: 'ham' },
	probable_spam: { kind: 'warn', name: 'probable spam' },
	spam: {
		kind: 'bad',
		name: 'spam',
		sentence: 'This message will likely go to the spam folder.',
	},
	high_spam: {
		kind: 'bad',
		name: 'high spam',
		sentence: 'Receivers will almost certainly block this message.',
	},
};

/** The outcome of the message, as the service judges it: the headline, shown beside the score. */
const OUTLOOKS = {
	good: {
		kind: 'good',
		title: 'Looks good',
		sentence: 'This message will likely be delivered to the inbox.',
	},
	'at-risk': {
		kind: 'warn',
		title: 'At risk',
		sentence: 'Receivers may filter this message or put it into the spam folder.',
	},
	refused: {
		kind: 'bad',
		title: 'Will be refused',
		sentence: 'Receivers refuse this message, whatever its score.',
	},
	undecided: {
		kind: 'off',
		title: 'Undecided',
		sentence: 'The checks that decide about this message gave no result.',
	},
};

// For a result that was stored by a version without the outlook.
const UNKNOWN = {
	kind: 'off',
	title: 'Undecided',
	sentence:
		'This result was made by an earlier version of the service, which judged the score alone. Analyze it again.',
};

/** The scores at which one range ends and the next begins. */
export const BOUNDS = [3, 6, 10];

/** The meaning of each rule, for users who do not know its name. */
const RULES = {
	SPF_PASS: 'The server may send for the domain',
	SPF_SOFTFAIL: 'The server probably may not send for the domain',
	SPF_FAIL: 'The server may not send for the domain',
	SPF_PERMERROR: 'The SPF record cannot be evaluated',
	SPF_TEMPERROR: 'The SPF record could not be looked up: DNS gave no answer',
	DKIM_VALID: 'Valid DKIM signature',
	DKIM_INVALID: 'DKIM signature that does not verify',
	DMARC_PASS: 'DMARC passed',
	DMARC_FAIL_REJECT: 'DMARC failed; policy reject',
	DMARC_FAIL_QUARANTINE: 'DMARC failed; policy quarantine',
	DMARC_FAIL_NONE: 'DMARC failed; policy none',
	PTR_MISSING: 'The address has no reverse DNS',
	PTR_MISMATCH: 'Reverse DNS does not match the server',
	PTR_VALID: 'Reverse DNS matches the server',
	MX_NONE: 'The sender’s domain has no MX record',
	MX_INVALID: 'The MX records of the sender’s domain are not valid',
	BLOCKLIST_COMBINED: 'On the combined blocklist',
	BLOCKLIST_RELAY: 'On the list of open relays and spam sources',
	BLOCKLIST_REPUTATION: 'On the reputation list',
	BLOCKLIST_REPORTED: 'On the list of user reports',
	MISSING_MID: 'No Message-ID header',
	MISSING_DATE: 'No readable Date header',
	DATE_IN_FUTURE: 'Date header in the future',
};

export const ruleText = (rule) => RULES[rule] ?? '';

/**
 * The headline of a result.
 *
 * @param {import('./sessions.js').Session} session
 * @returns {{kind: string, title: string, sentence: string, name: string, reasons: string[], isOpen: boolean, isUnseen: boolean}}
 *   name: the range of the score; isOpen: the outcome is not decided yet; isUnseen: another
 *   analysis would not decide it either, because the sending server was not seen
 */
export function verdictOf({ verdict, results: { outlook } }) {
	const range = VERDICTS[verdict] ?? { kind: 'unknown', name: verdict };
	const own = OUTLOOKS[outlook?.state] ?? UNKNOWN;
	const isSpam = outlook?.state === 'at-risk' && range.kind === 'bad';
	return {
		...own,
		kind: isSpam ? 'bad' : own.kind,
		sentence: isSpam ? range.sentence : own.sentence,
		name: range.name,
		reasons: (outlook?.reasons ?? []).map(({ message }) => message),
		isOpen: own.kind === 'off',
		isUnseen: (outlook?.reasons ?? []).some(({ code }) => code === 'client'),
	};
}

/** -1.3 as "−1.3", 2 as "+2.0" */
export function points(score) {
	if (score === 0) return '0.0';
	return `${score < 0 ? '\u2212' : '+'}${Math.abs(score).toFixed(1)}`;
}

/** The total score, without a plus. */
export const scoreText = (score) => points(score).replace('+', '');

const isUrgent = ({ severity }) => Number(severity === 'urgent');

/**
 * The steps to take, the most urgent first: advice that changes the score or the outcome.
 * @returns {{urgent: boolean, points: number}[]} each the advice, with the points it costs
 */
export function actions({ results, scoreBreakdown }) {
	const costs = new Map(scoreBreakdown.map(({ rule, score }) => [rule, score]));
	return results.advice
		.filter(({ severity }) => severity === 'urgent' || severity === 'action')
		.map((advice) => ({ ...advice, points: costs.get(advice.rule) ?? 0 }))
		.sort((one, other) => isUrgent(other) - isUrgent(one) || (isUrgent(one) ? 0 : other.points - one.points));
}
