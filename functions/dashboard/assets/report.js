// One report, as its reporter wrote it.
import { getOriginal, getReport } from './domain-api.js';
import { domainAddress } from './domains.js';
import { fill, h } from './dom.js';
import { busyButton, notice, problemBox, toast } from './notice.js';
import { save } from './save.js';
import { badge, facts } from './state.js';
import { table } from './table.js';
import { count, foreign, plain, sentence } from './text.js';
import { at, days } from './time.js';

const ROWS = 200;
const MAIL_KEPT_MS = 30 * 86400000;
const RESULTS = 6; // most results shown for a row

const OUTCOMES = {
	discovered: ['good', 'discovered'],
	known: ['good', 'counted'],
	'counted-before': ['off', 'counted before'],
	'report-full': ['warn', 'too many in this report'],
	'domain-full': ['warn', 'too many for the domain'],
	'failed-full': ['warn', 'too many without a key'],
	'no-key': ['off', 'no key, and no verified reporter'],
	dotted: ['off', 'a name of several labels'],
	illegal: ['off', 'not a legal name'],
	elsewhere: ['off', 'another domain'],
};

const RESULT = { pass: 'good', fail: 'bad', unknown: 'unknown' };
const result = (word) => badge(RESULT[word] ?? 'off', word);

function part(title, words, numbers, rows) {
	return h(
		'section',
		null,
		h('h2', null, title),
		h(
			'div',
			{ class: 'scroll', tabindex: 0, role: 'region', 'aria-label': title },
			table(words, numbers, rows.slice(0, ROWS)),
		),
		rows.length > ROWS &&
			h('p', { class: 'muted' }, `The first ${ROWS} of ${count(rows.length, 'row')}.`),
	);
}

const code = (text) =>
	text === null
		? h('span', { class: 'muted' }, 'not given')
		: h('code', null, foreign(text, 120));

const CLASSES = {
	passed: ['good', 'passed'],
	forwarded: ['off', 'forwarded'],
	failed: ['bad', 'failed'],
};

/** The reason why a receiver did something other than the policy asks for. */
const reasonText = ({ type, comment }) => [
	', ',
	foreign((type ?? 'no reason given').replaceAll('_', ' '), 40),
	comment && [': ', foreign(comment, 80)],
];

const shownResult = ({ domain, selector, scope, result: word, humanResult }, kind) =>
	h('li', null, [
		`${kind} ${plain(word ?? 'not given', 20)} for `,
		code(domain),
		selector && [', selector ', code(selector)],
		scope && `, ${plain(scope, 20)}`,
		humanResult && [': ', foreign(humanResult, 80)],
	]);

/** The domains that a row names, with the result of each. */
function seen({ headerFrom, envelopeFrom, envelopeTo, dkimResults, spfResults, leftOut }) {
	const results = [
		...dkimResults.map((one) => shownResult(one, 'DKIM')),
		...spfResults.map((one) => shownResult(one, 'SPF')),
	];
	return [
		headerFrom && ['From ', code(headerFrom)],
		envelopeFrom && envelopeFrom !== headerFrom && [', bounces to ', code(envelopeFrom)],
		envelopeTo && [', sent to ', code(envelopeTo)],
		results.length > 0 && h('ul', { class: 'plain' }, results.slice(0, RESULTS)),
		results.length + leftOut > RESULTS &&
			`and ${count(results.length + leftOut - RESULTS, 'result')} more`,
	];
}

function dmarcTables({ selectors, report }) {
	const { rows, otherMessages } = report;
	return [
		part(
			'By source',
			['Source', 'Result', 'Disposition', 'DKIM', 'SPF', 'Domains'],
			['Messages'],
			rows.map((row) => [
				h('span', { class: 'whole' }, code(row.source)),
				badge(...CLASSES[row.class]),
				[row.disposition, row.reasons.map(reasonText)],
				result(row.dkim),
				result(row.spf),
				seen(row),
				row.messages,
			]),
		),
		otherMessages > 0 &&
			h(
				'p',
				{ class: 'muted' },
				`${count(otherMessages, 'message')} more in rows that are not stored.`,
			),
		selectors.length > 0 &&
			part(
				'DKIM selectors',
				['Selector', 'Domain', 'Status'],
				['Passed', 'Failed'],
				selectors.map((one) => [
					code(one.selector),
					code(one.domain),
					badge(...(OUTCOMES[one.outcome] ?? ['off', plain(one.outcome)])),
					one.passCount,
					one.failCount,
				]),
			),
	];
}

function tlsTables({ report: { policies, failures } }) {
	return [
		policies.length > 0 &&
			part(
				'Policies',
				['Policy', 'Domain'],
				['Successful', 'Failed'],
				policies.map((one) => [
					code(one.type),
					code(one.domain),
					one.successful,
					one.failed,
				]),
			),
		failures.length > 0 &&
			part(
				'Failures',
				['Failure', 'Mail server', 'From', 'Reason'],
				['Sessions'],
				failures.map((one) => [
					code(one.type),
					[code(one.receivingMx), one.receivingIp !== null && [' ', code(one.receivingIp)]],
					code(one.sendingIp),
					code(one.reason),
					one.sessions,
				]),
			),
	];
}

const STANDINGS = {
	verified: 'verified',
	accepted: 'accepted',
	blocked: 'blocked',
	unverified: 'unverified',
	uploaded: 'uploaded as a file by the account',
};

/** The reporter, and the results of the checks of its mail. */
function reporterText({ via, reporter: { domain, standing, spf, dkim, dmarc } }) {
	if (standing === 'unjudged') return 'unverified: received before senders of reports were verified';
	const ways = { upload: '', https: ': posted over HTTPS', mail: `: SPF ${spf}, DKIM ${dkim}, DMARC ${dmarc}` };
	return [domain === null ? 'unknown' : foreign(domain), `, ${STANDINGS[standing]}${ways[via]}`];
}

// How the receiver found the record (RFC 9990).
const DISCOVERY = { treewalk: 'by tree walk', psl: 'by the public suffix list' };

/** The published policy in the tags of its record. */
function policyText({ discoveryMethod, testing, ...tags }) {
	const shown = Object.entries({ ...tags, t: testing }).filter(([, value]) => value !== null);
	return [
		code(shown.map(([name, value]) => `${name}=${value}`).join('; ')),
		DISCOVERY[discoveryMethod] && `, found ${DISCOVERY[discoveryMethod]}`,
	];
}

function content(whole) {
	const { kind, state, period, reason, report } = whole;
	const policy = report?.policy;
	return [
		reason && notice(state === 'refused' ? 'bad' : 'off', sentence(reason.message)),
		facts(
			['From', whole.organization && foreign(whole.organization)],
			['Contact', whole.contact && foreign(whole.contact)],
			['More about contact', report?.extraContact && foreign(report.extraContact)],
			['Envelope sender', whole.mailFrom && foreign(whole.mailFrom)],
			['Reporter', reporterText(whole)],
			['Received', at(whole.receivedAt)],
			[
				'Period',
				period.begin && [days(period.begin, period.end ?? period.begin), ' (UTC)', period.end === null && ', its end is unknown'],
			],
			['Domain', whole.policyDomain && foreign(whole.policyDomain)],
			['Generator', report?.generator && foreign(report.generator)],
			[
				'Errors reported',
				report?.errors?.length > 0 &&
					report.errors.map((error) => h('p', null, foreign(error))),
			],
			['Report ID', whole.externalId && h('code', null, foreign(whole.externalId))],
			['Published policy', policy && policyText(policy)],
		),
		report && (kind === 'dmarc' ? dmarcTables(whole) : tlsTables(whole)),
	];
}

/** Saves the mail that brought the report, as long as the service keeps it. */
function originalButton(id, { id: reportId, via, receivedAt }, signal) {
	if (via !== 'mail' || Date.now() - Date.parse(receivedAt) > MAIL_KEPT_MS) return null;
	const button = busyButton({}, 'Download the mail', async () => {
		try {
			save(`${reportId}.eml`, 'message/rfc822', [await getOriginal(id, reportId, signal)]);
		} catch (problem) {
			if (!signal.aborted) toast.problem(problem);
		}
	});
	return h('p', { class: 'actions' }, button, h('span', { class: 'muted' }, 'as it was received; stored for 30 days'));
}

/** @type {import('./app.js').View} */
export function reportView([id, reportId], signal) {
	const heading = h('h1', { tabindex: -1 }, 'Report');
	const body = h('div', { class: 'part report' });
	const begin = async () => {
		try {
			const whole = await getReport(id, reportId, signal);
			heading.textContent = `${{ dmarc: 'DMARC report', tls: 'TLS report' }[whole.kind] ?? 'Report'}`;
			fill(body, content(whole), originalButton(id, whole, signal));
		} catch (problem) {
			if (signal.aborted) return;
			fill(
				body,
				problem.status === 404
					? h(
							'p',
							{ class: 'lead' },
							'There is no such report any more. Reports are kept for 90 days.',
						)
					: problemBox(problem, begin),
			);
		}
	};
	begin();
	const node = h(
		'div',
		{ class: 'view' },
		h('p', { class: 'way' }, h('a', { href: domainAddress(id, 'reports') }, 'Reports')),
		heading,
		body,
	);
	return { title: 'Report', node };
}
