// What receivers report about the domain's mail: how much of it passes, from where, and the log.
import { dayChart, sourceTable } from './chart.js';
import { followReports, getReport } from './domain-api.js';
import { fill, h, keyedList } from './dom.js';
import { domainAddress } from './domains.js';
import { share } from './glance.js';
import { live } from './live.js';
import { announce, empty } from './notice.js';
import { recordCard } from './record.js';
import { badge } from './state.js';
import { onTokenChange } from './store.js';
import { count, foreign, sentence } from './text.js';
import { at, on } from './time.js';

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
 * @property {number} failed
 * @property {{domain: string, selector: string}[]} discovered
 * @property {{code: string, message: string} | null} reason
 */

const LISTED = 500;
const SHOWN = 30;
const DAYS = 30;
const DAY_MS = 86400000;
const DETAILED = 25; // reports that are opened to see their sources, until all are asked for
const SOURCES = 12;
const AT_ONCE = 4;

const STATES = {
	read: ['good', 'read'],
	duplicate: ['off', 'duplicate'],
	refused: ['bad', 'not read'],
};
const KINDS = { dmarc: 'DMARC', tls: 'TLS', unknown: 'Report' };
const WHAT = { dmarc: 'message', tls: 'session', unknown: 'message' };

const isCounted = ({ kind, state }) => kind === 'dmarc' && state === 'read';

/** What a report is about, as a day: its period begins there. */
const dayOf = ({ period, receivedAt }) =>
	Math.floor(Date.parse(period.begin ?? receivedAt) / DAY_MS);

function byDay(reports) {
	const today = Math.floor(Date.now() / DAY_MS);
	const days = Array.from({ length: DAYS }, (_, i) => ({
		date: new Date((today - DAYS + 1 + i) * DAY_MS),
		passed: 0,
		failed: 0,
	}));
	for (const report of reports) {
		const place = days[dayOf(report) - today + DAYS - 1];
		if (!place) continue;
		place.passed += report.passed;
		place.failed += report.failed;
	}
	return days;
}

function summary(reports) {
	const passed = reports.reduce((sum, report) => sum + report.passed, 0);
	const total = reports.reduce((sum, report) => sum + report.total, 0);
	if (total === 0) return h('p', { class: 'muted' }, 'No DMARC report tells of mail yet.');
	return h(
		'p',
		{ class: 'lead' },
		h('strong', null, share(passed, total)),
		` of ${count(total, 'message')} passed DMARC in the ` + `reports below.`,
		passed < total &&
			' What fails was sent by servers that are not set up for the domain, or by others in its name.',
	);
}

const details = new Map(); // reports never change
onTokenChange(() => details.clear());

async function detailOf(domain, { id }, signal) {
	if (!details.has(id)) details.set(id, (await getReport(domain.id, id, signal)).report);
	return details.get(id);
}

/** The rows of reports, summed by source. */
async function bySource(domain, reports, signal) {
	const sums = new Map();
	const left = [...reports];
	const worker = async () => {
		while (left.length > 0) {
			for (const { source, dkim, spf, messages } of (
				await detailOf(domain, left.shift(), signal)
			).rows) {
				const name = source ?? 'unreadable';
				const sum = sums.get(name) ?? { source: name, passed: 0, failed: 0 };
				sum[dkim === 'pass' || spf === 'pass' ? 'passed' : 'failed'] += messages;
				sums.set(name, sum);
			}
		}
	};
	await Promise.all(Array.from({ length: AT_ONCE }, worker));
	return [...sums.values()].sort((a, b) => b.passed + b.failed - a.passed - a.failed);
}

async function showSources(place, domain, newest, all, signal) {
	try {
		const sources = await bySource(domain, newest, signal);
		const which = newest.length < all ? `the newest ${newest.length} of ` : '';
		fill(
			place,
			h('h2', { tabindex: -1 }, 'By source'),
			h(
				'p',
				{ class: 'muted' },
				`Of ${which}${count(all, 'DMARC report')}, the ` +
					`${count(Math.min(sources.length, SOURCES), 'busiest address', 'busiest addresses')} of ${sources.length}.`,
			),
			sourceTable(sources.slice(0, SOURCES)),
		);
	} catch {
		if (!signal.aborted)
			fill(place, h('p', { class: 'muted' }, 'The sources cannot be shown now.'));
	}
}

function numbers({ kind, state, total, failed }) {
	if (state !== 'read') return null;
	return [
		count(total, WHAT[kind]),
		failed > 0 && h('span', { class: 'failed' }, `, ${failed.toLocaleString()} failed`),
	];
}

function logItem(domain, report) {
	const [kind, word] = STATES[report.state];
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
					report.organization ? foreign(report.organization, 80) : 'Unnamed sender',
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
				period.begin && [on(period.begin), ' to ', on(period.end ?? period.begin), ' · '],
				'received ',
				at(report.receivedAt),
			),
			reason && h('p', null, sentence(reason.message)),
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
			'Receivers send them daily once these records ask for them. If there is a DMARC record already, add the ' +
				'address to its rua=.',
		),
		expectedRecords.map((record) => recordCard(record)),
	);
}

/** @type {import('./domain.js').Part} */
export function reportsPart(domain, signal) {
	const overview = h('section');
	const sources = h('div');
	const allSources = h('button', { type: 'button' });
	let counted = [];
	let opened = DETAILED;
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
		h('section', null, sources, allSources),
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
	const sumSources = () =>
		showSources(sources, domain, counted.slice(0, opened), counted.length, signal);
	allSources.addEventListener('click', async () => {
		opened = LISTED;
		allSources.disabled = true;
		allSources.textContent = 'Opening them …';
		await sumSources();
		allSources.hidden = true;
		sources.querySelector('h2')?.focus();
		announce('All reports are summed by source.');
	});
	const show = (reports) => {
		counted = reports.filter(isCounted);
		allSources.hidden = counted.length <= opened;
		allSources.textContent = `Sum all ${counted.length} reports`;
		none.hidden = reports.length > 0;
		some.hidden = reports.length === 0;
		fill(overview, summary(counted), counted.length > 0 && dayChart(byDay(counted)));
		if (counted.length > 0) sumSources();
		all = reports;
		showLog();
		if (before !== null && reports.length > before) announce('A report has arrived.');
		before = reports.length;
	};
	return live({
		load: followReports(domain.id, LISTED, signal),
		show,
		body: h('div', null, none, some),
		signal,
	}).node;
}
