// Mail in an S3 bucket: the way of a test message, mail in the form of SES, every source of credentials, and
// a failing server; all against a server that verifies each signature.
import assert from 'node:assert/strict';
import { execFileSync, spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, afterEach, before, beforeEach, describe, test } from 'node:test';

import { makeAuthority } from '../support/authority.mjs';
import { request } from './support/api.mjs';
import { functionsWithoutSchedule } from './support/functions.mjs';
import { sendMail } from './support/mail.mjs';
import { BUILD, startRunner, until } from './support/runner.mjs';
import { startS3 } from './support/s3.mjs';
import { sql } from './support/store.mjs';
import { createSession, getSession, untilCompleted } from './support/tester.mjs';

const SETTINGS = { EDS_DNS_SERVERS: '127.0.0.1:1', EDS_TESTER_SESSIONS_PER_HOUR: '0' };
const MESSAGE = 'From: a@sender.example\r\nSubject: hello\r\nMessage-ID: <1@sender.example>\r\n\r\nHello.\r\n';
const PREFIX = 'in/a+b=c/';
const HOUR_MS = 3600 * 1000;
const FRESH_S = 10; // seconds for which new credentials are used before they are renewed
const SUITE_MS = 180000;

const log = (runner) => runner.output.err;
const saysNoSecret = (s3, text) => {
	for (const secret of [s3.env.AWS_SECRET_ACCESS_KEY, s3.issued.SecretAccessKey, s3.issued.Token,
		s3.containerEnv.AWS_CONTAINER_AUTHORIZATION_TOKEN])
		assert.ok(!text.includes(secret), 'a secret is logged');
};

// Runs a function's program with one event, with the settings of a client: { status, answer, err }.
function invoke(name, event, env, folder) {
	return new Promise((done, failed) => {
		const { PATH, HOME, ASAN_OPTIONS = '', UBSAN_OPTIONS = '' } = process.env;
		const child = spawn(join(BUILD, 'functions', name), [], {
			cwd: folder, env: { PATH, HOME, ASAN_OPTIONS, UBSAN_OPTIONS, ...SETTINGS, ...env },
		});
		let out = '';
		let err = '';
		child.stdout.on('data', (text) => (out += text));
		child.stderr.on('data', (text) => (err += text));
		child.on('error', failed);
		child.on('close', (status) => done({ status, answer: JSON.parse(out), err }));
		child.stdin.end(JSON.stringify(event));
	});
}

const scheduled = (time) => ({
	version: '0', id: 'e1', source: 'aws.events', 'detail-type': 'Scheduled Event', time, resources: [], detail: {},
});
// The event that SES sends after an S3 action, without an envelope; the message has SES's own
// fields at its top.
const sesEvent = (session, messageId) => ({
	Records: [{
		eventSource: 'aws:ses', eventVersion: '1.0',
		ses: {
			mail: { timestamp: new Date().toISOString(), source: 'a@sender.example', messageId, destination: [session.email],
				headersTruncated: false, headers: [], commonHeaders: {} },
			receipt: { timestamp: new Date().toISOString(), processingTimeMillis: 5, recipients: [session.email],
				spamVerdict: { status: 'PASS' }, action: { type: 'Lambda', invocationType: 'Event' } },
		},
	}],
});
const SES_TOP = 'Return-Path: <a@sender.example>\r\n' +
	'Received: from mx.sender.example (mx.sender.example [203.0.113.9])\r\n' +
	' by inbound-smtp.eu-central-1.amazonaws.com with SMTP id abc123\r\n for x@tester.localhost;\r\n' +
	' Fri, 20 Nov 2026 11:21:30 +0000 (UTC)\r\nX-SES-RECEIPT: AEFBQUFB\r\n';

// The functions without schedules, so that no job uses the store or the sources of credentials.
const functions = functionsWithoutSchedule();
after(() => rmSync(functions, { recursive: true }));

describe('with mail in S3', { timeout: SUITE_MS }, () => {
	let s3;
	let runner;

	before(async () => {
		s3 = await startS3();
		runner = await startRunner({ functions, env: { ...SETTINGS, ...s3.env } });
	});
	after(async () => {
		await runner?.stop();
		await s3?.close();
	});
	beforeEach(() => s3.requests.splice(0));
	afterEach(() => assert.deepEqual(s3.refusals.splice(0), []));

	const keys = () => [...s3.objects.keys()];
	const run = (name, event, env = s3.env) =>
		invoke(name, event, { ...runner.storeEnv, ...env }, runner.folder);
	const stored = async (session) => {
		await sendMail(runner.smtpPort, { to: session.email, message: MESSAGE });
		return untilCompleted(runner, session.testId);
	};

	test('a message is taken, stored under the prefix, analyzed, and analyzed again', async () => {
		const session = await createSession(runner);
		const completed = await stored(session);
		assert.equal(completed.results.headers.subject, 'hello');
		assert.equal(keys().length, 1);
		assert.match(keys()[0], /^in\/a\+b=c\/[0-9a-f-]{36}$/);
		assert.match(s3.objects.get(keys()[0]).bytes.toString(), /^Received: from [\s\S]*Hello\.\r\n$/);
		const again = await request(`${runner.baseUrl}/api/inbound-tester/sessions/${session.testId}/reanalyze`,
			{ method: 'POST' });
		assert.equal(again.status, 200);
		assert.equal(again.json().results.headers.receivedAt, completed.results.headers.receivedAt);
		assert.deepEqual(s3.requests.map(({ method }) => method), ['PUT', 'GET', 'GET']);
	});

	test('at expiry the message is deleted too', async () => {
		const session = await createSession(runner);
		s3.objects.clear();
		await stored(session);
		sql(runner, `UPDATE tester_sessions SET expires_at_ms = 1 WHERE test_id = '${session.testId}'`);
		const { status, answer } = await run('tester-expire', scheduled('2026-11-20T12:01:00Z'));
		assert.equal(status, 0);
		assert.equal(answer.messages, 1);
		assert.deepEqual(keys(), []);
	});

	test('unknown objects are deleted after 49 hours, page after page, and nothing else', async () => {
		const put = (key, hours) => s3.objects.set(key, { bytes: Buffer.from('x'), modified: new Date(Date.now() - hours * HOUR_MS) });
		s3.objects.clear();
		for (let i = 0; i < 1100; i++) put(`${PREFIX}live-${String(i).padStart(4, '0')}`, 48);
		put(`${PREFIX}lost`, 50);
		put(`${PREFIX}zz`, 50);
		for (const key of [`${PREFIX}deeper/lost`, 'in/other', 'lost', `${PREFIX}odd name`]) put(key, 50);
		const { answer } = await run('tester-expire', scheduled('2026-11-20T12:00:00Z'));
		assert.equal(answer.messages, 2);
		assert.deepEqual(keys().filter((key) => !key.includes('live')),
			[`${PREFIX}deeper/lost`, 'in/other', 'lost', `${PREFIX}odd name`]);
		assert.equal(keys().length, 1104);
		assert.equal(s3.requests.filter(({ method }) => method === 'GET').length, 2);
		s3.requests.splice(0);
		await run('tester-expire', scheduled('2026-11-20T12:01:00Z'));
		assert.deepEqual(s3.requests, []);
		s3.objects.clear();
	});

	test('a message that SES itself stored is found by its event', async () => {
		const session = await createSession(runner);
		const messageId = 'o3vrnil0e2ic28trm7dfhrc2v0clambda4nbp0g1';
		s3.objects.set(PREFIX + messageId, { bytes: Buffer.from(SES_TOP + MESSAGE), modified: new Date() });
		const { answer } = await run('tester-analyze', sesEvent(session, messageId));
		assert.deepEqual(answer, { analyzed: 1 });
		const completed = await getSession(runner, session.testId);
		assert.equal(completed.status, 'completed');
		assert.equal(completed.results.headers.subject, 'hello');
	});

	test('mail for an expired address is deleted', async () => {
		const key = `${PREFIX}for-nobody`;
		s3.objects.set(key, { bytes: Buffer.from(MESSAGE), modified: new Date() });
		const { answer } = await run('tester-analyze', sesEvent({ email: `${'a'.repeat(26)}@tester.localhost` }, 'for-nobody'));
		assert.deepEqual(answer, { analyzed: 0 });
		assert.ok(!s3.objects.has(key));
	});

	test('an event whose message is missing fails, so that it is sent again', async () => {
		const session = await createSession(runner);
		const { status, answer } = await run('tester-analyze', sesEvent(session, 'not-there'));
		assert.equal(status, 1);
		assert.match(answer.errorType, /message-not-found/);
		assert.deepEqual(s3.refusals.splice(0), ['NoSuchKey']);
	});

	test('requests are tried again after SlowDown, errors, lost connections and truncated messages', async () => {
		const session = await createSession(runner);
		s3.fault(503, 500, 'drop'); // faults for the PUT of the runner
		await sendMail(runner.smtpPort, { to: session.email, message: MESSAGE });
		await untilCompleted(runner, session.testId);
		const messageId = 'faulty';
		const text = MESSAGE.replace('hello', 'again') + 'x'.repeat(100000) + '\r\n';
		s3.objects.set(PREFIX + messageId, { bytes: Buffer.from(text), modified: new Date() });
		s3.fault('truncate', 503, 'truncate', 'drop');
		const { answer } = await run('tester-analyze', sesEvent(session, messageId));
		assert.deepEqual(answer, { analyzed: 1 });
		assert.equal((await getSession(runner, session.testId)).results.headers.subject, 'again');
	});

	test('the code of an error is shown, but not one that is longer than any of S3', async () => {
		const session = await createSession(runner);
		s3.objects.set(`${PREFIX}refused`, { bytes: Buffer.from(MESSAGE), modified: new Date() });
		for (const [code, shown] of [['A'.repeat(64), ` ${'A'.repeat(64)}`], ['A'.repeat(65), '']]) {
			s3.fault({ status: 400, code });
			const { answer } = await run('tester-analyze', sesEvent(session, 'refused'));
			assert.equal(answer.errorMessage, `the mail store answers 400${shown}`);
		}
	});

	test('while S3 is down mail is accepted and waits in the spool, beyond the limit of tries', async () => {
		const session = await createSession(runner);
		s3.fault(...Array(24).fill(503));
		await sendMail(runner.smtpPort, { to: session.email, message: MESSAGE });
		await until(() => (log(runner).match(/mail waits in the spool/g) ?? []).length >= 3, 60000);
		assert.match(log(runner), /mail waits in the spool: the mail store answers 503 SlowDown/);
		assert.equal((await getSession(runner, session.testId)).status, 'pending');
		assert.equal((await untilCompleted(runner, session.testId)).results.headers.subject, 'hello');
	});

	test('the event loop continues while S3 is silent', async () => {
		const session = await createSession(runner);
		s3.fault('silence');
		await sendMail(runner.smtpPort, { to: session.email, message: MESSAGE });
		const began = Date.now();
		for (let i = 0; i < 20; i++) await createSession(runner);
		assert.ok(Date.now() - began < 5000);
		await untilCompleted(runner, session.testId);
	});

	test('wrong credentials are reported, and the message does not contain them', async () => {
		const session = await createSession(runner);
		const env = { ...s3.env, AWS_SECRET_ACCESS_KEY: 'not-the-secret' };
		const { status, answer, err } = await run('tester-analyze', sesEvent(session, 'any'), env);
		assert.equal(status, 1);
		assert.match(answer.errorMessage, /403 SignatureDoesNotMatch/);
		assert.ok(!err.includes('not-the-secret'));
		assert.deepEqual(s3.refusals.splice(0), ['SignatureDoesNotMatch']);
		const none = await run('tester-analyze', sesEvent(session, 'any'),
			{ ...s3.instanceEnv, AWS_EC2_METADATA_DISABLED: 'true' });
		assert.match(none.answer.errorMessage, /no credentials for the mail store/);
	});

	test('a missing bucket is reported', async () => {
		const session = await createSession(runner);
		const { answer } = await run('tester-analyze', sesEvent(session, 'any'),
			{ ...s3.env, EDS_MAIL_STORE: 's3://another-bucket' });
		assert.match(answer.errorMessage, /404 NoSuchBucket/);
		s3.refusals.splice(0);
	});

	for (const source of ['containerEnv', 'instanceEnv'])
		test(`credentials come from the ${source.replace('Env', '')}, and are fetched again when they are refused`, async () => {
			const session = await createSession(runner);
			s3.objects.set(`${PREFIX}mine`, { bytes: Buffer.from(MESSAGE), modified: new Date() });
			s3.asked.splice(0);
			s3.fault('expired');
			const { answer, err } = await run('tester-analyze', sesEvent(session, 'mine'), s3[source]);
			assert.deepEqual(answer, { analyzed: 1 });
			assert.equal(s3.requests.at(-1).id, s3.issued.AccessKeyId);
			assert.deepEqual(s3.refusals.splice(0), ['ExpiredToken']);
			assert.equal(s3.asked.filter((what) => /credentials(\/mail-role)?$/.test(what)).length, 2);
			saysNoSecret(s3, err);
		});

	test('no log of these tests contains a secret', () => saysNoSecret(s3, log(runner) + runner.output.out));
});

describe('credentials that end', { timeout: SUITE_MS }, () => {
	test('are renewed before they end, by the same runner', async () => {
		const s3 = await startS3();
		s3.issue(300 + FRESH_S); // credentials are renewed in their last five minutes
		const renewed = Date.now() + FRESH_S * 1000;
		const runner = await startRunner({ functions, env: { ...SETTINGS, ...s3.containerEnv } });
		try {
			const first = s3.issued.AccessKeyId;
			const session = await createSession(runner);
			await sendMail(runner.smtpPort, { to: session.email, message: MESSAGE });
			await untilCompleted(runner, session.testId);
			assert.ok(s3.requests.every(({ id }) => id === first));
			await until(() => Date.now() > renewed + 1500);
			s3.issue(3600);
			const last = await createSession(runner);
			await sendMail(runner.smtpPort, { to: last.email, message: MESSAGE });
			await untilCompleted(runner, last.testId);
			assert.equal(s3.requests.at(-1).id, s3.issued.AccessKeyId);
			assert.deepEqual(s3.refusals, []);
			saysNoSecret(s3, log(runner));
		} finally {
			await runner.stop();
			await s3.close();
		}
	});
});

describe('credentials whose source is away', { timeout: SUITE_MS }, () => {
	test('are used as long as they are valid, and then mail waits for new ones', async () => {
		const s3 = await startS3();
		// the credentials expire so soon that each use asks the source for new ones
		const { AccessKeyId: first } = s3.issue(30);
		const ended = Date.now() + 31000;
		const runner = await startRunner({ functions, env: { ...SETTINGS, ...s3.containerEnv } });
		const deliver = async () => {
			const session = await createSession(runner);
			await sendMail(runner.smtpPort, { to: session.email, message: MESSAGE });
			return session;
		};
		try {
			await untilCompleted(runner, (await deliver()).testId);
			s3.sourcesAway = true;
			const asked = s3.asked.length;
			await untilCompleted(runner, (await deliver()).testId);
			assert.ok(s3.asked.length > asked);
			assert.ok(s3.requests.every(({ id }) => id === first));
			await until(() => Date.now() > ended, 60000);
			const waiting = await deliver();
			await until(() => log(runner).includes('mail waits in the spool'), 60000);
			assert.equal((await getSession(runner, waiting.testId)).status, 'pending');
			s3.issue(3600);
			s3.sourcesAway = false;
			await untilCompleted(runner, waiting.testId, 60);
			assert.equal(s3.requests.at(-1).id, s3.issued.AccessKeyId);
		} finally {
			await runner.stop();
			await s3.close();
		}
	});
});

describe('over TLS', { timeout: SUITE_MS }, () => {
	test('only a bucket whose certificate EDS_CA_FILE vouches for is used', async () => {
		const authority = makeAuthority();
		const folder = mkdtempSync(join(tmpdir(), 'eds-s3-'));
		const s3 = await startS3({ tls: authority.issue(['localhost']) });
		const other = await startS3({ tls: authority.issue(['localhost'], { selfSigned: true }) });
		const event = sesEvent({ email: 'nobody@tester.localhost' }, 'm1');
		try {
			s3.objects.set(`${PREFIX}m1`, { bytes: Buffer.from(MESSAGE), modified: new Date() });
			await invoke('admin', { action: 'migrate' }, {}, folder);
			const trusting = { EDS_CA_FILE: authority.file };
			const refused = await invoke('tester-analyze', event, { ...other.env, ...trusting }, folder);
			assert.match(refused.answer.errorMessage, /cannot be reached: .*certificate/);
			assert.match((await invoke('tester-analyze', event, s3.env, folder)).answer.errorMessage, /certificate/);
			assert.deepEqual([s3.requests, other.requests], [[], []]);
			assert.deepEqual((await invoke('tester-analyze', event, { ...s3.env, ...trusting }, folder)).answer, { analyzed: 0 });
			assert.deepEqual(s3.requests.map(({ method }) => method), ['DELETE']);
		} finally {
			await s3.close();
			await other.close();
			authority.remove();
			rmSync(folder, { recursive: true, force: true });
		}
	});
});

describe('a runner that stops while S3 hangs', { timeout: SUITE_MS }, () => {
	test('ends in time, and the mail is analyzed after the next start', async () => {
		const folder = mkdtempSync(join(tmpdir(), 'eds-s3-'));
		const s3 = await startS3();
		try {
			const first = await startRunner({ functions, env: { ...SETTINGS, ...s3.env }, folder });
			const session = await createSession(first);
			s3.fault('silence', 'silence', 'silence');
			await sendMail(first.smtpPort, { to: session.email, message: MESSAGE });
			const { code, seconds } = await first.stop();
			assert.equal(code, 0);
			assert.ok(seconds < 20, `${seconds} s`);
			const second = await startRunner({ functions, env: { ...SETTINGS, ...s3.env }, folder });
			await untilCompleted(second, session.testId);
			await second.stop();
		} finally {
			await s3.close();
			rmSync(folder, { recursive: true, force: true });
		}
	});
});

test('no program loads libcurl at its start, and programs without mail store or database never do', () => {
	const manifest = JSON.parse(readFileSync('functions/manifest.json', 'utf8'));
	for (const name of ['tester-analyze', 'tester-expire', 'tester-session-get', 'mail-accept', '../runner']) {
		assert.ok(name === '../runner' || manifest.functions[name]);
		assert.ok(!execFileSync('ldd', [join(BUILD, 'functions', name)], { encoding: 'utf8' }).includes('libcurl'), name);
	}
	assert.ok(!readFileSync(join(BUILD, 'functions/dashboard-page')).includes('libcurl'));
});
