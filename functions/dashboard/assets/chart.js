// Passing and failing mail as pictures. Beside each stands a table that says the same.
import { h, svg } from './dom.js';
import { table } from './table.js';

/** @typedef {{passed: number, forwarded: number, failed: number}} Sum */

// From the bottom to the top, and from left to right.
const PARTS = [
	['passed', 'good'],
	['forwarded', 'off'],
	['failed', 'bad'],
];
const all = (sum) => PARTS.reduce((total, [name]) => total + sum[name], 0);
const inWords = (sum) => PARTS.map(([name]) => `${number(sum[name])} ${name}`);

// The picture is stretched to its place, so all its words stand beside it.
const SIZE = { width: 800, height: 180, top: 2, bottom: 1 };
const GAP = 3;

const day = new Intl.DateTimeFormat(undefined, { day: 'numeric', month: 'short', timeZone: 'UTC' });

const number = (value) => value.toLocaleString();

function dayBar(one, { x, width, scale, zero }) {
	let top = zero;
	const bars = PARTS.filter(([name]) => one[name] > 0).map(([name, state], i) => {
		const height = Math.max(one[name] * scale, 2);
		top -= height + (i > 0 ? 1 : 0);
		return svg('rect', { class: state, x, y: top, width, height });
	});
	return svg(
		'g',
		null,
		svg('title', null, `${day.format(one.date)}: ${inWords(one).join(', ')}`),
		svg('rect', { class: 'hover', x, y: SIZE.top, width, height: zero - SIZE.top }),
		bars,
	);
}

function axis(zero) {
	const line = (y, name) => svg('line', { class: name, x1: 0, x2: SIZE.width, y1: y, y2: y });
	return [line(zero, 'zero'), line(SIZE.top, 'grid')];
}

function dayTable(days) {
	const some = days.filter((one) => all(one) > 0);
	const rows = some.map((one) => [day.format(one.date), ...PARTS.map(([name]) => one[name])]);
	return h(
		'details',
		{ class: 'as-table' },
		h('summary', null, 'As a table'),
		table(['Day (UTC)'], ['Passed', 'Forwarded', 'Failed'], rows),
	);
}

/**
 * Messages by day.
 * @param {(Sum & {date: Date})[]} days without gaps, the oldest first
 */
export function dayChart(days) {
	const most = Math.max(1, ...days.map(all));
	const zero = SIZE.height - SIZE.bottom;
	const step = SIZE.width / days.length;
	const sum = Object.fromEntries(
		PARTS.map(([name]) => [name, days.reduce((total, one) => total + one[name], 0)]),
	);
	const [passed, forwarded, failed] = inWords(sum);
	const words = `Messages by day: ${passed}, ${forwarded} and ${failed} in ${days.length} days.`;
	return h(
		'figure',
		{ class: 'chart' },
		h(
			'figcaption',
			null,
			PARTS.map(([name, state]) => h('span', { class: `key ${state}` }, name)),
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
