// Chromium on the dashboard of a runner. It refuses and records each load from another server, and
// records each error that the page logs.
//
//     const browser = await startBrowser();
//     const { page, faults } = await openPage(browser, runner, { width: 390, dark: true });
//     await page.goto(`${runner.baseUrl}/#/domains`);
//     assert.deepEqual(faults, []);
import { chromium } from 'playwright-core';

const PROGRAM = '/usr/bin/chromium';
const STEP_MS = 30000; // a slow machine needs half of this time to start a page
const HANDLED = /^Failed to load resource: (the server responded|net::ERR_INTERNET_DISCONNECTED)/;

// --no-sandbox: Chromium cannot confine itself when run by root, as in CI.
export function startBrowser() {
	return chromium.launch({ executablePath: PROGRAM, args: ['--no-sandbox', '--disable-dev-shm-usage'] });
}

// faults: sentences about requests to other servers, errors on the console, and breaches of the
// Content-Security-Policy.
async function watch(context, page, baseUrl, faults) {
	await context.route('**/*', (route) => {
		const url = route.request().url();
		if (url.startsWith(`${baseUrl}/`) || url.startsWith(`blob:${baseUrl}/`)) return route.continue();
		faults.push(`asked for ${url}`);
		return route.abort();
	});
	page.on('pageerror', (error) => faults.push(`error: ${error.stack}`));
	page.on('dialog', (dialog) => {
		faults.push(`dialog: ${dialog.message()}`);
		dialog.dismiss();
	});
	page.on('console', (message) => {
		if (message.type() !== 'error') return;
		// Failed requests are no faults of the page: Chromium logs each of them, and the page handles them.
		if (!HANDLED.test(message.text())) faults.push(message.text());
	});
}

// slowdown: how many times slower the CPU is. Each page has a context of its own, without stored
// data.
export async function openPage(browser, runner, { width = 1280, height = 900, dark = false, slowdown = 1 } = {}) {
	const context = await browser.newContext({
		viewport: { width, height },
		colorScheme: dark ? 'dark' : 'light',
		locale: 'en-GB',
		timezoneId: 'Europe/Berlin',
		permissions: ['clipboard-read', 'clipboard-write'],
	});
	const page = await context.newPage();
	const faults = [];
	page.setDefaultTimeout(STEP_MS);
	await watch(context, page, runner.baseUrl, faults);
	if (slowdown > 1) {
		const session = await context.newCDPSession(page);
		await session.send('Emulation.setCPUThrottlingRate', { rate: slowdown });
	}
	return { context, page, faults };
}
