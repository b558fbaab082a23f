// Batches of a queue through bootstrap, with the real functions: each message fails separately, and
// the answer names the messages that the queue must send again.
import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';

import { startBootstrap, taskRoot } from './support/bootstrap.mjs';
import { aggregate, gzipMail, signedByReporter } from './support/reports.mjs';
import { BUILD, request, startRunner, testFunctions } from './support/runner.mjs';
import { startRuntimeApi } from './support/runtime-api.mjs';
import { admin } from './support/store.mjs';
import { createSession, getSession } from './support/tester.mjs';

const SUITE_MS = 120000;
const MESSAGE = ['From: a@sender.example', 'Subject: of a batch', '', 'Hello.', ''].join('\r\n');

const failed = (...ids) => ({ batchItemFailures: ids.map((itemIdentifier) => ({ itemIdentifier })) });
const record = (messageId, body) => ({
	messageId, receiptHandle: 'handle', eventSource: 'aws:sqs', attributes: { ApproximateReceiveCount: '1' },
	body: typeof body === 'string' ? body : JSON.stringify(body),
});
const batch = (...records) => ({ Records: records });
const bySns = (message) => ({ Type: 'Notification', MessageId: 'sns', TopicArn: 'arn:aws:sns:eu-test-1:1:t', Message: JSON.stringify(message) });
const received = (messageId, recipient, action = 'S3') => {
	const timestamp = new Date().toISOString();
	return {
		notificationType: 'Received',
		mail: { timestamp, source: 'a@sender.example', messageId, destination: [recipient], headersTruncated: false, headers: [], commonHeaders: {} },
		receipt: { timestamp, recipients: [recipient], action: { type: action, bucketName: 'mail', objectKey: `mail/${messageId}` } },
	};
};
const stored = (messageId) => ({ Records: [{ eventSource: 'aws:s3', eventTime: new Date().toISOString(), s3: { bucket: { name: 'mail' }, object: { key: `mail/${messageId}` } } }] });

describe('a batch of the queue', { timeout: SUITE_MS }, () => {
	let runner;
	let api;
	let root;
	let bootstrap;
	let serial = 0;

	const start = async (handler, functions, env = {}) => {
		api = await startRuntimeApi();
		root = taskRoot(functions);
		bootstrap = startBootstrap({ env: {
			AWS_LAMBDA_RUNTIME_API: api.address, LAMBDA_TASK_ROOT: root.folder, _HANDLER: handler,
			EDS_DATABASE_URL: `sqlite:${join(runner.folder, 'var/eds.db')}`, ...runner.storeEnv,
			EDS_MAIL_STORE: `file:${join(runner.folder, 'var/mail')}`, EDS_DNS_SERVERS: '127.0.0.1:1', ...env,
		} });
	};
	const end = async () => {
		await bootstrap?.stop('SIGKILL');
		await api?.close();
		root?.remove();
	};
	const keep = (id, text) => {
		mkdirSync(join(runner.folder, 'var/mail'), { recursive: true });
		writeFileSync(join(runner.folder, 'var/mail', id), text, 'latin1');
	};
	// Makes a session and a message for it, and puts the message into the mail store unless it is to be missing.
	const message = async ({ missing = false } = {}) => {
		const session = await createSession(runner);
		const id = `batch${String(++serial).padStart(16, '0')}`;
		if (!missing) keep(id, MESSAGE);
		return { id, session, notification: received(id, session.email) };
	};
	const answer = async (event, options) => {
		const outcome = await api.invoke(event, { deadlineMs: 60000, ...options });
		assert.equal(outcome.kind, 'response', outcome.text);
		return outcome.json();
	};
	const status = async ({ session }) => (await getSession(runner, session.testId)).status;

	before(async () => (runner = await startRunner({ env: { EDS_DNS_SERVERS: '127.0.0.1:1' } })));
	after(async () => runner?.stop());

	describe('for reports-ingest', () => {
		before(() => start('reports-ingest', join(BUILD, 'functions')));
		after(end);

		test('fails a report that is put off, without a line that the alarm counts', async () => {
			admin(runner, { action: 'create-account', name: 'own', plan: 'free' });
			const { token } = admin(runner, { action: 'create-token', account: 'own', name: 'test', expiresAt: null });
			const created = await request(`${runner.baseUrl}/api/v1/domains`, { method: 'POST', body: '{"name":"example.com"}',
				headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' } });
			const report = aggregate({ id: 'r1', domain: 'example.com', begin: 1769731200, end: 1769817599, records: [{}] });
			keep('batch-of-a-report-01', await signedByReporter(gzipMail(report)));
			const event = received('batch-of-a-report-01', created.json().data.reportAddress);
			assert.deepEqual(await answer(batch(record('q1', event))), failed('q1'));
			const lines = bootstrap.output.err.trim().split('\n').map((line) => JSON.parse(line));
			assert.deepEqual(lines.filter(({ level }) => level === 'error'), []);
			assert.ok(lines.some(({ message: text }) => text.startsWith('message batch-of-a-report-01 is put off: sender-undecided: ')));
		});
	});

	describe('for tester-analyze', () => {
		before(() => start('tester-analyze', join(BUILD, 'functions')));
		after(end);

		test('without a fault fails no message', async () => {
			const first = await message();
			const second = await message();
			assert.deepEqual(await answer(batch(record('q1', bySns(first.notification)), record('q2', second.notification))), failed());
			assert.equal(await status(first), 'completed');
			assert.equal(await status(second), 'completed');
		});

		test('in which one message is missing fails that message alone', async () => {
			const first = await message();
			const lost = await message({ missing: true });
			const last = await message();
			const event = batch(record('q1', bySns(first.notification)), record('q2', bySns(lost.notification)), record('q3', bySns(last.notification)));
			assert.deepEqual(await answer(event), failed('q2'));
			assert.deepEqual([await status(first), await status(lost), await status(last)], ['completed', 'pending', 'completed']);
		});

		test('in which one body cannot be read fails that message alone', async () => {
			const good = await message();
			const event = batch(record('q1', 'no JSON'), record('q2', bySns({ hello: 'world' })), record('q3', { Type: 'Notification', Message: '{' }),
				record('q4', { Records: [] }), record('q5', bySns(good.notification)));
			assert.deepEqual(await answer(event), failed('q1', 'q2', 'q3', 'q4'));
			assert.equal(await status(good), 'completed');
		});

		test('that comes again after success is answered as successful', async () => {
			const once = await message();
			const event = batch(record('q1', bySns(once.notification)));
			assert.deepEqual(await answer(event), failed());
			assert.deepEqual(await answer(event), failed());
		});

		test('with notices of S3 fails once the notice that names no mail', async () => {
			const odd = { Records: [{ eventSource: 'aws:s3', s3: { object: {} } }, { eventSource: 'aws:s3', s3: { object: {} } }] };
			assert.deepEqual(await answer(batch(record('q1', bySns(odd)), record('q2', stored('batch-of-nobody-00001')))), failed('q1'));
		});

		test('with the notices that S3 and SES send when notifications are set up fails none of them', async () => {
			const ofS3 = { Service: 'Amazon S3', Event: 's3:TestEvent', Time: '2026-01-31T23:59:59.000Z', Bucket: 'mail', RequestId: '5582815E1AEA5ADF', HostId: 'host' };
			const ofSes = { notificationType: 'AmazonSnsSubscriptionSucceeded', message: 'You have successfully subscribed your Amazon SNS topic' };
			const good = await message();
			assert.deepEqual(await answer(batch(record('q1', ofS3), record('q2', bySns(ofS3)), record('q3', bySns(ofSes)), record('q4', good.notification))), failed());
			assert.equal(await status(good), 'completed');
			assert.deepEqual(await answer(batch(record('q1', ofS3))), failed());
			assert.deepEqual(await answer(ofS3), {});
		});

		test('logs for each failure a line that the alarm counts', async () => {
			const lost = await message({ missing: true });
			const began = bootstrap.output.err.length;
			await answer(batch(record('q1', bySns(lost.notification)), record('q2', 'no JSON')));
			const lines = bootstrap.output.err.slice(began).trim().split('\n').map((line) => JSON.parse(line));
			// the alarm counts log lines by the same filter (infra/aws/mail.mjs): { $.level =
			// "error" && $.message = "message * failed: *" }
			const counted = lines.filter(({ level, message: text }) => level === 'error' && /^message .* failed: /.test(text));
			assert.deepEqual(counted.map(({ message: text }) => text.split(' ')[1]), [lost.id, 'q2']);
		});
	});

	test('comes again whole while the database is away', async () => {
		await start('tester-analyze', join(BUILD, 'functions'), { EDS_DATABASE_URL: 'postgresql://127.0.0.1:1/none' });
		const first = await message();
		const second = await message();
		const event = batch(record('q1', bySns(first.notification)), record('q2', bySns(second.notification)));
		assert.deepEqual(await answer(event), failed('q1', 'q2'));
		await end();
	});

	test('whose first message uses up the time leaves the rest for another try', async () => {
		const functions = testFunctions({ slow: { program: 'handler-mail', mail: true, timeoutMs: 8000 } });
		await start('slow', functions.folder);
		const event = batch(record('q1', received('sleep-4500', 'a@b.example')), record('q2', received('quick', 'a@b.example')),
			record('q3', received('fail', 'a@b.example')));
		assert.deepEqual(await answer(event), failed('q2', 'q3'));
		assert.deepEqual(await answer(batch(...event.Records.slice(1))), failed('q3'));
		await end();
		functions.remove();
	});

	test('whose function is killed comes again whole', async () => {
		const functions = testFunctions({ slow: { program: 'handler-mail', mail: true, timeoutMs: 2000 } });
		await start('slow', functions.folder);
		const outcome = await api.invoke(batch(record('q1', received('crash', 'a@b.example')), record('q2', received('quick', 'a@b.example'))));
		assert.equal(outcome.kind, 'error');
		assert.equal(outcome.json().errorType, 'Runtime.ExitError');
		await end();
		functions.remove();
	});
});
