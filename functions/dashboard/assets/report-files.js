// Reports as files: uploads reports that the owner has, and downloads the rows of all reports.
import { exportRows, handInReports } from './domain-api.js';
import { fill, h } from './dom.js';
import { field } from './field.js';
import { announce, busy, busyButton, problemBox, toast } from './notice.js';
import { save } from './save.js';
import { badge } from './state.js';
import { count, foreign, sentence } from './text.js';
import { on } from './time.js';

const FILE_MAX = 10 * 1024 * 1024;

const OUTCOMES = {
	accepted: ['good', 'accepted'],
	duplicate: ['off', 'duplicate'],
	refused: ['bad', 'refused'],
};

function line(file, { file: inside, outcome, organization, period, reason }) {
	return h(
		'li',
		null,
		h('div', { class: 'log-name' }, h('strong', null, foreign(inside ?? file.name, 80))),
		h('p', { class: 'log-numbers' }, organization && foreign(organization, 80)),
		badge(...OUTCOMES[outcome]),
		h(
			'div',
			{ class: 'log-more' },
			period.begin &&
				h('p', { class: 'muted' }, on(period.begin), ' to ', on(period.end ?? period.begin)),
			reason && h('p', null, sentence(reason.message)),
		),
	);
}

const failed = (file, problem) =>
	h(
		'li',
		null,
		h('div', { class: 'log-name' }, h('strong', null, foreign(file.name, 80))),
		h('p', { class: 'log-numbers' }),
		badge('bad', 'not sent'),
		h('div', { class: 'log-more' }, problemBox(problem)),
	);

const tooLarge = { message: 'The file has more than 10 MiB. A zip of it may have less.', retryAfterS: 0 };

/** Returns how many reports of the file are new. */
async function handIn(domain, file, list) {
	if (file.size > FILE_MAX) {
		list.append(failed(file, tooLarge));
		return 0;
	}
	try {
		const results = await handInReports(domain.id, file);
		list.append(...results.map((result) => line(file, result)));
		return results.filter(({ outcome }) => outcome === 'accepted').length;
	} catch (problem) {
		list.append(failed(file, problem));
		return 0;
	}
}

function handInForm(domain, changed) {
	const files = field({
		label: 'Files with reports',
		hint:
			'Reports about DMARC or TLS as XML, JSON, gzip, zip, tar or mail (.eml, .mbox), up to 10 MiB each. They count ' +
			'without proof of their reporter, so upload only files that you trust.',
		input: h('input', { type: 'file', multiple: true }),
	});
	const button = h('button', { class: 'primary' }, 'Upload');
	const list = h('ul', { class: 'log', 'aria-label': 'Results of the upload' });
	const submit = (event) => {
		event.preventDefault();
		const chosen = [...files.input.files];
		if (chosen.length === 0) return files.refuse('Choose one file or more.');
		return busy(button, async () => {
			let read = 0;
			fill(list);
			for (const file of chosen) read += await handIn(domain, file, list);
			event.target.reset();
			announce(`${count(read, 'new report')} in ${count(chosen.length, 'file')}.`);
			if (read > 0) await changed();
		});
	};
	return [
		h('form', { class: 'card one-line', novalidate: true, onsubmit: submit }, files.element, button),
		list,
	];
}

function rowsButton(domain, signal) {
	return busyButton({}, 'Download rows (CSV)', async () => {
		try {
			save(`${domain.name}-rows.csv`, 'text/csv', await exportRows(domain.id, signal));
		} catch (problem) {
			if (!signal.aborted) toast.problem(problem);
		}
	});
}

/**
 * @param {() => Promise<void>} changed called when new reports were added
 * @returns {{node: Node, rows: Node}} rows: the part that is shown only when there are reports
 */
export function filesSection(domain, signal, changed) {
	const rows = h(
		'p',
		{ class: 'actions' },
		rowsButton(domain, signal),
		h('span', { class: 'muted' }, 'of the last 30 days, one line for each source in a report'),
	);
	const node = h('section', null, h('h2', null, 'Reports as files'), rows, handInForm(domain, changed));
	return { node, rows };
}
