// The headline of a result on the page says how the service expects receivers to act, at any width; an
// unknown state is never shown as good.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';

import { request } from './support/api.mjs';
import { deliver, startWorld, walk } from './support/dashboard.mjs';
import { openPage } from './support/browser.mjs';
import { Sender, listing } from './support/senders.mjs';
import { sql } from './support/store.mjs';
import { createSession, getSession, untilCompleted } from './support/tester.mjs';

const WIDTHS = [390, 1280];

let world;
const unproven = new Sender('unproven', { spf: null, dmarc: null, key: null });
const listed = new Sender('listed');
listed.options.records = listing(listed.ip, 'reported', '127.0.0.2');

before(async () => {
	world = await startWorld({ records: [unproven, listed].flatMap((sender) => sender.records()) });
});
after(() => world?.stop());

async function testOf(sender, message) {
	const { testId, email } = await createSession(world.runner);
	await deliver(world.runner, sender, email, message);
	await untilCompleted(world.runner, testId);
	return testId;
}

// A sender whose address the proxy in front of eds does not know.
const unknownClient = (sender) => Object.assign(Object.create(sender), { ip: '[UNAVAILABLE]' });

// Opens the page of a test in a window of this width.
async function look(testId, width, story) {
	const { page, context, faults } = await openPage(world.browser, world.runner, { width });
	try {
		await page.goto(`${world.runner.baseUrl}/#/test/${testId}`);
		await page.locator('.summary h1').waitFor();
		await story(page);
		assert.deepEqual(faults, []);
	} finally {
		await context.close();
	}
}

const greens = (page) => page.locator('.summary.good, .summary .badge.good, .actions-to-take .good').count();

// For each outlook: its state in the API, and the headline and color that the page must show for it.
const OUTLOOKS = [
	['good', 'Looks good', 'good', async () => testOf(world.good, await world.good.signed())],
	['at-risk', 'At risk', 'warn', async () => testOf(listed, await listed.signed())],
	['refused', 'Will be refused', 'bad', () => testOf(unproven, unproven.message())],
	['undecided', 'Undecided', 'off', () => testOf(unknownClient(world.good), world.good.message())],
];

for (const [state, title, kind, send] of OUTLOOKS)
	describe(`a message whose outlook is ${state}`, () => {
		let testId;
		before(async () => {
			testId = await send();
		});

		for (const width of WIDTHS)
			test(`has the heading "${title}" at ${width} pixels, with the reasons that the API gives`, () => look(testId, width, async (page) => {
				const { results } = await getSession(world.runner, testId);
				assert.equal(results.outlook.state, state);
				assert.equal(await page.locator('.summary h1').innerText(), title);
				assert.match(await page.locator('.summary').getAttribute('class'), new RegExp(`\\b${kind}\\b`));
				assert.match(await page.title(), new RegExp(`^${title}`));
				for (const { message } of results.outlook.reasons.slice(0, 4))
					assert.ok((await page.locator('.reasons').innerText()).includes(message), message);
				assert.equal(await greens(page) > 0, state === 'good');
				assert.match(await page.locator('.score .muted').innerText(), state === 'undecided' ? /^spam score$/ : /^spam score · (ham|probable spam|spam|high spam)$/);
				assert.equal(await page.evaluate(() => document.documentElement.scrollWidth), width);
			}));

		for (const width of WIDTHS)
			test(`has a line for each demand and a column for each provider, at ${width} pixels`, () => look(testId, width, async (page) => {
				const { results: { requirements } } = await getSession(world.runner, testId);
				const rows = page.locator('.demands tbody tr:has(td)');
				assert.equal(await rows.count(), new Set(requirements.map(({ requirement }) => requirement)).size);
				for (const row of await rows.all()) {
					const cells = await row.locator('td').all();
					assert.equal(cells.length, 3);
					const boxes = await Promise.all(cells.map((cell) => cell.boundingBox()));
					assert.ok(boxes.every(({ y, x, width: w }) => y === boxes[0].y && x >= 0 && x + w <= width));
				}
				const missed = requirements.filter((item) => item.state === 'missed').length;
				assert.equal(await page.locator('.demands .badge', { hasText: 'missed' }).count(), missed);
			}));
	});

describe('a message whose outlook is undecided', () => {
	test('is analyzed again by a button beside its headline, and the button keeps the focus', async () => {
		const endless = Array.from({ length: 40 }, (_, i) => `X-${i}: ${'a '.repeat(3900)}\r\n`).join('');
		const testId = await testOf(world.good, `${endless}${world.good.message()}`);
		await walk(world, 'keyboard', async (page, hands) => {
			await page.locator('.summary').getByRole('button', { name: 'Analyze again' }).waitFor();
			await hands.use('button', 'Analyze again');
			await page.getByText(/Analyzed again just now|was analyzed a moment ago/).first().waitFor();
			await page.waitForFunction(() => document.activeElement.matches('button') && document.activeElement.textContent.includes('Analyze again'));
			assert.equal(await page.getByRole('button', { name: 'Analyze again' }).count(), 1);
		}, { at: `#/test/${testId}` });
	});
});

describe('a message whose sending server was not seen', () => {
	for (const width of WIDTHS)
		test(`says from where to send it, and does not offer another analysis, at ${width} pixels`, async () => {
			const testId = await testOf(unknownClient(world.good), await world.good.signed());
			const { results: { outlook } } = await getSession(world.runner, testId);
			assert.deepEqual(outlook.reasons.map(({ code }) => code), ['client']);
			await look(testId, width, async (page) => {
				assert.equal(await page.locator('.summary h1').innerText(), 'Undecided');
				await page.locator('.reasons', { hasText: 'Send the message from the server that sends your outgoing mail' }).waitFor();
				assert.equal(await page.locator('.summary').getByRole('button', { name: 'Analyze again' }).count(), 0);
			});
		});
});

describe('a result that an earlier version stored', () => {
	const LATER = ['requirements', 'outlook', 'tls', 'form', 'unsubscribe'];
	let testId;

	before(async () => {
		testId = await testOf(world.good, await world.good.signed());
		const { spamScore, verdict, results, scoreBreakdown } = await getSession(world.runner, testId);
		for (const name of LATER) delete results[name];
		results.dmarc = { result: results.dmarc.result, policy: results.dmarc.policy };
		delete results.spf.state;
		delete results.helo.spf.state;
		for (const record of results.mx.records) delete record.alias;
		const stored = JSON.stringify({ spamScore, verdict, results, scoreBreakdown }).replaceAll("'", "''");
		sql(world.runner, `UPDATE tester_messages SET result = '${stored}' WHERE test_id = '${testId}'`);
	});

	test('is sent unchanged', async () => {
		const answer = await request(`${world.runner.baseUrl}/api/inbound-tester/sessions/${testId}`);
		assert.equal(answer.status, 200);
		assert.equal(answer.json().results.outlook, undefined);
		assert.equal(answer.json().verdict, 'ham');
	});

	for (const width of WIDTHS)
		test(`is called undecided, not good, and can be analyzed again, at ${width} pixels`, () => look(testId, width, async (page) => {
			assert.equal(await page.locator('.summary h1').innerText(), 'Undecided');
			await page.getByText('This result was made by an earlier version of the service').waitFor();
			assert.equal(await greens(page), 0);
			assert.equal(await page.locator('.demands').count(), 0);
			await page.locator('.summary').getByRole('button', { name: 'Analyze again' }).waitFor();
		}));

	test('says what receivers do once it is analyzed again', () => walk(world, 'mouse', async (page, hands) => {
		await hands.use('button', 'Analyze again');
		await page.getByRole('heading', { name: 'Looks good' }).waitFor();
		await page.locator('.demands').waitFor();
		assert.equal(await page.locator('.toolbar').getByRole('button', { name: 'Analyze again' }).count(), 1);
	}, { at: `#/test/${testId}` }));
});
