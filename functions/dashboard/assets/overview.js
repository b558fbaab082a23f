// A domain at a glance, and what to do next.
import { ask } from './dialog.js';
import {
	GLANCE_REPORTS,
	deleteDomain,
	getMtaSts,
	followReports,
	listSelectors,
} from './domain-api.js';
import { domainAddress } from './domains.js';
import { fill, h } from './dom.js';
import { mtaStsGlance, reportsGlance, selectorsGlance } from './glance.js';
import { icon } from './icons.js';
import { live } from './live.js';
import { nextSteps } from './next-steps.js';
import { announce, busyButton, notice, toast } from './notice.js';
import { postureSection } from './posture.js';
import { recordCard } from './record.js';
import { badge, disc } from './state.js';
import { plain } from './text.js';
import { on } from './time.js';

function loader(id, signal) {
	const followed = followReports(id, GLANCE_REPORTS, signal);
	return async () => {
		const [selectors, mtaSts, reports] = await Promise.all([
			listSelectors(id, signal),
			getMtaSts(id, signal),
			followed.load(),
		]);
		return { selectors, mtaSts, reports };
	};
}

function tile(id, part, title, { kind, text }) {
	return h(
		'a',
		{ class: `card tile ${kind}`, href: domainAddress(id, part) },
		h('span', { class: 'muted' }, title),
		badge(kind, text),
	);
}

function stepItem(id, { kind, title, text, record, link, hasRecord }, toRecords) {
	return h(
		'li',
		null,
		disc(kind),
		h(
			'div',
			null,
			h('h3', null, title),
			h('p', null, text),
			record && recordCard(record),
			hasRecord &&
				h(
					'button',
					{ type: 'button', class: 'small', 'aria-label': `Show the DNS records: ${title}`, onclick: toRecords },
					'Show the DNS records',
				),
			link && h('p', null, h('a', { href: domainAddress(id, link[0]) }, link[1])),
		),
	);
}

function stepList(domain, data, toRecords) {
	const steps = nextSteps(domain, data);
	if (steps.length === 0)
		return notice('good', 'Nothing. Keys are valid, reports come in, and MTA-STS is enforced.');
	return h(
		'ol',
		{ class: 'steps' },
		steps.map((step) => stepItem(domain.id, step, toRecords)),
	);
}

function deletion(domain) {
	const remove = busyButton({ class: 'quiet' }, 'Stop monitoring this domain …', async () => {
		const isSure = await ask({
			title: `Stop monitoring ${plain(domain.name)}?`,
			body: [
				'Its selectors, their history, the MTA-STS configuration and all reports are deleted. A policy ' +
					'that is hosted here is no longer served.',
			],
			action: 'Delete it',
			danger: true,
			tick: 'I know that this cannot be undone.',
		});
		if (!isSure) return;
		try {
			await deleteDomain(domain.id);
			announce(`${plain(domain.name)} is no longer monitored`);
			location.hash = '#/domains';
		} catch (problem) {
			toast.problem(problem);
		}
	});
	return h(
		'section',
		{ class: 'removal' },
		h('p', { class: 'muted' }, 'Monitored since ', on(domain.createdAt), '. '),
		remove,
	);
}

// The suggested records include the published ones; a record that is uncertain is left out.
function reportRecords({ records }) {
	if (records.length === 0)
		return h('p', null, 'The published records have to be corrected first: see what DNS shows.');
	return records.map((record) =>
		record.change === 'ok'
			? h('div', null, notice('good', 'Published: reports come here.'), recordCard(record))
			: recordCard(record),
	);
}

/** @type {import('./domain.js').Part} */
export function overviewPart(domain, signal) {
	const tiles = h('div', { class: 'tiles' });
	const steps = h('div');
	const records = h(
		'div',
		{ class: 'details-body' },
		h('p', { class: 'muted' }, 'They are shown once the published records are known.'),
	);
	const recordsSummary = h(
		'summary',
		null,
		disc('off'),
		h('strong', null, 'DNS records for receiving reports'),
		icon('next'),
	);
	const recordsCard = h('details', { class: 'card raw' }, recordsSummary, records);
	const toRecords = () => {
		recordsCard.open = true;
		recordsCard.scrollIntoView();
		recordsSummary.focus({ preventScroll: true });
	};
	const body = h(
		'div',
		null,
		tiles,
		h('section', null, h('h2', null, 'What to do next'), steps),
		postureSection(domain.id, signal, (posture) => {
			fill(records, reportRecords(posture));
			expectedRecords = posture.records;
			showSteps();
		}),
		recordsCard,
		deletion(domain),
	);
	let known = null;
	// The records are at first the stored ones, which may be out of date.
	let expectedRecords = domain.expectedRecords;
	const showSteps = () => known && fill(steps, stepList({ ...domain, expectedRecords }, known, toRecords));
	const show = (data) => {
		known = data;
		fill(
			tiles,
			tile(domain.id, 'selectors', 'DKIM selectors', selectorsGlance(data.selectors)),
			tile(domain.id, 'mta-sts', 'MTA-STS', mtaStsGlance(data.mtaSts)),
			tile(domain.id, 'reports', 'Reports', reportsGlance(data.reports)),
		);
		showSteps();
	};
	return live({ load: loader(domain.id, signal), show, body, signal }).node;
}
