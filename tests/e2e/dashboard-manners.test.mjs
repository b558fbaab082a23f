// Qualities of all pages of the dashboard: accessible to screen readers, readable in both color
// schemes, without jumps, quick on a slow computer, and safe against untrusted text.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { after, before, describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { gunzipSync } from 'node:zlib';

import { openPage } from './support/browser.mjs';
import { TEST_LINK, deliver, logIn, startWorld, tokenOf, HANDS } from './support/dashboard.mjs';
import { request } from './support/api.mjs';
import { compose } from './support/mail.mjs';
import { operations } from './support/openapi.mjs';
import { aggregate, gzipMail } from './support/reports.mjs';
import { until } from './support/runner.mjs';
import { txtRecord } from './support/senders.mjs';
import { createSession, untilCompleted } from './support/tester.mjs';

const AXE = readFileSync(createRequire(import.meta.url).resolve('../node_modules/axe-core/axe.min.js'), 'utf8');
const BYTES_MAX = 160000;
const PACKED_MAX = 60000;
const VISIBLE_MS = 2500;
const TRIES = 4;
const DAY_S = 86400;

const SCRIPT = '<script>window.harmed=1</script><img src="https://evil.example/x.png" onerror="window.harmed=1">';
const HOSTILE = {
	markup: SCRIPT,
	direction: 'invoice\u202egpj.exe\u2066 \u200b\u00ad\u0007 end',
	long: `${'A'.repeat(10000)} end`,
	piles: `a${'\u0301'.repeat(3000)} end`,
	link: 'javascript:window.harmed=1//https://evil.example/',
};

let world;
let domain;
const token = () => tokenOf(world.runner);

async function call(method, path, body) {
	const answer = await request(`${world.runner.baseUrl}/api/v1${path}`, { method, body: body && JSON.stringify(body),
		headers: { authorization: `Bearer ${token()}`, ...(body ? { 'content-type': 'application/json' } : {}) } });
	assert.ok(answer.status < 300, answer.text);
	return answer.json().data;
}

async function testOf(sender, message) {
	const { testId, email } = await createSession(world.runner);
	await deliver(world.runner, sender, email, message);
	await untilCompleted(world.runner, testId);
	return testId;
}

// Creates a domain with a report by an unknown reporter and with selectors in each state.
async function makeDomain() {
	const made = await call('POST', '/domains', { name: 'good.example' });
	for (const selector of ['s1', 'gone', 'odd']) await call('POST', `/domains/${made.id}/dkim/selectors`, { selector });
	const end = Math.floor(Date.now() / 1000);
	const report = aggregate({ org: SCRIPT + HOSTILE.direction, id: HOSTILE.long.slice(0, 400), domain: 'good.example', begin: end - DAY_S, end,
		records: [{ ip: '192.0.2.1', count: 90, signatures: [{ domain: 'good.example', selector: 's1' }] },
			{ ip: '192.0.2.2', count: 9, dkim: 'fail', spf: 'fail' }] });
	await deliver(world.runner, world.good, made.reportAddress, gzipMail(report));
	await deliver(world.runner, world.good, made.reportAddress, compose([['Subject', SCRIPT]], 'No report.\r\n'));
	await until(async () => (await call('GET', `/domains/${made.id}/reports`)).length === 2, 30000);
	return made;
}

before(async () => {
	world = await startWorld({ records: [
		txtRecord('odd._domainkey.good.example', `v=DKIM1; p=${SCRIPT}`),
	] });
	domain = await makeDomain();
	await call('POST', '/tokens', { name: '<img src=/x.png onerror=window.harmed=1>\u202egpj.exe', domains: [domain.id], expiresAt: '2099-01-31T00:00:00Z' });
});
after(() => world?.stop());

// Records every element that moves although the user has done nothing.
function watchShifts(context) {
	return context.addInitScript(() => {
		window.shifts = [];
		new PerformanceObserver((list) => {
			for (const entry of list.getEntries())
				if (!entry.hadRecentInput)
					window.shifts.push({ value: entry.value, of: entry.sources.map(({ node }) => node?.outerHTML?.slice(0, 200)) });
		}).observe({ type: 'layout-shift', buffered: true });
	});
}

async function settle(page) {
	await page.getByRole('heading', { level: 1 }).waitFor();
	await page.locator('.loading').waitFor({ state: 'detached' });
}

// Opens an address with a logged-in user, and waits until the page has finished loading.
async function visit(hash, options = {}) {
	const opened = await openPage(world.browser, world.runner, options);
	await watchShifts(opened.context);
	if (!options.loggedOut)
		await opened.context.addInitScript((text) => {
			if (location.protocol !== 'http:') return; // about:blank has no storage
			if (window.name !== 'seen') sessionStorage.setItem('eds-token', text);
			window.name = 'seen';
		}, token());
	await opened.page.goto(`${world.runner.baseUrl}/${hash}`);
	await settle(opened.page);
	return opened;
}

// Loads another address in the same tab.
async function revisit(page, hash) {
	await page.goto('about:blank');
	await page.goto(`${world.runner.baseUrl}/${hash}`);
	await settle(page);
}

// Finds the words that are broken over more than one line.
const brokenWords = (locator) => locator.evaluateAll((all) => all.flatMap((one) => {
	const text = document.createTreeWalker(one, NodeFilter.SHOW_TEXT).nextNode();
	return [...text.data.matchAll(/\S+/g)].filter(({ 0: word, index }) => {
		const range = document.createRange();
		range.setStart(text, index);
		range.setEnd(text, index + word.length);
		return new Set([...range.getClientRects()].map(({ top }) => top)).size > 1;
	}).map(([word]) => word);
}));

async function seriousFaults(page) {
	await page.evaluate(AXE);
	const { violations } = await page.evaluate(() => window.axe.run(document, { resultTypes: ['violations'] }));
	return violations.filter(({ impact }) => impact === 'serious' || impact === 'critical')
		.map(({ id, nodes }) => `${id}: ${nodes.map(({ html, failureSummary }) => `${html} ${failureSummary}`).join('\n  ')}`);
}

async function views() {
	const { testId } = await createSession(world.runner);
	const [report] = await call('GET', `/domains/${domain.id}/reports`);
	return {
		'the start': '',
		'the wait': `#/test/${testId}`,
		'a good result': `#/test/${await testOf(world.good, await world.good.signed())}`,
		'a bad result': `#/test/${await testOf(world.bad, await world.bad.signed({ 'Message-ID': null }))}`,
		'a test that is over': '#/test/over',
		'the check': '#/check',
		'a domain that was checked': '#/check/bad.example',
		'the domains': '#/domains',
		'a domain': `#/domains/${domain.id}`,
		'its selectors': `#/domains/${domain.id}/selectors`,
		'its MTA-STS': `#/domains/${domain.id}/mta-sts`,
		'its reports': `#/domains/${domain.id}/reports`,
		'a report': `#/domains/${domain.id}/reports/${report.id}`,
		'the tokens': '#/tokens',
	};
}

describe('each page', () => {
	let all;
	before(async () => { all = await views(); });

	test('has no serious accessibility fault, light and dark', async () => {
		const { page, context, faults } = await visit('');
		for (const [name, hash] of Object.entries({ ...all, 'the login': '#/domains' })) {
			if (name === 'the login') await page.getByRole('button', { name: 'Log out' }).click();
			await page.evaluate((to) => (location.hash = to || '#/'), hash);
			await settle(page);
			await page.evaluate(() => document.querySelectorAll('details').forEach((one) => (one.open = true)));
			await page.waitForTimeout(200);
			for (const colorScheme of ['light', 'dark']) {
				await page.emulateMedia({ colorScheme });
				assert.deepEqual(await seriousFaults(page), [], `${name}, ${colorScheme}`);
			}
		}
		assert.deepEqual(faults, []);
		await context.close();
	});

	test('fits a telephone, and nothing moves while it loads', async () => {
		const { page, context } = await visit('', { width: 390, height: 844, slowdown: 4 });
		for (const [name, hash] of Object.entries(all)) {
			await revisit(page, hash);
			await page.waitForTimeout(300);
			assert.deepEqual(await page.evaluate(() => window.shifts), [], name);
			const width = await page.evaluate(() => document.documentElement.scrollWidth);
			assert.ok(width <= 390, `${name} is ${width} wide`);
		}
		await context.close();
	});

	test('is no wider than the narrowest telephone', async () => {
		const { page, context } = await visit('', { width: 320, height: 568 });
		for (const [name, hash] of Object.entries(all)) {
			await revisit(page, hash);
			const { width, wide } = await page.evaluate(() => ({ width: document.documentElement.scrollWidth,
				wide: [...document.querySelectorAll('body *')].filter((one) => one.getBoundingClientRect().right > 320).map((one) => one.outerHTML.slice(0, 120)) }));
			assert.ok(width <= 320, `${name} is ${width} wide: ${wide.slice(0, 5).join('\n')}`);
			assert.deepEqual(await brokenWords(page.locator('.analysis > summary strong')), [], name);
		}
		await context.close();
	});

	test('shows each part of a domain on the narrowest telephone, and marks the current one', async () => {
		const { page, context } = await visit('', { width: 320, height: 568 });
		for (const [part, title] of [['', 'Overview'], ['/reports', 'Reports'], ['/alerts', 'Alerts']]) {
			await revisit(page, `#/domains/${domain.id}${part}`);
			const parts = page.getByRole('navigation', { name: 'Parts of the domain' });
			const edges = await parts.getByRole('link').evaluateAll((all) => all.map((one) => one.getBoundingClientRect().right));
			assert.equal(edges.length, 5);
			assert.ok(Math.max(...edges) <= 300, `${edges}`); // the margin of the page is 20 pixels
			assert.equal(await parts.locator('[aria-current]').innerText(), title);
		}
		await context.close();
	});

	test('has one first-level heading, its own title, and a link to skip the navigation', async () => {
		const titles = new Set();
		const { page, context } = await visit('');
		for (const hash of Object.values(all)) {
			await revisit(page, hash);
			assert.equal(await page.locator('h1').count(), 1, hash);
			titles.add(await page.title());
			await page.keyboard.press('Tab');
			await page.keyboard.press('Enter');
			assert.equal(await page.evaluate(() => document.activeElement.id), 'main');
		}
		await context.close();
		assert.ok(titles.size >= 9, [...titles].join('\n'));
	});
});

const SAMPLE_US = 100000;

// Measures how many times slower this process is now than on an idle machine.
function crowding() {
	const [began, used] = [performance.now(), process.cpuUsage()];
	let spent = 0;
	while (spent < SAMPLE_US) {
		const { user, system } = process.cpuUsage(used);
		spent = user + system;
	}
	return Math.max(1, (performance.now() - began) * 1000 / spent);
}

// Measures the time from a stored result to the shown result, in milliseconds, corrected
// for other load on the machine.
async function timeOfResult(page) {
	await page.evaluate(() => (location.hash = '#/'));
	await HANDS.mouse(page).use('button', 'Get a test address');
	await page.waitForURL(TEST_LINK);
	const testId = TEST_LINK.exec(page.url())[1];
	await page.waitForTimeout(1500);
	await deliver(world.runner, world.good, `${testId}@tester.localhost`, await world.good.signed());
	await untilCompleted(world.runner, testId);
	const stored = Date.now();
	await page.getByRole('heading', { name: 'Looks good' }).waitFor();
	const took = Date.now() - stored;
	return Math.round(took / crowding());
}

describe('a slow computer', () => {
	for (const slowdown of [1, 4])
		test(`shows the result soon after it is stored, ${slowdown} times slower, and nothing moves`, async () => {
			const { page, context, faults } = await visit('', { slowdown, width: 390, height: 844 });
			const times = [];
			while (times.length < TRIES && !(times.at(-1) <= VISIBLE_MS)) times.push(await timeOfResult(page));
			assert.ok(times.at(-1) <= VISIBLE_MS, `${times} ms`);
			await page.waitForTimeout(300);
			assert.deepEqual(await page.evaluate(() => window.shifts), []);
			assert.deepEqual(faults, []);
			await context.close();
		});
});

async function assertUnharmed({ page, faults }) {
	await page.evaluate(() => document.querySelectorAll('details').forEach((one) => (one.open = true)));
	await page.waitForTimeout(300);
	assert.equal(await page.evaluate(() => window.harmed), undefined);
	assert.equal(await page.locator('main script, main img, main iframe, main [onerror]').count(), 0);
	assert.equal(await page.evaluate(() => [...document.querySelectorAll('a')].filter((one) => /^javascript:/i.test(one.href)).length), 0);
	assert.deepEqual(faults, []);
}

describe('text written by strangers', () => {
	for (const [kind, text] of Object.entries(HOSTILE))
		test(`in a message is shown and not executed: ${kind}`, async () => {
			const folded = text.replace(/(.{400})/gu, '$1\r\n ');
			const message = world.good.message({ Subject: folded, 'X-Odd': folded, 'Message-ID': `<${kind}@x>` });
			const testId = await testOf(world.good, Buffer.from(message).toString('latin1'));
			const opened = await visit(`#/test/${testId}`, { width: 390, height: 844 });
			await assertUnharmed(opened);
			const subject = opened.page.locator('.summary dd').first();
			const shown = await subject.innerText();
			if (kind === 'markup') assert.equal(shown, SCRIPT);
			if (kind === 'direction') assert.match(shown, /^invoice\[U\+202E\]gpj\.exe\[U\+2066\] \[U\+200B\]\[U\+00AD\]\u2407? end$/);
			if (kind === 'long') assert.match(shown, /^A+( A+)*… [\d,]+ more characters$/);
			assert.ok(await subject.evaluate((one) => one.getBoundingClientRect().height) < 400);
			const header = await opened.page.getByLabel('Header of the message').innerText();
			assert.match(header, kind === 'markup' ? /<script>window\.harmed/ : /X-Odd/);
			assert.ok(await opened.page.evaluate(() => document.documentElement.scrollWidth) <= 390);
			await opened.context.close();
		});

	test('in DNS, in a report, in its name or in the name of a token is shown and not executed', async () => {
		const reports = await call('GET', `/domains/${domain.id}/reports`);
		const parts = ['', '/selectors', '/reports', ...reports.map(({ id }) => `/reports/${id}`)];
		const opened = await visit('');
		for (const hash of ['#/tokens', ...parts.map((part) => `#/domains/${domain.id}${part}`)]) {
			await revisit(opened.page, hash);
			await assertUnharmed(opened);
		}
		await opened.context.close();
	});

	test('in the address of the page is not executed', async () => {
		const opened = await visit('');
		for (const hash of [`#/test/${encodeURIComponent(SCRIPT)}`, `#/domains/${encodeURIComponent(SCRIPT)}`, '#javascript:window.harmed=1']) {
			await revisit(opened.page, hash);
			await assertUnharmed(opened);
		}
		await opened.context.close();
	});

	test('could not run even if the page used it as markup', async () => {
		const { page, context } = await visit('');
		const refused = await page.evaluate((text) => {
			try {
				document.querySelector('main').innerHTML = text;
				return '';
			} catch (error) {
				return error.name;
			}
		}, SCRIPT);
		assert.equal(refused, 'TypeError');
		await page.evaluate(() => {
			const script = document.createElement('img');
			script.src = 'https://evil.example/x.png';
			document.body.append(script);
		});
		await page.waitForTimeout(200);
		assert.equal(await page.evaluate(() => window.harmed), undefined);
		await context.close();
	});
});

describe('a page that shows changes made elsewhere', () => {
	const focused = (page) => page.evaluate(() => document.activeElement.ariaLabel ?? document.activeElement.textContent);

	test('keeps the focus where it is, and keeps opened parts open', async () => {
		const { page, context, faults } = await visit(`#/domains/${domain.id}/mta-sts`);
		await page.getByText('The policy file', { exact: true }).click();
		let maxAge = 100000;
		for (const label of ['Check now', 'Copy the value of the TXT record at _mta-sts.good.example']) {
			await page.getByRole('button', { name: label }).focus();
			await call('PATCH', `/domains/${domain.id}/mta-sts`, { maxAge: ++maxAge });
			await page.getByText(`max_age: ${maxAge}`).waitFor();
			assert.equal(await focused(page), label);
		}
		assert.deepEqual(faults, []);
		await context.close();
	});

	test('keeps unsaved input while another part is shown', async () => {
		const { page, context } = await visit(`#/domains/${domain.id}/mta-sts`);
		const servers = page.getByRole('textbox', { name: 'Mail servers (MX)' });
		const kept = page.getByRole('textbox', { name: 'Senders keep the policy for (seconds)' });
		const hosted = page.getByRole('checkbox', { name: 'Host the policy file here' });
		const stored = await kept.inputValue();
		await servers.fill('mx7.good.example');
		await hosted.uncheck();
		await page.getByRole('link', { name: 'Reports', exact: true }).click();
		await servers.waitFor({ state: 'detached' });
		await page.getByRole('link', { name: 'MTA-STS', exact: true }).click();
		await servers.waitFor();
		await until(async () => (await servers.inputValue()) === 'mx7.good.example', 10000);
		assert.equal(await hosted.isChecked(), false);
		assert.equal(await kept.inputValue(), stored);
		await page.getByRole('button', { name: 'Save' }).click();
		await page.getByText('There is a new policy id').first().waitFor();
		assert.deepEqual((await call('GET', `/domains/${domain.id}/mta-sts`)).mxPatterns, ['mx7.good.example']);
		assert.equal((await call('GET', `/domains/${domain.id}/mta-sts`)).hosted, false);
		await page.getByRole('link', { name: 'Reports', exact: true }).click();
		await servers.waitFor({ state: 'detached' });
		await call('PATCH', `/domains/${domain.id}/mta-sts`, { mxPatterns: [], hosted: true });
		await page.getByRole('link', { name: 'MTA-STS', exact: true }).click();
		await until(async () => (await servers.inputValue()) === '' && hosted.isChecked(), 10000);
		await context.close();
	});
});

describe('a failed request', () => {
	test('loses nothing that was entered', async () => {
		const { page, context } = await visit(`#/domains/${domain.id}/mta-sts`);
		const servers = page.getByRole('textbox', { name: 'Mail servers (MX)' });
		await servers.fill('mx1.good.example\nmx2.good.example');
		await page.route('**/mta-sts', (route) => (route.request().method() === 'PATCH' ? route.abort('internetdisconnected') : route.continue()));
		await page.getByRole('button', { name: 'Save' }).click();
		await page.getByRole('alert').getByText('The service cannot be reached').waitFor();
		assert.equal(await servers.inputValue(), 'mx1.good.example\nmx2.good.example');
		await context.close();
	});

	test('is explained beside its field, in the words of the service', async () => {
		const { page, context } = await visit(`#/domains/${domain.id}/alerts`);
		await page.getByRole('textbox', { name: 'Send alerts to' }).fill('ops@example.com');
		await page.getByRole('button', { name: 'Add the alert' }).click();
		await page.locator('.wrong:visible').waitFor();
		assert.equal(await page.locator('.wrong:visible').innerText(), 'This service sends no mail: name a webhook, or have its operator set EDS_ALERT_RELAY.');
		await page.getByRole('button', { name: 'Log out' }).click();
		await page.route('**/api/v1/domains?*', (route) => route.abort('internetdisconnected'));
		await logIn(page, HANDS.mouse(page), token());
		await page.locator('.wrong:visible').waitFor();
		assert.match(await page.locator('.wrong:visible').innerText(), /^The service cannot be reached/);
		await context.close();
	});

	test('for an alert or its delivery is explained in words', async () => {
		const { page, context } = await visit('');
		const reason = { code: 'refused', message: 'hooks.example answered 410' };
		const alert = { alertId: 'a1', domainId: domain.id, mail: null, url: 'https://hooks.example/', active: false, reason, events: [], weeklySummary: false, confirmedAt: null };
		const delivery = { type: 'test', createdAt: '2026-11-23T12:00:00Z', state: 'failed', status: 410, reason };
		await page.route(/\/alerts(\?|$)/, (route) => route.fulfill({ json: { data: [alert] } }));
		await page.route('**/deliveries*', (route) => route.fulfill({ json: { data: [delivery] } }));
		await revisit(page, `#/domains/${domain.id}/alerts`);
		await page.getByText('Switched off: hooks.example answered 410.').waitFor();
		await page.locator('.alerts summary').click();
		await page.locator('.deliveries').getByText('hooks.example answered 410.').waitFor();
		await context.close();
	});

	test('leads to the login when the token is no longer accepted, and back', async () => {
		const { page, context } = await visit(`#/domains/${domain.id}/selectors`);
		const check = page.getByRole('button', { name: 'Check now' }).first();
		await check.waitFor();
		// The test changes the token and clicks in one step, because a request that the page sends by
		// itself in between would open the login, which covers the button.
		await check.evaluate((button) => {
			sessionStorage.setItem('eds-token', 'eds_0');
			button.click();
		});
		await page.getByRole('textbox', { name: 'API token' }).waitFor();
		await logIn(page, HANDS.mouse(page), token());
		await page.getByRole('heading', { name: '3 selectors' }).waitFor();
		await context.close();
	});
});

describe('the page is', () => {
	// Runs act(), and returns the requests that Chromium made meanwhile: { path, status, octets, fromCache }.
	async function load(page, act) {
		const session = await page.context().newCDPSession(page);
		const seen = new Map();
		await session.send('Network.enable');
		session.on('Network.responseReceived', ({ requestId, response }) =>
			seen.set(requestId, { path: new URL(response.url).pathname, status: response.status, fromCache: response.fromDiskCache, octets: 0,
				headers: Object.fromEntries(Object.entries(response.headers).map(([name, value]) => [name.toLowerCase(), value])) }));
		session.on('Network.requestServedFromCache', ({ requestId }) => seen.set(requestId, { ...seen.get(requestId), fromCache: true }));
		session.on('Network.loadingFinished', ({ requestId, encodedDataLength }) => { if (seen.has(requestId)) seen.get(requestId).octets = encodedDataLength; });
		await act();
		await settle(page);
		await session.detach();
		return [...seen.values()].filter(({ path }) => !path?.startsWith('/api/'));
	}

	// A page without openPage(), which intercepts requests with a route: with a route Chromium caches nothing.
	let context;
	let page;
	before(async () => {
		context = await world.browser.newContext();
		page = await context.newPage();
	});
	after(() => context?.close());

	test('three requests and small, compressed or not', async () => {
		const loaded = await load(page, () => page.goto(`${world.runner.baseUrl}/`));
		const paths = loaded.map(({ path }) => path.replace(/[0-9a-f]{16}/, 'HASH')).sort();
		assert.deepEqual(paths, ['/', '/assets/app-HASH.js', '/assets/style-HASH.css']);
		let octets = 0;
		let plainOctets = 0;
		for (const { path, headers, octets: sent } of loaded) {
			assert.equal(headers['content-encoding'], 'gzip', path);
			octets += sent;
			const plain = await request(world.runner.baseUrl + path);
			assert.equal(plain.headers['content-encoding'], undefined);
			assert.match(plain.headers['content-security-policy'], /^default-src 'none'; script-src 'self'; (?!.*unsafe)/);
			const packed = await request(world.runner.baseUrl + path, { headers: { 'accept-encoding': 'gzip' } });
			assert.equal(gunzipSync(packed.bytes).compare(plain.bytes), 0, path);
			assert.notEqual(packed.headers.etag, plain.headers.etag);
			for (const [{ etag }, coding] of [[plain.headers, 'identity'], [packed.headers, 'gzip']])
				assert.equal((await request(world.runner.baseUrl + path, { headers: { 'if-none-match': etag, 'accept-encoding': coding } })).status, 304);
			plainOctets += plain.bytes.length;
		}
		assert.ok(octets > 0 && octets < PACKED_MAX, `${octets} octets compressed`);
		assert.ok(plainOctets < BYTES_MAX, `${plainOctets} octets`);
	});

	test('loaded again with one request, and the rest comes from the cache', async () => {
		await page.goto('about:blank');
		const loaded = await load(page, () => page.goto(`${world.runner.baseUrl}/`));
		assert.equal(loaded.length, 3);
		for (const { path, fromCache, headers } of loaded) {
			assert.equal(fromCache, path !== '/', path);
			if (path !== '/') assert.equal(headers['cache-control'], 'public, max-age=31536000, immutable');
		}
		const { headers } = await request(`${world.runner.baseUrl}/`, { headers: { 'accept-encoding': 'gzip' } });
		assert.equal(headers['cache-control'], 'no-cache');
	});

	test('that of this release under the file names of another release, and then it is not cached', async () => {
		for (const name of ['app.js', 'app-0123456789abcdef.js', 'style-0123456789abcdef.css']) {
			const { status, headers } = await request(`${world.runner.baseUrl}/assets/${name}`);
			assert.equal(status, 200);
			assert.equal(headers['cache-control'], 'no-cache');
		}
		assert.equal((await request(`${world.runner.baseUrl}/assets/dom.js`)).status, 404);
	});
});

test('the service serves the description of its API, and search engines are kept out of it', async () => {
	const description = await request(`${world.runner.baseUrl}/openapi.yaml`);
	assert.equal(description.headers['content-type'], 'application/yaml');
	assert.equal(description.text, readFileSync(fileURLToPath(new URL('../../infra/openapi.yaml', import.meta.url)), 'utf8'));
	const { page, context } = await visit('#/');
	await page.getByRole('link', { name: 'API documentation' }).waitFor();
	await context.close();
	assert.equal((await request(`${world.runner.baseUrl}/robots.txt`)).text, 'User-agent: *\nDisallow: /api/\n');
});

for (const width of [1280, 390, 320])
	test(`the API is documented for people, at ${width} pixels`, async () => {
		const { page, context, faults } = await visit('#/', { width, height: 844 });
		await page.getByRole('link', { name: 'API documentation' }).click();
		await page.getByRole('heading', { name: 'The API', level: 1 }).waitFor();
		const documented = await page.locator('section[id] h3 + p > code').evaluateAll((all) => all.map(({ textContent }) => textContent));
		assert.deepEqual(documented.sort(), operations.map(({ method, path }) => `${method.toUpperCase()} ${path}`).sort());
		await page.getByRole('link', { name: 'Register a selector and check it against DNS at once' }).click();
		const section = page.locator('#registerSelector');
		await section.getByRole('cell', { name: 'The domain has this selector registered already' }).waitFor();
		assert.match(await section.innerText(), /409[^]*selector-exists/);
		assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= window.innerWidth), 'it is wider than the window');
		const ids = await page.locator('[id]').evaluateAll((all) => all.map(({ id }) => id));
		assert.equal(new Set(ids).size, ids.length);
		assert.deepEqual(await seriousFaults(page), []);
		const back = page.getByRole('banner').getByRole('link', { name: 'eds' });
		assert.ok((await back.boundingBox()).width > 20, 'the link back is not visible');
		await back.click();
		await page.getByRole('heading', { name: 'Will your mail arrive?' }).waitFor();
		assert.deepEqual(faults, []);
		await context.close();
	});

test('a refused request leads to a page that explains its code', async () => {
	const { page, context, faults } = await visit('#/', { width: 320, height: 568 });
	const refused = await page.request.get(`${world.runner.baseUrl}/api/v1/domains/1/dkim/selectors`);
	const { type } = await refused.json();
	assert.equal(type, '/problems#token-missing');
	await page.goto(world.runner.baseUrl + type);
	assert.match(await page.locator(':target').innerText(), /token-missing\s+The operation needs a token\.\s+What to do: Send Authorization: Bearer TOKEN\./);
	assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= window.innerWidth), 'it is wider than the window');
	await page.getByRole('link', { name: 'the documentation of the API' }).click();
	await page.getByRole('heading', { name: 'The API', level: 1 }).waitFor();
	await page.getByRole('link', { name: 'selector-exists' }).first().click();
	await page.getByRole('heading', { name: 'selector-exists', level: 2 }).waitFor();
	assert.deepEqual(await seriousFaults(page), []);
	assert.deepEqual(faults, []);
	await context.close();
});

test('domain names and tokens are accepted in the forms in which people paste them', async () => {
	const { page, context } = await visit('#/domains', { loggedOut: true });
	await page.getByRole('textbox', { name: 'API token' }).fill(`  Authorization: Bearer ${token()}  `);
	await page.getByRole('button', { name: 'Log in' }).click();
	await page.getByRole('heading', { name: 'Domains', level: 1 }).waitFor();
	for (const [pasted, name] of [[' https://pasted-1.example/path?x=a@b.example#c ', 'pasted-1.example'],
		['"Somebody" <who@pasted-2.example>', 'pasted-2.example'], ['pasted-3.example.:25', 'pasted-3.example']]) {
		await page.goto(`${world.runner.baseUrl}/#/domains`);
		await page.getByRole('textbox', { name: 'Add a domain' }).fill(pasted);
		await page.getByRole('button', { name: 'Add', exact: true }).click();
		await page.getByRole('heading', { name, level: 1 }).waitFor();
		await page.goto(`${world.runner.baseUrl}/#/check`);
		await page.getByRole('textbox', { name: 'Domain' }).fill(pasted);
		await page.getByRole('button', { name: 'Check', exact: true }).click();
		await page.waitForURL(`**/#/check/${name}`);
	}
	await context.close();
});

test('a login holds only in the tab where the token was entered', async () => {
	const { page, context } = await visit('#/domains', { loggedOut: true });
	const other = await context.newPage();
	await page.goto(`${world.runner.baseUrl}/#/`);
	await page.evaluate((text) => sessionStorage.setItem('eds-token', text), token());
	await page.goto(`${world.runner.baseUrl}/#/domains`);
	await other.goto(`${world.runner.baseUrl}/#/domains`);
	await other.getByRole('textbox', { name: 'API token' }).waitFor();
	assert.equal(await page.evaluate(() => localStorage.length + document.cookie.length), 0);
	await context.close();
});
