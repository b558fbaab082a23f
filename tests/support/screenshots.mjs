// make screenshots: the dashboard's pages at 390 and 1280 pixels, light and dark, from a service with
// mail, keys, policies and reports of invented domains; and the two pictures in README.
//
//   node tests/support/screenshots.mjs FOLDER [README-FOLDER]
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';

import { openPage } from '../e2e/support/browser.mjs';
import { deliver, startWorld, tokenOf } from '../e2e/support/dashboard.mjs';
import { newKey } from '../e2e/support/mail.mjs';
import { txt } from '../e2e/support/nsd.mjs';
import { aggregate, gzipMail, signedByReporter, tlsReport } from '../e2e/support/reports.mjs';
import { until } from '../e2e/support/runner.mjs';
import { damageSignature } from '../e2e/support/senders.mjs';
import { createSession, untilCompleted } from '../e2e/support/tester.mjs';

const [folder = 'build/screenshots', readmeFolder] = process.argv.slice(2);
const SIZES = [{ width: 1280, height: 860 }, { width: 390, height: 844 }];
const README = [['result-bad', false, 860], ['reports', true, 860]]; // the pictures in README: page, whether dark, height
const DAY_S = 86400;
const DAYS = 26;
const NAME = 'example.com';

const key = newKey();
const short = newKey('rsa', 1024);
const world = await startWorld({ records: [
	`s1._domainkey.${NAME}. TXT ${txt(key.record)}`,
	`newsletter._domainkey.${NAME}. TXT ${txt(short.record)}`,
	`old._domainkey.${NAME}. TXT "v=DKIM1; p="`,
	`${NAME}. MX 10 mx1.${NAME}.`,
	`mx1.${NAME}. A 127.0.0.1`,
] });
const { runner, browser, good, bad } = world;
const token = tokenOf(runner);

async function call(method, path, body) {
	const answer = await fetch(`${runner.baseUrl}/api/v1/domains${path}`, {
		method,
		headers: { authorization: `Bearer ${token}`, ...(body ? { 'content-type': 'application/json' } : {}) },
		body: body && JSON.stringify(body),
	});
	return (await answer.json()).data;
}

async function testOf(sender, message) {
	const { testId, email } = await createSession(runner);
	await deliver(runner, sender, email, message);
	await untilCompleted(runner, testId);
	return testId;
}

// The rows of a report about one day: more mail on working days, and on some days mail from
// a server that is not set up.
function recordsOf(day) {
	const isWeekend = new Date(day * 1000).getUTCDay() % 6 === 0;
	const much = Math.round((isWeekend ? 240 : 900) * (0.85 + ((day / DAY_S) % 7) / 24));
	const strange = Math.floor(day / DAY_S) % 9 === 4 ? 160 : 12;
	return [
		{ ip: '192.0.2.25', count: much, signatures: [{ domain: NAME, selector: 's1' }] },
		{ ip: '198.51.100.40', count: Math.round(much / 3), signatures: [{ domain: NAME, selector: 'newsletter' }] },
		{ ip: '203.0.113.9', count: strange, dkim: 'fail', spf: 'fail', disposition: 'quarantine' },
	];
}

async function makeDomain() {
	const domain = await call('POST', '', { name: NAME });
	const today = Math.floor(Date.now() / 1000 / DAY_S) * DAY_S;
	for (const other of ['example.net', 'mail.example.org']) await call('POST', '', { name: other });
	for (const selector of ['s1', 'old']) await call('POST', `/${domain.id}/dkim/selectors`, { selector });
	await call('PATCH', `/${domain.id}/mta-sts`, { enabled: true, mxPatterns: [`mx1.${NAME}`] });
	for (let day = today - DAYS * DAY_S; day < today; day += DAY_S)
		await deliver(runner, good, domain.reportAddress, await signedByReporter(gzipMail(aggregate({ org: 'Receiver Mail', id: String(day), domain: NAME,
			begin: day, end: day + DAY_S - 1, records: recordsOf(day) }))));
	await deliver(runner, good, domain.reportAddress, await signedByReporter(gzipMail(tlsReport({ org: 'Receiver Mail', id: 'tls', domain: NAME, successful: 4210 }))));
	await deliver(runner, good, domain.reportAddress, 'Subject: Out of office\r\n\r\nI am away.\r\n');
	await until(async () => (await call('GET', `/${domain.id}/reports`)).length === DAYS + 2, 60000);
	await call('POST', `/${domain.id}/mta-sts/check`);
	return domain.id;
}

async function pagesToShow() {
	const { testId } = await createSession(runner);
	const id = await makeDomain();
	const [report] = (await call('GET', `/${id}/reports`)).filter(({ kind }) => kind === 'dmarc');
	return {
		start: '',
		waiting: `#/test/${testId}`,
		'result-good': `#/test/${await testOf(good, await good.signed({ Subject: 'Your order has been shipped' }))}`,
		'result-bad': `#/test/${await testOf(bad, damageSignature(await bad.signed({ Subject: 'Our autumn offers', 'Message-ID': null })))}`,
		over: '#/test/over',
		login: '#/domains',
		domains: '#/domains',
		check: `#/check/${NAME}`,
		overview: `#/domains/${id}`,
		selectors: `#/domains/${id}/selectors`,
		'mta-sts': `#/domains/${id}/mta-sts`,
		reports: `#/domains/${id}/reports`,
		report: `#/domains/${id}/reports/${report.id}`,
		tokens: '#/tokens',
	};
}

// Opens a page; the returned function shows one address after another in it.
async function open(size, dark) {
	const { page, context } = await openPage(browser, runner, { ...size, dark });
	await page.emulateMedia({ reducedMotion: 'reduce', colorScheme: dark ? 'dark' : 'light' });
	await page.goto(`${runner.baseUrl}/`);
	const show = async (name, hash) => {
		await page.evaluate(([key, value]) => (value ? sessionStorage.setItem(key, value) : sessionStorage.removeItem(key)),
			['eds-token', name === 'login' ? '' : token]);
		await page.goto(`${runner.baseUrl}/?${name}${hash}`);
		await page.getByRole('heading', { level: 1 }).waitFor();
		await page.locator('.loading').waitFor({ state: 'detached' });
		await page.waitForTimeout(300);
	};
	return { page, show, close: () => context.close() };
}

async function showAll(pages) {
	mkdirSync(folder, { recursive: true });
	for (const size of SIZES)
		for (const dark of [false, true]) {
			const { page, show, close } = await open(size, dark);
			for (const [name, hash] of Object.entries(pages)) {
				await show(name, hash);
				const file = `${name}-${size.width}-${dark ? 'dark' : 'light'}.png`;
				await page.screenshot({ path: join(folder, file), fullPage: true });
			}
			await close();
		}
}

async function showForReadme(pages) {
	mkdirSync(readmeFolder, { recursive: true });
	for (const [name, dark, height] of README) {
		const { page, show, close } = await open({ width: 840, height }, dark);
		await show(name, pages[name]);
		await page.screenshot({ path: join(readmeFolder, `${name}.png`) });
		await close();
	}
}

try {
	const pages = await pagesToShow();
	await showAll(pages);
	if (readmeFolder) await showForReadme(pages);
	console.log(`screenshots are in ${folder}`);
} finally {
	await world.stop();
}
