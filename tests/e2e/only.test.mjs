// The runner in parts: `runner serve --only` some of http, smtp and schedule, on one database.
import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';

import { openSmtp, sendMail } from './support/mail.mjs';
import { BUILD, request, startRunner, testFunctions, until } from './support/runner.mjs';
import { admin } from './support/store.mjs';
import { createSession, untilCompleted } from './support/tester.mjs';

const SUITE_MS = 120000;
const env = { EDS_DNS_SERVERS: '127.0.0.1:1' };

describe('a runner of parts', { timeout: SUITE_MS }, () => {
	let folder;
	let smtp;
	let http;

	before(() => (folder = mkdtempSync(join(tmpdir(), 'eds-only-'))));
	after(async () => {
		await smtp?.stop();
		await http?.stop();
		rmSync(folder, { recursive: true, force: true });
	});

	test('of SMTP alone says where it accepts mail, and migrates nothing', async () => {
		smtp = await startRunner({ folder, env, only: 'smtp' });
		assert.deepEqual(Object.keys(JSON.parse(smtp.output.out)), ['smtp', 'ops']);
		assert.equal(existsSync(join(folder, 'var/eds.db')), false);
		const talk = await openSmtp(smtp.smtpPort);
		await talk.say('EHLO a', '250');
		await talk.say('MAIL FROM:<a@sender.example>', '250');
		await talk.say(`RCPT TO:<${'a'.repeat(26)}@tester.localhost>`, '451');
		talk.socket.destroy();
	});

	test('accepts mail for sessions that a runner of HTTP alone makes, after a migration', async () => {
		http = await startRunner({ folder, env, only: 'http' });
		assert.deepEqual(Object.keys(JSON.parse(http.output.out)), ['http', 'ops']);
		assert.equal((await request(`${http.baseUrl}/api/inbound-tester/sessions`, { method: 'POST' })).status, 503);
		assert.equal(admin(http, { action: 'migrate' }).from, 0);
		const { email, testId } = await createSession(http);
		await sendMail(smtp.smtpPort, { from: 'a@sender.example', to: email, message: 'Subject: x\r\n\r\nx\r\n' });
		await untilCompleted(http, testId);
	});

	test('ends as a full runner does', async () => {
		assert.equal((await smtp.stop()).code, 0);
		assert.equal((await http.stop()).code, 0);
	});

	test('of the schedule alone runs jobs and listens for operations alone', async () => {
		const functions = testFunctions({ job: { program: 'handler-direct', schedule: 'cron(* * * * ? *)' } });
		const runner = await startRunner({ functions: functions.folder, env, only: 'schedule' });
		try {
			assert.deepEqual(Object.keys(JSON.parse(runner.output.out)), ['ops']);
			await until(async () => /^eds_schedule_runs_total(\{.*\})? [1-9]/m.test((await request(`${runner.opsUrl}/metrics`)).text), 70000);
		} finally {
			assert.equal((await runner.stop()).code, 0);
			functions.remove();
		}
	});

	test('of unknown parts is refused with the names of the parts', () => {
		for (const parts of ['', 'smtp,', 'mail', 'smtp,http,x']) {
			const { status, stderr } = spawnSync(join(BUILD, 'runner'), ['serve', '--only', parts], { encoding: 'utf8' });
			assert.equal(status, 64, parts);
			assert.match(stderr, /http, smtp and schedule/);
		}
		assert.match(execFileSync(join(BUILD, 'runner'), ['serve', '--help'], { encoding: 'utf8' }), /--only PARTS/);
	});
});
