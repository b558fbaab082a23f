// The mail tester, as the administrator of a mail server uses it: in a real browser, with real
// mail.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { after, before, describe, test } from 'node:test';

import { request } from './support/api.mjs';
import { TEST_LINK, deliver, startWorld, walk } from './support/dashboard.mjs';
import { untilCompleted } from './support/tester.mjs';
import { sql } from './support/store.mjs';
import { Sender, damageSignature, listing } from './support/senders.mjs';

let world;
const unasked = new Sender('unasked'); // an address about which every blocklist refuses to answer

before(async () => {
	const refusals = ['combined', 'relay', 'reputation', 'reported'].flatMap((list) => listing(unasked.ip, list, '127.255.255.254'));
	world = await startWorld({ records: [...unasked.records(), ...refusals] });
});
after(() => world?.stop());

const testIdOf = (page) => TEST_LINK.exec(page.url())[1];
const addressOn = (page) => page.locator('#address').innerText().then((text) => text.replace(/\s/g, ''));

// Gets an address on the page and sends it a message. Returns the id of the test.
async function sendTest(page, hands, sender, message) {
	await hands.use('button', 'Get a test address');
	await page.waitForURL(TEST_LINK);
	await page.getByText('Waiting for your message').waitFor();
	await deliver(world.runner, sender, await addressOn(page), message);
	return testIdOf(page);
}

for (const how of ['mouse', 'keyboard'])
	describe(`by ${how}`, () => {
		test('a good message is called good as soon as it arrives', () => walk(world, how, async (page, hands) => {
			await hands.use('button', 'Get a test address');
			await page.waitForURL(TEST_LINK);
			await hands.use('button', /^Copy address/);
			await page.getByText('Copied').first().waitFor();
			const address = await addressOn(page);
			assert.equal(await page.evaluate(() => navigator.clipboard.readText()), address);
			await deliver(world.runner, world.good, address, await world.good.signed());
			await page.getByRole('heading', { name: 'Looks good' }).waitFor();
			assert.equal(await page.locator('.score-number').innerText(), '\u22121.3');
			assert.match(await page.title(), /^Looks good/);
			await page.getByText('Nothing costs points').waitFor();
			await page.getByText('Bounces and replies can be delivered.').waitFor();
			assert.equal(await page.getByText('Could not be judged:').count(), 0);
			await page.waitForFunction(() => document.activeElement.textContent === 'Looks good');
			// the text comes a moment after the page, because screen readers announce only changes
			await page.locator('#live', { hasText: 'The message has arrived' }).waitFor({ state: 'attached' });
		}));

		test('a bad message gets advice, with the record to publish', () => walk(world, how, async (page, hands) => {
			const message = damageSignature(await world.bad.signed({ 'Message-ID': null }));
			await sendTest(page, hands, world.bad, message);
			await page.getByRole('heading', { name: 'Will be refused' }).waitFor();
			const first = page.locator('.actions-to-take > .advice > li');
			await first.nth(3).waitFor();
			assert.match(await first.first().innerText(), /asks receivers to reject/);
			await hands.use('button', /^Copy the value of the TXT record at bad\.example/);
			const copied = await page.waitForFunction(async () => {
				const text = await navigator.clipboard.readText();
				return text.startsWith('v=spf1') && text;
			});
			assert.match(await copied.jsonValue(), /^v=spf1 ip4:198\.51\.100\.\d+ ip4:203\.0\.113\.7 -all$/);
		}));

		test('the result is analyzed again, saved and linked to', () => walk(world, how, async (page, hands) => {
			const testId = await sendTest(page, hands, world.good, await world.good.signed());
			await page.getByRole('heading', { name: 'Looks good' }).waitFor();
			await hands.use('button', 'Analyze again');
			await page.getByText(/Analyzed again just now|was analyzed a moment ago/).first().waitFor();
			const download = page.waitForEvent('download');
			await hands.use('button', 'Export JSON');
			const file = await download;
			assert.equal(file.suggestedFilename(), `mail-test-${testId}.json`);
			const stored = JSON.parse(readFileSync(await file.path(), 'utf8'));
			assert.equal(stored.testId, testId);
			assert.equal(stored.verdict, 'ham');
			await hands.use('button', /^Copy link/);
			await page.getByText('Copied').first().waitFor();
			assert.equal(await page.evaluate(() => navigator.clipboard.readText()), page.url());
		}));
	});

describe('the result', () => {
	let testId;
	before(() => walk(world, 'mouse', async (page, hands) => {
		testId = await sendTest(page, hands, world.bad, await world.bad.signed({ Subject: 'Last chance' }));
		await untilCompleted(world.runner, testId);
	}));

	const onResult = (story) => walk(world, 'mouse', story, { at: `#/test/${testId}` });

	test('is the same for everybody who has the link', () => onResult(async (page) => {
		await page.getByText('Last chance').waitFor();
		const { spamScore } = (await request(`${world.runner.baseUrl}/api/inbound-tester/sessions/${testId}`)).json();
		assert.equal(await page.locator('.score-number').innerText(), spamScore.toFixed(1));
	}));

	test('draws good rules to the left of zero and bad ones to the right', () => onResult(async (page) => {
		const rows = page.locator('.points tbody tr');
		await rows.first().waitFor();
		for (const row of await rows.all()) {
			const score = await row.locator('.number').innerText();
			const [bar, zero] = await Promise.all([row.locator('rect').boundingBox(), row.locator('line').boundingBox()]);
			const isLeft = bar.x + bar.width / 2 < zero.x;
			assert.equal(isLeft, score.startsWith('\u2212'), score);
			assert.equal(await row.locator('rect').getAttribute('class'), isLeft ? 'good' : 'bad');
		}
	}));

	test('distinguishes a list that gave no answer from one that lists the address', () => onResult(async (page) => {
		const lists = page.locator('.lists li');
		await lists.first().waitFor();
		const states = await lists.locator('.badge').allTextContents();
		assert.deepEqual(states, ['listed', 'unknown', 'clean', 'clean']);
		const looks = await lists.locator('.badge').evaluateAll((all) => all.map((one) => getComputedStyle(one).color));
		assert.notEqual(looks[0], looks[1]);
	}));

	test('says beside the verdict what could not be judged', () => walk(world, 'mouse', async (page, hands) => {
		await sendTest(page, hands, unasked, await unasked.signed());
		await page.getByRole('heading', { name: 'Looks good' }).waitFor();
		await page.getByText('Could not be judged: Blocklists.').waitFor();
		await page.getByText('None of the lists could be queried.').waitFor();
	}));

	test('shows the header of the message as it was received', () => onResult(async (page) => {
		await page.getByText('Raw headers').click();
		const text = await page.getByLabel('Header of the message').innerText();
		assert.match(text, /^Received: from mail\.bad\.example/);
		assert.match(text, /\nSubject: Last chance\n/);
	}));

	test('counts down to its end, and shows that time in UTC', () => onResult(async (page) => {
		assert.match(await page.locator('.countdown').innerText(), /^47 h 5\d min$/);
		assert.match(await page.locator('.countdown').getAttribute('title'), /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d UTC$/);
	}));

	test('shows times in the reader\'s time zone', () => onResult(async (page) => {
		const received = page.locator('.summary time');
		const hour = Number(/ (\d\d):/.exec(await received.getAttribute('title'))[1]);
		const offset = { 1: true, 2: true }; // Berlin is one hour ahead of UTC, in summer two
		const shown = Number(/ (\d\d):/.exec(await received.innerText())[1]);
		assert.ok(offset[(shown - hour + 24) % 24], `${shown} for ${hour} UTC`);
	}));

	test('is replaced by a newer one when the reader asks for it', () => onResult(async (page) => {
		await page.getByText('Last chance').waitFor();
		await deliver(world.runner, world.good, `${testId}@tester.localhost`, await world.good.signed({ Subject: 'Another one' }));
		await page.getByText('There is a newer result').waitFor();
		await page.getByText('Last chance').waitFor();
		await page.getByRole('button', { name: 'Show it' }).click();
		await page.getByText('Another one').waitFor();
		await page.getByRole('heading', { name: 'Looks good' }).waitFor();
	}));
});

describe('a result that expires', () => {
	test('stays on an open page, and says that it is the last copy', () => walk(world, 'mouse', async (page, hands) => {
		const testId = await sendTest(page, hands, world.good, await world.good.signed());
		await page.getByRole('heading', { name: 'Looks good' }).waitFor();
		sql(world.runner, `UPDATE tester_sessions SET expires_at_ms = 1 WHERE test_id = '${testId}'`);
		await page.getByText('What you see is the last copy').first().waitFor();
		await page.getByRole('heading', { name: 'Looks good' }).waitFor();
		assert.equal(await page.getByRole('button', { name: 'Analyze again' }).count(), 0);
		const download = page.waitForEvent('download');
		await hands.use('button', 'Export JSON');
		await download;
	}));
});

describe('a page that waits for a message', () => {
	test('asks every two seconds at first, with the ETag of the last answer, and not in a hidden tab', () => walk(world, 'mouse', async (page, hands) => {
		const asked = [];
		page.on('request', (one) => {
			if (/sessions\/[a-z2-7]+$/.test(one.url())) asked.push(one);
		});
		await hands.use('button', 'Get a test address');
		await page.waitForURL(TEST_LINK);
		const starts = await (await page.waitForFunction(() => {
			const requests = performance.getEntriesByType('resource').filter(({ name }) => /sessions\/[a-z2-7]+$/.test(name));
			return requests.length >= 3 && requests.map(({ startTime }) => startTime);
		})).jsonValue();
		const pauses = starts.slice(1).map((start, i) => start - starts[i]);
		assert.ok(pauses.every((ms) => ms > 1900 && ms < 4700), `pauses of ${pauses} ms`);
		const answer = await asked.at(-1).response();
		assert.equal(answer.status(), 304);
		await page.evaluate(() => {
			Object.defineProperty(document, 'hidden', { value: true, configurable: true });
			document.dispatchEvent(new Event('visibilitychange'));
		});
		await page.waitForTimeout(300);
		const before = asked.length;
		await page.waitForTimeout(2500);
		assert.equal(asked.length, before);
	}));

	test('asks more and more slowly', () => walk(world, 'mouse', async (page, hands) => {
		let asked = 0;
		page.on('request', (one) => (asked += /sessions\/[a-z2-7]+$/.test(one.url()) ? 1 : 0));
		await page.clock.install();
		await hands.use('button', 'Get a test address');
		await page.waitForURL(TEST_LINK);
		for (let seconds = 0; seconds < 80; seconds++) {
			await page.clock.runFor(1000);
			// gives the previous answer time to arrive
			await page.evaluate(() => fetch('/robots.txt', { method: 'HEAD' }));
		}
		// at one request every two seconds there would be 40; the page pauses longer and longer
		assert.ok(asked >= 12 && asked <= 24, `${asked} requests in 80 s`);
	}));

	test('continues by itself after the service was away, and says so meanwhile', () => walk(world, 'mouse', async (page, hands) => {
		await hands.use('button', 'Get a test address');
		await page.waitForURL(TEST_LINK);
		const cut = (route) => route.abort('internetdisconnected');
		await page.route('**/api/**', cut);
		await page.locator('.wait').getByText('The connection is lost').waitFor();
		await page.locator('#live').getByText('The connection is lost').waitFor();
		await deliver(world.runner, world.good, await addressOn(page), await world.good.signed());
		await page.unroute('**/api/**', cut);
		await page.getByRole('heading', { name: 'Looks good' }).waitFor();
	}));

	test('lets the address be copied even where the browser refuses its clipboard to insecure pages', () => walk(world, 'mouse', async (page, hands) => {
		await page.evaluate(() => Object.defineProperty(navigator, 'clipboard', { value: undefined }));
		await hands.use('button', 'Get a test address');
		await page.waitForURL(TEST_LINK);
		const address = await addressOn(page);
		await hands.use('button', /^Copy address/);
		await page.getByText('Copied').first().waitFor();
		await hands.use('link', 'Domains');
		await page.getByRole('textbox', { name: 'API token' }).focus();
		await page.keyboard.press('Control+v');
		assert.equal(await page.getByRole('textbox', { name: 'API token' }).inputValue(), address);
	}));

	test('asks after a minute whether the mail is stuck', () => walk(world, 'mouse', async (page, hands) => {
		await page.clock.install();
		await hands.use('button', 'Get a test address');
		await page.getByText('Waiting for your message').waitFor();
		await page.clock.fastForward(61000);
		await page.locator('.wait').getByText('Is the mail stuck in your sending box?').waitFor();
	}));

	test('ends when the address expires', () => walk(world, 'mouse', async (page, hands) => {
		await hands.use('button', 'Get a test address');
		await page.waitForURL(TEST_LINK);
		sql(world.runner, `UPDATE tester_sessions SET expires_at_ms = 1 WHERE test_id = '${testIdOf(page)}'`);
		await page.getByRole('heading', { name: 'This test is over' }).waitFor();
		await page.getByRole('button', { name: 'Get a new test address' }).click();
		await page.getByText('Waiting for your message').waitFor();
	}));
});

describe('an address that names no test', () => {
	for (const [what, at, shown] of [['cut short leads to a new test', '#/test/abc', 'This test is over'],
		['badly escaped leads to a new test', '#/test/%zz', 'This test is over'],
		['with odd characters gets the reason', '#/test/%2e%2e%2f%00', 'does not decode to text']])
		test(what, () => walk(world, 'mouse', async (page) => {
			await page.getByText(shown).first().waitFor();
		}, { at }));

	test('of an unknown page leads to the mail tester', () => walk(world, 'mouse', async (page) => {
		await page.getByText('Page not found').waitFor();
		await page.getByRole('link', { name: 'mail tester' }).last().click();
		await page.getByRole('button', { name: 'Get a test address' }).waitFor();
	}, { at: '#/no/such' }));
});
