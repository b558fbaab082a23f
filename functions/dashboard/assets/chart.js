// Passing and failing mail as pictures. A table beside each picture has the same data.
import { h, svg } from './dom.js';
import { table } from './table.js';

/** @typedef {{passed: number, forwarded: number, failed: number}} Sum */

// The parts of a bar from bottom to top, and of the legend from left to right.
const PARTS = [
	['passed', 'good'],
	['forwarded', 'off'],
	['failed', 'bad'],
];
const all = (sum) => PARTS.reduce((total, [name]) => total + sum[name], 0);
const inWords = (sum) => PARTS.map(([name]) => `${number(sum[name])} ${name}`);

// The picture is stretched to the space available, so all text is outside of it.
const SIZE = { width: 800, height: 180, top: 2, bottom: 1 };
const ZERO = SIZE.height - SIZE.bottom;
const GAP = 3;
const DATES = 5; // number of dates below the picture

// A day with more than this many times the usual mail would flatten all other bars, so its bar is
// cut.
const OUTLIER = 4;

const day = new Intl.DateTimeFormat(undefined, { day: 'numeric', month: 'short', timeZone: 'UTC' });

const number = (value) => value.toLocaleString();

/** The top of the axis and the distance of its ticks, both round: 1, 2 or 5 times a power of ten. */
function scaleFor(most) {
	const rough = Math.max(most, 1) / 4;
	const power = 10 ** Math.floor(Math.log10(rough));
	const step = Math.max(1, [1, 2, 5, 10].find((times) => times * power >= rough) * power);
	return { step, top: Math.ceil(most / step) * step || step };
}

/** The value of the highest bar that is not cut. */
function usualMost(days) {
	const totals = days
		.map(all)
		.filter((total) => total > 0)
		.sort((a, b) => a - b);
	const median = totals[Math.floor((totals.length - 1) / 2)] ?? 0;
	return totals.filter((total) => total <= median * OUTLIER).at(-1) ?? 0;
}

const inOneLine = (one) => `${day.format(one.date)}: ${inWords(one).join(', ')}`;

function dayBar(one, { x, width, top: most }) {
	const scale = (ZERO - SIZE.top) / Math.max(most, all(one));
	const room = ZERO - SIZE.top;
	const isCut = all(one) > most;
	let top = ZERO;
	const bars = PARTS.filter(([name]) => one[name] > 0).map(([name, state], i) => {
		const height = Math.max(one[name] * scale, 2);
		top -= height + (i > 0 ? 1 : 0);
		return svg('rect', { class: state, x, y: top, width, height });
	});
	return svg(
		'g',
		{ class: isCut ? 'cut' : null },
		svg('rect', { class: 'hover', x, y: SIZE.top, width, height: room }),
		bars,
		isCut && svg('rect', { class: 'break', x: x - 1, y: SIZE.top + room / 8, width: width + 2, height: 5 }),
	);
}

function axis({ top, step }) {
	const ticks = Array.from({ length: top / step + 1 }, (_, i) => i * step);
	const y = (value) => ZERO - ((ZERO - SIZE.top) * value) / top;
	const lines = ticks.map((value) =>
		svg('line', {
			class: value === 0 ? 'zero' : 'grid',
			x1: 0,
			x2: SIZE.width,
			y1: y(value),
			y2: y(value),
		}),
	);
	const words = h(
		'div',
		{ class: 'ticks muted', 'aria-hidden': 'true' },
		ticks.reverse().map((value) => h('span', null, number(value))),
	);
	return { lines, words };
}

const dates = (days) =>
	h(
		'p',
		{ class: 'dates muted', 'aria-hidden': 'true' },
		Array.from({ length: DATES }, (_, i) =>
			h('span', null, day.format(days[Math.round((i * (days.length - 1)) / (DATES - 1))].date)),
		),
	);

/** Shows the numbers of the day under the pointer, or of the day chosen by the arrow keys. */
function reader(days, picture, bars, words) {
	let at = -1;
	const show = (i) => {
		bars[at]?.classList.remove('chosen');
		at = i;
		bars[at]?.classList.add('chosen');
		words.textContent = at < 0 ? '' : inOneLine(days[at]);
	};
	const moves = {
		ArrowLeft: () => Math.max(0, (at < 0 ? days.length : at) - 1),
		ArrowRight: () => Math.min(days.length - 1, at + 1),
		Home: () => 0,
		End: () => days.length - 1,
		Escape: () => -1,
	};
	picture.addEventListener('keydown', (event) => {
		if (!moves[event.key]) return;
		event.preventDefault();
		show(moves[event.key]());
	});
	picture.addEventListener('pointermove', ({ clientX }) => {
		const { left, width } = picture.getBoundingClientRect();
		show(Math.min(days.length - 1, Math.max(0, Math.floor(((clientX - left) / width) * days.length))));
	});
	picture.addEventListener('pointerleave', () => show(-1));
	picture.addEventListener('focus', () => at < 0 && show(days.length - 1));
	picture.addEventListener('blur', () => show(-1));
}

function dayTable(days) {
	const some = days.filter((one) => all(one) > 0);
	const rows = some.map((one) => [day.format(one.date), ...PARTS.map(([name]) => one[name])]);
	return h(
		'details',
		{ class: 'as-table' },
		h('summary', null, 'As a table'),
		h(
			'div',
			{ class: 'scroll', tabindex: 0, role: 'region', 'aria-label': 'Messages by day' },
			table(['Day (UTC)'], ['Passed', 'Forwarded', 'Failed'], rows),
		),
	);
}

/**
 * Messages by day.
 * @param {(Sum & {date: Date})[]} days without gaps, the oldest first
 */
export function dayChart(days) {
	const scale = scaleFor(usualMost(days));
	const cut = days.filter((one) => all(one) > scale.top);
	const step = SIZE.width / days.length;
	const sum = Object.fromEntries(
		PARTS.map(([name]) => [name, days.reduce((total, one) => total + one[name], 0)]),
	);
	const [passed, forwarded, failed] = inWords(sum);
	const label = `Messages by day: ${passed}, ${forwarded} and ${failed} in ${days.length} days. The arrow keys read each day.`;
	const bars = days.map((one, i) =>
		dayBar(one, { x: i * step + GAP / 2, width: Math.max(step - GAP, 1), top: scale.top }),
	);
	const { lines, words } = axis(scale);
	const picture = svg(
		'svg',
		{
			viewBox: `0 0 ${SIZE.width} ${SIZE.height}`,
			preserveAspectRatio: 'none',
			role: 'group',
			tabindex: 0,
			'aria-label': label,
		},
		lines,
		bars,
	);
	const told = h('p', { class: 'told', role: 'status' });
	reader(days, picture, bars, told);
	return h(
		'figure',
		{ class: 'chart' },
		h(
			'figcaption',
			null,
			PARTS.map(([name, state]) => h('span', { class: `key ${state}` }, name)),
			h('span', { class: 'muted' }, 'messages by day'),
			cut.length > 0 &&
				h(
					'span',
					{ class: 'muted' },
					`cut: ${cut.map((one) => `${day.format(one.date)}, ${number(all(one))}`).join('; ')}`,
				),
		),
		h('div', { class: 'plot' }, words, picture, dates(days)),
		told,
		dayTable(days),
	);
}
