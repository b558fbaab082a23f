// How much mail is signed with each selector, day by day: in a rotation, the old selector's mail
// decreases while the new one's grows.
import { sumsBySelector } from './domain-api.js';
import { fill, h, svg } from './dom.js';
import { problemBox } from './notice.js';
import { table } from './table.js';
import { count, foreign } from './text.js';

/**
 * @typedef {object} SelectorSum
 * @property {string} domain
 * @property {string} selector
 * @property {number} messages
 * @property {number} passed
 * @property {string} firstDay
 * @property {string} lastDay
 * @property {{day: string, messages: number, passed: number}[]} days
 */

const SHOWN = 8;
const DAY_MS = 86400000;
const HEIGHT = 32;
const WIDTH = 8; // width of the bar of a day

const format = new Intl.DateTimeFormat(undefined, { day: 'numeric', month: 'short', timeZone: 'UTC' });
const dayText = (day) => format.format(new Date(day));

const nameOf = ({ domain, selector }, own) =>
	domain === own ? foreign(selector, 70) : [foreign(selector, 70), ' of ', foreign(domain, 80)];

/** Bars for all days, scaled to the busiest day of any selector. */
function strip({ days }, { from, length, most }) {
	const bars = days.map(({ day, messages, passed }) => {
		const x = ((Date.parse(day) - from) / DAY_MS) * WIDTH;
		const high = (value) => (value > 0 ? Math.max(1, (HEIGHT * value) / most) : 0);
		return [
			svg('rect', { class: 'bad', x, y: HEIGHT - high(messages), width: WIDTH - 1, height: high(messages) }),
			svg('rect', { class: 'good', x, y: HEIGHT - high(passed), width: WIDTH - 1, height: high(passed) }),
		];
	});
	return svg(
		'svg',
		{
			class: 'strip',
			viewBox: `0 0 ${length * WIDTH} ${HEIGHT}`,
			preserveAspectRatio: 'none',
			'aria-hidden': 'true',
		},
		bars,
	);
}

function item(sum, scale, own) {
	const { messages, passed, firstDay, lastDay } = sum;
	const failed = messages - passed;
	return h(
		'li',
		null,
		h('div', { class: 'log-name' }, h('strong', null, nameOf(sum, own))),
		h(
			'p',
			{ class: 'log-numbers' },
			count(messages, 'message'),
			failed > 0 && h('span', { class: 'failed' }, `, ${failed.toLocaleString()} failed`),
		),
		h(
			'div',
			{ class: 'log-more' },
			strip(sum, scale),
			h(
				'p',
				{ class: 'muted' },
				firstDay === lastDay ? dayText(firstDay) : `${dayText(firstDay)} to ${dayText(lastDay)}`,
			),
		),
	);
}

function asTable(shown, own) {
	const days = [...new Set(shown.flatMap((sum) => sum.days.map(({ day }) => day)))].sort();
	const on = (sum, day) => sum.days.find((one) => one.day === day)?.messages ?? 0;
	return h(
		'details',
		{ class: 'as-table' },
		h('summary', null, 'As a table'),
		h(
			'div',
			{ class: 'wide-table', tabindex: 0, role: 'region', 'aria-label': 'Messages by selector and day' },
			table(
				['Day (UTC)'],
				shown.map((sum) => nameOf(sum, own)),
				days.map((day) => [dayText(day), ...shown.map((sum) => on(sum, day))]),
			),
		),
	);
}

/** @returns {{node: Node, load: () => Promise<void>}} hidden until a report has named a selector */
export function selectorDays(domain, signal) {
	const body = h('div');
	const node = h('section', null, h('h2', null, 'Mail by selector'), body);
	async function load() {
		try {
			const { from, to, complete, selectors } = await sumsBySelector(domain.id, signal);
			const shown = selectors.slice(0, SHOWN);
			const first = Date.parse(from);
			const scale = {
				from: first,
				length: (Date.parse(to) - first) / DAY_MS + 1,
				most: Math.max(...shown.flatMap(({ days }) => days.map(({ messages }) => messages))),
			};
			node.hidden = shown.length === 0;
			fill(
				body,
				h(
					'p',
					{ class: 'muted' },
					'Sums of the reports of the last 30 days. An old selector can be removed once no mail is signed with it.',
					!complete && ' There was not enough time to read the oldest reports.',
				),
				h(
					'ul',
					{ class: 'log', 'aria-label': 'Mail by selector' },
					shown.map((sum) => item(sum, scale, domain.name)),
				),
				shown.length > 0 && asTable(shown, domain.name),
			);
		} catch (problem) {
			if (!signal.aborted) fill(body, problemBox(problem, load));
		}
	}
	node.hidden = true;
	return { node, load };
}
