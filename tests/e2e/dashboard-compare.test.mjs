// The comparison of two tests, in the API and on the page: it shows the effect of a change, at any width,
// and untrusted text in it stays text.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';

import { request } from './support/api.mjs';
import { openPage } from './support/browser.mjs';
import { deliver, startWorld } from './support/dashboard.mjs';
import { createSession, untilCompleted } from './support/tester.mjs';

const EVIL = '<img src=x onerror=alert(1)>\u202e';

let world;
let bad;
let good;
before(async () => {
	world = await startWorld();
	const send = async (sender, subject) => {
		const session = await createSession(world.runner);
		await deliver(world.runner, sender, session.email, await sender.signed({ Subject: subject }));
		return untilCompleted(world.runner, session.testId);
	};
	bad = await send(world.bad, `Before ${EVIL}`);
	good = await send(world.good, 'After');
});
after(() => world?.stop());

const comparison = async (from, to) => {
	const answer = await request(`${world.runner.baseUrl}/api/inbound-tester/sessions/${to.testId}/comparison?before=${from.testId}`);
	assert.equal(answer.status, 200, answer.text);
	return answer.json();
};

test('the differences between two results are shown in either direction', async () => {
	const told = await comparison(bad, good);
	assert.deepEqual([told.before.testId, told.after.testId], [bad.testId, good.testId]);
	assert.ok(Math.abs(told.scoreChange - (good.spamScore - bad.spamScore)) < 0.01);
	const rules = Object.fromEntries(told.rules.map(({ rule, before: was, after: is }) => [rule, [was, is]]));
	assert.deepEqual(rules.SPF_FAIL, [6, null]);
	assert.deepEqual(rules.SPF_PASS, [null, -0.2]);
	assert.deepEqual(rules.PTR_MISSING, [2, null]);
	const changed = told.rules.reduce((sum, { before: was, after: is }) => sum + (is ?? 0) - (was ?? 0), 0);
	assert.ok(Math.abs(changed - told.scoreChange) < 0.01);
	assert.deepEqual(told.measured.find(({ name }) => name === 'spf.result'), { name: 'spf.result', before: 'fail', after: 'pass' });
	assert.ok(told.requirements.some(({ before: was, after: is }) => was === 'missed' && is === 'met'));
	const resolved = told.advice.resolved.map(({ code }) => code);
	assert.ok(resolved.includes('ptr-missing'), resolved);

	const back = await comparison(good, bad);
	assert.deepEqual(back.advice.added, told.advice.resolved);
	assert.ok(Math.abs(back.scoreChange + told.scoreChange) < 0.01);
	assert.deepEqual((await comparison(good, good)).measured, []);
});

for (const [width, dark] of [[390, true], [1280, false]])
	describe(`at ${width} pixels`, () => {
		test('a test is compared with an earlier one by its address', async () => {
			const { page, context, faults } = await openPage(world.browser, world.runner, { width, dark });
			try {
				await page.goto(`${world.runner.baseUrl}/#/test/${good.testId}`);
				const summaries = page.locator('summary', { hasText: /Raw headers|Compare with an earlier test/ });
				await summaries.nth(1).waitFor();
				const places = await summaries.evaluateAll((all) => all.map((one) => [...one.children].map((child) => child.getBoundingClientRect()).map(({ x, y, height }) =>
					[Math.round(x), Math.round(y + height / 2 - one.getBoundingClientRect().y)])));
				assert.deepEqual(places[1].map(([x]) => x), places[0].map(([x]) => x));
				assert.equal(new Set(places[1].map(([, y]) => y)).size, 1, 'icon, text and chevron stand on one line');
				await page.getByText('Compare with an earlier test').click();
				await page.getByLabel('The other test').fill('nothing');
				await page.getByRole('button', { name: 'Compare', exact: true }).click();
				await page.getByText('Enter the link, the address or the ID of a test.').waitFor();
				await page.getByLabel('The other test').fill(bad.email);
				await page.getByRole('button', { name: 'Compare', exact: true }).click();
				await page.getByRole('heading', { name: /^The score is better by \d+\.\d$/ }).waitFor();
				await page.getByRole('heading', { name: 'No longer advised' }).waitFor();
				const points = page.locator('section', { has: page.getByRole('heading', { name: 'Points' }) });
				assert.match(await points.textContent(), /The address has no reverse DNS\+2\.0none/);
				assert.match(await page.locator('main').textContent(), /Before <img src=x onerror=alert\(1\)>/);
				assert.equal(await page.evaluate(() => document.documentElement.scrollWidth), width);
				await page.getByRole('link', { name: 'After' }).click();
				await page.getByRole('heading', { name: 'What to do' }).waitFor();
				assert.deepEqual(faults, []);
			} finally {
				await context.close();
			}
		});

		test('a test that was seen before is one click away', async () => {
			const { page, context, faults } = await openPage(world.browser, world.runner, { width, dark });
			try {
				await page.goto(`${world.runner.baseUrl}/#/test/${good.testId}`);
				await page.getByRole('heading', { name: 'What to do' }).waitFor();
				await page.goto(`${world.runner.baseUrl}/#/test/${bad.testId}`);
				await page.getByText('Compare with an earlier test').click();
				await page.locator('details.compare').getByRole('link', { name: 'After' }).click();
				await page.getByRole('heading', { name: /^The score is worse by/ }).waitFor();
				await page.getByRole('heading', { name: 'Newly advised' }).waitFor();
				assert.deepEqual(faults, []);
			} finally {
				await context.close();
			}
		});
	});

test('a test that is over says so', async () => {
	const { page, context } = await openPage(world.browser, world.runner, {});
	try {
		await page.goto(`${world.runner.baseUrl}/#/compare/${'a'.repeat(26)}/${good.testId}`);
		await page.getByText('there is no such test session, or it has expired', { exact: false }).first().waitFor();
	} finally {
		await context.close();
	}
});
