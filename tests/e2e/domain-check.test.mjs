// The check of a domain in DNS without an account: over HTTP, and on the page.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';

import { request } from './support/api.mjs';
import { logIn, startWorld, tokenOf, walk } from './support/dashboard.mjs';
import { breaches } from './support/openapi.mjs';
import { txtRecord } from './support/senders.mjs';

const IN_ORDER = [
	'right.example. MX 10 mx.right.example.',
	'mx.right.example. A 192.0.2.25',
	txtRecord('right.example', 'v=spf1 mx -all'),
	txtRecord('_dmarc.right.example', 'v=DMARC1; p=reject; rua=mailto:d@right.example'),
	txtRecord('_mta-sts.right.example', 'v=STSv1; id=a1'),
	'mta-sts.right.example. A 192.0.2.80',
	txtRecord('_smtp._tls.right.example', 'v=TLSRPTv1; rua=mailto:t@right.example'),
	`_25._tcp.mx.right.example. TLSA 3 1 1 ${'ab'.repeat(32)}`,
	'right.example. CAA 0 issue "letsencrypt.org"',
	txtRecord('default._bimi.right.example', 'v=BIMI1; l=https://right.example/logo.svg'),
];
const IN_DISORDER = [
	'wrong.example. MX 10 alias.wrong.example.',
	'alias.wrong.example. CNAME mx.right.example.',
	'wrong.example. MX 20 gone.wrong.example.',
	txtRecord('wrong.example', 'v=spf1 include:_spf.wrong.example a:gone.wrong.example ?all'),
	txtRecord('_spf.wrong.example', 'v=spf1 ip4:192.0.2.0/24 -all'),
	txtRecord('_dmarc.wrong.example', 'v=DMARC1; p=none; rua=mailto:d@elsewhere.example'),
	`_25._tcp.alias.wrong.example. TLSA 0 1 1 ${'ab'.repeat(32)}`,
	'wrong.example. CAA 0 issue "other.example"',
	txtRecord('default._bimi.wrong.example', '<script>window.harmed=1</script>'),
	txtRecord('default._bimi.wrong.example', 'v=BIMI1; l=<img src=x onerror="window.harmed=1">'),
];

let world;

before(async () => {
	world = await startWorld({ records: [...IN_ORDER, ...IN_DISORDER] });
});
after(() => world?.stop());

async function check(domain) {
	const answer = await request(`${world.runner.baseUrl}/api/v1/check?domain=${encodeURIComponent(domain)}`);
	assert.deepEqual(breaches('GET', '/api/v1/check', answer), []);
	return answer;
}

const itemOf = (data, wanted) => data.items.find(({ name }) => name === wanted);
const codesOf = (item) => item.findings.map(({ code }) => code);

describe('a check', () => {
	test('of a domain in order, in any spelling, finds nothing wrong and needs no token', async () => {
		for (const name of ['right.example', 'Right.EXAMPLE.']) {
			const { data } = (await check(name)).json();
			assert.equal(data.domain, 'right.example');
			assert.equal(data.state, 'ok', JSON.stringify(data.items.filter(({ state }) => state !== 'ok')));
			assert.equal(itemOf(data, 'dane').record, `_25._tcp.mx.right.example 3 1 1 ${'ab'.repeat(32)}`);
			assert.equal(itemOf(data, 'caa').record, 'right.example CAA 0 issue "letsencrypt.org"');
			assert.deepEqual(itemOf(data, 'mx').details.exchanges, [
				{ host: 'mx.right.example', preference: 10, alias: false, addresses: ['192.0.2.25'] }]);
		}
	});

	test('shows errors first, with the records to publish', async () => {
		const { data } = (await check('wrong.example')).json();
		const ranks = data.items.map(({ state }) => ['error', 'warning', 'unknown', 'ok'].indexOf(state));
		assert.deepEqual(ranks, [...ranks].sort((a, b) => a - b));
		assert.equal(data.state, 'error');
		assert.deepEqual(codesOf(itemOf(data, 'mx')).sort(), ['mx-alias', 'mx-unresolvable']);
		assert.deepEqual(codesOf(itemOf(data, 'spf')).sort(), ['spf-neutral-all', 'spf-void-lookup']);
		assert.deepEqual(itemOf(data, 'spf').findings.find(({ code }) => code === 'spf-neutral-all').record, {
			name: 'wrong.example', type: 'TXT', change: 'change',
			old: 'v=spf1 include:_spf.wrong.example a:gone.wrong.example ?all',
			value: 'v=spf1 include:_spf.wrong.example a:gone.wrong.example ~all',
		});
		assert.equal(itemOf(data, 'spf').details.lookups, 2);
		assert.deepEqual(codesOf(itemOf(data, 'dmarc')).sort(), ['dmarc-destination-unauthorized', 'dmarc-policy-none']);
		assert.deepEqual(codesOf(itemOf(data, 'dane')).sort(), ['dane-partial', 'dane-unsigned-unknown', 'dane-unusable']);
		assert.deepEqual(codesOf(itemOf(data, 'tls-rpt')), ['tlsrpt-missing']);
		assert.deepEqual(codesOf(itemOf(data, 'caa')), ['caa-forbids']);
		// the state is no error, because the policy host may be elsewhere, with certificates of
		// another authority
		assert.equal(itemOf(data, 'caa').state, 'ok');
	});

	test('of a domain that does not exist says only so', async () => {
		const { data } = (await check('nowhere.invalid')).json();
		assert.deepEqual(codesOf(data.items[0]), ['domain-missing']);
		assert.ok(data.items.slice(1).every(({ state, findings }) => state === 'unknown' && findings.length === 0));
	});

	test('of text that is not a domain is refused', async () => {
		for (const name of ['', 'example', '192.0.2.1', '_dmarc.example.com', 'a b.example', `${'a.'.repeat(130)}example`]) {
			const answer = await check(name);
			assert.equal(answer.status, 400, name);
			assert.equal(answer.json().code, 'name-invalid');
		}
	});
});

for (const how of ['mouse', 'keyboard'])
	describe(`by ${how}`, () => {
		test('a domain is entered, and a record to publish is copied', () => walk(world, how, async (page, hands) => {
			await hands.use('link', 'Domain check');
			await hands.type('textbox', 'Domain', ' https://wrong.example/index.html ');
			await hands.use('button', 'Check');
			await page.getByRole('heading', { name: '3 things are wrong with wrong.example' }).waitFor();
			assert.match(page.url(), /#\/check\/wrong\.example$/);
			await hands.use('button', /^Copy the value of the TXT record at wrong\.example/);
			await page.getByText('Copied').first().waitFor();
			assert.equal(await page.evaluate(() => navigator.clipboard.readText()),
				'v=spf1 include:_spf.wrong.example a:gone.wrong.example ~all');
			const card = page.locator('.actions-to-take .record').filter({ hasText: '~all' });
			assert.equal(await card.locator('mark').innerText(), '~');
			assert.match(await card.innerText(), /Publish this value instead of the present one/);
			assert.equal(await page.evaluate(() => window.harmed), undefined);
		}));
	});

describe('the page of a check', () => {
	test('can be linked to, and says when everything is in order', () => walk(world, 'mouse', async (page) => {
		await page.getByRole('heading', { name: 'right.example is in order' }).waitFor();
		assert.match(await page.title(), /^right\.example.* · eds$/);
		await page.getByText('Nothing.').waitFor();
	}, { at: '#/check/right.example' }));

	test('shows beside the input that it is not a domain', () => walk(world, 'mouse', async (page, hands) => {
		await hands.type('textbox', 'Domain', 'nonsense');
		await hands.use('button', 'Check');
		await page.getByText('Enter a domain like example.com.').waitFor();
		assert.equal(await page.getByRole('textbox', { name: 'Domain' }).inputValue(), 'nonsense');
	}, { at: '#/check' }));

	test('takes an address or an international name for its domain', () => walk(world, 'mouse', async (page, hands) => {
		await hands.type('textbox', 'Domain', 'somebody@right.example');
		await hands.use('button', 'Check');
		await page.getByRole('heading', { name: 'right.example is in order' }).waitFor();
		await hands.type('textbox', 'Domain', 'bücher.invalid');
		await hands.use('button', 'Check');
		await page.getByText('xn--bcher-kva.invalid does not exist in DNS.').first().waitFor();
	}, { at: '#/check' }));
});

describe('a domain of an account', () => {
	let domain;
	const call = (method, path, body) => request(`${world.runner.baseUrl}/api/v1${path}`, { method,
		body: body && JSON.stringify(body),
		headers: { authorization: `Bearer ${tokenOf(world.runner)}`, ...(body ? { 'content-type': 'application/json' } : {}) } });
	before(async () => { domain = (await call('POST', '/domains', { name: 'right.example' })).json().data; });

	test('gets its published records back with the report address added, and nothing weakened', async () => {
		const answer = await call('POST', `/domains/${domain.id}/posture/check`);
		assert.deepEqual(breaches('POST', `/api/v1/domains/${domain.id}/posture/check`, answer), []);
		assert.deepEqual(answer.json().data.records, [
			{ purpose: 'dmarc-reports', name: '_dmarc.right.example', type: 'TXT', change: 'change',
				value: `v=DMARC1; p=reject; rua=mailto:d@right.example,mailto:${domain.reportAddress}`,
				old: 'v=DMARC1; p=reject; rua=mailto:d@right.example' },
			{ purpose: 'tls-reports', name: '_smtp._tls.right.example', type: 'TXT', change: 'change',
				value: `v=TLSRPTv1; rua=mailto:t@right.example,mailto:${domain.reportAddress}`,
				old: 'v=TLSRPTv1; rua=mailto:t@right.example' },
		]);
	});

	test('shows on its overview the records in DNS, and the record to publish keeps p=reject', () => walk(world, 'mouse', async (page, hands) => {
		await logIn(page, hands, tokenOf(world.runner));
		await page.getByRole('heading', { name: 'right.example works; 2 things could be better' }).waitFor();
		assert.equal(await page.getByText('p=none').count(), 0);
		await hands.use('button', 'Copy the value of the TXT record at _dmarc.right.example');
		await page.getByText('Copied').first().waitFor();
		assert.equal(await page.evaluate(() => navigator.clipboard.readText()),
			`v=DMARC1; p=reject; rua=mailto:d@right.example,mailto:${domain.reportAddress}`);
		await page.getByText('DNS records for receiving reports').click();
		await page.locator('details[open] .record').first().waitFor();
	}, { at: `#/domains/${domain.id}` }));

	test('that publishes the proposed records is shown as receiving reports', async () => {
		await world.publish([...IN_ORDER.filter((record) => !/^(_dmarc|_smtp)/.test(record)), ...IN_DISORDER,
			txtRecord('_dmarc.right.example', `v=DMARC1; p=reject; rua=mailto:${domain.reportAddress}`),
			txtRecord('_smtp._tls.right.example', `v=TLSRPTv1; rua=mailto:${domain.reportAddress}`),
			txtRecord(`right.example._report._dmarc.${domain.reportAddress.split('@')[1]}`, 'v=DMARC1;')]);
		const { data } = (await call('POST', `/domains/${domain.id}/posture/check`)).json();
		assert.deepEqual(data.records.map(({ change }) => change), ['ok', 'ok']);
		assert.equal(data.state, 'ok', JSON.stringify(data.items.filter(({ state }) => state !== 'ok')));
	});
});
