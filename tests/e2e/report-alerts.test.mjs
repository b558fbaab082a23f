// Alerts about a domain's mail from DMARC reports: failures that rise and fall, new sources, reports
// that stop. The test uploads reports as files and changes the days in the store.
import assert from 'node:assert/strict';
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
import { aggregate } from './support/reports.mjs';
import { BUILD, startRunner } from './support/runner.mjs';
import { admin, environment, sql } from './support/store.mjs';

const INSTANCES = 8;
const DAY_S = 86400;
const HALF_A_DAY_S = DAY_S / 2;
const NEAR_NOON_S = 180; // longer than these stories take
const EVENT = JSON.stringify({ version: '0', id: 'due', 'detail-type': 'Scheduled Event', source: 'aws.events',
	time: '2026-01-31T13:00:00Z', resources: [], detail: {} });
const ZONE = ['example SOA 900 ns.example h.example 1 3600 600 86400 60', '*.example A 60 127.0.0.1',
	'1.2.0.192.in-addr.arpa PTR 60 mail.watched.test', 'mail.watched.test A 60 192.0.2.1',
	'7.113.0.203.in-addr.arpa PTR 60 o7.sendgrid.net', 'o7.sendgrid.net A 60 203.0.113.7'];

describe('an alert about reports', () => {
	let authority;
	let dns;
	let domain;
	let functions;
	let receivers;
	let runner;
	let settings;
	let to;
	let token;
	let names = 0;
	let reports = 0;

	const data = async (method, path, body, type = 'application/json') => {
		const answer = await request(`${runner.baseUrl}/api/v1${path}`, { method,
			body: body && (type === 'application/json' ? JSON.stringify(body) : body),
			headers: { authorization: `Bearer ${token}`, ...(body ? { 'content-type': type } : {}) } });
		assert.deepEqual(breaches(method, `/api/v1${path}`, answer), []);
		assert.ok(answer.status < 300, answer.text);
		return answer.json().data;
	};
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

	// The latest day that the service judges: it judges a day from noon UTC of the next day on.
	const judgedDay = () => Math.floor((Date.now() / 1000 - HALF_A_DAY_S) / DAY_S);
	const passed = (count, ip = '192.0.2.1') => ({ ip, count, signatures: [{ domain: domain.name, selector: 's1' }] });
	const failed = (count, ip = '192.0.2.1') => ({ ip, count, dkim: 'fail', spf: 'fail' });
	const reported = (ago, ...records) => {
		const begin = (judgedDay() - ago) * DAY_S;
		const report = aggregate({ id: `r${++reports}`, domain: domain.name, begin, end: begin + DAY_S - 1, records });
		return data('POST', `/domains/${domain.id}/reports`, report, 'application/xml');
	};
	const twoWeeks = async (...records) => {
		for (let ago = 15; ago >= 2; ago--) await reported(ago, ...records);
	};
	// Makes the daily check of the domain due, and runs its job on all instances at once.
	const lookAtOnce = async () => {
		sql(runner, 'UPDATE report_watch SET leased_until_ms = 0, due_at_ms = 1');
		const answers = await Promise.all(Array.from({ length: INSTANCES }, () => run('reports-watch')));
		assert.equal(answers.reduce((sum, { looked }) => sum + looked, 0), 1);
		await run('webhooks-deliver');
	};
	// Moves the stored days back, as if this many days had passed.
	const daysPass = (days) => {
		for (const table of ['report_packs', 'report_unfolded', 'report_day_packs']) sql(runner, `UPDATE ${table} SET day = day - ${days + 1000}`);
		for (const table of ['report_packs', 'report_unfolded', 'report_day_packs']) sql(runner, `UPDATE ${table} SET day = day + 1000`);
	};
	const told = () => to.got.map(({ body }) => JSON.parse(body));

	// At noon the service begins to judge another day, for which no story has sent reports.
	const untilNoonIsFar = async () => {
		const left = DAY_S - (Date.now() / 1000 + HALF_A_DAY_S) % DAY_S;
		if (left < NEAR_NOON_S) await new Promise((done) => setTimeout(done, left * 1000));
	};

	before(async () => {
		await untilNoonIsFar();
		authority = makeAuthority();
		receivers = await startReceivers(authority);
		dns = await startDns(ZONE);
		settings = { EDS_DNS_SERVERS: dns.address, EDS_CA_FILE: authority.file, EDS_ALLOW_PRIVATE_ADDRESSES: '1',
			EDS_WEBHOOK_PORT: String(receivers.port) };
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
	beforeEach(async () => {
		for (const table of ['outbox', 'alerts', 'account_uses', 'report_watch']) sql(runner, `DELETE FROM ${table}`);
		domain = await data('POST', '/domains', { name: `watched${++names}.test` });
		to = receivers.add(`r${names}.example`);
		await data('POST', `/domains/${domain.id}/alerts`, { url: `https://${to.name}/eds` });
	});

	test('reports once that failures have risen, however many instances look, and once that they have fallen', async () => {
		await twoWeeks(passed(95), failed(5));
		await reported(1, passed(60), failed(40));
		await lookAtOnce();
		await lookAtOnce();
		assert.deepEqual(told().map(({ type }) => type), ['failures-rose']);
		const [{ data: rose }] = told();
		assert.deepEqual([rose.domain, rose.subject, rose.before, rose.after.failedPercent, rose.after.failed],
			[domain.name, 'failures', { failedPercent: 5 }, 40, 40]);
		assert.match(rose.what, /^On 20\d\d-\d\d-\d\d, 40\.0 % of the mail in the name of [a-z0-9.]+ failed DMARC according to reports: 40 messages\. In the 14 days before, the share was 5\.0 %\.$/);

		daysPass(20);
		await twoWeeks(passed(60), failed(40));
		await reported(1, passed(60), failed(40));
		await lookAtOnce();
		assert.equal(told().length, 1, 'failures that continue cause no second alert');
		daysPass(1);
		await reported(1, passed(98), failed(2));
		await lookAtOnce();
		assert.deepEqual(told().map(({ type }) => type), ['failures-rose', 'failures-fell']);
		assert.match(told()[1].data.what, /, only 2\.0 % of the mail in the name of [a-z0-9.]+ failed DMARC according to reports\. Before the rise, the share was 5\.0 %\.$/);
	});

	test('reports a service that has begun to send in the name of the domain', async () => {
		await twoWeeks(passed(100));
		await reported(1, passed(100), passed(3, '203.0.113.7'), failed(19, '203.0.113.7'));
		await lookAtOnce();
		await lookAtOnce();
		const [{ type, data: news }, ...more] = told();
		assert.deepEqual([type, more.length], ['new-source', 0]);
		assert.deepEqual([news.subject, news.after.address, news.after.name, news.after.messages, news.after.failed],
			['source Twilio SendGrid', '203.0.113.7', 'o7.sendgrid.net', 22, 19]);
		assert.match(news.what, /^Since 20\d\d-\d\d-\d\d, mail in the name of [a-z0-9.]+ also comes from a new source: Twilio SendGrid\. /);
		assert.match(news.advice, /^If it sends for you, have it sign with DKIM/);
	});

	test('reports that reports have stopped, and that they come again', async () => {
		for (let ago = 12; ago >= 2; ago--) await reported(ago, passed(10));
		await lookAtOnce();
		assert.deepEqual(told(), []);
		daysPass(3);
		await lookAtOnce();
		await lookAtOnce();
		assert.deepEqual(told().map(({ type }) => type), ['reports-stopped']);
		assert.match(told()[0].data.advice, /rua= in the DMARC record still names the address for reports/);
		await reported(0, passed(1));
		await lookAtOnce();
		assert.deepEqual(told().map(({ type }) => type), ['reports-stopped', 'reports-resumed']);
	});
});
