// Test mail has a size limit of its own, and quotas of the disk: for each network and in total.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, afterEach, before, describe, test } from 'node:test';

import { openSmtp } from './support/mail.mjs';
import { storedIds } from './support/mail-store.mjs';
import { environment, sql } from './support/store.mjs';
import { BUILD, startRunner, until } from './support/runner.mjs';
import { createSession, getSession, untilCompleted } from './support/tester.mjs';

const KB = 1024;
const MIB = 1024 * KB;
const NOWHERE = '127.0.0.1:9'; // nothing answers at this address, so every DNS question fails at once
const ENV = { EDS_DNS_SERVERS: NOWHERE, EDS_TESTER_MESSAGE_MAX: '1', EDS_TESTER_MAIL_QUOTA: 'network=2,all=6', EDS_SMTP_TRUSTED: '127.0.0.1' };
const EVERY_MINUTE = { id: '1', 'detail-type': 'Scheduled Event', source: 'aws.events', time: '2026-11-20T12:01:00Z', detail: {} };
const LINE = `${'x'.repeat(76)}\r\n`;

const messageOf = (octets) => {
	const head = 'From: a@example.com\r\nSubject: x\r\n\r\n';
	const left = octets - head.length;
	return head + LINE.repeat(Math.floor(left / LINE.length) - 1) + `${'y'.repeat(left % LINE.length + LINE.length - 2)}\r\n`;
};

const health = async (runner) => (await fetch(`${runner.opsUrl}/healthz`)).json();

let folder;
let runner;

before(async () => {
	folder = mkdtempSync(join(tmpdir(), 'eds-quotas-'));
	runner = await startRunner({ folder, env: ENV });
});
after(async () => {
	await runner?.stop();
	rmSync(folder, { recursive: true, force: true });
});

// Sends a message; returns the reply to it, or to the first command that was refused.
async function deliver({ from = '192.0.2.1', to, octets, size }) {
	const client = await openSmtp(runner.smtpPort);
	try {
		await client.say(`XCLIENT ADDR=${from.includes(':') ? 'IPV6:' : ''}${from}`, '220');
		await client.say('EHLO c', '250');
		const parameters = size ? ` SIZE=${size}` : '';
		for (const line of [`MAIL FROM:<a@example.com>${parameters}`, `RCPT TO:<${to}>`]) {
			const reply = await client.say(line);
			if (!reply.startsWith('250') || (octets === undefined && line.startsWith('RCPT'))) return reply;
		}
		await client.say('DATA', '354');
		return await client.say(`${messageOf(octets)}.`);
	} finally {
		client.socket.destroy();
	}
}

// Sends a message that is analyzed and stored.
async function keep(options) {
	const session = await createSession(runner);
	const reply = await deliver({ ...options, to: session.email });
	assert.match(reply, /^250 2\.0\.0 /);
	await untilCompleted(runner, session.testId);
	// until the function has answered, the message counts twice: in the spool and in the mail store
	await until(async () => (await metric('spool')) === 0);
	return session;
}

const refusal = async (options) => deliver({ ...options, to: (await createSession(runner)).email });

const FULL_NETWORK = /^452 4\.3\.1 mail from your network has used up its share of the mail storage here, try again later\r\n$/;
const FULL = /^452 4\.3\.1 the mail storage is full, try again later\r\n$/;

describe('a message that is larger than test mail may be', () => {
	test('is refused at RCPT when its sender declares the size', async () => {
		assert.match(await refusal({ size: MIB + 1 }), /^552 5\.3\.4 a message to this address may have 1048576 octets at most\r\n$/);
		assert.match(await refusal({ size: MIB }), /^250 /);
	});

	test('is refused at its end when the size was not declared', async () => {
		const session = await createSession(runner);
		assert.match(await deliver({ to: session.email, octets: MIB + 2 }), /^552 5\.3\.4 /);
		assert.equal((await getSession(runner, session.testId)).status, 'pending');
		assert.match(await deliver({ to: session.email, octets: MIB }), /^250 2\.0\.0 /);
		await untilCompleted(runner, session.testId);
		await forgetAll();
	});
});

// Lets 48 hours pass: tester-expire then removes what is left, as it does every minute.
async function forgetAll() {
	sql(runner, 'UPDATE tester_sessions SET expires_at_ms = 1');
	execFileSync(join(BUILD, 'functions/tester-expire'), { cwd: runner.folder, env: environment(runner), input: JSON.stringify(EVERY_MINUTE) });
	assert.deepEqual(await storedIds(runner), []);
}

const metric = async (where) => Number(new RegExp(`^eds_mail_held_bytes\\{where="${where}"\\} (\\d+)$`, 'm')
	.exec(await (await fetch(`${runner.opsUrl}/metrics`)).text())[1]);

describe('a network that has used up its share', () => {
	afterEach(forgetAll);

	test('is told to try later while others are served, and has room again after expiry', { timeout: 240000 }, async () => {
		await keep({ octets: MIB });
		await keep({ octets: 700 * KB });
		assert.match(await refusal({ octets: 400 * KB }), FULL_NETWORK);
		assert.match(await refusal({ size: 400 * KB }), FULL_NETWORK);
		await keep({ octets: 10 * KB });
		await keep({ from: '192.0.2.2', octets: MIB });
		const { mail } = await health(runner);
		assert.equal(mail.limitBytes, 6 * MIB);
		assert.ok(mail.heldBytes > 2.6 * MIB && mail.heldBytes < 3 * MIB, JSON.stringify(mail));
		assert.ok(mail.share > 0.43 && mail.share < 0.5, JSON.stringify(mail));

		// These messages use up the room for all clients.
		await keep({ from: '192.0.2.2', octets: 900 * KB });
		await keep({ from: '192.0.2.3', octets: MIB });
		await keep({ from: '192.0.2.3', octets: 900 * KB });
		assert.match(await refusal({ from: '192.0.2.4', octets: 700 * KB }), FULL);

		// After a restart the counts are the same.
		await runner.stop();
		runner = await startRunner({ folder, env: ENV });
		assert.match(await refusal({ octets: 400 * KB }), FULL_NETWORK);
		assert.match(await refusal({ from: '192.0.2.4', octets: 700 * KB }), FULL);

		await forgetAll();
		await keep({ octets: MIB });
		const left = (await health(runner)).mail.heldBytes;
		assert.ok(left < 1.1 * MIB, `${left}`);
	});

	test('may be an IPv6 /48 as well as a /64', { timeout: 240000 }, async () => {
		const address = (net) => `2001:db8:1:${net}::1`;
		await keep({ from: address(1), octets: MIB });
		await keep({ from: address(1), octets: 900 * KB });
		assert.match(await refusal({ from: address(1), octets: 400 * KB }), FULL_NETWORK);
		await keep({ from: address(2), octets: MIB });
		await keep({ from: address(3), octets: 900 * KB });
		assert.match(await refusal({ from: address(4), octets: 300 * KB }), FULL_NETWORK);
	});

	test('cannot get more room by sending much at once', { timeout: 240000 }, async () => {
		const sessions = await Promise.all(Array.from({ length: 12 }, () => createSession(runner)));
		const replies = await Promise.all(sessions.map(({ email }) => deliver({ to: email, octets: 500 * KB })));
		assert.equal(replies.filter((reply) => reply.startsWith('250')).length, 4, replies.join());
		assert.equal(replies.filter((reply) => FULL_NETWORK.test(reply)).length, 8, replies.join());
		await until(async () => (await Promise.all(sessions.map(({ testId }) => getSession(runner, testId)))).filter(({ status }) => status === 'completed').length === 4);
	});

	test('has room again when a newer message replaces one', { timeout: 120000 }, async () => {
		const { email, testId } = await createSession(runner);
		for (let i = 0; i < 6; i++) {
			assert.match(await deliver({ to: email, octets: 900 * KB }), /^250 2\.0\.0 /);
			await until(async () => (await storedIds(runner)).length === 1 && (await metric('spool')) === 0);
		}
		assert.equal((await getSession(runner, testId)).status, 'completed');
	});
});
