// Alerts to webhooks about the domains of an account: once for each change, signed, repeated while
// the receiver fails, never by two instances, and not for ever.
import assert from 'node:assert/strict';
import { createHmac, generateKeyPairSync } from 'node:crypto';
import { once } from 'node:events';
import { spawn } from 'node:child_process';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, beforeEach, describe, test } from 'node:test';

import { makeAuthority } from '../support/authority.mjs';
import { request } from './support/api.mjs';
import { startDns } from './support/dns.mjs';
import { functionsWithoutSchedule } from './support/functions.mjs';
import { breaches } from './support/openapi.mjs';
import { startReceivers } from './support/receivers.mjs';
import { BUILD, startRunner } from './support/runner.mjs';
import { admin, environment, sql } from './support/store.mjs';

const INSTANCES = 8;
const HALF_MINUTE_MS = 30000;
const EVENT = JSON.stringify({ version: '0', id: 'due', 'detail-type': 'Scheduled Event', source: 'aws.events',
	time: '2026-01-31T23:59:00Z', resources: [], detail: {} });
const HOOKS = ['example SOA 900 ns.example h.example 1 3600 600 86400 60', '*.example A 60 127.0.0.1', 'dead.example A 60 127.0.0.99'];
const ZONE = ['watched.test NS 60 ns1.watched.test', 'watched.test NS 60 ns2.watched.test', 'ns1.watched.test A 60 1.1.1.2',
	'ns2.watched.test A 60 1.1.1.3', 'watched.test MX 60 10 mx.watched.test', 'mx.watched.test A 60 1.1.1.1',
	'watched.test TXT 60 "v=spf1 mx -all"', '_smtp._tls.watched.test TXT 60 "v=TLSRPTv1;rua=mailto:t@watched.test"',
	'_mta-sts.watched.test TXT 60 "v=STSv1; id=a1"', 'mta-sts.watched.test A 60 1.1.1.4'];
const dmarc = (tags) => `_dmarc.watched.test TXT 60 "v=DMARC1; ${tags}; rua=mailto:d@watched.test"`;
const REJECT = dmarc('p=reject');
const newKey = () => {
	const { x } = generateKeyPairSync('ed25519').publicKey.export({ format: 'jwk' });
	return `s1._domainkey.watched.test TXT 60 "v=DKIM1; k=ed25519; p=${Buffer.from(x, 'base64url').toString('base64')}"`;
};
const REVOKED = 's1._domainkey.watched.test TXT 60 "v=DKIM1; p="';

describe('an alert', () => {
	const KEY = newKey();
	let authority;
	let dns;
	let domain;
	let functions;
	let receivers;
	let runner;
	let settings;
	let token;
	let names = 0;

	const receiver = (...behavior) => receivers.add(`r${++names}.example`, ...behavior);
	const call = async (method, path, body) => {
		const answer = await request(`${runner.baseUrl}/api/v1${path}`, { method, body: body && JSON.stringify(body),
			headers: { authorization: `Bearer ${token}`, ...(body ? { 'content-type': 'application/json' } : {}) } });
		assert.deepEqual(breaches(method, `/api/v1${path}`, answer), []);
		return answer;
	};
	const data = async (...args) => {
		const answer = await call(...args);
		assert.ok(answer.status < 300, answer.text);
		return answer.json().data;
	};
	const ofDomain = (more = '') => `/domains/${domain.id}/alerts${more}`;
	const makeAlert = (to, events) => data('POST', ofDomain(), { url: `https://${to.name}/eds`, events });
	const show = (...lines) => dns.publish([...HOOKS, ...ZONE, ...lines]);

	const run = async (name) => {
		const child = spawn(join(BUILD, 'functions', name), [], { cwd: runner.folder, stdio: ['pipe', 'pipe', 'inherit'],
			env: environment(runner, { ...settings, EDS_TIMEOUT_MS: '60000' }) });
		let output = '';
		child.stdout.setEncoding('utf8').on('data', (text) => (output += text));
		child.stdin.end(EVENT);
		const [code] = await once(child, 'close');
		assert.equal(code, 0, name);
		return JSON.parse(output);
	};
	const atOnce = (name) => Promise.all(Array.from({ length: INSTANCES }, () => run(name)));
	const deliver = () => run('webhooks-deliver');
	const makeDue = () => sql(runner, 'UPDATE outbox SET due_at_ms = 1 WHERE due_at_ms > 0');
	// Makes all checks of the domain due, and runs their jobs on all instances at once.
	const checkAll = async () => {
		sql(runner, 'UPDATE posture SET leased_until_ms = 0, due_at_ms = 1');
		sql(runner, 'UPDATE dkim_selectors SET leased_until_ms = 0, due_at_ms = 1');
		await atOnce('posture-check');
		await atOnce('dkim-recheck');
	};
	const typesOf = ({ got }) => got.map(({ body }) => JSON.parse(body).type);

	before(async () => {
		authority = makeAuthority();
		receivers = await startReceivers(authority);
		dns = await startDns([...HOOKS, ...ZONE, REJECT, KEY]);
		settings = { EDS_DNS_SERVERS: dns.address, EDS_CA_FILE: authority.file, EDS_ALLOW_PRIVATE_ADDRESSES: '1',
			EDS_WEBHOOK_PORT: String(receivers.port) };
		functions = functionsWithoutSchedule();
		runner = await startRunner({ functions, env: settings });
		admin(runner, { action: 'create-account', name: 'owner', plan: 'paid' });
		({ token } = admin(runner, { action: 'create-token', account: 'owner', name: 'test', expiresAt: null }));
		domain = await data('POST', '/domains', { name: 'watched.test' });
		await data('POST', `/domains/${domain.id}/dkim/selectors`, { selector: 's1' });
		await checkAll();
	});
	after(async () => {
		await runner?.stop();
		await dns?.stop();
		await receivers?.stop();
		authority?.remove();
		if (functions) rmSync(functions, { recursive: true });
	});
	beforeEach(async () => {
		show(REJECT, KEY);
		await checkAll();
		for (const table of ['outbox', 'alerts', 'account_uses']) sql(runner, `DELETE FROM ${table}`);
	});

	test('reports a weaker DMARC policy once, signed, however many instances look and send', async () => {
		const to = receiver();
		const alert = await makeAlert(to, ['dmarc-weakened']);
		show(dmarc('p=none'), KEY);
		await checkAll();
		await checkAll();
		await atOnce('webhooks-deliver');
		await atOnce('webhooks-deliver');
		assert.equal(to.got.length, 1);

		const [{ method, path, headers, body }] = to.got;
		assert.deepEqual([method, path, headers['content-type']], ['POST', '/eds', 'application/json']);
		const { type, timestamp, data: told } = JSON.parse(body);
		assert.equal(type, 'dmarc-weakened');
		assert.ok(Math.abs(Date.now() - Date.parse(timestamp)) < 10 * HALF_MINUTE_MS);
		assert.deepEqual([told.domain, told.domainId, told.subject], ['watched.test', domain.id, 'dmarc']);
		assert.equal(told.before.record, 'v=DMARC1; p=reject; rua=mailto:d@watched.test');
		assert.equal(told.after.record, 'v=DMARC1; p=none; rua=mailto:d@watched.test');
		assert.match(told.what, /is weaker than before\.$/);
		assert.match(told.advice, /publish the previous record again/);
		const signed = `${headers['webhook-id']}.${headers['webhook-timestamp']}.${body}`;
		const key = Buffer.from(alert.secret.slice('whsec_'.length), 'base64');
		assert.equal(headers['webhook-signature'], `v1,${createHmac('sha256', key).update(signed).digest('base64')}`);

		const [delivery, ...more] = await data('GET', ofDomain(`/${alert.alertId}/deliveries`));
		assert.deepEqual([more.length, delivery.type, delivery.state, delivery.deliveryId, delivery.status],
			[0, 'dmarc-weakened', 'delivered', headers['webhook-id'], 200]);
	});

	test('reports that a key is revoked, that it is valid again, and that it has changed', async () => {
		const to = receiver();
		await makeAlert(to, ['selector-broken', 'selector-recovered', 'key-changed']);
		for (const record of [REVOKED, KEY, newKey()]) {
			show(REJECT, record);
			await checkAll();
			await deliver();
		}
		assert.deepEqual(typesOf(to), ['selector-broken', 'selector-recovered', 'key-changed']);
		const [broken, , changed] = to.got.map(({ body }) => JSON.parse(body).data);
		assert.deepEqual([broken.subject, broken.before.state, broken.after.state], ['selector s1', 'valid', 'revoked']);
		assert.match(broken.what, /^The DKIM selector s1 of watched\.test was valid and is now revoked/);
		assert.deepEqual(changed.before, { state: 'valid', keyType: 'ed25519', keySize: 256 });
		assert.match(changed.advice, /find out who can write to the zone/);
	});

	test('for the account gets the events of every domain, and one for another domain gets none of them', async () => {
		const [own, all] = [receiver(), receiver()];
		const other = await data('POST', '/domains', { name: 'other.test' });
		await data('POST', `/domains/${other.id}/alerts`, { url: `https://${own.name}/` });
		await data('POST', '/alerts', { url: `https://${all.name}/`, events: ['dmarc-weakened'] });
		await checkAll();
		show(KEY);
		await checkAll();
		await deliver();
		assert.deepEqual(typesOf(all), ['dmarc-weakened']);
		assert.match(JSON.parse(all.got[0].body).data.what, /^No DMARC record applies to watched\.test any more/);
		assert.deepEqual(typesOf(own), []);
		await data('DELETE', `/domains/${other.id}`);
	});

	test('waits for failing and stalled receivers until they recover, while others get theirs', async () => {
		const stalls = receiver(() => {});
		const fails = receiver(500);
		const works = receiver();
		for (const to of [stalls, fails, works]) await makeAlert(to, ['dmarc-weakened']);
		const dead = await makeAlert({ name: 'dead.example' }, ['dmarc-weakened']);
		show(dmarc('p=quarantine'), KEY);
		await checkAll();
		const { delivered } = await deliver();
		assert.equal(delivered, 1);
		assert.deepEqual(typesOf(works), ['dmarc-weakened']);
		const [{ state, reason }] = await data('GET', ofDomain(`/${dead.alertId}/deliveries`));
		assert.deepEqual([state, reason.code], ['waiting', 'receiver-refused']);

		for (const to of [stalls, fails]) to.answers(204);
		makeDue();
		assert.equal((await deliver()).delivered, 2);
		for (const to of [stalls, fails]) {
			assert.equal(new Set(to.got.map(({ headers }) => headers['webhook-id'])).size, 1);
			assert.equal(to.got.length, 2);
		}
		assert.equal(works.got.length, 1);
	});

	test('waits as long as its receiver asks, up to six hours', async () => {
		const to = receiver();
		const { alertId } = await makeAlert(to);
		await data('POST', ofDomain(`/${alertId}/test`));
		const minutes = async (status, asked) => {
			to.answers((response) => response.writeHead(status, { 'retry-after': asked }).end());
			sql(runner, 'UPDATE outbox SET due_at_ms = 1, tries = 0');
			await deliver();
			const [{ nextTryAt }] = await data('GET', ofDomain(`/${alertId}/deliveries`));
			return (Date.parse(nextTryAt) - Date.now()) / 60000;
		};
		const between = (low, value, high) => assert.ok(low < value && value <= high, `${value} minutes`);
		between(20, await minutes(503, '1800'), 30);
		between(50, await minutes(429, new Date(Date.now() + 3600000).toUTCString()), 60);
		between(350, await minutes(503, '9999999999'), 360);
		between(-10, await minutes(503, 'soon'), 1);
		between(-10, await minutes(500, '1800'), 1);
	});

	test('is sent again, under its id, when its owner asks for it', async () => {
		const to = receiver();
		const { alertId } = await makeAlert(to);
		await data('POST', ofDomain(`/${alertId}/test`));
		await deliver();
		const [{ deliveryId }] = await data('GET', ofDomain(`/${alertId}/deliveries`));
		const again = ofDomain(`/${alertId}/deliveries/${deliveryId}/send`);
		assert.deepEqual(await data('POST', again), { alertId, deliveryId });
		assert.equal((await call('POST', again)).status, 409);
		assert.equal((await deliver()).delivered, 1);
		assert.deepEqual(to.got.map(({ headers }) => headers['webhook-id']), [deliveryId, deliveryId]);
		assert.equal(new Set(to.got.map(({ body }) => body)).size, 1);
	});

	test('is switched off with the reason when the receiver has failed for a day, and on again by its owner', async () => {
		const to = receiver(503);
		const { alertId } = await makeAlert(to);
		await data('POST', ofDomain(`/${alertId}/test`));
		sql(runner, `UPDATE outbox SET until_ms = ${Date.now() + HALF_MINUTE_MS}`);
		await deliver();
		const off = await data('GET', ofDomain(`/${alertId}`));
		assert.deepEqual([off.active, off.reason.code], [false, 'receiver-status']);
		show(dmarc('p=none'), KEY);
		await checkAll();
		assert.deepEqual(await deliver(), { delivered: 0, failed: 0, postponed: 0 });

		to.answers(200);
		const on = await data('PATCH', ofDomain(`/${alertId}`), { active: true });
		assert.deepEqual([on.active, on.reason], [true, null]);
		await data('POST', ofDomain(`/${alertId}/test`));
		await deliver();
		assert.deepEqual(typesOf(to), ['test', 'test']);
	});

	test('is switched off at once when the receiver answers that it wants no more', async () => {
		const to = receiver(410);
		const { alertId } = await makeAlert(to);
		await data('POST', ofDomain(`/${alertId}/test`));
		await deliver();
		const { active, reason } = await data('GET', ofDomain(`/${alertId}`));
		assert.deepEqual([active, reason.code], [false, 'receiver-gone']);
	});

	test('is sent at most sixty times an hour, and the rest is summed in one message', async () => {
		const to = receiver();
		const { alertId } = await makeAlert(to, ['dmarc-weakened']);
		for (let i = 0; i < 60; i++) await data('POST', ofDomain(`/${alertId}/test`));
		assert.equal((await call('POST', ofDomain(`/${alertId}/test`))).status, 429);
		for (const tags of ['p=quarantine', 'p=none']) {
			show(dmarc(tags), KEY);
			await checkAll();
		}
		while ((await deliver()).delivered > 0);
		assert.equal(typesOf(to).filter((type) => type === 'test').length, 60);
		assert.equal(to.got.length, 60);
		makeDue();
		await deliver();
		assert.equal(to.got.length, 61);
		const { type, data: told } = JSON.parse(to.got[60].body);
		assert.deepEqual([type, told.count], ['alerts-left-out', 2]);
	});
});
