// Chromium on the dashboard of a runner, alone with it: whatever a page would load from elsewhere is
// refused and remembered, and so is what it logs as an error.
//
//     const browser = await startBrowser();
//     const { page, faults } = await openPage(browser, runner, { width: 390, dark: true });
//     await page.goto(`${runner.baseUrl}/#/domains`);
//     assert.deepEqual(faults, []);
import { chromium } from 'playwright-core';

const PROGRAM = '/usr/bin/chromium';
const STEP_MS = 30000; // a slow machine takes half of it to start a page
const HANDLED = /^Failed to load resource: (the server responded|net::ERR_INTERNET_DISCONNECTED)/;

// --no-sandbox: Chromium does not confine itself for root, whom CI runs as.
export function startBrowser() {
	return chromium.launch({ executablePath: PROGRAM, args: ['--no-sandbox', '--disable-dev-shm-usage'] });
}

// faults: sentences about requests to elsewhere, errors on the console and breaches of the policy.
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
		// Chromium logs each request that fails; the page says itself what that means.
		if (!HANDLED.test(message.text())) faults.push(message.text());
	});
}

// slowdown: how many times slower the CPU is. A context of its own: nothing is remembered.
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
