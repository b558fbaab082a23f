// How a message reaches the test address: by a mail program or, if only this machine knows the domain,
// by the command that the page shows.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { after, before, describe, test } from 'node:test';

import { openPage } from './support/browser.mjs';
import { startWorld } from './support/dashboard.mjs';
import { createSession, getSession } from './support/tester.mjs';

const WIDTHS = [390, 1280];

// Opens the page of a pending test in a window of this width.
async function wait(world, width, story) {
	const session = await createSession(world.runner);
	const { page, context, faults } = await openPage(world.browser, world.runner, { width });
	try {
		await page.goto(`${world.runner.baseUrl}/#/test/${session.testId}`);
		await page.locator('.address').waitFor();
		await story(page, session);
		assert.equal(await page.evaluate(() => document.documentElement.scrollWidth), width);
		assert.deepEqual(faults, []);
	} finally {
		await context.close();
	}
}

const mailProgram = (page) => page.getByRole('link', { name: 'Open mail program' });

describe('on a domain of this machine alone', () => {
	let world;
	before(async () => {
		world = await startWorld({ env: { EDS_TESTER_DOMAIN: 'tester.localhost' } });
	});
	after(() => world?.stop());

	for (const width of WIDTHS)
		test(`the page offers a command that sends a message, and it works, at ${width} pixels`, () => wait(world, width, async (page, session) => {
			assert.equal(session.smtpUrl, `smtp://127.0.0.1:${world.runner.smtpPort}`);
			assert.equal(await mailProgram(page).count(), 0);
			await page.getByRole('button', { name: 'Copy command' }).click();
			const command = await page.evaluate(() => navigator.clipboard.readText());
			assert.equal(command, await page.locator('.address pre').innerText());
			const sent = spawnSync('sh', ['-c', command], { encoding: 'utf8', timeout: 30000 });
			assert.equal(sent.status, 0, sent.stderr);
			await page.locator('.summary h1').waitFor();
			const { status, smtpUrl, results } = await getSession(world.runner, session.testId);
			assert.equal(status, 'completed');
			assert.equal(smtpUrl, undefined);
			assert.equal(results.headers.subject, 'A test');
			assert.equal(results.form.bareLf, false);
		}));
});

describe('on a domain of the Internet', () => {
	let world;
	before(async () => {
		world = await startWorld({ env: { EDS_TESTER_DOMAIN: 'tester.notlocalhost' } });
	});
	after(() => world?.stop());

	for (const width of WIDTHS)
		test(`the page opens the mail program, at ${width} pixels`, () => wait(world, width, async (page, session) => {
			assert.deepEqual(Object.keys(session), ['testId', 'email', 'expiresAt', 'status']);
			assert.equal(await mailProgram(page).getAttribute('href'), `mailto:${session.email}?subject=Test`);
			assert.equal(await page.locator('.address pre').count(), 0);
		}));
});
