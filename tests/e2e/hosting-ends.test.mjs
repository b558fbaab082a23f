// The end of hosted MTA-STS, which may stop mail: when the plan no longer includes hosting, the policy is served
// for 30 more days with a warning, and leaves enforce first; and the owner may switch MTA-STS off while the mode
// is enforce. The owner gets one alert about each, however many instances run.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';

import { makeAuthority } from '../support/authority.mjs';
import { request } from './support/api.mjs';
import { startDns } from './support/dns.mjs';
import { functionsWithoutSchedule } from './support/functions.mjs';
import { breaches } from './support/openapi.mjs';
import { startReceivers } from './support/receivers.mjs';
import { BUILD, startRunner } from './support/runner.mjs';
import { admin, environment, sql } from './support/store.mjs';

const INSTANCES = 8;
const DAY_MS = 24 * 3600 * 1000;
const NAME = 'hosted.test';
const EVENT = JSON.stringify({ version: '0', id: 'due', 'detail-type': 'Scheduled Event', source: 'aws.events',
	time: '2026-01-31T23:59:00Z', resources: [], detail: {} });
const ZONE = ['example SOA 900 ns.example h.example 1 3600 600 86400 60', '*.example A 60 127.0.0.1',
	`${NAME} MX 60 10 mx.${NAME}`, `mx.${NAME} A 60 127.0.0.1`, `mta-sts.${NAME} A 60 127.0.0.1`];

describe('hosted MTA-STS', () => {
	let authority;
	let dns;
	let functions;
	let id;
	let receiver;
	let receivers;
	let runner;
	let settings;
	let token;

	const call = async (method, path, body) => {
		const answer = await request(`${runner.baseUrl}/api/v1${path}`, { method, body: body && JSON.stringify(body),
			headers: { authorization: `Bearer ${token}`, ...(body ? { 'content-type': 'application/json' } : {}) } });
		assert.deepEqual(breaches(method, `/api/v1${path}`, answer), []);
		return answer;
	};
	const change = async (fields) => {
		const answer = await call('PATCH', `/domains/${id}/mta-sts`, fields);
		return answer.status === 200 ? answer.json().data : `${answer.status} ${answer.json().code}`;
	};
	const show = async () => (await call('GET', `/domains/${id}/mta-sts`)).json().data;
	const hosting = ({ advice }) => advice.items.find(({ code }) => code === 'hosting-ends')?.message ?? '';
	const served = async () => (await request(`${runner.baseUrl}/.well-known/mta-sts.txt`, { headers: { host: `mta-sts.${NAME}` } })).text;
	const plan = (name) => admin(runner, { action: 'set-plan', account: 'owner', plan: name });
	const publish = ({ policyId }) => dns.publish([...ZONE, `_mta-sts.${NAME} TXT 60 "v=STSv1; id=${policyId}"`]);

	const run = async (name) => {
		const child = spawn(join(BUILD, 'functions', name), [], { cwd: runner.folder, stdio: ['pipe', 'pipe', 'inherit'],
			env: environment(runner, { ...settings, EDS_TIMEOUT_MS: '60000' }) });
		child.stdout.resume();
		child.stdin.end(EVENT);
		const [code] = await once(child, 'close');
		assert.equal(code, 0, name);
	};
	// Runs the jobs of all instances, and gives the events that the receiver has got since.
	const anHourLater = async () => {
		const had = receiver.got.length;
		sql(runner, 'UPDATE mta_sts SET leased_until_ms = 0, due_at_ms = 1');
		await Promise.all(Array.from({ length: INSTANCES }, () => run('mta-sts-check')));
		await run('webhooks-deliver');
		return receiver.got.slice(had).map(({ body }) => JSON.parse(body)).filter(({ data }) => /^hosting|switch$/.test(data.subject))
			.map(({ type, data }) => `${type}: ${data.what}`);
	};

	before(async () => {
		authority = makeAuthority();
		receivers = await startReceivers(authority);
		receiver = receivers.add('told.example');
		dns = await startDns(ZONE);
		settings = { EDS_DNS_SERVERS: dns.address, EDS_CA_FILE: authority.file, EDS_ALLOW_PRIVATE_ADDRESSES: '1',
			EDS_WEBHOOK_PORT: String(receivers.port), EDS_POLICY_FETCH_PORT: '1', EDS_STARTTLS_PORT: '1' };
		functions = functionsWithoutSchedule();
		runner = await startRunner({ functions, env: settings });
		admin(runner, { action: 'create-account', name: 'owner', plan: 'paid' });
		({ token } = admin(runner, { action: 'create-token', account: 'owner', name: 'test', expiresAt: null }));
		({ id } = (await call('POST', '/domains', { name: NAME })).json().data);
		await call('POST', `/domains/${id}/alerts`, { url: `https://${receiver.name}/eds` });
		publish(await change({ enabled: true, mode: 'enforce', mxPatterns: [`mx.${NAME}`] }));
		await anHourLater();
		assert.match(await served(), /^version: STSv1\nmode: enforce\n/);
	});
	after(async () => {
		await runner?.stop();
		await dns?.stop();
		await receivers?.stop();
		authority?.remove();
		if (functions) rmSync(functions, { recursive: true });
	});

	test('continues for 30 days after the plan was lowered, with an alert and a warning that gives the date', async () => {
		plan('free');
		const [, until] = /^The plan does not include hosting any more; hosting continues until (\S+); then the policy goes to mode testing/.exec(hosting(await show()));
		const days = (Date.parse(until) - Date.now()) / DAY_MS;
		assert.ok(days > 29.99 && days <= 30, until);
		assert.deepEqual(await anHourLater(),
			[`mta-sts-broken: The plan no longer includes hosting the MTA-STS policy of ${NAME}: it is served until ${until}.`]);
		assert.deepEqual(await anHourLater(), []);
		assert.match(await served(), /^version: STSv1\nmode: enforce\n/);
		assert.equal((await change({ maxAge: 90000 })).hosted, true);
	});

	test('is back to normal when the plan is raised again in time, and alerts once more when it is lowered', async () => {
		plan('paid');
		assert.equal(hosting(await show()), '');
		plan('free');
		plan('free');
		assert.equal((await anHourLater()).length, 1);
	});

	test('leaves enforce after the 30 days, under a new id, and continues until no sender enforces the policy', async () => {
		const before = await show();
		sql(runner, `UPDATE mta_sts SET hosting_ends_at_ms = ${Date.now() - 1}`);
		const told = await anHourLater();
		assert.equal(told.length, 1);
		assert.match(told[0], new RegExp(`^mta-sts-broken: The MTA-STS policy of ${NAME} has left mode enforce for testing`));
		const now = await show();
		assert.deepEqual([now.mode, now.hosted, now.policyId === before.policyId], ['testing', true, false]);
		assert.match(hosting(now), /has left mode enforce, and is served until /);
		publish(now);
		assert.deepEqual(await anHourLater(), []);
		assert.match(await served(), /^version: STSv1\nmode: testing\n/);
		assert.equal((await show()).policyId, now.policyId);
		assert.equal(await change({ mode: 'enforce' }), '403 hosting-not-in-plan');
	});

	test('ends after that, and cannot be switched on again', async () => {
		sql(runner, 'UPDATE mta_sts SET enforce_held_until_ms = 1');
		assert.deepEqual(await anHourLater(),
			[`mta-sts-broken: The MTA-STS policy of ${NAME} is no longer served here: the plan does not include hosting it.`]);
		const { hosted, enabled, expectedRecords } = await show();
		assert.deepEqual([hosted, enabled, expectedRecords.map(({ type }) => type)], [false, true, ['TXT']]);
		assert.match(await served(), /policy-not-found/);
		assert.equal(await change({ hosted: true }), '403 hosting-not-in-plan');
		plan('paid');
		assert.equal((await change({ hosted: true })).hosted, true);
		assert.deepEqual(await anHourLater(), []);
	});

	test('ends at once where nothing was enforced', async () => {
		plan('free');
		sql(runner, 'UPDATE mta_sts SET hosting_ends_at_ms = 2');
		await anHourLater();
		assert.deepEqual([(await show()).hosted, (await show()).mode], [false, 'testing']);
		plan('paid');
	});

	test('begins its 30 days at the next run where an earlier release lowered the plan', async () => {
		await change({ hosted: true });
		sql(runner, "UPDATE accounts SET plan = 'free' WHERE name = 'owner'");
		sql(runner, 'UPDATE mta_sts SET hosting_ends_at_ms = 1');
		assert.match(hosting(await show()), /hosting continues for 30 days/);
		await anHourLater();
		assert.match(hosting(await show()), /hosting continues until 20/);
		plan('paid');
	});

	test('warns its owner when it is switched off while senders enforce it, which may stop mail', async () => {
		publish(await change({ mode: 'enforce' }));
		const off = await change({ enabled: false });
		assert.deepEqual(off.advice.items.map(({ code }) => code), ['off-while-enforced', 'max-age-short']);
		const told = await anHourLater();
		assert.equal(told.length, 1);
		assert.match(told[0], new RegExp(`^mta-sts-broken: MTA-STS of ${NAME} was switched off while senders may enforce the policy that they fetched, until 20`));
		await change({ enabled: true });
		assert.deepEqual(await anHourLater(), [`mta-sts-recovered: MTA-STS of ${NAME} is switched on again.`]);
	});
});
