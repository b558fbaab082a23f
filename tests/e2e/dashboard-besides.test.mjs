// The shape of the message and the second opinion on the page: at any width, and untrusted text in them
// stays text.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import http from 'node:http';
import { after, before, describe, test } from 'node:test';

import { openPage } from './support/browser.mjs';
import { deliver, startWorld } from './support/dashboard.mjs';
import { createSession, untilCompleted } from './support/tester.mjs';

const EVIL = '<img src=x onerror=alert(1)>\u202e';
const opinion = {
	score: -3.456, required_score: 15, action: `no action ${EVIL}`,
	symbols: { [`LONG_${'X'.repeat(200)}`]: { score: 7, description: EVIL }, R_SPF_ALLOW: { score: -0.2, description: 'SPF passes' } },
};

let world;
let server;
before(async () => {
	server = http.createServer((request, response) => request.resume().on('end', () => response.end(JSON.stringify(opinion))));
	server.listen(0, '127.0.0.1');
	await once(server, 'listening');
	world = await startWorld({ env: { EDS_RSPAMD: `http://127.0.0.1:${server.address().port}` } });
});
after(async () => {
	await world?.stop();
	server?.close();
});

const newsletter = () => world.good.message({ 'Content-Type': 'multipart/mixed; boundary=m' }, [
	'--m', 'Content-Type: multipart/alternative; boundary=a', '',
	'--a', 'Content-Type: text/plain', '', 'Read https://www.shop.example/news', '',
	'--a', 'Content-Type: text/html', '', '<a href="https://click.shop.example/1">Read</a><img src="http://pixel.example/o.gif">', '',
	'--a--',
	'--m', `Content-Type: application/pdf; name="<b>${'offer-'.repeat(40)}.pdf"`, '', 'pdf', '',
	'--m--', ''].join('\r\n'));

async function look(width, dark, message, story) {
	const { testId, email } = await createSession(world.runner);
	await deliver(world.runner, world.good, email, message);
	await untilCompleted(world.runner, testId);
	const { page, context, faults } = await openPage(world.browser, world.runner, { width, dark });
	try {
		await page.goto(`${world.runner.baseUrl}/#/test/${testId}`);
		await page.getByRole('heading', { name: 'Without effect on the score' }).waitFor();
		for (const summary of await page.locator('.besides summary').all()) await summary.click();
		await story(page);
		assert.equal(await page.evaluate(() => document.documentElement.scrollWidth), width);
		assert.deepEqual(faults, []);
	} finally {
		await context.close();
	}
}

for (const [width, dark] of [[390, true], [1280, false]])
	describe(`at ${width} pixels`, () => {
		test('the parts of a message, its links and its pictures are shown', () => look(width, dark, newsletter(), async (page) => {
			const card = page.locator('.besides .analysis', { hasText: 'Shape of the message' });
			assert.match(await card.locator('.summary-text').textContent(), /^5 parts: HTML with plain text beside it, 2 links, 1 attachment\.$/);
			const text = await card.innerText();
			for (const word of ['multipart/mixed', 'multipart/alternative', 'text/plain', 'text/html', 'application/pdf', 'attached',
				'www.shop.example', 'click.shop.example', 'pixel.example', '0 in the message, 1 from the web', '<b>offer-'])
				assert.ok(text.includes(word), `${word} is not in ${text}`);
		}));

		test('a second opinion is shown with its symbols, and does not change the score', () => look(width, dark, newsletter(), async (page) => {
			const card = page.locator('.besides .analysis', { hasText: 'Second opinion: rspamd' });
			const text = await card.innerText();
			for (const word of ['\u22123.46 of 15.00', 'LONG_XXXX', 'R_SPF_ALLOW', 'SPF passes', '<img src=x onerror=alert(1)>', 'does not change the score'])
				assert.ok(text.includes(word), `${word} is not in ${text}`);
			assert.equal(await card.locator('img').count(), 0);
			assert.ok(!text.includes('\u202e'));
			assert.equal(await page.locator('.badge.bad', { hasText: 'rspamd' }).count(), 0);
		}));
	});
