// Long lists of an account with many domains: searched, filtered and in another order, page by page, while
// items are added and removed.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { domainToASCII } from 'node:url';

import { request } from './support/api.mjs';
import { newKey } from './support/mail.mjs';
import { startNsd, txt } from './support/nsd.mjs';
import { aggregate } from './support/reports.mjs';
import { startRunner } from './support/runner.mjs';
import { admin, sql } from './support/store.mjs';

const DAY_S = 86400;
const FAR_MS = 4_000_000_000_000; // a due time so late that no check runs during this story
const STATES = ['ok', 'warning', 'error', 'unknown'];

const key = newKey();
const valid = (name) => `${name}. TXT ${txt(key.record)}`;
const ZONE = [
	...['m3', 'm1', 'z4', 'm7', 'a6'].map((name) => valid(`${name}._domainkey.selectors.example`)), valid('twin._domainkey.twin.example'),
	...['m9', 'm8'].map((name) => `${name}._domainkey.selectors.example. TXT "v=DKIM1; p="`),
];

let dns;
let runner;
let token;

async function call(path, { method = 'GET', body, as = token } = {}) {
	return request(`${runner.baseUrl}/api/v1${path}`, { method, body: body && JSON.stringify(body),
		headers: { authorization: `Bearer ${as}`, ...(body ? { 'content-type': 'application/json' } : {}) } });
}

async function add(name) {
	const answer = await call('/domains', { method: 'POST', body: { name } });
	assert.equal(answer.status, 201, answer.text);
	return answer.json().data;
}

const nextOf = (answer) => /<\/api\/v1([^>]+)>; rel="next"/.exec(answer.headers.link)?.[1];

// Reads all pages and returns their items; between two pages the test may change the list.
async function pages(path, { between = async () => {}, as = token } = {}) {
	const items = [];
	for (let at = path, first = true; at; first = false) {
		if (!first) await between(items);
		const answer = await call(at, { as });
		assert.equal(answer.status, 200, answer.text);
		items.push(...answer.json().data);
		at = nextOf(answer);
	}
	return items;
}

const namesOn = async (...args) => (await pages(...args)).map(({ name }) => name);

async function refused(path, code) {
	const answer = await call(path);
	assert.equal(answer.status, 400, path);
	assert.equal(answer.json().code, code);
	return answer.json().detail;
}

before(async () => {
	dns = await startNsd(ZONE);
	runner = await startRunner({ env: { EDS_DNS_SERVERS: dns.address } });
	admin(runner, { action: 'create-account', name: 'many', plan: 'paid' });
	({ token } = admin(runner, { action: 'create-token', account: 'many', name: 'test', expiresAt: null }));
});
after(async () => {
	await runner?.stop();
	await dns?.stop();
});

describe('many domains', () => {
	// The domains are created in this order, which is not the order of their names.
	const NAMES = [23, 4, 17, 0, 9, 12, 21, 3, 15, 8, 1, 19, 6, 11, 22, 14, 2, 20, 5, 18, 7, 13, 10, 16]
		.map((n) => `${n % 3 === 0 ? 'shop' : 'mail'}-${String(n).padStart(2, '0')}.example`);
	const stateOf = (name) => STATES[Number(name.slice(5, 7)) % 4];
	const sorted = (list) => [...list].sort();
	const ORDERS = {
		'': sorted(NAMES), name: sorted(NAMES), '-name': sorted(NAMES).reverse(),
		createdAt: NAMES, '-createdAt': [...NAMES].reverse(),
	};

	before(async () => {
		for (const name of NAMES) {
			const { id } = await add(name);
			sql(runner, `UPDATE posture SET state = '${stateOf(name)}', checked_at_ms = 1760000000000, changed_at_ms = 1760000000000,` +
				` due_at_ms = ${FAR_MS} WHERE domain_id = '${id}'`);
		}
	});

	for (const [sort, expected] of Object.entries(ORDERS)) {
		const order = sort ? `&sort=${sort}` : '';
		test(`are each listed once in the order "${sort}", page by page`, async () => {
			assert.deepEqual(await namesOn(`/domains?limit=5${order}`), expected);
		});

		test(`in the order "${sort}" can be filtered by state and part of the name`, async () => {
			for (const state of STATES) {
				const wanted = expected.filter((name) => stateOf(name) === state);
				assert.deepEqual(await namesOn(`/domains?limit=2&state=${state}${order}`), wanted);
				assert.deepEqual(await namesOn(`/domains?limit=1&search=ShOp&state=${state}${order}`), wanted.filter((name) => name.startsWith('shop')));
			}
		});

		test(`in the order "${sort}" are neither skipped nor repeated while others come and go`, async () => {
			let made = 0;
			const others = [];
			const between = async (seen) => {
				for (const name of [`aa-${made}.example`, `mail-1${made}-more.example`, `zz-${made}.example`])
					others.push(await add(name));
				made += 1;
				// the last seen domain, which the cursor names, is deleted if the test added it
				const last = others.find(({ name }) => name === seen.at(-1).name);
				for (const gone of last ? [last] : others.slice(0, 1)) {
					assert.equal((await call(`/domains/${gone.id}`, { method: 'DELETE' })).status, 200);
					others.splice(others.indexOf(gone), 1);
				}
			};
			const seen = await namesOn(`/domains?limit=7${order}`, { between });
			assert.deepEqual([...new Set(seen)], seen);
			assert.deepEqual(seen.filter((name) => NAMES.includes(name)), expected);
			for (const { id } of others) await call(`/domains/${id}`, { method: 'DELETE' });
		});
	}

	test('have cursors that lists of another order, search or state refuse', async () => {
		const lists = ['', 'sort=-name', 'sort=createdAt', 'sort=-createdAt', 'search=shop', 'search=mail', 'state=ok',
			'search=shop&state=error', 'search=shop&sort=-name'];
		for (const one of lists) {
			const cursor = /cursor=([^&>]+)/.exec(nextOf(await call(`/domains?limit=1&${one}`)))[1];
			for (const other of lists.filter((each) => each !== one))
				assert.equal(await refused(`/domains?limit=1&${other}&cursor=${cursor}`, 'cursor-invalid'),
					'the cursor belongs to a list in another order or with other filters: start again without a cursor');
		}
	});

	test('have cursors that are refused when somebody has changed them', async () => {
		const cursor = /cursor=([^&>]+)/.exec(nextOf(await call('/domains?limit=1&sort=createdAt')))[1];
		const mark = cursor.split('~')[1];
		for (const place of ['', 'x', '12', '.', 'x.y', "' OR 1=1 --"])
			await refused(`/domains?sort=createdAt&cursor=${encodeURIComponent(`${place}~${mark}`)}`, 'cursor-invalid');
	});

	test('are found with a limited token only among its own domains', async () => {
		const [one, two] = await Promise.all(['shop-00', 'mail-04'].map(async (part) => (await pages(`/domains?search=${part}`))[0].id));
		const answer = await call('/tokens', { method: 'POST', body: { name: 'two', domains: [one, two] } });
		const as = answer.json().data.token;
		assert.deepEqual(await namesOn('/domains?search=shop', { as }), ['shop-00.example']);
		assert.deepEqual(await namesOn('/domains?sort=-name&limit=1', { as }), ['shop-00.example', 'mail-04.example']);
	});

	test('of another account are never found', async () => {
		admin(runner, { action: 'create-account', name: 'other', plan: 'free' });
		const { token: as } = admin(runner, { action: 'create-token', account: 'other', name: 'test', expiresAt: null });
		for (const query of ['search=shop', 'search=shop.ex', 'state=error', 'sort=-createdAt'])
			assert.deepEqual(await namesOn(`/domains?${query}`, { as }), []);
	});
});

describe('names that are not ASCII', () => {
	const WRITTEN = ['bücher-laden.example', 'zürich.example', 'münchen.bücher.example', '例え.example'];
	const IDS = '01900000-0000-7000-8000-';
	const MANY = 2500; // more rows than the service reads at once

	before(async () => {
		for (const name of WRITTEN) await add(name);
	});

	const found = async (search) => (await namesOn(`/domains?search=${encodeURIComponent(search)}`)).sort();
	const ascii = (...names) => names.map((name) => domainToASCII(name)).sort();

	test('are found by a part of the Unicode name, in any case', async () => {
		assert.deepEqual(await found('büch'), ascii('bücher-laden.example', 'münchen.bücher.example'));
		assert.deepEqual(await found('BÜCHER.EX'), ascii('münchen.bücher.example'));
		assert.deepEqual(await found('bu\u0308cher-'), ascii('bücher-laden.example'));
		assert.deepEqual(await found('え'), ascii('例え.example'));
		assert.deepEqual(await found('.bü'), ascii('münchen.bücher.example'));
		assert.deepEqual(await found('rich.example'), ascii('zürich.example'));
		assert.deepEqual(await found('öö'), []);
	});

	test('are found by a part of the name in DNS', async () => {
		assert.deepEqual(await found('XN--BCHER'), ascii('bücher-laden.example', 'münchen.bücher.example'));
	});

	test('are found among thousands that do not match, in full pages', async () => {
		const account = sql(runner, "SELECT id FROM accounts WHERE name = 'many'");
		const rows = Array.from({ length: MANY }, (_, i) => domainToASCII(`ä${i}.example`))
			.map((name, i) => `('${IDS}${String(i).padStart(12, '0')}', '${account}', '${name}', ${1_700_000_000_000 + i})`);
		while (rows.length > 0)
			sql(runner, `INSERT INTO domains (id, account_id, name, created_at_ms) VALUES ${rows.splice(0, 500).join(', ')}`);
		try {
			for (const sort of ['name', '-name', 'createdAt', '-createdAt']) {
				const answer = await call(`/domains?search=${encodeURIComponent('büch')}&limit=2&sort=${sort}`);
				assert.equal(answer.json().data.length, 2, sort);
				assert.equal(nextOf(answer), undefined);
			}
			const all = await namesOn(`/domains?search=${encodeURIComponent('ä1')}&limit=300`);
			// the numbers that begin with 1: 1, 10 to 19, 100 to 199, 1000 to 1999
			assert.equal(all.length, 1 + 10 + 100 + 1000);
		} finally {
			sql(runner, `DELETE FROM domains WHERE id LIKE '${IDS}%'`);
		}
	});
});

describe('many selectors of a domain', () => {
	const NAMES = ['m3', 'M1', 'm9', 'a5', 'm2', 'Z4', 'm7', 'a6', 'm8'];
	const STATES = { m3: 'active', M1: 'unused', m9: 'revoked', a5: 'invalid', m2: 'unknown', Z4: 'active', m7: 'unused', a6: 'active', m8: 'revoked' };
	const byName = [...NAMES].sort((a, b) => (a.toLowerCase() < b.toLowerCase() ? -1 : 1));
	const ORDERS = { '': byName, selector: byName, '-selector': [...byName].reverse(), createdAt: NAMES, '-createdAt': [...NAMES].reverse() };
	let list;
	let id;

	const selectorsOn = async (...args) => (await pages(...args)).map(({ selector }) => selector);
	const register = (name) => call(list, { method: 'POST', body: { selector: name } });

	before(async () => {
		({ id } = await add('selectors.example'));
		list = `/domains/${id}/dkim/selectors`;
		for (const name of NAMES) {
			assert.equal((await register(name)).status, 201);
			sql(runner, `UPDATE dkim_selectors SET due_at_ms = ${FAR_MS}, last_seen_at_ms = ${STATES[name] === 'active' ? Date.now() : 1}` +
				`${STATES[name] === 'unknown' ? ", state = 'unknown'" : ''} WHERE domain_id = '${id}' AND shown = '${name}'`);
		}
		const twin = await add('twin.example');
		assert.equal((await call(`/domains/${twin.id}/dkim/selectors`, { method: 'POST', body: { selector: 'twin' } })).status, 201);
	});

	for (const [sort, expected] of Object.entries(ORDERS)) {
		const order = sort ? `&sort=${sort}` : '';
		test(`are each listed once in the order "${sort}", and can be filtered by state and part of the name`, async () => {
			assert.deepEqual(await selectorsOn(`${list}?limit=2${order}`), expected);
			for (const state of ['active', 'unused', 'revoked', 'invalid', 'unknown']) {
				const shown = await pages(`${list}?limit=1&state=${state}${order}`);
				assert.deepEqual(shown.map(({ selector }) => selector), expected.filter((name) => STATES[name] === state));
				assert.ok(shown.every((one) => one.state === state));
				assert.deepEqual(await selectorsOn(`${list}?limit=1&search=M&state=${state}${order}`),
					expected.filter((name) => STATES[name] === state && /m/i.test(name)));
			}
		});

		test(`in the order "${sort}" are neither skipped nor repeated while others come and go`, async () => {
			let made = 0;
			const between = async (seen) => {
				for (const name of [`a0-${made}`, `m5-${made}`, `zz-${made}`]) assert.equal((await register(name)).status, 201);
				const gone = NAMES.includes(seen.at(-1).selector) ? `a0-${made}` : seen.at(-1).selector;
				assert.equal((await call(`${list}/${gone}`, { method: 'DELETE' })).status, 200);
				made += 1;
			};
			const seen = await selectorsOn(`${list}?limit=4${order}`, { between });
			assert.deepEqual([...new Set(seen)], seen);
			assert.deepEqual(seen.filter((name) => NAMES.includes(name)), expected);
			for (const name of await selectorsOn(list)) if (!NAMES.includes(name)) await call(`${list}/${name}`, { method: 'DELETE' });
		});

		test(`in the order "${sort}" show on each page a key that another domain publishes too`, async () => {
			const shown = await pages(`${list}?limit=2${order}`);
			const warned = shown.filter(({ warnings }) => warnings.some(({ code }) => code === 'key-shared')).map(({ selector }) => selector);
			assert.deepEqual(warned.sort(), ['M1', 'Z4', 'a6', 'm3', 'm7']);
		});
	}

	test('have cursors that lists of another order, search or state refuse', async () => {
		const lists = ['', 'sort=-selector', 'sort=createdAt', 'search=m', 'state=active'];
		for (const one of lists) {
			const cursor = /cursor=([^&>]+)/.exec(nextOf(await call(`${list}?limit=1&${one}`)))[1];
			for (const other of lists.filter((each) => each !== one))
				await refused(`${list}?limit=1&${other}&cursor=${cursor}`, 'cursor-invalid');
		}
	});
});

describe('many reports about a domain', () => {
	const TODAY = Math.floor(Date.now() / 1000 / DAY_S);
	const REPORTERS = ['one.example', 'two.example'];
	const RECORDS = {
		passed: { dkim: 'pass', spf: 'pass' }, failed: { dkim: 'fail', spf: 'fail' },
		forwarded: { dkim: 'pass', spf: 'fail', spfDomain: 'forwarder.example', spfResult: 'pass' },
	};
	// Each reporter sends one report for each of six days; the list has them in the order of their arrival.
	const REPORTS = [6, 5, 4, 3, 2, 1].flatMap((ago) => REPORTERS.map((reporter, which) => ({ ago, reporter, id: `r${ago}-${which}`,
		results: which === 0 ? ['passed'] : ago % 2 === 0 ? ['passed', 'failed'] : ['forwarded'] })));
	const day = (ago) => new Date((TODAY - ago) * DAY_S * 1000).toISOString().slice(0, 10);
	let list;
	let domain;

	const bring = ({ ago, reporter, id, results }) => request(`${runner.baseUrl}/api/v1${list}`, { method: 'POST',
		headers: { authorization: `Bearer ${token}`, 'content-type': 'text/xml' },
		body: aggregate({ id, email: `dmarc@${reporter}`, domain: domain.name, begin: (TODAY - ago) * DAY_S, end: (TODAY - ago + 1) * DAY_S - 1,
			records: results.map((result) => ({ ...RECORDS[result], signatures: [{ domain: domain.name, selector: 's1' }] })) }) });

	before(async () => {
		domain = await add('reported.example');
		list = `/domains/${domain.id}/reports`;
		for (const report of REPORTS) {
			const answer = await bring(report);
			assert.equal(answer.json().data[0].outcome, 'accepted', answer.text);
		}
	});

	const idsOn = async (...args) => (await pages(...args)).map(({ externalId }) => externalId);
	const those = (wanted) => REPORTS.filter(wanted).map(({ id }) => id).reverse();

	test('can be filtered by reporter, in any case', async () => {
		for (const reporter of REPORTERS)
			assert.deepEqual(await idsOn(`${list}?limit=2&reporter=${reporter.toUpperCase()}`), those((one) => one.reporter === reporter));
		assert.deepEqual(await idsOn(`${list}?reporter=nobody.example`), []);
	});

	test('can be filtered by days, the first and last included', async () => {
		assert.deepEqual(await idsOn(`${list}?limit=3&from=${day(4)}&to=${day(2)}`), those(({ ago }) => ago >= 2 && ago <= 4));
		assert.deepEqual(await idsOn(`${list}?from=${day(2)}`), those(({ ago }) => ago <= 2));
		assert.deepEqual(await idsOn(`${list}?to=${day(5)}`), those(({ ago }) => ago >= 5));
		assert.deepEqual(await idsOn(`${list}?from=${day(2)}&to=${day(3)}`), []);
	});

	test('can be filtered by messages that passed, were forwarded or failed', async () => {
		for (const result of Object.keys(RECORDS))
			assert.deepEqual(await idsOn(`${list}?limit=1&result=${result}`), those(({ results }) => results.includes(result)), result);
		assert.deepEqual(await idsOn(`${list}?result=failed&reporter=two.example&from=${day(4)}`), ['r2-1', 'r4-1']);
	});

	test('are neither skipped nor repeated while others come', async () => {
		let made = 0;
		const between = () => bring({ ago: 1, reporter: 'two.example', id: `more-${made++}`, results: ['failed'] });
		assert.deepEqual(await idsOn(`${list}?limit=1&result=failed`, { between }), ['r2-1', 'r4-1', 'r6-1']);
	});

	test('are refused with an impossible filter', async () => {
		assert.equal(await refused(`${list}?from=yesterday`, 'day-invalid'), 'from= and to= must be days as in 2026-01-31');
		assert.equal(await refused(`${list}?result=ok`, 'result-invalid'), 'result= must be one of passed, forwarded and failed');
		const cursor = /cursor=([^&>]+)/.exec(nextOf(await call(`${list}?limit=1&result=passed`)))[1];
		for (const other of ['', 'result=forwarded', `from=${day(3)}`, 'reporter=one.example', 'result=passed&reporter=one.example'])
			await refused(`${list}?limit=1&${other}&cursor=${cursor}`, 'cursor-invalid');
	});
});
