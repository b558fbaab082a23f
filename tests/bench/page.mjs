// The dashboard for a distant user: Chromium over a slow mobile line, on a processor four times slower than
// this one. "Cold" is a first visit, "warm" is a visit on a later day.
import { openPage, startBrowser } from '../e2e/support/browser.mjs';
import { startRunner } from '../e2e/support/runner.mjs';
import { heading, row } from './measure.mjs';

const VISITS = 5;
const SLOWDOWN = 4;
// The values that Lighthouse uses for a telephone: 150 ms round trip, 1.6 Mbit/s down, 750 kbit/s up.
const LINE = { offline: false, latency: 150, downloadThroughput: (1.6 * 1024 * 1024) / 8, uploadThroughput: (750 * 1024) / 8 };

const LONG_TASK_MS = 50; // the part of a task beyond this time counts as blocking (as in Total Blocking Time)

const median = (values) => [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)];
const inMs = (value) => `${Math.round(value)} ms`;
const spread = (values, show = inMs) => `${show(Math.min(...values))} to ${show(Math.max(...values))}`;

// Values that the browser itself measures: paints, loads, and the time from each input to the next
// paint.
async function throttle(page) {
	const session = await page.context().newCDPSession(page);
	await session.send('Network.enable');
	await session.send('Network.emulateNetworkConditions', LINE);
	await page.addInitScript(() => {
		window.inputs = [];
		window.largest = 0;
		window.shift = 0;
		window.tasks = [];
		new PerformanceObserver((list) => window.inputs.push(...list.getEntries().map(({ duration }) => duration))).observe({ type: 'event', durationThreshold: 16, buffered: true });
		new PerformanceObserver((list) => (window.largest = list.getEntries().at(-1).startTime)).observe({ type: 'largest-contentful-paint', buffered: true });
		new PerformanceObserver((list) => list.getEntries().forEach(({ value, hadRecentInput }) => (window.shift += hadRecentInput ? 0 : value))).observe({ type: 'layout-shift', buffered: true });
		new PerformanceObserver((list) => window.tasks.push(...list.getEntries().map(({ startTime, duration }) => ({ startTime, duration })))).observe({ type: 'longtask', buffered: true });
	});
	return session;
}

async function look(page, load) {
	const began = performance.now();
	await load();
	await page.getByRole('button', { name: 'Get a test address' }).waitFor();
	const usable = performance.now() - began;
	const told = await page.evaluate(() => ({
		first: performance.getEntriesByName('first-contentful-paint')[0]?.startTime,
		largest: window.largest,
		shift: window.shift,
		tasks: window.tasks,
		octets: [...performance.getEntriesByType('resource'), ...performance.getEntriesByType('navigation')].map(({ transferSize }) => transferSize),
	}));
	const octets = told.octets.reduce((sum, one) => sum + one, 0);
	const blocked = told.tasks.filter(({ startTime }) => startTime >= told.first)
		.reduce((sum, { duration }) => sum + Math.max(0, duration - LONG_TASK_MS), 0);
	return { ...told, usable, blocked, octets, requests: told.octets.filter((one) => one > 0).length };
}

// Presses the button; measures the time until the page shows the address, which the service has to make.
async function press(page) {
	const began = performance.now();
	await page.getByRole('button', { name: 'Get a test address' }).click();
	await page.getByText('Waiting for your message').waitFor();
	const answered = performance.now() - began;
	const painted = await page.evaluate(() => Math.max(16, ...window.inputs));
	return { answered, painted };
}

// Chromium caches nothing while requests pass through a route of Playwright.
async function visit(browser, runner) {
	const { page, context } = await openPage(browser, runner, { width: 390, height: 844, slowdown: SLOWDOWN });
	try {
		await context.unrouteAll();
		await throttle(page);
		const cold = await look(page, () => page.goto(`${runner.baseUrl}/`));
		await page.goto('about:blank');
		const warm = await look(page, () => page.goto(`${runner.baseUrl}/`));
		return { cold, warm, pressed: await press(page) };
	} finally {
		await context.close();
	}
}

export async function page() {
	heading(`the page over a slow mobile line (150 ms, 1.6 Mbit/s, processor ${SLOWDOWN} times slower)`);
	const runner = await startRunner({ env: { EDS_TESTER_SESSIONS_PER_HOUR: '0', EDS_DNS_SERVERS: '127.0.0.1:9' } });
	const browser = await startBrowser();
	try {
		const visits = [];
		for (let i = 0; i < VISITS; i++) visits.push(await visit(browser, runner));
		const all = (kind, what) => visits.map((one) => one[kind][what]);
		const of = (kind, what) => median(all(kind, what));
		const said = (kind, what, more) => `${spread(all(kind, what))} in ${VISITS} visits${more ? `; ${more}` : ''}`;
		for (const [kind, first, usable, requests] of [['cold', '1,800 ms', '3,000 ms', '3, 150 KB'], ['warm', '1,000 ms', '2,000 ms', '1']]) {
			row(`${kind}: first contentful paint`, inMs(of(kind, 'first')), first, said(kind, 'first'));
			row(`${kind}: largest contentful paint`, inMs(of(kind, 'largest')), '2,500 ms', said(kind, 'largest'));
			row(`${kind}: the button can be pressed`, inMs(of(kind, 'usable')), usable, said(kind, 'usable', 'from the request on, as Playwright sees it'));
			row(`${kind}: total blocking time`, inMs(of(kind, 'blocked')), '200 ms', said(kind, 'blocked', 'from the first paint to the button'));
			row(`${kind}: layout shift`, of(kind, 'shift').toFixed(3), '0.1', spread(all(kind, 'shift'), (value) => value.toFixed(3)));
			row(`${kind}: requests and octets`, `${of(kind, 'requests')}, ${(of(kind, 'octets') / 1000).toFixed(1)} KB`, requests, 'as transferred, with header fields');
		}
		row('input to next paint', inMs(of('pressed', 'painted')), '200 ms', said('pressed', 'painted', 'the longest of a visit'));
		row('from the button to a test address', inMs(of('pressed', 'answered')), '1,000 ms', said('pressed', 'answered', 'one request to the service among it'));
	} finally {
		await browser.close();
		await runner.stop();
	}
}
