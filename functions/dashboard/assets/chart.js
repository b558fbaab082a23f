// Passing and failing mail as pictures. Beside each stands a table that says the same.
import { h, svg } from './dom.js';
import { share } from './glance.js';
import { table } from './table.js';
import { foreign } from './text.js';

/** @typedef {{passed: number, failed: number}} Sum */

// The picture is stretched to its place, so all its words stand beside it.
const SIZE = { width: 800, height: 180, top: 2, bottom: 1 };
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
		svg(
			'title',
			null,
			`${day.format(date)}: ${number(passed)} passed, ${number(failed)} failed`,
		),
		svg('rect', { class: 'hover', x, y: SIZE.top, width, height: zero - SIZE.top }),
		svg('rect', {
			class: 'good',
			x,
			y: zero - least(passed, good),
			width,
			height: least(passed, good),
		}),
		svg('rect', {
			class: 'bad',
			x,
			y: zero - least(passed, good) - least(failed, bad) - (passed > 0 ? 1 : 0),
			width,
			height: least(failed, bad),
		}),
	);
}

function axis(zero) {
	const line = (y, name) => svg('line', { class: name, x1: 0, x2: SIZE.width, y1: y, y2: y });
	return [line(zero, 'zero'), line(SIZE.top, 'grid')];
}

function dayTable(days) {
	const some = days.filter(({ passed, failed }) => passed + failed > 0);
	const rows = some.map(({ date, passed, failed }) => [day.format(date), passed, failed]);
	return h(
		'details',
		{ class: 'as-table' },
		h('summary', null, 'As a table'),
		table(['Day (UTC)'], ['Passed', 'Failed'], rows),
	);
}

/**
 * Messages by day.
 * @param {(Sum & {date: Date})[]} days without gaps, the oldest first
 */
export function dayChart(days) {
	const most = Math.max(1, ...days.map(({ passed, failed }) => passed + failed));
	const zero = SIZE.height - SIZE.bottom;
	const step = SIZE.width / days.length;
	const all = days.reduce((sum, one) => ({
		passed: sum.passed + one.passed,
		failed: sum.failed + one.failed,
	}));
	const words = `Messages by day: ${number(all.passed)} passed and ${number(all.failed)} failed in ${days.length} days.`;
	return h(
		'figure',
		{ class: 'chart' },
		h(
			'figcaption',
			null,
			h('span', { class: 'key good' }, 'passed'),
			h('span', { class: 'key bad' }, 'failed'),
			h('span', { class: 'muted' }, `messages by day, ${number(most)} at most`),
		),
		svg(
			'svg',
			{
				viewBox: `0 0 ${SIZE.width} ${SIZE.height}`,
				preserveAspectRatio: 'none',
				role: 'img',
				'aria-label': words,
			},
			axis(zero),
			days.map((one, i) =>
				dayBar(one, {
					x: i * step + GAP / 2,
					width: Math.max(step - GAP, 1),
					scale: (zero - SIZE.top) / most,
					zero,
				}),
			),
		),
		h(
			'p',
			{ class: 'ends muted', 'aria-hidden': 'true' },
			h('span', null, day.format(days[0].date)),
			h('span', null, day.format(days.at(-1).date)),
		),
		dayTable(days),
	);
}

function sourceBar({ passed, failed }, most) {
	const percent = 100 / most;
	return svg(
		'svg',
		{ class: 'bar', 'aria-hidden': 'true' },
		svg('rect', {
			class: 'good',
			x: 0,
			y: '20%',
			width: `${passed * percent}%`,
			height: '60%',
		}),
		svg('rect', {
			class: 'bad',
			x: `${passed * percent}%`,
			y: '20%',
			width: `${failed * percent}%`,
			height: '60%',
		}),
	);
}

/**
 * Messages by the address that sent them.
 * @param {(Sum & {source: string})[]} sources the busiest first
 */
export function sourceTable(sources) {
	const most = Math.max(1, ...sources.map(({ passed, failed }) => passed + failed));
	const row = (one) =>
		h(
			'tr',
			null,
			h('th', { scope: 'row' }, h('code', null, foreign(one.source, 60))),
			h('td', { class: 'bar-cell' }, sourceBar(one, most)),
			h('td', { class: 'number' }, number(one.passed + one.failed)),
			h('td', { class: 'number' }, share(one.passed, one.passed + one.failed)),
		);
	return h(
		'table',
		{ class: 'points sources' },
		h(
			'thead',
			null,
			h(
				'tr',
				null,
				h('th', { scope: 'col' }, 'Source'),
				h('td', { class: 'bar-cell' }),
				h('th', { scope: 'col', class: 'number' }, 'Messages'),
				h('th', { scope: 'col', class: 'number' }, 'Pass'),
			),
		),
		h('tbody', null, sources.map(row)),
	);
}
