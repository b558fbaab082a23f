// The domains of the account, each with its state at a glance.
import {
	GLANCE_REPORTS,
	getMtaSts,
	createDomain,
	listDomains,
	listReports,
	listSelectors,
	moreDomains,
} from './domain-api.js';
import { fill, h } from './dom.js';
import { domainSearch } from './domain-search.js';
import { field } from './field.js';
import { mtaStsGlance, postureGlance, reportsGlance, selectorsGlance } from './glance.js';
import { icon } from './icons.js';
import { busy, busyButton, empty, problemBox, toast } from './notice.js';
import { badge } from './state.js';
import { domainName, nameIn } from './text.js';

const AT_ONCE = 4; // domains whose state is requested at the same time

const GLANCES = [
	['DKIM', (id, signal) => listSelectors(id, signal).then(selectorsGlance)],
	['MTA-STS', (id, signal) => getMtaSts(id, signal).then(mtaStsGlance)],
	['Reports', (id, signal) => listReports(id, GLANCE_REPORTS, signal).then(reportsGlance)],
];

export const domainAddress = (id, part) => `#/domains/${id}${part ? `/${part}` : ''}`;

// A state that could not be loaded is shown as unknown, not as bad.
async function fillGlance(cell, ask, id, signal) {
	try {
		const { kind, text } = await ask(id, signal);
		fill(cell, badge(kind, text));
	} catch {
		if (!signal.aborted) fill(cell, badge('unknown', 'not known now'));
	}
}

function domainRow(domain) {
	const { id, name } = domain;
	const { kind, text } = postureGlance(domain);
	const cells = GLANCES.map(() => h('span', { class: 'glance-cell' }));
	const node = h(
		'li',
		null,
		h(
			'a',
			{ class: 'domain-row', href: domainAddress(id) },
			h('strong', null, domainName(name)),
			h(
				'span',
				{ class: 'glance' },
				h('span', { class: 'muted' }, 'DNS'),
				h('span', { class: 'glance-cell' }, badge(kind, text)),
			),
			GLANCES.map(([title], i) =>
				h('span', { class: 'glance' }, h('span', { class: 'muted' }, title), cells[i]),
			),
			icon('next'),
		),
	);
	const ask = (signal) =>
		Promise.all(GLANCES.map(([, load], i) => fillGlance(cells[i], load, id, signal)));
	return { node, ask };
}

async function askAll(rows, signal) {
	const left = [...rows];
	const worker = async () => {
		while (left.length > 0 && !signal.aborted) await left.shift().ask(signal);
	};
	await Promise.all(Array.from({ length: AT_ONCE }, worker));
}

function addForm() {
	const name = field({
		label: 'Add a domain',
		hint: 'The part after the @ in your addresses, like example.com.',
		input: h('input', {
			type: 'text',
			name: 'domain',
			autocomplete: 'off',
			autocapitalize: 'none',
			spellcheck: 'false',
		}),
	});
	const button = h('button', { type: 'submit', class: 'primary' }, 'Add');
	const submit = (event) => {
		event.preventDefault();
		const text = nameIn(name.input.value);
		toast.clear();
		if (!text.includes('.'))
			return name.refuse('A domain has two parts or more, like example.com.');
		return busy(button, async () => {
			try {
				location.hash = domainAddress((await createDomain(text)).id);
			} catch (problem) {
				if (problem.status === 400 || problem.status === 409)
					name.refuse(`${problem.message}.`);
				else toast.problem(problem);
			}
		});
	};
	return h(
		'form',
		{ class: 'card one-line', novalidate: true, onsubmit: submit },
		name.element,
		button,
	);
}

const firstOne = () =>
	empty(
		'No domain yet',
		h(
			'p',
			null,
			'Add the first one above. You then see its DKIM selectors, switch MTA-STS on and ' +
				'read what receivers report about its mail.',
		),
	);

// The domains that the filter selects: rows as they arrive, and a button for more.
async function listed(filter, signal) {
	const list = h('ul', { class: 'domain-list' });
	const foot = h('div', { class: 'actions' });
	const add = ({ data, next }) => {
		const rows = data.map(domainRow);
		list.append(...rows.map(({ node }) => node));
		fill(foot, next && busyButton({}, 'Show more', () => more(next)));
		askAll(rows, signal);
	};
	const more = (next) =>
		moreDomains(signal, next)
			.then(add)
			.catch((problem) =>
				fill(
					foot,
					problemBox(problem, () => more(next)),
				),
			);
	const page = await listDomains(signal, filter);
	add(page);
	return { nodes: [list, foot], count: page.data.length, isAll: page.next === null };
}

function domainList(signal) {
	const body = h('div', null, h('p', { class: 'muted loading' }, 'Loading …'));
	let shown = { abort() {} }; // aborts the list that is shown or being loaded

	const show = async (filter) => {
		shown.abort();
		const mine = new AbortController();
		shown = mine;
		signal.addEventListener('abort', () => mine.abort());
		try {
			const { nodes, count, isAll } = await listed(filter, mine.signal);
			if (mine.signal.aborted) return;
			const isWhole = Object.keys(filter).length === 0;
			fill(body, count > 0 ? nodes : isWhole && firstOne());
			search.found(isWhole, count, isAll);
		} catch (problem) {
			if (!mine.signal.aborted)
				fill(
					body,
					problemBox(problem, () => show(filter)),
				);
		}
	};
	const search = domainSearch(show);
	show({});
	return [search.element, body];
}

/** @type {import('./app.js').View} */
export function domainsView(params, signal) {
	const node = h(
		'div',
		{ class: 'view' },
		h('h1', { tabindex: -1 }, 'Domains'),
		addForm(),
		domainList(signal),
	);
	return { title: 'Domains', node };
}
