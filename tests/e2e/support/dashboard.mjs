// For stories on the dashboard: a service with senders to test, and user actions by mouse and by
// keyboard.
import assert from 'node:assert/strict';

import { openPage, startBrowser } from './browser.mjs';
import { sendMail } from './mail.mjs';
import { startNsd } from './nsd.mjs';
import { reporterRecords } from './reports.mjs';
import { firstToken, startRunner } from './runner.mjs';
import { LISTS, Sender, listing } from './senders.mjs';

export const TEST_LINK = /#\/test\/([a-z2-7]{26})$/;

// { runner, browser, good, bad, publish, stop }: two senders, one set up correctly and one with many
// faults, and a reporter; publish(records) adds these records to DNS.
export async function startWorld({ env = {}, records = [] } = {}) {
	const good = new Sender('good');
	const bad = new Sender('bad', { ptr: null, spf: 'v=spf1 ip4:203.0.113.7 -all' });
	const senders = [...good.records(), ...bad.records(), ...reporterRecords,
		...listing(bad.ip, 'combined', '127.0.0.4'), ...listing(bad.ip, 'relay', '127.255.255.254')];
	const nsd = await startNsd([...senders, ...records]);
	const runner = await startRunner({ env: {
		...LISTS,
		EDS_DNS_SERVERS: nsd.address,
		EDS_SMTP_TRUSTED: '127.0.0.1',
		EDS_ALLOW_PRIVATE_ADDRESSES: '1',
		EDS_TESTER_SESSIONS_PER_HOUR: '0',
		...env,
	} });
	const browser = await startBrowser();
	const stop = async () => {
		await browser.close();
		await runner.stop();
		await nsd.stop();
	};
	return { runner, dns: nsd.address, browser, good, bad, stop, publish: (others) => nsd.publish([...senders, ...others]) };
}

export function deliver(runner, sender, to, message) {
	return sendMail(runner.smtpPort, { ip: sender.ip, helo: sender.helo, from: sender.mailFrom, to, message });
}

// The token that the runner printed at its first start.
export const tokenOf = firstToken;

// Presses Tab until the element is focused; never more often than a page has focusable elements.
export async function tabTo(page, wanted) {
	await wanted.waitFor();
	for (let presses = 0; presses < 80; presses++) {
		await page.keyboard.press('Tab');
		if (await wanted.evaluate((element) => element === document.activeElement)) return;
	}
	assert.fail(`${wanted} cannot be reached with Tab`);
}

// The two ways to walk through a story, by mouse and by keyboard: use(role, name) operates an
// element, type(role, name, text) fills in a field, open(locator) opens a folded part.
export const HANDS = {
	mouse: (page) => ({
		use: (role, name) => page.getByRole(role, { name }).first().click(),
		type: (role, name, text) => page.getByRole(role, { name }).first().fill(text),
		open: (locator) => locator.click(),
	}),
	keyboard: (page) => ({
		use: async (role, name) => {
			await tabTo(page, page.getByRole(role, { name }).first());
			await page.keyboard.press(role === 'checkbox' ? 'Space' : 'Enter');
		},
		type: async (role, name, text) => {
			await tabTo(page, page.getByRole(role, { name }).first());
			await page.keyboard.press('Control+a');
			await page.keyboard.type(text);
		},
		open: async (locator) => {
			await tabTo(page, locator);
			await page.keyboard.press('Enter');
		},
	}),
};

// Walks through a story once with the mouse and once with the keyboard only, each time on a new
// page; the page must log no error and must not be loaded again.
export async function walk(world, how, story, options = {}) {
	const { page, context, faults } = await openPage(world.browser, world.runner, options);
	let loads = 0;
	page.on('load', () => loads++);
	try {
		await page.goto(`${world.runner.baseUrl}/${options.at ?? ''}`);
		await story(page, HANDS[how](page));
		assert.deepEqual(faults, []);
		assert.equal(loads, 1, 'the page was loaded anew');
	} finally {
		await context.close();
	}
}

export async function logIn(page, hands, token) {
	await hands.type('textbox', 'API token', token);
	await hands.use('button', 'Log in');
}
