// Charts of lines over a logarithmic axis of sizes, as one SVG.
const WIDTH = 900;
const HEIGHT = 380;
const LEFT = 60;
const RIGHT = 250; // room for the names of the lines
const TOP = 40;
const BOTTOM = 40;
const TICKS = 5;
const COLORS = ['#0b62a4', '#d9480f', '#2b8a3e', '#862e9c', '#c92a2a', '#1098ad', '#5f3dc4', '#495057', '#e67700'];

const escape = (text) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');

// Rounds up to one, two or five times a power of ten.
function roundUp(value) {
	const power = 10 ** Math.floor(Math.log10(value));
	return [1, 2, 5, 10].map((times) => times * power).find((round) => round >= value);
}

function drawOne({ title, sizes, lines }, top) {
	const most = roundUp(Math.max(...lines.flatMap(({ costs }) => costs)));
	const x = (size) => LEFT + Math.log10(size / sizes[0]) / Math.log10(sizes.at(-1) / sizes[0]) * (WIDTH - LEFT - RIGHT);
	const y = (cost) => top + HEIGHT - BOTTOM - cost / most * (HEIGHT - TOP - BOTTOM);
	const text = (left, up, words, more = '') => `<text x="${left.toFixed(1)}" y="${up.toFixed(1)}" ${more}>${escape(words)}</text>`;
	const across = Array.from({ length: TICKS + 1 }, (_, i) => most * i / TICKS).map((cost) =>
		`<path d="M${LEFT} ${y(cost).toFixed(1)}H${WIDTH - RIGHT}" stroke="#dee2e6"/>${text(LEFT - 6, y(cost) + 4, String(Number(cost.toPrecision(3))), 'text-anchor="end"')}`);
	return [text(LEFT, top + TOP / 2, title, 'font-weight="bold"'), ...across,
		...sizes.map((size) => text(x(size), top + HEIGHT - BOTTOM + 18, size.toLocaleString('en'), 'text-anchor="middle"')),
		...lines.flatMap(({ name, costs }, i) => {
			const color = COLORS[i % COLORS.length];
			const points = costs.map((cost, j) => `${x(sizes[j]).toFixed(1)},${y(cost).toFixed(1)}`);
			return [`<polyline points="${points.join(' ')}" fill="none" stroke="${color}" stroke-width="2"/>`,
				text(WIDTH - RIGHT + 12, top + TOP + 12 + i * 18, name, `fill="${color}"`)];
		})].join('\n');
}

// plots: [{ title, sizes, lines: [{ name, costs }] }], with one cost for each size.
export const draw = (plots) => `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${HEIGHT * plots.length}" font-family="sans-serif" font-size="12">
<rect width="100%" height="100%" fill="#fff"/>
${plots.map((plot, i) => drawOne(plot, i * HEIGHT)).join('\n')}
</svg>
`;
