// The state of a domain at a glance: a word or two for each monitored subject.
import { count } from './text.js';

/**
 * @typedef {{kind: import('./state.js').Kind, text: string}} Glance
 */

const NO_KEY = ['key-missing', 'key-no-txt', 'key-cname-dangling'];

/**
 * True for a selector that a report named, that never passed, and that has no key in DNS: no mail
 * is signed with it.
 */
const isIdle = ({ addedManually, evidence, errors }) =>
	!addedManually && evidence.passCount === 0 && errors.some(({ code }) => NO_KEY.includes(code));

/** True if signatures with this selector cannot be verified. */
export const isBroken = (selector) =>
	(selector.state === 'invalid' || selector.state === 'revoked') && !isIdle(selector);

// The words for states are those of the API, which the command eds shows as well.
const POSTURES = { ok: 'good', unknown: 'unknown', warning: 'warn', error: 'bad' };

/** @returns {Glance} of the DNS of a domain in the list of domains */
export const postureGlance = ({ posture }) =>
	posture === null
		? { kind: 'unknown', text: 'not checked yet' }
		: { kind: POSTURES[posture.state], text: posture.state };

/** @returns {Glance} */
export function selectorsGlance(selectors) {
	const broken = selectors.filter(isBroken).length;
	const valid = selectors.filter(({ valid: isValid }) => isValid).length;
	if (selectors.length === 0) return { kind: 'off', text: 'no selector yet' };
	if (valid === 0 && broken === 0) return { kind: 'unknown', text: 'not checked yet' };
	if (valid === 0) return { kind: 'bad', text: 'no valid key' };
	if (broken > 0) return { kind: 'warn', text: `${valid} valid, ${broken} not` };
	return { kind: 'good', text: count(valid, 'valid key') };
}

/** @returns {Glance} */
export function mtaStsGlance({ enabled, mode, observed }) {
	if (!enabled) return { kind: 'off', text: 'switched off' };
	if (observed === null) return { kind: 'unknown', text: 'not checked yet' };
	if (!observed.policyIdInSync) return { kind: 'warn', text: 'record to publish' };
	if (!observed.policyFetched) return { kind: 'bad', text: 'policy not reached' };
	if (!observed.valid) return { kind: 'bad', text: 'not valid' };
	if (mode === 'none') return { kind: 'off', text: 'mode none' };
	return { kind: 'good', text: mode };
}

/** The share of messages that passed, in percent: never 100 while one failed. */
export function share(passed, total) {
	const percent = (100 * passed) / total;
	return `${passed < total && percent > 99.9 ? '99.9' : percent.toFixed(percent === 100 || percent === 0 ? 0 : 1)} %`;
}

const CLEAN = 0.98; // share of passing messages from which the state is good

/** @returns {Glance} of the newest reports */
export function reportsGlance(reports) {
	const dmarc = reports.filter(({ kind, counts }) => kind === 'dmarc' && counts);
	const total = dmarc.reduce((sum, report) => sum + report.total - report.forwarded, 0);
	const passed = dmarc.reduce((sum, report) => sum + report.passed, 0);
	if (reports.length === 0) return { kind: 'off', text: 'no report yet' };
	if (total === 0) return { kind: 'unknown', text: 'no mail reported' };
	return {
		kind: passed / total >= CLEAN ? 'good' : 'warn',
		text: `${share(passed, total)} pass`,
	};
}
