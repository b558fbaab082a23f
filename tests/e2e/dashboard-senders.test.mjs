// The senders in a domain's name, as the page shows them from reports that came by mail, on narrow and
// wide screens: known services first, then the others, then forwarders, and the reasons why mail fails.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { after, before, describe, test } from 'node:test';

import { deliver, logIn, startWorld, tokenOf, walk } from './support/dashboard.mjs';
import { listing } from './support/senders.mjs';
import { aggregate, gzipMail, signedByReporter } from './support/reports.mjs';
import { until } from './support/runner.mjs';

const DAY_S = 86400;
const NAME = 'senders.example';
const own = [{ domain: NAME, selector: 's1' }];

// The network of some of the sending addresses, and a blocklist that lists one address.
const networks = [
	'2.2.0.192.origin.asn.test. TXT "64501 | 192.0.2.0/24 | US | arin | 2010-01-01"',
	'AS64501.asn.test. TXT "64501 | US | arin | 2010-01-01 | MAILER-EXAMPLE, US"',
	...listing('198.51.100.9', 'combined', '127.0.0.4'),
];

let world;
let id;

const mail = (reportId, records, daysAgo = 0) => {
	const end = Math.floor(Date.now() / 1000) - daysAgo * DAY_S;
	return gzipMail(aggregate({ id: reportId, domain: NAME, begin: end - DAY_S, end, records }));
};

// Waits until the log of the domain has this many reports. A report that arrives while a page is open changes the page.
const untilReports = (domainId, count) => until(async () => {
	const answer = await fetch(`${world.runner.baseUrl}/api/v1/domains/${domainId}/reports`, { headers: { authorization: `Bearer ${tokenOf(world.runner)}` } });
	return (await answer.json()).data.length === count;
}, 30000);

before(async () => {
	world = await startWorld({ env: { EDS_ASN_ZONE: 'asn.test' }, records: networks });
	const answer = await fetch(`${world.runner.baseUrl}/api/v1/domains`, { method: 'POST', body: JSON.stringify({ name: NAME }),
		headers: { authorization: `Bearer ${tokenOf(world.runner)}`, 'content-type': 'application/json' } });
	({ data: { id } } = await answer.json());
	const address = `${id}@reports.localhost`;
	await deliver(world.runner, world.good, address, await signedByReporter(mail('1', [
		{ ip: '192.0.2.1', count: 970, signatures: own },
		{ ip: '192.0.2.2', count: 400, dkim: 'fail', spf: 'fail', signatures: [{ ...own[0], result: 'fail' }], spfResult: 'softfail' },
		{ ip: '198.51.100.9', count: 30, dkim: 'fail', spf: 'fail', spfDomain: 'bounce.mailer.example', spfResult: 'pass' },
		{ ip: '198.51.100.20', count: 50, signatures: own, spf: 'fail', spfDomain: 'eu.amazonses.com', spfResult: 'pass' },
		{ ip: '198.51.100.21', count: 7, dkim: 'fail', spf: 'fail', spfDomain: 'eu.amazonses.com', spfResult: 'pass' },
		{ ip: '203.0.113.5', count: 12, signatures: own, spf: 'fail', spfDomain: 'lists.example.net', spfResult: 'pass' },
	])));
	await untilReports(id, 1); // the second mail must not overtake the first
	await deliver(world.runner, world.good, address, mail('forged', [{ ip: '203.0.113.99', count: 50000, dkim: 'fail', spf: 'fail' }]));
	await untilReports(id, 2);
});
after(() => world?.stop());

// Makes another domain, with mail on each of ten days and very much mail on one of them.
async function domainWithAFlood() {
	const name = 'flood.example';
	const answer = await fetch(`${world.runner.baseUrl}/api/v1/domains`, { method: 'POST', body: JSON.stringify({ name }),
		headers: { authorization: `Bearer ${tokenOf(world.runner)}`, 'content-type': 'application/json' } });
	const { data: domain } = await answer.json();
	const end = Math.floor(Date.now() / 1000 / DAY_S) * DAY_S - 1;
	for (let ago = 0; ago < 10; ago++) {
		const text = aggregate({ id: `flood-${ago}`, domain: name, begin: end + 1 - (ago + 1) * DAY_S, end: end - ago * DAY_S,
			records: [{ ip: '192.0.2.1', count: ago === 4 ? 90000 : 100 + ago, signatures: [{ domain: name, selector: 's1' }] }] });
		await deliver(world.runner, world.good, domain.reportAddress, await signedByReporter(gzipMail(text)));
	}
	await untilReports(domain.id, 10);
	return domain.id;
}

for (const [width, dark] of [[390, true], [1280, false]])
	describe(`at ${width} pixels`, () => {
		test('senders are shown by kind, with the reason for failures, by one request', () => walk(world, 'mouse', async (page, hands) => {
			const asked = [];
			page.on('request', (request) => asked.push(new URL(request.url()).pathname));
			await logIn(page, hands, tokenOf(world.runner));
			await page.getByRole('heading', { name: 'Who sends in your name' }).waitFor();
			await page.getByText('1 report below is not counted').waitFor();
			assert.deepEqual(await page.getByRole('heading', { level: 3 }).filter({ hasText: /services|senders|Forwarders/ }).allInnerTexts(),
				['Known services', 'Other senders', 'Forwarders']);
			const rows = page.locator('.senders > li');
			assert.deepEqual(await rows.locator('.log-name').allInnerTexts(),
				['Amazon SES', '192.0.2.1', '192.0.2.2', '198.51.100.9', '203.0.113.5']);
			assert.deepEqual(await rows.locator('.badge').allInnerTexts(), ['some fails', 'passes', 'fails', 'fails', 'forwarded']);
			const texts = await rows.allInnerTexts();
			assert.match(texts[0], /57 messages, 7 failed[^]*does not sign as senders\.example\.[^]*2 addresses/);
			assert.match(texts[1], /970 messages[^]*All its mail passes\./);
			assert.match(texts[2], /It signs as senders\.example, but the signature does not verify/);
			assert.match(texts[2], /MAILER-EXAMPLE, US/);
			assert.match(texts[3], /It is on the blocklist combined, so receivers may refuse its mail\./);
			assert.doesNotMatch(texts[4], /blocklist/);
			assert.match(texts[3], /It does not sign as senders\.example\. SPF passes for bounce\.mailer\.example alone/);
			assert.match(texts[4], /It forwards mail/);
			assert.equal(asked.filter((path) => path.endsWith('/sources')).length, 1);
			assert.deepEqual(asked.filter((path) => /\/reports\/./.test(path)), []);
			assert.equal(await page.evaluate(() => document.documentElement.scrollWidth), width);
		}, { at: `#/domains/${id}/reports`, width, dark }));
	});

describe('the chart', () => {
	let flood;
	before(async () => {
		flood = await domainWithAFlood();
	});

	for (const [width, dark] of [[320, false], [390, true], [1280, false]])
		test(`has ticks, cuts the bar of a flood, and shows each day to pointer and arrow keys, at ${width} pixels`, () => walk(world, 'mouse', async (page, hands) => {
			await logIn(page, hands, tokenOf(world.runner));
			const chart = page.locator('.chart');
			await chart.getByText(/cut: .*, 90,000$/).waitFor();
			assert.deepEqual(await chart.locator('.ticks > span').allInnerTexts(), ['150', '100', '50', '0']);
			assert.equal(await chart.locator('.dates > span').count(), 5);
			const heights = await chart.locator('rect.good').evaluateAll((bars) => bars.map((bar) => bar.getBoundingClientRect().height));
			assert.equal(heights.length, 10);
			// the chart is 176 pixels high
			assert.ok(Math.min(...heights) > 100, `the others are as high as ${heights}`);
			const picture = chart.locator('.plot > svg');
			const told = chart.locator('.told');
			await picture.focus();
			for (const [key, wanted] of [['End', ': 0 passed'], ['ArrowLeft', ': 100 passed, 0 forwarded, 0 failed'], ['ArrowLeft', ': 101 passed'], ['Home', ': 0 passed']]) {
				await page.keyboard.press(key);
				assert.ok((await told.innerText()).includes(wanted), `${key}: ${await told.innerText()}`);
			}
			const box = await picture.boundingBox();
			await page.mouse.move(box.x + box.width * (24.5 / 30), box.y + box.height / 2);
			await told.getByText('90,000 passed').waitFor();
			await page.mouse.move(0, 0);
			await chart.getByText('As a table').click();
			const region = page.getByRole('region', { name: 'Messages by day' });
			const [inside, outside] = await Promise.all([region.boundingBox(), chart.boundingBox()]);
			assert.ok(inside.x + inside.width <= outside.x + outside.width, 'the table is wider than its card');
			await page.keyboard.press('Tab');
			assert.equal(await region.evaluate((element) => element === document.activeElement), true);
			for (let i = 0; i < 10; i++) await page.keyboard.press('ArrowRight');
			await page.waitForFunction((element) => element.scrollLeft + element.clientWidth >= element.scrollWidth - 1, await region.elementHandle());
			assert.equal(await page.evaluate(() => document.documentElement.scrollWidth), width);
		}, { at: `#/domains/${flood}/reports`, width, dark }));
});

describe('the page of a report', () => {
	test('saves the mail that brought the report, unchanged', () => walk(world, 'mouse', async (page, hands) => {
		await logIn(page, hands, tokenOf(world.runner));
		await page.getByRole('link', { name: 'Receiver' }).last().click();
		const [download] = await Promise.all([page.waitForEvent('download'), page.getByRole('button', { name: 'Download the mail' }).click()]);
		assert.match(download.suggestedFilename(), /^[0-9a-f-]{36}\.eml$/);
		assert.match(readFileSync(await download.path(), 'latin1'), /^Received: from [^]*\r\nDKIM-Signature: [^]*application\/gzip[^]*--\r\n$/);
	}, { at: `#/domains/${id}/reports`, width: 390, dark: false }));
});
