// Verdicts, rules and advice in the reader's words.

export const VERDICTS = {
	ham: {
		kind: 'good',
		title: 'Looks good',
		name: 'ham',
		sentence: 'This message will likely be delivered to the inbox.',
	},
	probable_spam: {
		kind: 'warn',
		title: 'Probably spam',
		name: 'probable spam',
		sentence: 'Receivers may filter this message, or mark it.',
	},
	spam: {
		kind: 'bad',
		title: 'Likely spam',
		name: 'spam',
		sentence: 'This message will likely go to the spam folder.',
	},
	high_spam: {
		kind: 'bad',
		title: 'Will be blocked',
		name: 'high spam',
		sentence: 'Receivers will almost certainly block this message.',
	},
};

const REJECTED = {
	kind: 'bad',
	title: 'Most will refuse it',
	sentence:
		'The score alone would let it pass, but the sender’s domain asks receivers to reject such mail.',
};

/** Where one range ends and the next begins. */
export const BOUNDS = [3, 6, 10];

/** What a rule means, for those who do not know its name. */
const RULES = {
	SPF_PASS: 'The server may send for the domain',
	SPF_SOFTFAIL: 'The server probably may not send for the domain',
	SPF_FAIL: 'The server may not send for the domain',
	SPF_PERMERROR: 'The SPF record cannot be evaluated',
	SPF_TEMPERROR: 'SPF could not be asked for now',
	DKIM_VALID: 'A valid signature',
	DKIM_INVALID: 'A signature that does not verify',
	DMARC_PASS: 'The From address is proven',
	DMARC_FAIL_REJECT: 'The From address is not proven; policy reject',
	DMARC_FAIL_QUARANTINE: 'The From address is not proven; policy quarantine',
	DMARC_FAIL_NONE: 'The From address is not proven; policy none',
	PTR_MISSING: 'The address has no reverse DNS',
	PTR_MISMATCH: 'Reverse DNS does not fit the server',
	PTR_VALID: 'Reverse DNS fits the server',
	MX_NONE: 'The sender’s domain has no MX record',
	MX_INVALID: 'The sender’s domain cannot receive mail',
	BLOCKLIST_COMBINED: 'On the combined blocklist',
	BLOCKLIST_RELAY: 'On the list of open relays and spam sources',
	BLOCKLIST_REPUTATION: 'On the reputation list',
	BLOCKLIST_REPORTED: 'On the list of what users reported',
	MISSING_MID: 'No Message-ID',
	MISSING_DATE: 'No Date',
	DATE_IN_FUTURE: 'A Date in the future',
};

export const ruleText = (rule) => RULES[rule] ?? '';

/** @param {import('./sessions.js').Session} session */
export function verdictOf(session) {
	const verdict = VERDICTS[session.verdict] ?? {
		kind: 'unknown',
		title: session.verdict,
		sentence: '',
	};
	const isRefused = session.results.advice.some(({ severity }) => severity === 'urgent');
	return isRefused && verdict.kind !== 'bad' ? { ...verdict, ...REJECTED } : verdict;
}

/** -1.3 as "−1.3", 2 as "+2.0" */
export function points(score) {
	if (score === 0) return '0.0';
	return `${score < 0 ? '\u2212' : '+'}${Math.abs(score).toFixed(1)}`;
}

/** The score as a number of its own: without a plus. */
export const scoreText = (score) => points(score).replace('+', '');

/**
 * What to do, the most pressing first: advice that changes the score or the outcome.
 * @returns {{urgent: boolean, points: number}[]} each the advice, with the points it costs
 */
export function actions({ results, scoreBreakdown }) {
	const costs = new Map(scoreBreakdown.map(({ rule, score }) => [rule, score]));
	return results.advice
		.filter(({ severity }) => severity === 'urgent' || severity === 'action')
		.map((advice) => ({ ...advice, points: costs.get(advice.rule) ?? 0 }));
}
