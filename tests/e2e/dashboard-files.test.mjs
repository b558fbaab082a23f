// Report files on the page of a domain: the owner uploads reports and downloads their rows.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { after, before, describe, test } from 'node:test';
import { gzipSync } from 'node:zlib';

import { logIn, startWorld, tabTo, tokenOf, walk } from './support/dashboard.mjs';
import { aggregate, tar, zip } from './support/reports.mjs';

const DAY_S = 86400;
const MB = 1024 * 1024;
const yesterday = Math.floor(Date.now() / 1000 / DAY_S - 1) * DAY_S;

let world;
before(async () => {
	world = await startWorld();
});
after(() => world?.stop());

async function addDomain(name) {
	const answer = await fetch(`${world.runner.baseUrl}/api/v1/domains`, { method: 'POST', body: JSON.stringify({ name }),
		headers: { authorization: `Bearer ${tokenOf(world.runner)}`, 'content-type': 'application/json' } });
	return (await answer.json()).data.id;
}

const about = (domain, id, count, email) => Buffer.from(aggregate({ id, domain, email, begin: yesterday, end: yesterday + DAY_S - 1,
	records: [{ ip: '192.0.2.1', count, signatures: [{ domain, selector: 's1' }] }, { ip: '192.0.2.2', count: 1, dkim: 'fail', spf: 'fail' }] }));
const file = (name, buffer) => ({ name, mimeType: 'application/octet-stream', buffer });

const outcomes = (page) => page.getByRole('list', { name: 'Results of the upload' }).locator('> li');
const told = async (page) => Promise.all((await outcomes(page).all()).map(async (item) =>
	[await item.locator('.log-name').innerText(), await item.locator('.badge').innerText()]));

for (const [how, width] of [['mouse', 1280], ['keyboard', 390]])
	describe(`with the ${how} at ${width} pixels`, () => {
		const name = `${how}.files.example`;
		let id;
		before(async () => {
			id = await addDomain(name);
		});
		const visit = (story) => walk(world, how, async (page, hands) => {
			await logIn(page, hands, tokenOf(world.runner));
			await page.getByRole('heading', { name: 'Reports as files' }).waitFor();
			await story(page, hands);
			assert.equal(await page.evaluate(() => document.documentElement.scrollWidth), width);
		}, { at: `#/domains/${id}/reports`, width });

		test('uploading without a file shows a message beside the choice, and nothing can be downloaded', () => visit(async (page, hands) => {
			await hands.use('button', 'Upload');
			await page.getByText('Choose one file or more.').waitFor();
			assert.equal(await page.getByLabel('Files with reports').evaluate((input) => input === document.activeElement), true);
			assert.equal(await page.getByRole('button', { name: 'Download rows (CSV)' }).isVisible(), false);
		}));

		test('each file has its own outcome, good, broken or too large, and new reports count at once', () => visit(async (page, hands) => {
			const input = page.getByLabel('Files with reports');
			if (how === 'keyboard') await tabTo(page, input);
			await input.setInputFiles([
				file('two.zip', zip({ 'monday.xml': about(name, 'r1', 8), 'cut.xml': about(name, 'r2', 5).subarray(0, 300) })),
				file('again.xml.gz', gzipSync(about(name, 'r1', 8))),
				file('notes.txt', Buffer.from('Call the printer.')),
				file('large.xml', Buffer.alloc(10 * MB + 1, ' ')),
			]);
			await hands.use('button', 'Upload');
			await outcomes(page).nth(4).waitFor();
			assert.deepEqual(await told(page), [['monday.xml', 'accepted'], ['cut.xml', 'refused'], ['again.xml.gz', 'duplicate'],
				['notes.txt', 'refused'], ['large.xml', 'not sent']]);
			await page.getByText(/^88\.9\s%.of 9 messages passed DMARC/).waitFor();
			assert.match(await outcomes(page).nth(4).innerText(), /more than 10 MiB/);
			assert.equal(await input.evaluate(({ files }) => files.length), 0);
		}));

		test('the rows of all reports of a domain are downloaded as one file', () => visit(async (page, hands) => {
			const download = page.waitForEvent('download');
			await hands.use('button', 'Download rows (CSV)');
			const saved = await download;
			assert.equal(saved.suggestedFilename(), `${name}-rows.csv`);
			const lines = readFileSync(await saved.path(), 'utf8').trimEnd().split('\r\n');
			assert.equal(lines.length, 3);
			assert.match(lines[0], /^"?reportId/);
			assert.match(lines[1], /"192\.0\.2\.[12]"/);
		}));
	});

// A report with all elements that RFC 9990 added.
const newer = (domain) => `<feedback xmlns="urn:ietf:params:xml:ns:dmarc-2.0"><version>1.0</version><report_metadata><org_name>Newer</org_name>
<email>r@newer.example</email><extra_contact_info>https://newer.example/help</extra_contact_info><report_id>newer</report_id>
<date_range><begin>${yesterday}</begin><end>${yesterday + DAY_S - 1}</end></date_range><error>DNS was slow</error><generator>Reporter 1.2</generator></report_metadata>
<policy_published><domain>${domain}</domain><p>quarantine</p><np>reject</np><discovery_method>treewalk</discovery_method><testing>y</testing></policy_published>
<record><row><source_ip>192.0.2.1</source_ip><count>5</count><policy_evaluated><disposition>pass</disposition><dkim>pass</dkim><spf>fail</spf></policy_evaluated></row>
<identifiers><envelope_to>receiver.example</envelope_to><envelope_from>bounce.${domain}</envelope_from><header_from>${domain}</header_from></identifiers>
<auth_results><dkim><domain>${domain}</domain><selector>s1</selector><result>pass</result><human_result>good signature</human_result></dkim>
<spf><domain>bounce.${domain}</domain><scope>mfrom</scope><result>fail</result></spf></auth_results></record></feedback>`;

test('a report in the form of RFC 9990 shows all that its reporter wrote', async () => {
	const name = 'newer.files.example';
	const id = await addDomain(name);
	const answer = await fetch(`${world.runner.baseUrl}/api/v1/domains/${id}/reports`, { method: 'POST', body: newer(name),
		headers: { authorization: `Bearer ${tokenOf(world.runner)}`, 'content-type': 'text/xml' } });
	const [{ id: report }] = (await answer.json()).data;
	await walk(world, 'mouse', async (page, hands) => {
		await logIn(page, hands, tokenOf(world.runner));
		await page.getByRole('heading', { name: 'DMARC report' }).waitFor();
		const shown = (await page.getByRole('main').innerText()).replace(/\s+/g, ' ');
		for (const text of ['More about contact https://newer.example/help', 'Reporter newer.example, uploaded as a file by the account Received', 'Generator Reporter 1.2',
			'Errors reported DNS was slow', 'Published policy p=quarantine; np=reject; t=y, found by tree walk',
			`From ${name}, bounces to bounce.${name}, sent to receiver.example DKIM pass for ${name}, selector s1: good signature SPF fail for bounce.${name}, mfrom`])
			assert.ok(shown.includes(text), `${text} is on the page: ${shown}`);
	}, { at: `#/domains/${id}/reports/${report}` });
});

test('a download of several API pages has one header line', async () => {
	const name = 'many.files.example';
	const id = await addDomain(name);
	for (let part = 0; part < 11; part++) {
		const files = Object.fromEntries(Array.from({ length: 20 }, (_, i) => [`${i}.xml`, about(name, `m${part}-${i}`, 2)]));
		const { status } = await fetch(`${world.runner.baseUrl}/api/v1/domains/${id}/reports`, { method: 'POST', body: zip(files),
			headers: { authorization: `Bearer ${tokenOf(world.runner)}`, 'content-type': 'application/zip' } });
		assert.equal(status, 200);
	}
	await walk(world, 'mouse', async (page, hands) => {
		await logIn(page, hands, tokenOf(world.runner));
		const download = page.waitForEvent('download');
		await hands.use('button', 'Download rows (CSV)');
		const lines = readFileSync(await (await download).path(), 'utf8').trimEnd().split('\r\n');
		assert.equal(lines.length, 441);
		assert.equal(lines.filter((line) => /^"?reportId/.test(line)).length, 1);
		assert.equal(new Set(lines).size, 441);
	}, { at: `#/domains/${id}/reports` });
});

test('the sums and the chart include reports beyond those listed on the page', async () => {
	const name = 'plenty.files.example';
	const id = await addDomain(name);
	for (let part = 0; part < 3; part++) {
		const files = Array.from({ length: 200 }, (_, i) => [`${i}.xml`, about(name, `m${part}-${i}`, 3, `dmarc@receiver${part}.example`)]);
		const answer = await fetch(`${world.runner.baseUrl}/api/v1/domains/${id}/reports`, { method: 'POST', body: gzipSync(tar(Object.fromEntries(files))),
			headers: { authorization: `Bearer ${tokenOf(world.runner)}`, 'content-type': 'application/gzip' } });
		assert.equal(answer.status, 200);
	}
	await walk(world, 'mouse', async (page, hands) => {
		await logIn(page, hands, tokenOf(world.runner));
		await page.getByText(/^75\.0\s%.of 2,400 messages passed DMARC in the last 30 days/).waitFor();
		await page.getByRole('group', { name: /^Messages by day: 1,800 passed, 0 forwarded and 600 failed in 30 days/ }).waitFor();
		await page.getByText('Show all 500').waitFor();
	}, { at: `#/domains/${id}/reports` });
});

for (const [how, width] of [['mouse', 1280], ['keyboard', 390]])
	test(`a rotation of keys shows the old key go and the new one come, with the ${how} at ${width} pixels`, async () => {
		const name = `rotated-${how}.files.example`;
		const id = await addDomain(name);
		const days = [['s1', 90], ['s1', 60], ['s2', 200]].map(([selector, messages], i) => [selector, messages, yesterday - (2 - i) * DAY_S]);
		for (const [selector, messages, begin] of days)
			await fetch(`${world.runner.baseUrl}/api/v1/domains/${id}/reports`, { method: 'POST', headers: { authorization: `Bearer ${tokenOf(world.runner)}`, 'content-type': 'text/xml' },
				body: aggregate({ id: `${selector}-${begin}`, domain: name, begin, end: begin + DAY_S - 1,
					records: [{ ip: '192.0.2.1', count: messages, signatures: [{ domain: name, selector }, { domain: 'mailer.example', selector: 'k1' }] }, { ip: '192.0.2.2', count: 5, dkim: 'fail', spf: 'fail', signatures: [{ domain: name, selector, result: 'fail' }] }] }) });
		await walk(world, how, async (page, hands) => {
			await logIn(page, hands, tokenOf(world.runner));
			const list = page.getByRole('list', { name: 'Mail by selector' });
			await list.waitFor();
			const day = (at) => new Date(at * 1000).toLocaleDateString('en-GB', { day: 'numeric', month: 'short', timeZone: 'UTC' });
			const told = await Promise.all((await list.locator('> li').all()).map(async (one) => (await one.innerText()).split('\n').filter((line) => line.trim() !== '')));
			assert.deepEqual(told, [['k1 of mailer.example', '350 messages', `${day(yesterday - 2 * DAY_S)} to ${day(yesterday)}`], ['s2', '205 messages, 5 failed', day(yesterday)],
				['s1', '160 messages, 10 failed', `${day(yesterday - 2 * DAY_S)} to ${day(yesterday - DAY_S)}`]]);
			assert.deepEqual(await list.locator('svg').evaluateAll((all) => all.map((one) => one.querySelectorAll('.good').length)), [3, 1, 2]);
			if (how === 'keyboard') await tabTo(page, page.getByText('As a table'));
			await (how === 'keyboard' ? page.keyboard.press('Enter') : page.getByText('As a table').click());
			const cells = await page.getByRole('region', { name: 'Messages by selector and day' }).locator('tr').evaluateAll((all) => all.map((one) => [...one.children].map((cell) => cell.textContent)));
			assert.deepEqual(cells, [['Day (UTC)', 'k1 of mailer.example', 's2', 's1'], ...[[90, 0, 95], [60, 0, 65], [200, 205, 0]].map((numbers, i) => [day(yesterday - (2 - i) * DAY_S), ...numbers.map(String)])]);
			const year = (at) => new Date(at * 1000).toLocaleDateString('en-GB', { dateStyle: 'medium', timeZone: 'UTC' });
			const inReports = page.locator('#selector-s1 .facts > div', { hasText: 'In reports' }).locator('dd');
			await inReports.scrollIntoViewIfNeeded();
			assert.equal(await inReports.innerText(), `${year(yesterday - 2 * DAY_S)} to ${year(yesterday - DAY_S)}`);
			assert.equal(await page.evaluate(() => document.documentElement.scrollWidth), width);
			await hands.use('link', 'Reports');
			const periods = page.locator('.log-more > p', { hasText: ' · received ' });
			await periods.first().waitFor();
			assert.deepEqual(await periods.evaluateAll((all) => all.map((one) => one.textContent.replace(/ · received .*/, ''))),
				[0, 1, 2].map((ago) => year(yesterday - ago * DAY_S)));
			await page.locator('.log a').first().click();
			await page.getByText(`${year(yesterday)} (UTC)`).waitFor();
		}, { at: `#/domains/${id}/selectors`, width });
	});
