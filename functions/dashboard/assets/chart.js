// Passing and failing mail as pictures. Beside each stands a table that says the same.
import { h, svg } from './dom.js';
import { share } from './glance.js';
import { foreign, plain } from './text.js';

/** @typedef {{passed: number, failed: number}} Sum */

const SIZE = { width: 800, height: 200, top: 12, bottom: 24, left: 8, right: 8 };
const GAP = 3;

const day = new Intl.DateTimeFormat(undefined, { day: 'numeric', month: 'short', timeZone: 'UTC' });

const number = (value) => value.toLocaleString();

function dayBar({ date, passed, failed }, { x, width, scale, zero }) {
	const good = passed * scale;
	const bad = failed * scale;
	const least = (value, height) => (value > 0 ? Math.max(height, 2) : 0);
	return svg(
		'g',
		null,
		svg('title', null, `${day.format(date)}: ${number(passed)} passed, ${number(failed)} failed`),
		svg('rect', { class: 'hover', x, y: SIZE.top, width, height: zero - SIZE.top }),
		svg('rect', { class: 'good', x, y: zero - least(passed, good), width, height: least(passed, good), rx: 2 }),
		svg('rect', { class: 'bad', x, y: zero - least(passed, good) - least(failed, bad) - (passed > 0 ? 1 : 0), width,
			height: least(failed, bad), rx: 2 }),
	);
}

function axis(days, most, zero) {
	const label = (x, y, anchor, text) => svg('text', { x, y, 'text-anchor': anchor }, text);
	return [
		svg('line', { x1: SIZE.left, x2: SIZE.width - SIZE.right, y1: zero + 0.5, y2: zero + 0.5 }),
		svg('line', { class: 'grid', x1: SIZE.left, x2: SIZE.width - SIZE.right, y1: SIZE.top + 0.5, y2: SIZE.top + 0.5 }),
		label(SIZE.left, SIZE.top + 14, 'start', number(most)),
		label(SIZE.left, SIZE.height - 6, 'start', day.format(days[0].date)),
		label(SIZE.width - SIZE.right, SIZE.height - 6, 'end', day.format(days.at(-1).date)),
	];
}

function dayTable(days) {
	return h(
		'details',
		{ class: 'as-table' },
		h('summary', null, 'As a table'),
		h('table', { class: 'plain-table' },
			h('thead', null, h('tr', null, ['Day (UTC)', 'Passed', 'Failed'].map((name, i) =>
				h('th', { scope: 'col', class: i > 0 && 'number' }, name)))),
			h('tbody', null, days.filter(({ passed, failed }) => passed + failed > 0).map(({ date, passed, failed }) =>
				h('tr', null, h('th', { scope: 'row' }, day.format(date)), h('td', { class: 'number' }, number(passed)),
					h('td', { class: 'number' }, number(failed)))))),
	);
}

/**
 * Messages by day.
 * @param {(Sum & {date: Date})[]} days without gaps, the oldest first
 */
export function dayChart(days) {
	const most = Math.max(1, ...days.map(({ passed, failed }) => passed + failed));
	const zero = SIZE.height - SIZE.bottom;
	const step = (SIZE.width - SIZE.left - SIZE.right) / days.length;
	const all = days.reduce((sum, one) => ({ passed: sum.passed + one.passed, failed: sum.failed + one.failed }));
	const words = `Messages by day: ${number(all.passed)} passed and ${number(all.failed)} failed in ${days.length} days.`;
	return h(
		'figure',
		{ class: 'chart' },
		h('figcaption', null, h('span', { class: 'key good' }, 'passed'), h('span', { class: 'key bad' }, 'failed'),
			h('span', { class: 'muted' }, 'messages by day')),
		svg('svg', { viewBox: `0 0 ${SIZE.width} ${SIZE.height}`, role: 'img', 'aria-label': words },
			axis(days, most, zero),
			days.map((one, i) => dayBar(one, { x: SIZE.left + i * step + GAP / 2, width: Math.max(step - GAP, 1),
				scale: (zero - SIZE.top) / most, zero }))),
		dayTable(days),
	);
}

function sourceBar({ passed, failed }, most) {
	const percent = 100 / most;
	return svg('svg', { class: 'bar', 'aria-hidden': 'true' },
		svg('rect', { class: 'good', x: 0, y: '20%', width: `${passed * percent}%`, height: '60%', rx: 2 }),
		svg('rect', { class: 'bad', x: `${passed * percent}%`, y: '20%', width: `${failed * percent}%`, height: '60%', rx: 2 }));
}

/**
 * Messages by the address that sent them.
 * @param {(Sum & {source: string})[]} sources the busiest first
 */
export function sourceTable(sources) {
	const most = Math.max(1, ...sources.map(({ passed, failed }) => passed + failed));
	const row = (one) => h('tr', null,
		h('th', { scope: 'row' }, h('code', null, foreign(plain(one.source, 60)))),
		h('td', { class: 'bar-cell' }, sourceBar(one, most)),
		h('td', { class: 'number' }, number(one.passed + one.failed)),
		h('td', { class: 'number' }, share(one.passed, one.passed + one.failed)));
	return h('table', { class: 'points sources' },
		h('thead', null, h('tr', null, h('th', { scope: 'col' }, 'Source'), h('td', { class: 'bar-cell' }),
			h('th', { scope: 'col', class: 'number' }, 'Messages'), h('th', { scope: 'col', class: 'number' }, 'Pass'))),
		h('tbody', null, sources.map(row)));
}
