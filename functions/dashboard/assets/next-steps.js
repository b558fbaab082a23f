// The next steps for a domain, the most useful one first.
import { isBroken, selectorsGlance } from './glance.js';
import { count } from './text.js';

/**
 * @typedef {object} Step
 * @property {import('./state.js').Kind} kind
 * @property {string} title
 * @property {string} text
 * @property {import('./domain-api.js').Record} [record] to publish
 * @property {boolean} [hasRecord] the record to publish is shown further down the page
 * @property {[string, string]} [link] the part of the domain's pages where the step is done, and
 * its title
 */

const REPORTS = {
	'dmarc-reports': [
		'dmarc',
		'warn',
		'Let receivers report on your mail',
		'Their daily reports show who sends mail in your ' +
			'name, and selectors are discovered from them. The DMARC record to publish is among those below.',
	],
	'tls-reports': [
		'tls',
		'off',
		'Let senders report on TLS',
		'Their reports show whether they could deliver to you ' +
			'over TLS, which shows when MTA-STS may be enforced. The TLS-RPT record is among those below.',
	],
};

/** @returns {Step[]} */
function reportSteps({ expectedRecords }, reports) {
	return expectedRecords
		.filter(({ purpose, change }) => REPORTS[purpose] && change !== 'ok')
		.map((record) => {
			const [of, kind, title, text] = REPORTS[record.purpose];
			return { of, kind, title, text, hasRecord: true };
		})
		.filter(({ of }) => !reports.some((report) => report.kind === of && report.counts));
}

/** @returns {Step[]} */
function selectorSteps(selectors) {
	const link = ['selectors', 'See the selectors'];
	const broken = selectors.filter(
		(selector) => isBroken(selector) && selector.evidence.lastSeen !== null,
	);
	const { kind } = selectorsGlance(selectors);
	if (selectors.length === 0)
		return [
			{
				kind: 'warn',
				title: 'Add a DKIM selector',
				link: ['selectors', 'Add one'],
				text: 'Selectors cannot be looked up in DNS. Add those you know, or wait for a report that names them.',
			},
		];
	if (kind === 'bad')
		return [
			{
				kind: 'bad',
				title: 'Publish a valid DKIM key',
				link,
				text: 'None of the selectors leads to a key that verifies.',
			},
		];
	if (broken.length > 0)
		return [
			{
				kind: 'warn',
				title: 'Mail is signed with a key that does not verify',
				link,
				text: `${count(broken.length, 'selector')} seen in reports cannot verify a signature.`,
			},
		];
	return [];
}

/** @returns {Step[]} */
function mtaStsSteps({ enabled, mode, observed, expectedRecords }) {
	const link = ['mta-sts', 'Go to MTA-STS'];
	const [host, id] = ['mta-sts-policy-host', 'mta-sts-policy-id'].map((purpose) =>
		expectedRecords.find((record) => record.purpose === purpose),
	);
	if (!enabled)
		return [
			{
				kind: 'off',
				title: 'Switch MTA-STS on',
				link,
				text: 'Then servers that send to you insist on TLS. It begins with a test that holds up no mail.',
			},
		];
	if (observed === null)
		return [
			{
				kind: 'unknown',
				title: 'Publish the MTA-STS records',
				link,
				text: 'The first check follows within a minute.',
			},
		];
	if (!observed.policyIdInSync)
		return [
			{
				kind: 'warn',
				title: 'Publish the MTA-STS policy id',
				link,
				record: id,
				text: 'Senders fetch a changed policy only when this record changes.',
			},
		];
	if (!observed.policyFetched)
		return [
			{
				kind: 'bad',
				title: 'Make the MTA-STS policy reachable',
				link,
				record: host,
				text: 'The policy could not be fetched over HTTPS.',
			},
		];
	if (!observed.valid)
		return [
			{
				kind: 'bad',
				title: 'Repair MTA-STS',
				link,
				text: 'The record or the policy is not valid.',
			},
		];
	if (mode === 'testing')
		return [
			{
				kind: 'off',
				title: 'Move MTA-STS to enforce',
				link,
				text: 'Everything is set up. Once reports show no failures, let senders refuse delivery without TLS.',
			},
		];
	return [];
}

/** @returns {Step[]} */
export function nextSteps(domain, { selectors, mtaSts, reports }) {
	const rank = { bad: 0, warn: 1, unknown: 2, off: 3 };
	return [
		...reportSteps(domain, reports),
		...selectorSteps(selectors),
		...mtaStsSteps(mtaSts),
	].sort((a, b) => rank[a.kind] - rank[b.kind]);
}
