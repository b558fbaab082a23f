// The score as pictures: its place in the ranges of the verdicts, and the points of each rule.
import { h, svg } from './dom.js';
import { BOUNDS, points, ruleText, scoreText } from './verdict.js';

const SCALE = { from: -2, to: 13 };
const BAND = { y: 14, height: 10 };

// In percent of the width, so that the letters have the same size on a telephone.
function along(score) {
	const inside = Math.min(Math.max(score, SCALE.from), SCALE.to);
	return ((inside - SCALE.from) / (SCALE.to - SCALE.from)) * 100;
}

function zone(name, from, to) {
	const gap = from === SCALE.from ? 0 : 0.4;
	return svg('rect', {
		class: `zone ${name}`,
		x: `${along(from) + gap}%`,
		width: `${along(to) - along(from) - gap}%`,
		y: BAND.y,
		height: BAND.height,
		rx: 3,
	});
}

/** The scale of verdicts with a mark at the score. The text beside it says the same. */
export function gauge(score) {
	const ends = [SCALE.from, ...BOUNDS, SCALE.to];
	const names = ['ham', 'probable', 'spam', 'high'];
	return svg(
		'svg',
		{ class: 'gauge', 'aria-hidden': 'true' },
		names.map((name, i) => zone(name, ends[i], ends[i + 1])),
		BOUNDS.map((bound) =>
			svg('text', { x: `${along(bound)}%`, y: 42, 'text-anchor': 'middle' }, bound),
		),
		svg(
			'svg',
			{ class: 'mark', x: `${along(score)}%`, overflow: 'visible' },
			svg('path', { d: `M0 ${BAND.y + 6} l-7 -14 h14 z` }),
			svg('rect', { x: -1.5, y: BAND.y, width: 3, height: BAND.height }),
		),
	);
}

// Bars to the left of zero are good, those to the right bad; each side is as wide as its longest
// bar.
function scaleOf(rows) {
	const left = Math.max(0.5, ...rows.map(({ score }) => -score));
	const right = Math.max(1, ...rows.map(({ score }) => score));
	const percent = 100 / (left + right);
	return { zero: left * percent, percent };
}

function bar(score, { zero, percent }) {
	const length = Math.max(Math.abs(score) * percent, 0.8);
	return svg(
		'svg',
		{ class: 'bar', 'aria-hidden': 'true' },
		svg('rect', {
			class: score < 0 ? 'good' : 'bad',
			x: `${score < 0 ? zero - length : zero}%`,
			y: '20%',
			width: `${length}%`,
			height: '60%',
			rx: 2,
		}),
		svg('line', { x1: `${zero}%`, x2: `${zero}%`, y1: 0, y2: '100%' }),
	);
}

function row({ rule, score }, scale) {
	return h(
		'tr',
		null,
		h('th', { scope: 'row' }, h('span', null, ruleText(rule)), h('code', null, rule)),
		h('td', { class: 'bar-cell' }, bar(score, scale)),
		h('td', { class: 'number' }, points(score)),
	);
}

/** The rules that cost most come first. @param {{rule: string, score: number}[]} rows */
export function pointsTable(rows, total) {
	const scale = scaleOf(rows);
	const costliest = [...rows].sort((one, other) => other.score - one.score);
	return h(
		'table',
		{ class: 'points' },
		h(
			'thead',
			null,
			h(
				'tr',
				null,
				h('th', { scope: 'col' }, 'Rule'),
				h('td', { class: 'bar-cell muted', 'aria-hidden': 'true' }, '← good · bad →'),
				h('th', { scope: 'col', class: 'number' }, 'Points'),
			),
		),
		h(
			'tbody',
			null,
			costliest.map((item) => row(item, scale)),
		),
		h(
			'tfoot',
			null,
			h(
				'tr',
				null,
				h('th', { scope: 'row' }, 'Spam score'),
				h('td'),
				h('td', { class: 'number' }, scoreText(total)),
			),
		),
	);
}
