// The reports of receivers about the domain's mail: how much of it passes, from where, and the log.
import { dayChart } from './chart.js';
import { followReports, sumsByDay } from './domain-api.js';
import { fill, h, keyedList } from './dom.js';
import { domainAddress } from './domains.js';
import { share } from './glance.js';
import { live } from './live.js';
import { announce, empty } from './notice.js';
import { recordCard } from './record.js';
import { filesSection } from './report-files.js';
import { reportersSection } from './reporters.js';
import { sendersSection } from './senders.js';
import { badge } from './state.js';
import { count, foreign, sentence } from './text.js';
import { at, days as daysOf } from './time.js';

/**
 * @typedef {object} Report
 * @property {string} id
 * @property {'dmarc' | 'tls' | 'unknown'} kind
 * @property {'read' | 'duplicate' | 'refused'} state
 * @property {string} receivedAt
 * @property {string | null} organization
 * @property {{begin: string | null, end: string | null}} period
 * @property {number} total   messages, or sessions of a TLS report
 * @property {number} passed
 * @property {number} forwarded   messages forwarded by others, which neither passed nor failed
 * @property {number} failed
 * @property {{domain: string, selector: string}[]} discovered
 * @property {{code: string, message: string} | null} reason
 * @property {{domain: string | null, standing: string, spf: string | null, dkim: string | null,
 *   dmarc: string | null}} reporter   who sent it, as far as that was proved
 * @property {boolean} counts   whether sums include the report
 */

const LISTED = 500;
const SHOWN = 30;
const DAY_MS = 86400000;

const STATES = {
	read: ['good', 'read'],
	duplicate: ['off', 'duplicate'],
	refused: ['bad', 'refused'],
};
const KINDS = { dmarc: 'DMARC', tls: 'TLS', unknown: 'Report' };
const WHAT = { dmarc: 'message', tls: 'session', unknown: 'message' };

const isCounted = ({ kind, counts }) => kind === 'dmarc' && counts;
const isApart = ({ state, counts }) => state === 'read' && !counts;

const APART = {
	unverified: 'Its sender did not prove who it is, so it does not count.',
	blocked: 'Its reporter is blocked, so it does not count.',
	unjudged: 'It arrived before senders of reports were verified, so it does not count.',
};

/** Each day from the first to the last, including days without mail. */
function withoutGaps({ from, to, sums }) {
	const first = Date.parse(from);
	const known = new Map(sums.map((sum) => [sum.key, sum]));
	return Array.from({ length: (Date.parse(to) - first) / DAY_MS + 1 }, (_, i) => {
		const date = new Date(first + i * DAY_MS);
		const { passed = 0, forwarded = 0, failed = 0 } = known.get(date.toISOString().slice(0, 10)) ?? {};
		return { date, passed, forwarded, failed };
	});
}

function apart(reports) {
	const { length } = reports.filter(isApart);
	return (
		length > 0 &&
		h(
			'p',
			{ class: 'muted' },
			`${count(length, 'report')} below ${length === 1 ? 'is' : 'are'} not counted: anybody can send one.`,
		)
	);
}

function summary(days) {
	const sum = (name) => days.reduce((all, day) => all + day[name], 0);
	const passed = sum('passed');
	const forwarded = sum('forwarded');
	const total = passed + sum('failed');
	if (total + forwarded === 0)
		return h('p', { class: 'muted' }, 'No DMARC report about mail of the last 30 days has arrived yet.');
	return h(
		'p',
		{ class: 'lead' },
		total > 0 && [
			h('strong', null, share(passed, total)),
			` of ${count(total, 'message')} passed DMARC in the last 30 days.`,
		],
		passed < total &&
			' Mail that fails comes from servers that are not set up for the domain, or is forged.',
		forwarded > 0 &&
			` ${count(forwarded, 'message')} came through forwarders or mailing lists, which break SPF or DKIM.`,
	);
}

function numbers({ kind, state, total, failed }) {
	if (state !== 'read') return null;
	return [
		count(total, WHAT[kind]),
		failed > 0 && h('span', { class: 'failed' }, `, ${failed.toLocaleString()} failed`),
	];
}

function logItem(domain, report) {
	const [kind, word] = isApart(report) ? ['off', 'not counted'] : STATES[report.state];
	const { discovered, period, reason } = report;
	return h(
		'li',
		null,
		h(
			'div',
			{ class: 'log-name' },
			h(
				'a',
				{ href: `${domainAddress(domain.id, 'reports')}/${report.id}` },
				h(
					'strong',
					null,
					report.organization ? foreign(report.organization, 80) : 'Unknown reporter',
				),
			),
			' ',
			h('span', { class: 'muted' }, KINDS[report.kind]),
		),
		h('p', { class: 'log-numbers' }, numbers(report)),
		badge(kind, word),
		h(
			'div',
			{ class: 'log-more' },
			h(
				'p',
				{ class: 'muted' },
				period.begin && [daysOf(period.begin, period.end ?? period.begin), ' · '],
				'received ',
				at(report.receivedAt),
			),
			reason && h('p', null, sentence(reason.message)),
			isApart(report) && h('p', null, APART[report.reporter.standing]),
			discovered.length > 0 &&
				h(
					'p',
					null,
					'Discovered: ',
					discovered.map(({ selector }, i) => [
						i > 0 && ', ',
						h('code', null, foreign(selector)),
					]),
				),
		),
	);
}

function nothingYet({ expectedRecords }) {
	return empty(
		'No report yet',
		h(
			'p',
			null,
			'Receivers send them daily once these records ask for them.',
			expectedRecords.some(({ change }) => change === null) &&
				' If there is a DMARC record already, add the address to its rua=.',
		),
		expectedRecords.map((record) => recordCard(record)),
	);
}

/** @type {import('./domain.js').Part} */
export function reportsPart(domain, signal) {
	const overview = h('section');
	const followed = followReports(domain.id, LISTED, signal);
	const again = () => {
		followed.forget();
		return part.refresh();
	};
	const reporters = reportersSection(domain, signal, again);
	const files = filesSection(domain, signal, again);
	const senders = sendersSection(domain, signal);
	const log = h('ul', { class: 'log' });
	const more = h('button', { type: 'button' }, 'Show all');
	let all = [];
	let isWhole = false;
	const update = keyedList(
		log,
		({ id }) => id,
		(report) => logItem(domain, report),
	);
	const some = h(
		'div',
		null,
		overview,
		senders.node,
		reporters.node,
		h('section', null, h('h2', null, 'Reports received'), log, more),
	);
	const none = nothingYet(domain);
	let before = null;

	const showLog = () => {
		update(isWhole ? all : all.slice(0, SHOWN));
		more.hidden = isWhole || all.length <= SHOWN;
		more.textContent = `Show all ${all.length}`;
	};
	more.addEventListener('click', () => {
		isWhole = true;
		showLog();
		log.children[SHOWN]?.querySelector('a').focus();
	});
	// The sums are shown together with the reports, so that the content below does not jump.
	let days = [];
	let summed = null;
	const load = async () => {
		const reports = await followed.load();
		if (reports !== summed) days = withoutGaps(await sumsByDay(domain.id, signal));
		summed = reports;
		return reports;
	};
	const showOverview = () => {
		const hasMail = days.some(({ passed, forwarded, failed }) => passed + forwarded + failed > 0);
		fill(overview, summary(days), apart(all), hasMail && dayChart(days));
	};
	const show = (reports) => {
		none.hidden = reports.length > 0;
		some.hidden = reports.length === 0;
		files.rows.hidden = !reports.some(isCounted);
		const isNew = reports !== all;
		all = reports;
		if (isNew) {
			showOverview();
			senders.load();
		}
		reporters.load();
		showLog();
		if (before !== null && reports.length > before) announce('A report has arrived.');
		before = reports.length;
	};
	const part = live({ load, show, body: h('div', null, none, some, files.node), signal });
	return part.node;
}
