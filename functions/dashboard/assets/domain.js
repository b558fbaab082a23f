// One domain: its head, the links to its parts, and the part that the address names.
import { alertsPart } from './alerts.js';
import { getDomain, knownDomain } from './domain-api.js';
import { domainAddress } from './domains.js';
import { fill, h } from './dom.js';
import { mtaStsPart } from './mta-sts.js';
import { problemBox } from './notice.js';
import { overviewPart } from './overview.js';
import { reportsPart } from './reports.js';
import { selectorsPart } from './selectors.js';
import { domainName, plain } from './text.js';
import { setTitle } from './title.js';

/**
 * @typedef {(domain: import('./domain-api.js').Domain, signal: AbortSignal) => Node} Part
 */

const PARTS = [
	['', 'Overview', overviewPart],
	['selectors', 'DKIM', selectorsPart],
	['mta-sts', 'MTA-STS', mtaStsPart],
	['reports', 'Reports', reportsPart],
	['alerts', 'Alerts', alertsPart],
];

function partNavigation(id, current) {
	return h(
		'nav',
		{ class: 'parts', 'aria-label': 'Parts of the domain' },
		PARTS.map(([part, title]) =>
			h(
				'a',
				{ href: domainAddress(id, part), 'aria-current': part === current && 'page' },
				title,
			),
		),
	);
}

function notFound() {
	return h(
		'div',
		null,
		h('p', { class: 'lead' }, 'Your account has no such domain. It may have been deleted.'),
		h('p', null, h('a', { href: '#/domains' }, 'See all domains')),
	);
}

/** @type {import('./app.js').View} */
export function domainView([id, current = ''], signal) {
	const [, title, part] = PARTS.find(([name]) => name === (current ?? ''));
	const before = knownDomain(id);
	const heading = h('h1', { tabindex: -1 }, before ? domainName(before.name) : '\u00a0');
	const body = h('div', { class: 'part' });

	const show = (domain) => {
		fill(heading, domainName(domain.name));
		setTitle(`${plain(domain.name)}: ${title}`);
		fill(body, part(domain, signal));
	};
	const begin = async () => {
		try {
			show(before?.posture ? before : await getDomain(id, signal));
		} catch (problem) {
			if (signal.aborted) return;
			if (problem.status === 404) fill(heading, 'No such domain');
			fill(body, problem.status === 404 ? notFound() : problemBox(problem, begin));
		}
	};
	begin();
	const node = h(
		'div',
		{ class: 'view' },
		h('p', { class: 'way' }, h('a', { href: '#/domains' }, 'Domains')),
		heading,
		partNavigation(id, current ?? ''),
		body,
	);
	return { title: before ? `${plain(before.name)}: ${title}` : title, node };
}
