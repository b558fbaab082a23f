// DKIM selectors of a domain: registered over HTTP, and rechecked by the scheduled function while
// DNS changes, by several processes, some of which are killed.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';

import { request } from './support/api.mjs';
import { startDns } from './support/dns.mjs';
import { functionsWithoutSchedule } from './support/functions.mjs';
import { newKey } from './support/mail.mjs';
import { txt } from './support/nsd.mjs';
import { BUILD, startRunner, until } from './support/runner.mjs';
import { admin, environment, sql as runSql } from './support/store.mjs';

const LEASE_MS = 120000;
const WAIT_MS = 30000;
const MANY = 5000; // more selectors than one batch takes

const SOA = 'example.com SOA 900 ns.example.com h.example.com 1 3600 600 86400 60';
const key = newKey();
const nextKey = newKey('ed25519');
const wildKey = newKey();

let dns;
let runner;
let functions;
let headers;
let domainId;

const record = (selector, text) => `${selector}._domainkey.example.com TXT 300 ${txt(text)}`;
const publish = (...lines) => dns.publish([SOA, ...lines]);

const sql = (text) => runSql(runner, text);

// Runs the scheduled function as a separate process: { child, answer }, a promise of its answer.
function startRecheck() {
	const child = spawn(join(BUILD, 'functions/dkim-recheck'), [],
		{ cwd: runner.folder, env: environment(runner, { EDS_DNS_SERVERS: dns.address, EDS_TIMEOUT_MS: '60000' }), stdio: ['pipe', 'pipe', 'inherit'] });
	let output = '';
	const ended = new Promise((done) => child.once('close', (code, signal) => done({ code, signal })));
	child.stdout.setEncoding('utf8').on('data', (data) => (output += data));
	child.stdin.end(JSON.stringify({ version: '0', id: 'recheck', 'detail-type': 'Scheduled Event',
		source: 'aws.events', time: new Date().toISOString(), resources: [], detail: {} }));
	const answer = async () => {
		assert.deepEqual(await ended, { code: 0, signal: null }, output);
		return JSON.parse(output);
	};
	return { child, ended, answer };
}

// The same digest as `openssl pkey -pubin -outform DER | sha256sum`.
const hashOf = ({ record: text }) =>
	createHash('sha256').update(Buffer.from(text.match(/p=([^;]+)/)[1], 'base64')).digest('hex');

const recheck = () => startRecheck().answer();
const makeDue = () => sql('UPDATE dkim_selectors SET leased_until_ms = 0, due_at_ms = 1');

async function call(method, path, body) {
	const response = await request(`${runner.baseUrl}/api/v1/domains${path}`, {
		method,
		headers: { ...headers, ...(body ? { 'content-type': 'application/json' } : {}) },
		body: body && JSON.stringify(body),
	});
	return { status: response.status, ...response.json() };
}

const selectors = (method, path = '', body) => call(method, `/${domainId}/dkim/selectors${path}`, body);
const register = (selector) => selectors('POST', '', { selector });
const codes = (findings) => findings.map((finding) => finding.code);
const listed = async (name) =>
	(await selectors('GET')).data.find((entry) => entry.selector === name);

async function forgetAll() {
	for (const { selector } of (await selectors('GET')).data)
		assert.equal((await selectors('DELETE', `/${selector}`)).status, 200);
}

before(async () => {
	dns = await startDns([SOA]);
	functions = functionsWithoutSchedule();
	runner = await startRunner({ functions, env: { EDS_DNS_SERVERS: dns.address } });
	admin(runner, { action: 'create-account', name: 'selectors', plan: 'free' });
	const { token } = admin(runner, { action: 'create-token', account: 'selectors', name: 'test', expiresAt: null });
	headers = { authorization: `Bearer ${token}` };
	domainId = (await call('POST', '', { name: 'example.com' })).data.id;
});

after(async () => {
	await runner?.stop();
	await dns?.stop();
	if (functions) rmSync(functions, { recursive: true });
});

describe('the rotation of a key', () => {
	test('is registered before it is published, and says what is missing', async () => {
		const { status, data } = await register('S1');
		assert.equal(status, 201);
		assert.deepEqual({ ...data, errors: codes(data.errors) },
			{ selector: 'S1', valid: false, keyType: null, keySize: null, errors: ['key-missing'], warnings: [] });
	});

	test('becomes valid by itself once the key is published', async () => {
		publish(record('s1', key.record));
		makeDue();
		assert.deepEqual(await recheck(), { checked: 1, changed: 1, failed: 0 });
		const entry = await listed('S1');
		assert.equal(entry.valid, true);
		assert.equal(entry.keyType, 'rsa');
		assert.equal(entry.keySize, 2048);
		assert.deepEqual(entry.errors, []);
		assert.equal(entry.addedManually, true);
		assert.equal(entry.state, 'unused');
		assert.ok(Math.abs(Date.now() - Date.parse(entry.checkedAt)) < WAIT_MS);
		assert.equal(entry.evidence.record, key.record);
		assert.equal(entry.evidence.keyHash, hashOf(key));
		assert.ok(Math.abs(Date.now() - Date.parse(entry.evidence.keySince)) < WAIT_MS);
		assert.equal(entry.evidence.keyAgeDays, 0);
	});

	test('stays valid while DNS fails, and is checked again within a minute', async () => {
		publish('s1._domainkey.example.com !servfail');
		makeDue();
		assert.deepEqual(await recheck(), { checked: 0, changed: 0, failed: 1 });
		assert.equal((await listed('S1')).valid, true);
		const due = Number(sql('SELECT due_at_ms FROM dkim_selectors')) - Date.now();
		assert.ok(due <= 60000, `due in ${due} ms`);
	});

	test('costs no writes while it stays unchanged', async () => {
		publish(record('s1', key.record));
		makeDue();
		assert.deepEqual(await recheck(), { checked: 1, changed: 0, failed: 0 });
		assert.deepEqual(dns.queries(), ['s1._domainkey.example.com TXT']);
		assert.deepEqual(await recheck(), { checked: 0, changed: 0, failed: 0 });
	});

	test('shows the next key beside the first', async () => {
		publish(record('s1', key.record), record('s2', nextKey.record));
		const { status, data } = await register('s2');
		assert.equal(status, 201);
		assert.deepEqual(data, { selector: 's2', valid: true, keyType: 'ed25519', keySize: 256, errors: [], warnings: [] });
	});

	test('is invalid with the reason once the key is revoked', async () => {
		publish(record('s1', 'v=DKIM1; p='), record('s2', nextKey.record));
		makeDue();
		assert.deepEqual(await recheck(), { checked: 2, changed: 1, failed: 0 });
		const entry = await listed('S1');
		assert.equal(entry.valid, false);
		assert.equal(entry.state, 'revoked');
		assert.deepEqual(codes(entry.errors), ['key-revoked']);
		assert.equal((await listed('s2')).valid, true);
	});

	test('is checked on demand, and a dangling alias has another error than a missing name', async () => {
		publish('s1._domainkey.example.com CNAME 300 gone.provider.test');
		const { status, data } = await selectors('POST', '/s1/check');
		assert.equal(status, 200);
		assert.equal(data.selector, 'S1');
		assert.deepEqual(codes(data.errors), ['key-cname-dangling']);
		assert.equal(data.evidence.cname, 'gone.provider.test');
	});

	test('is listed in its history, newest first', async () => {
		const { status, data } = await selectors('GET', '/S1/history');
		assert.equal(status, 200);
		assert.deepEqual(data.map((change) => codes(change.errors)[0] ?? 'valid'),
			['key-cname-dangling', 'key-revoked', 'valid', 'key-missing']);
		assert.deepEqual(data.map((change) => change.valid), [false, false, true, false]);
	});

	test('ends with the deletion of the old selector and its history', async () => {
		assert.deepEqual(await selectors('DELETE', '/s1'), { status: 200, data: { selector: 'S1', deleted: true } });
		assert.equal((await selectors('GET', '/s1/history')).status, 404);
		assert.equal((await selectors('DELETE', '/s1')).status, 404);
		assert.deepEqual((await selectors('GET')).data.map((entry) => entry.selector), ['s2']);
		assert.equal((await register('s1')).status, 201);
		assert.equal((await selectors('GET', '/s1/history')).data.length, 1);
	});
});

describe('a key that is replaced by one of the same size', () => {
	const other = newKey();
	const made = async () => (await selectors('GET', '/same/history')).data.map(({ keyHash, keyChanged }) => [keyHash, keyChanged]);

	before(async () => {
		await forgetAll();
		publish(record('same', key.record));
		assert.equal((await register('same')).status, 201);
	});

	// The row is made to look as an earlier release left it, without the key.
	test('is recorded by a recheck where an earlier release had not stored it, without a change', async () => {
		sql("UPDATE dkim_selectors SET key_digest = 0, record = NULL, key_hash = NULL, key_since_ms = 0, record_digest = 0, leased_until_ms = 0, due_at_ms = 1");
		sql('UPDATE dkim_selectors SET changed_at_ms = 1700000000000');
		assert.equal((await listed('same')).evidence.record, null);
		assert.deepEqual(await recheck(), { checked: 1, changed: 0, failed: 0 });
		const { evidence, warnings } = await listed('same');
		assert.deepEqual([evidence.record, evidence.keyHash, evidence.keySince],
			[key.record, hashOf(key), '2023-11-14T22:13:20Z']);
		assert.deepEqual(codes(warnings), ['key-old']);
		assert.equal((await made()).length, 1);
		makeDue();
		assert.deepEqual(await recheck(), { checked: 1, changed: 0, failed: 0 });
	});

	test('keeps its age when it comes back after an absence', async () => {
		publish(record('same', 'v=DKIM1; p='));
		makeDue();
		await recheck();
		assert.deepEqual((({ keyHash, keySince }) => [keyHash, keySince])((await listed('same')).evidence), [null, null]);
		publish(record('same', key.record));
		makeDue();
		await recheck();
		assert.equal((await listed('same')).evidence.keySince, '2023-11-14T22:13:20Z');
		assert.deepEqual(await made(), [[hashOf(key), false], [null, false], [hashOf(key), false]]);
	});

	test('is listed in the history, with a new age', async () => {
		publish(record('same', other.record));
		makeDue();
		assert.deepEqual(await recheck(), { checked: 1, changed: 1, failed: 0 });
		assert.deepEqual((await made())[0], [hashOf(other), true]);
		const { evidence, warnings } = await listed('same');
		assert.deepEqual([evidence.keyAgeDays, codes(warnings)], [0, []]);
	});
});

describe('a wildcard', () => {
	const wildId = async () => (await call('GET', '')).data.find(({ name }) => name === 'wild.test').id;
	const checks = async (id) => (await call('GET', `/${id}/dkim/selectors`)).data
		.map(({ selector, valid, warnings }) => [selector, valid, ...codes(warnings)]);

	before(async () => {
		await forgetAll();
		publish('wild.test SOA 900 ns.wild.test h.wild.test 1 3600 600 86400 60');
		const wild = (await call('POST', '', { name: 'wild.test' })).data.id;
		for (const selector of ['s1', 's2', 's3']) {
			assert.equal((await register(selector)).status, 201);
			assert.equal((await call('POST', `/${wild}/dkim/selectors`, { selector })).status, 201);
		}
	});

	after(async () => assert.equal((await call('DELETE', `/${await wildId()}`)).status, 200));

	for (const [how, order] of [['side by side', 'domain'], ['in turn with another domain', 'name']])
		test(`gives a warning to each selector of its domain, and to no other, when they are rechecked ${how}`, async () => {
			sql(`UPDATE dkim_selectors SET digest = 0, warnings = '[]', leased_until_ms = 0,
				due_at_ms = (SELECT count(*) FROM dkim_selectors o WHERE o.${order} < dkim_selectors.${order})`);
			publish(record('s1', key.record), record('s2', nextKey.record),
				'wild.test SOA 900 ns.wild.test h.wild.test 1 3600 600 86400 60',
				`*._domainkey.wild.test TXT 300 ${txt(wildKey.record)}`);
			assert.deepEqual(await recheck(), { checked: 6, changed: 6, failed: 0 });
			assert.deepEqual(await checks(domainId), [['s1', true], ['s2', true], ['s3', false]]);
			assert.deepEqual(await checks(await wildId()),
				['s1', 's2', 's3'].map((selector) => [selector, true, 'key-wildcard']));
		});
});

describe('many at once', () => {
	before(forgetAll);

	test('one of several registrations of a selector gives 201, the others 409', async () => {
		for (let round = 0; round < 8; round++) {
			const names = [`race-${round}`, `RACE-${round}`, `Race-${round}`];
			const answers = await Promise.all(names.map((name) => register(name)));
			assert.deepEqual(answers.map(({ status }) => status).sort(), [201, 409, 409]);
		}
		assert.equal((await selectors('GET')).data.length, 8);
	});

	test('a selector deleted during its check stays deleted', async () => {
		await forgetAll();
		publish('s1._domainkey.example.com !delay=1000');
		const { status } = await register('s1');
		assert.equal(status, 201);
		makeDue();
		const asked = dns.queries().length;
		const running = startRecheck();
		await until(() => dns.queries().length > asked, WAIT_MS);
		assert.equal((await selectors('DELETE', '/s1')).status, 200);
		await running.answer();
		assert.deepEqual((await selectors('GET')).data, []);
	});

	test('processes share the due selectors, and each is checked once', async () => {
		await forgetAll();
		publish();
		sql('WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ' + MANY + ')' +
			' INSERT INTO dkim_selectors (domain_id, name, shown, domain, manual, created_at_ms, due_at_ms,' +
			' checked_at_ms, changed_at_ms, probed_at_ms, digest, wildcard, first_seen_at_ms, last_seen_at_ms,' +
			' pass_count, fail_count, state, key_bits, errors, warnings)' +
			" SELECT d.id, 'x' || n.i, 'x' || n.i, d.name, 1, 1, n.i, 0, 0, 0, 0, 0, 0, 0, 0, 0, 'unknown', 0, '[]', '[]'" +
			' FROM n, domains d');
		const answers = await Promise.all([1, 2, 3].map(() => recheck()));
		assert.equal(answers.reduce((sum, answer) => sum + answer.checked, 0), MANY, JSON.stringify(answers));
		assert.equal(sql("SELECT count(*) FROM dkim_selectors WHERE state = 'invalid' AND checked_at_ms > 1"), String(MANY));
		assert.equal(new Set(dns.queries()).size, MANY);
		assert.equal(dns.queries().length, MANY);
		sql('DELETE FROM dkim_selectors');
	});
});

describe('a recheck that is killed', () => {
	test('leaves its selectors to the next recheck after its lease', async () => {
		await forgetAll();
		publish();
		for (const name of ['a', 'b', 'c']) assert.equal((await register(name)).status, 201);
		publish('* !drop');
		makeDue();
		const killed = startRecheck();
		await until(() => dns.queries().length >= 3, WAIT_MS);
		killed.child.kill('SIGKILL');
		assert.equal((await killed.ended).signal, 'SIGKILL');

		publish();
		assert.deepEqual(await recheck(), { checked: 0, changed: 0, failed: 0 });
		sql(`UPDATE dkim_selectors SET leased_until_ms = leased_until_ms - ${LEASE_MS}`);
		assert.deepEqual(await recheck(), { checked: 3, changed: 0, failed: 0 });
	});
});
