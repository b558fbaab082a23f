// Visits without an account: the browser keeps the list of recent tests, a reached limit is
// explained, and internationalized names are shown in their own letters.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';

import { openPage } from './support/browser.mjs';
import { HANDS, TEST_LINK, deliver, logIn, startWorld, tokenOf, walk } from './support/dashboard.mjs';
import { damageSignature } from './support/senders.mjs';
import { createSession, untilCompleted } from './support/tester.mjs';

let world;
before(async () => {
	world = await startWorld();
});
after(() => world?.stop());

async function testOf(sender, message) {
	const { testId, email } = await createSession(world.runner);
	await deliver(world.runner, sender, email, message);
	await untilCompleted(world.runner, testId);
	return testId;
}

const recent = (page) => page.locator('.recent > li');

for (const how of ['mouse', 'keyboard'])
	test(`recent tests are listed in the browser and removed from there, with the ${how}`, async () => {
		const testId = await testOf(world.good, await world.good.signed());
		await walk(world, how, async (page, hands) => {
			await page.getByRole('heading', { name: 'Looks good' }).waitFor();
			await page.evaluate(() => (location.hash = '#/'));
			await page.getByRole('heading', { name: 'Your recent tests' }).waitFor();
			assert.match(await recent(page).innerText(), /Mail from good\.example\s+Looks good, \u22121\.3/);
			await hands.use('button', 'Get a test address');
			await page.waitForURL(TEST_LINK);
			await page.getByText('Waiting for your message').waitFor();
			await page.evaluate(() => (location.hash = '#/'));
			await page.getByText('no message yet').waitFor();
			assert.equal(await recent(page).count(), 2);
			await hands.use('link', /^Mail from good\.example/);
			await page.getByRole('heading', { name: 'Looks good' }).waitFor();
			await page.evaluate(() => (location.hash = '#/'));
			await recent(page).first().waitFor();
			await hands.use('button', 'Remove the test from good.example from this list');
			await page.waitForFunction(() => document.activeElement.textContent === 'Your recent tests');
			assert.equal(await recent(page).count(), 1);
			await hands.use('button', 'Remove all from this list');
			await page.waitForFunction(() => document.activeElement.tagName === 'H1');
			assert.equal(await page.getByRole('heading', { name: 'Your recent tests' }).isVisible(), false);
			assert.equal(await page.evaluate(() => localStorage.length), 0);
		}, { at: `#/test/${testId}` });
	});

test('the list has the twenty newest tests, and no expired one', () => walk(world, 'mouse', async (page) => {
	await page.getByRole('heading', { level: 1 }).waitFor();
	const ids = [];
	for (let i = 0; i < 21; i++) {
		const { testId } = await createSession(world.runner);
		ids.push(testId);
		await page.evaluate((id) => (location.hash = `#/test/${id}`), testId);
		await page.getByText('Waiting for your message').waitFor();
		await page.waitForFunction((id) => localStorage.getItem('eds-tests')?.includes(id), testId);
	}
	await page.evaluate(() => (location.hash = '#/'));
	await recent(page).first().waitFor();
	const links = await recent(page).getByRole('link').evaluateAll((all) => all.map(({ hash }) => hash.slice(-26)));
	assert.deepEqual(links, ids.slice(1).reverse());
	await page.evaluate(() => {
		const list = JSON.parse(localStorage.getItem('eds-tests'));
		for (const one of list.slice(1)) one.expiresAt = '2001-01-31T00:00:00Z';
		localStorage.setItem('eds-tests', JSON.stringify([...list, { testId: '<img src=x>', expiresAt: '2999-01-31T00:00:00Z' }, null]));
		location.hash = '#/check';
	});
	await page.getByRole('heading', { name: 'Is a domain set up for mail?' }).waitFor();
	await page.evaluate(() => (location.hash = '#/'));
	await recent(page).first().waitFor();
	assert.equal(await recent(page).count(), 1);
}));

describe('the result of a message with much to change', () => {
	let testId;
	before(async () => {
		testId = await testOf(world.bad, damageSignature(await world.bad.signed({ 'Message-ID': null })));
	});
	const onResult = (story) => walk(world, 'mouse', story, { at: `#/test/${testId}` });

	test('has the rules that cost most first', () => onResult(async (page) => {
		const rows = page.locator('.points tbody tr .number');
		await rows.first().waitFor();
		const scores = (await rows.allInnerTexts()).map((text) => Number(text.replace('\u2212', '-')));
		assert.ok(scores.length > 4, `${scores}`);
		assert.deepEqual(scores, [...scores].sort((one, other) => other - one));
	}));

	test('gives advice for each rule that costs points, the deciding ones first, and folds only the others', () => onResult(async (page) => {
		const shown = page.locator('.actions-to-take > .advice > li');
		await shown.first().waitFor();
		const marks = await shown.locator('.badge').allInnerTexts();
		assert.equal(marks.length, await shown.count(), 'each shown item decides or costs points');
		const weights = marks.map((mark) => (mark === 'decides' ? 100 : Number(/^\+([\d.]+) points$/.exec(mark)[1])));
		assert.deepEqual(weights, [...weights].sort((one, other) => other - one));
		assert.ok(weights.length > 3, `${marks}`);
		assert.equal(await page.getByText('smaller').count(), 0);
		for (const folded of await page.locator('.actions-to-take details .advice > li').all())
			assert.doesNotMatch(await folded.textContent(), /^(decides|\+)/);
	}));
});

test('an international name is shown in its own letters, with its A-label beside it', () => walk(world, 'mouse', async (page, hands) => {
	await logIn(page, hands, tokenOf(world.runner));
	for (const [entered, shown] of [['b\u00fccher.example', 'b\u00fccher.example xn--bcher-kva.example'],
		['\u4f8b\u3048.\u30c6\u30b9\u30c8', '\u4f8b\u3048.\u30c6\u30b9\u30c8 xn--r8jz45g.xn--zckzah'],
		['\u0440\u0444-\u043f\u0440\u0438\u043c\u0435\u0440.example', '\u0440\u0444-\u043f\u0440\u0438\u043c\u0435\u0440.example xn----jtbiqnecd3a.example']]) {
		await page.evaluate(() => (location.hash = '#/domains'));
		await hands.type('textbox', 'Add a domain', entered);
		await hands.use('button', 'Add');
		await page.waitForURL(/#\/domains\/[0-9a-f-]{36}$/);
		await page.locator('h1', { hasText: 'xn--' }).waitFor();
		assert.equal((await page.locator('h1').innerText()).replace(/\s+/g, ' '), shown);
		await page.evaluate(() => (location.hash = '#/domains'));
		await page.locator('.domain-row', { hasText: shown.split(' ')[0] }).waitFor();
	}
	await page.evaluate(() => (location.hash = '#/check/xn--bcher-kva.example'));
	await page.locator('.verdict', { hasText: 'b\u00fccher.example (xn--bcher-kva.example)' }).waitFor();
}, { at: '#/domains' }));

test('past the hourly limit of test addresses the page says why, until when, and what to do meanwhile', async () => {
	const limited = await startWorld({ env: { EDS_TESTER_SESSIONS_PER_HOUR: '1' } });
	try {
		await createSession(limited.runner);
		const { page, context } = await openPage(limited.browser, limited.runner, { width: 320, height: 568 });
		await page.goto(limited.runner.baseUrl);
		await HANDS.keyboard(page).use('button', 'Get a test address');
		const box = page.getByRole('alert');
		await box.getByRole('heading', { name: 'The limit of this hour is reached' }).waitFor();
		assert.match(await box.innerText(), /Your network has made as many test addresses as it may in an hour\.\s+You can go on in (1 h 0|60|59) min\.[^]*accept further messages until their 48 hours are over/);
		assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= window.innerWidth), 'it is wider than the window');
		const answered = page.waitForResponse((response) => response.url().includes('domain=one.example'));
		await page.goto(`${limited.runner.baseUrl}/#/check/one.example`);
		await answered;
		await page.goto(`${limited.runner.baseUrl}/#/check/two.example`);
		await page.getByRole('heading', { name: 'The limit of this hour is reached' }).waitFor();
		await page.getByText('With an account, add your domains').waitFor();
		await context.close();
	} finally {
		await limited.stop();
	}
});
