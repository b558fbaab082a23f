// The result of a test is delivered to the receiver that its creator has named: signed, once,
// repeated after failures, and never to a forbidden address.
import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { once } from 'node:events';
import { spawn } from 'node:child_process';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, beforeEach, describe, test } from 'node:test';

import { makeAuthority } from '../support/authority.mjs';
import { request } from './support/api.mjs';
import { startDns } from './support/dns.mjs';
import { functionsWithoutSchedule } from './support/functions.mjs';
import { startReceivers } from './support/receivers.mjs';
import { BUILD, startRunner, until } from './support/runner.mjs';
import { admin, environment, sql } from './support/store.mjs';
import { getSession, untilCompleted } from './support/tester.mjs';

const MINUTE_MS = 60000;
const DAY_MS = 24 * 3600 * 1000;
const LEASE_MS = 90000;
const SLACK_MS = 20000; // extra time for a loaded machine
const INSTANCES = 8;
const MESSAGE = 'From: a@sender.example\r\nTo: b@x.example\r\nSubject: hello\r\n\r\nHello.\r\n';
const EVENT = JSON.stringify({ version: '0', id: 'due', 'detail-type': 'Scheduled Event', source: 'aws.events',
	time: '2026-01-31T23:59:00Z', resources: [], detail: {} });

describe('the result of a test', () => {
	let authority;
	let dns;
	let functions;
	let receivers;
	let runner;
	let settings;
	let token;
	let names = 0;

	// Adds a receiver of webhooks with a host name of its own.
	const receiver = (...behavior) => receivers.add(`r${++names}.example`, ...behavior);

	const post = (body, authorization = `Bearer ${token}`) => request(`${runner.baseUrl}/api/inbound-tester/sessions`, {
		method: 'POST',
		headers: { 'content-type': 'application/json', ...(authorization ? { authorization } : {}) },
		body: JSON.stringify(body),
	});
	const make = async (url, more = {}) => {
		const answer = await post({ callbackUrl: url, ...more });
		assert.equal(answer.status, 201, answer.text);
		return answer.json();
	};
	const handIn = async ({ testId }, message = MESSAGE) => {
		const answer = await request(`${runner.baseUrl}/api/inbound-tester/sessions/${testId}/message`,
			{ method: 'POST', headers: { 'content-type': 'message/rfc822' }, body: message });
		assert.equal(answer.status, 202, answer.text);
		return untilCompleted(runner, testId);
	};
	const completedFor = async (url, more) => {
		const session = await make(url, more);
		await handIn(session);
		return session;
	};
	const callbackOf = async ({ testId }) => (await getSession(runner, testId)).callback;
	const makeDue = () => sql(runner, 'UPDATE outbox SET due_at_ms = 1 WHERE due_at_ms > 0');

	// Adds count copies of the only row of the outbox, all due, which belong to this many accounts in turn.
	const multiply = (count, accounts) => sql(runner, `WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${count})
		INSERT INTO outbox (id, origin, event, account_id, url, secret, body, created_at_ms, until_ms, forget_at_ms, due_at_ms)
		SELECT 'more' || i, 'more', 'event' || i, ${accounts > 1 ? `account_id || (i % ${accounts})` : 'account_id'}, url, secret, body, created_at_ms, until_ms, forget_at_ms, 1
		FROM outbox, n`);

	const startDeliver = (more = {}) => {
		const child = spawn(join(BUILD, 'functions/webhooks-deliver'), [], {
			cwd: runner.folder, stdio: ['pipe', 'pipe', 'inherit'],
			env: environment(runner, { ...settings, EDS_TIMEOUT_MS: '60000', ...more }) });
		let output = '';
		child.stdout.setEncoding('utf8').on('data', (data) => (output += data));
		child.stdin.end(EVENT);
		return { child, answer: once(child, 'close').then(() => (output === '' ? undefined : JSON.parse(output))) };
	};
	const deliver = (more) => startDeliver(more).answer;

	before(async () => {
		authority = makeAuthority();
		receivers = await startReceivers(authority);
		dns = await startDns(['example SOA 900 ns.example h.example 1 3600 600 86400 60', '*.example A 60 127.0.0.1',
			'dead.example A 60 127.0.0.99', 'nowhere.example TXT 60 "no address"', 'servfail.example !servfail',
			'metadata.example A 60 169.254.169.254']);
		settings = { EDS_DNS_SERVERS: dns.address, EDS_CA_FILE: authority.file, EDS_ALLOW_PRIVATE_ADDRESSES: '1',
			EDS_WEBHOOK_PORT: String(receivers.port), EDS_TESTER_SESSIONS_PER_HOUR: '0', EDS_QUOTA_PAID: 'callbacks=0' };
		functions = functionsWithoutSchedule();
		runner = await startRunner({ functions, env: settings });
		admin(runner, { action: 'create-account', name: 'owner', plan: 'paid' });
		({ token } = admin(runner, { action: 'create-token', account: 'owner', name: 'test', expiresAt: null }));
	});
	after(async () => {
		await runner?.stop();
		await dns?.stop();
		await receivers?.stop();
		authority?.remove();
		if (functions) rmSync(functions, { recursive: true });
	});
	beforeEach(() => sql(runner, 'DELETE FROM outbox'));

	test('is delivered as GET shows it, with a signature that the receiver can verify', async () => {
		const { name, got } = receiver();
		const session = await make(`https://${name}/hooks/mail?job=17`);
		const { secret, ...pending } = session.callback;
		assert.deepEqual(pending, { host: name, state: 'pending', deliveryId: null, tries: 0, lastTriedAt: null,
			nextTryAt: null, status: null, reason: null });
		assert.deepEqual(await deliver(), { delivered: 0, failed: 0, postponed: 0 });
		assert.equal((await handIn(session)).callback.state, 'waiting');
		assert.deepEqual(await deliver(), { delivered: 1, failed: 0, postponed: 0 });

		const [{ method, path, headers, body }] = got;
		assert.deepEqual([method, path, got.length], ['POST', '/hooks/mail?job=17', 1]);
		assert.equal(headers['content-type'], 'application/json');
		const { callback, ...shown } = await getSession(runner, session.testId);
		assert.deepEqual(JSON.parse(body), shown);
		assert.deepEqual(callback, { host: name, state: 'delivered', deliveryId: headers['webhook-id'], tries: 1,
			lastTriedAt: callback.lastTriedAt, nextTryAt: null, status: 200, reason: null });

		const signed = `${headers['webhook-id']}.${headers['webhook-timestamp']}.${body}`;
		const key = Buffer.from(secret.slice('whsec_'.length), 'base64');
		assert.equal(key.length, 32);
		assert.equal(headers['webhook-signature'], `v1,${createHmac('sha256', key).update(signed).digest('base64')}`);
		assert.ok(Math.abs(Date.now() / 1000 - Number(headers['webhook-timestamp'])) < SLACK_MS / 1000 * 3);
		assert.match(headers.traceparent, /^00-(?!0{32})[0-9a-f]{32}-(?!0{16})[0-9a-f]{16}-00$/);
		assert.deepEqual(await deliver(), { delivered: 0, failed: 0, postponed: 0 });
	});

	test('is signed with a secret given by the client, which is not shown again', async () => {
		const { name, got } = receiver();
		const key = Buffer.alloc(24, 'k');
		const session = await completedFor(`https://${name}`, { callbackSecret: `whsec_${key.toString('base64')}` });
		assert.equal(session.callback.secret, undefined);
		await deliver();
		const [{ path, headers, body }] = got;
		assert.equal(path, '/');
		const signed = `${headers['webhook-id']}.${headers['webhook-timestamp']}.${body}`;
		assert.equal(headers['webhook-signature'], `v1,${createHmac('sha256', key).update(signed).digest('base64')}`);
	});

	test('is not sent without a token, and the address is never shown', async () => {
		for (const authorization of [undefined, 'Bearer eds_no'])
			assert.equal((await post({ callbackUrl: 'https://r.example/' }, authorization ?? '')).status, 401);
		const session = await make('https://r.example/secret-path');
		assert.doesNotMatch(JSON.stringify(await getSession(runner, session.testId)), /secret-path|whsec/);
	});

	for (const [what, url, why] of [
		['without TLS', 'http://r.example/', /^must be an https:\/\/ address/],
		['at another port', 'https://r.example:8443/', /port 443/],
		['with a password', 'https://me:pass@r.example/', /user name or password/],
		['with an IPv4 address as host', 'https://127.0.0.1/', /not by an address/],
		['with a short IPv4 address as host', 'https://127.1/', /not by an address/],
		['with a hexadecimal IPv4 address as host', 'https://0x7f000001/', /not by an address/],
		['with an IPv4 address as one number as host', 'https://2130706433/', /not by an address/],
		['with an IPv6 address as host', 'https://[::1]/', /not an IP address/],
		['with a host of one label', 'https://localhost/', /full domain name/],
		['with a fragment', 'https://r.example/#x', /fragment/],
		['with a line end', 'https://r.example/\r\nX: y', /printable ASCII/],
		['with a second host after a backslash', 'https://r.example\\@127.0.0.1/', /./],
		['of more than 1024 octets', `https://r.example/${'x'.repeat(1024)}`, /1024/],
		['that is not a string', 17, /string/],
	])
		test(`is not sent to an address ${what}`, async () => {
			const answer = await post({ callbackUrl: url });
			assert.equal(answer.status, 400);
			const { code, errors: [{ field, detail }] } = answer.json();
			assert.deepEqual([code, field], ['field-invalid', 'callbackUrl']);
			assert.match(detail, why);
		});

	for (const secret of ['whsec_', 'secret', `whsec_${Buffer.alloc(23).toString('base64')}`, `whsec_${Buffer.alloc(65).toString('base64')}`, 1])
		test(`is not signed with ${JSON.stringify(secret).slice(0, 20)}`, async () => {
			const answer = await post({ callbackUrl: 'https://r.example/', callbackSecret: secret });
			assert.deepEqual([answer.status, answer.json().errors[0].field], [400, 'callbackSecret']);
		});

	test('is delivered for as many tests an hour as the plan allows', async () => {
		admin(runner, { action: 'create-account', name: 'small', plan: 'free' });
		const other = admin(runner, { action: 'create-token', account: 'small', name: 'test', expiresAt: null });
		for (let i = 0; i < 60; i++)
			assert.equal((await post({ callbackUrl: 'https://r.example/' }, `Bearer ${other.token}`)).status, 201);
		const answer = await post({ callbackUrl: 'https://r.example/' }, `Bearer ${other.token}`);
		assert.deepEqual([answer.status, answer.json().code], [429, 'too-many-callbacks']);
		assert.ok(Number(answer.headers['retry-after']) > 0);
	});

	test('waits for a receiver that fails, under one id, with pauses that grow, until it recovers', async () => {
		const { name, got, answers } = receiver(500);
		const session = await completedFor(`https://${name}/`);
		for (const [tries, minutes] of [[1, 1], [2, 2], [3, 4], [4, 8], [5, 16], [6, 32], [7, 64], [8, 120], [9, 120]]) {
			const began = Date.now();
			assert.deepEqual(await deliver(), { delivered: 0, failed: 1, postponed: 0 });
			const { state, tries: counted, status, reason, nextTryAt } = await callbackOf(session);
			assert.deepEqual([state, counted, status, reason.code], ['waiting', tries, 500, 'receiver-status']);
			const pause = Date.parse(nextTryAt) - began;
			assert.ok(pause > minutes * MINUTE_MS - 1000 && pause < minutes * MINUTE_MS + SLACK_MS, `${tries}: ${pause}`);
			assert.deepEqual(await deliver(), { delivered: 0, failed: 0, postponed: 0 });
			makeDue();
		}
		answers(204);
		assert.deepEqual(await deliver(), { delivered: 1, failed: 0, postponed: 0 });
		const { state, tries, status, reason, deliveryId } = await callbackOf(session);
		assert.deepEqual([state, tries, status, reason], ['delivered', 10, 204, null]);
		assert.deepEqual(new Set(got.map(({ headers }) => headers['webhook-id'])), new Set([deliveryId]));
		assert.equal(new Set(got.map(({ body }) => body)).size, 1);
	});

	test('is given up after a day; the last reason is kept and the body deleted', async () => {
		const { name } = receiver(503);
		const session = await completedFor(`https://${name}/`);
		const day = Number(sql(runner, 'SELECT until_ms - created_at_ms FROM outbox'));
		assert.ok(day > DAY_MS - SLACK_MS && day <= DAY_MS);
		sql(runner, `UPDATE outbox SET until_ms = ${Date.now() + MINUTE_MS / 2}`);
		await deliver();
		const { state, nextTryAt, reason } = await callbackOf(session);
		assert.deepEqual([state, nextTryAt, reason.code], ['failed', null, 'receiver-status']);
		assert.equal(sql(runner, "SELECT count(*) FROM outbox WHERE body <> '' OR secret <> ''"), '0');
		makeDue();
		assert.deepEqual(await deliver(), { delivered: 0, failed: 0, postponed: 0 });
	});

	test('is no longer sent once its session has expired, and its row is deleted', async () => {
		const { name, got } = receiver();
		const session = await make(`https://${name}/`);
		sql(runner, `UPDATE tester_sessions SET expires_at_ms = ${Date.now() + DAY_MS / 24} WHERE test_id = '${session.testId}'`);
		await handIn(session);
		assert.equal(sql(runner, 'SELECT until_ms - expires_at_ms FROM outbox, tester_sessions WHERE test_id = ' + `'${session.testId}'`), '0');
		sql(runner, 'UPDATE outbox SET until_ms = 1, forget_at_ms = 1');
		assert.deepEqual(await deliver(), { delivered: 0, failed: 1, postponed: 0 });
		assert.equal(got.length, 0);
		assert.equal(sql(runner, 'SELECT count(*) FROM outbox'), '0');
	});

	for (const [what, answer, code, state] of [
		['answers 410', 410, 'receiver-gone', 'failed'],
		['redirects it', (response) => response.writeHead(307, { location: 'https://other.example/' }).end(), 'receiver-redirect', 'waiting'],
		['hangs up', (response) => response.destroy(), 'receiver-unreachable', 'waiting'],
		['breaks off after its status', (response) => {
			response.writeHead(200, { 'content-length': 100 });
			response.write('x', () => response.destroy());
		}, 'receiver-unreachable', 'waiting'],
		['answers endlessly', (response) => {
			response.writeHead(200);
			const more = () => { while (response.write('x'.repeat(8192))); response.once('drain', more); };
			more();
		}, null, 'delivered'],
	])
		test(`has the right outcome with a receiver that ${what}`, async () => {
			const elsewhere = receivers.add('other.example');
			const session = await completedFor(`https://${receiver(answer).name}/`);
			await deliver();
			const callback = await callbackOf(session);
			assert.deepEqual([callback.state, callback.reason?.code ?? null], [state, code]);
			assert.equal(elsewhere.got.length, 0);
		});

	for (const [what, host, code, state] of [
		['where nobody listens', 'dead.example', 'receiver-refused', 'waiting'],
		['that has no address', 'nowhere.example', 'receiver-no-address', 'waiting'],
		['that DNS fails for', 'servfail.example', 'receiver-dns', 'waiting'],
	])
		test(`waits for a host ${what}`, async () => {
			const session = await completedFor(`https://${host}/`);
			await deliver();
			const callback = await callbackOf(session);
			assert.deepEqual([callback.state, callback.reason.code, callback.tries], [state, code, 1]);
		});

	for (const [what, issue] of [
		['of other names', () => authority.issue(['else.example'])],
		['that has expired', (name) => authority.issue([name], { expired: true })],
		['of an unknown authority', (name) => authority.issue([name], { selfSigned: true })],
	])
		test(`is not sent to a host with a certificate ${what}`, async () => {
			const name = `c${++names}.example`;
			const { got } = receivers.add(name, 200, issue(name));
			const session = await completedFor(`https://${name}/`);
			await deliver();
			assert.equal((await callbackOf(session)).reason.code, 'receiver-certificate');
			assert.equal(got.length, 0);
		});

	test('is never sent to a private address, whatever name resolves to it', async () => {
		const { name, got } = receiver();
		const sessions = [await completedFor(`https://${name}/`), await completedFor('https://metadata.example/latest/')];
		assert.deepEqual(await deliver({ EDS_ALLOW_PRIVATE_ADDRESSES: '0' }), { delivered: 0, failed: 2, postponed: 0 });
		for (const session of sessions) {
			const { state, reason } = await callbackOf(session);
			assert.deepEqual([state, reason.code], ['failed', 'receiver-private']);
		}
		assert.equal(got.length, 0);
	});

	test('of the newest message replaces one that was not delivered yet', async () => {
		const { name, got } = receiver();
		const session = await completedFor(`https://${name}/`);
		await handIn(session, MESSAGE.replace('hello', 'again'));
		await until(async () => sql(runner, 'SELECT count(DISTINCT event) FROM outbox') === '1'
			&& sql(runner, `SELECT count(*) FROM tester_messages WHERE test_id = '${session.testId}'`) === '2');
		assert.equal((await deliver()).delivered, 1);
		const { callback, ...shown } = await getSession(runner, session.testId);
		assert.deepEqual(got.map(({ body }) => JSON.parse(body)), [shown]);
	});

	test('is delivered at once while other receivers are silent, and only a few deliveries wait for those', async () => {
		const silent = receiver(() => {});
		const good = receiver();
		const { name: behind } = silent;
		await completedFor(`https://${behind}/0`);
		multiply(299, 1);
		const session = await completedFor(`https://${good.name}/`);
		const run = startDeliver();
		await until(async () => good.got.length === 1, MINUTE_MS);
		assert.ok(silent.got.length <= 4);
		assert.deepEqual(await run.answer, { delivered: 1, failed: 4, postponed: 296 });
		assert.equal(silent.got.length, 4);
		assert.equal((await callbackOf(session)).state, 'delivered');
		assert.equal(sql(runner, "SELECT count(*) FROM outbox WHERE reason_code = 'receiver-timeout' AND tries = 1"), '4');
		assert.equal(sql(runner, "SELECT count(*) FROM outbox WHERE reason_code = 'receiver-silent' AND tries = 0"), '296');
	});

	// The others' rows have been due for longer, and are to more hosts than one run has connections.
	for (const [who, accounts] of [['another account hangs', 1], ['ten other accounts hang', 10]])
		test(`is delivered at once while each receiver of ${who}`, async () => {
			const hosts = Array.from({ length: 150 }, (_, i) => `hanging${i}.example`);
			const certificate = authority.issue(hosts);
			const hanging = hosts.map((name) => receivers.add(name, () => {}, certificate));
			const good = receiver();
			const session = await completedFor(`https://${good.name}/`);
			multiply(600, accounts);
			sql(runner, `UPDATE outbox SET account_id = 'other' || account_id, url = 'https://hanging' || (CAST(substr(id, 5) AS INTEGER) % 150) || '.example/'
				WHERE origin = 'more'`);
			sql(runner, "UPDATE outbox SET due_at_ms = 2 WHERE origin <> 'more'");
			const { child, answer } = startDeliver();
			await until(async () => (await callbackOf(session)).state === 'delivered', MINUTE_MS);
			assert.ok(hanging.some(({ got }) => got.length > 0));
			assert.equal(sql(runner, "SELECT count(*) FROM outbox WHERE reason_code = 'receiver-timeout'"), '0');
			child.kill('SIGKILL');
			await answer;
		});

	test('is delivered once by eight processes that deliver at the same time', async () => {
		const { name, got } = receiver();
		await completedFor(`https://${name}/`);
		multiply(399, 7);
		let all = 0;
		// on a loaded machine some deliveries are postponed, so this is done several times
		for (let round = 0; round < 10 && all < 400; round++) {
			makeDue();
			const answers = await Promise.all(Array.from({ length: INSTANCES }, () => deliver()));
			all += answers.reduce((sum, { delivered }) => sum + delivered, 0);
		}
		assert.equal(all, 400);
		assert.equal(got.length, 400);
		assert.equal(new Set(got.map(({ headers }) => headers['webhook-id'])).size, 400);
	});

	test('is delivered again, under its id, when its sender was killed before it recorded the delivery', async () => {
		let response;
		const { name, got, answers } = receiver((held) => (response = held));
		const session = await completedFor(`https://${name}/`);
		const { child } = startDeliver();
		await until(async () => response !== undefined, MINUTE_MS);
		child.kill('SIGKILL');
		await once(child, 'close');
		answers(200);
		assert.deepEqual(await deliver(), { delivered: 0, failed: 0, postponed: 0 });
		const lease = Number(sql(runner, 'SELECT due_at_ms FROM outbox')) - Date.now();
		assert.ok(lease > 0 && lease <= LEASE_MS);
		makeDue();
		assert.equal((await deliver()).delivered, 1);
		assert.equal(got.length, 2);
		assert.equal(got[0].headers['webhook-id'], got[1].headers['webhook-id']);
		assert.equal((await callbackOf(session)).tries, 2);
	});
});
