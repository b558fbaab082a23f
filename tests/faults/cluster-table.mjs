// The events of each minute: counts, times from a message's 250 to its result, and the killed parts; as a
// table and as a picture (SVG).
import { writeFileSync } from 'node:fs';

const MINUTE_MS = 60000;
const COLUMNS = [['requests', 'requests'], ['failed', 'failed'], ['mail', 'mail accepted'], ['putOff', 'mail postponed'], ['results', 'results'],
	['due', 'checks due'], ['alerts', 'alerts']];
const PLOTTED = { requests: '#1f77b4', failed: '#d62728', mail: '#2ca02c', results: '#9467bd' };
const WIDTH = 900;
const HEIGHT = 300;

const quantile = (values, part) => {
	const sorted = [...values].sort((a, b) => a - b);
	return sorted.length > 0 ? sorted[Math.min(sorted.length - 1, Math.floor(part * sorted.length))] : undefined;
};
const seconds = (ms) => (ms === undefined ? '' : (ms / 1000).toFixed(1));

export class Table {
	began = Date.now();
	minutes = [];

	#now() {
		const i = Math.floor((Date.now() - this.began) / MINUTE_MS);
		while (this.minutes.length <= i) this.minutes.push({ counts: {}, times: [], killed: [] });
		return this.minutes[i];
	}
	count(name, by = 1) {
		const { counts } = this.#now();
		counts[name] = (counts[name] ?? 0) + by;
	}
	time(ms) {
		this.#now().times.push(ms);
	}
	killed(name) {
		this.#now().killed.push(name);
	}
	total(name) {
		return this.minutes.reduce((sum, { counts }) => sum + (counts[name] ?? 0), 0);
	}
	lines() {
		const head = ['minute', ...COLUMNS.map(([, title]) => title), 'p50 s', 'p95 s', 'longest s', 'what was killed'];
		const rows = this.minutes.map(({ counts, times, killed }, i) => [i + 1, ...COLUMNS.map(([name]) => counts[name] ?? 0),
			seconds(quantile(times, 0.5)), seconds(quantile(times, 0.95)), seconds(quantile(times, 1)), killed.join('; ')]);
		return [head, head.map(() => '---'), ...rows].map((row) => `| ${row.join(' | ')} |`);
	}
	// Writes the picture from the second minute on, because a line needs two points.
	plot(file) {
		const most = Math.max(1, ...this.minutes.flatMap(({ counts }) => Object.keys(PLOTTED).map((name) => counts[name] ?? 0)));
		const x = (i) => 50 + (WIDTH - 70) * i / Math.max(1, this.minutes.length - 1);
		const y = (value) => HEIGHT - 30 - (HEIGHT - 60) * value / most;
		const line = ([name, color]) => `<polyline fill="none" stroke="${color}" stroke-width="2" points="${
			this.minutes.map(({ counts }, i) => `${x(i).toFixed(1)},${y(counts[name] ?? 0).toFixed(1)}`).join(' ')}"/>`;
		const legend = Object.entries(PLOTTED).map(([name, color], i) => `<text x="${60 + 110 * i}" y="16" fill="${color}">${name}</text>`);
		const marks = this.minutes.map((_, i) => `<text x="${x(i)}" y="${HEIGHT - 10}" text-anchor="middle">${i + 1}</text>`);
		writeFileSync(file, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${HEIGHT}" font-family="sans-serif" font-size="12">
<rect width="${WIDTH}" height="${HEIGHT}" fill="white"/><text x="4" y="${y(most)}">${most}</text><text x="4" y="${y(0)}">0</text>
${[...legend, ...marks, ...Object.entries(PLOTTED).map(line)].join('\n')}\n</svg>\n`);
	}
}
