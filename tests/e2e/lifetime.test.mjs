// Acknowledged changes survive kill -9, a locked database and a full disk; sessions expire to the
// second.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';

import { request } from './support/api.mjs';
import { openSmtp, sendMail } from './support/mail.mjs';
import { storedIds } from './support/mail-store.mjs';
import { startRunner, until } from './support/runner.mjs';
import { isSound, lockTable, onPostgres, sql } from './support/store.mjs';
import { createSession, getSession, untilCompleted } from './support/tester.mjs';

// A resolver that refuses all questions at once, because these stories do not depend on DNS.
const SETTINGS = { EDS_DNS_SERVERS: '127.0.0.1:1', EDS_TESTER_SESSIONS_PER_HOUR: '0' };
const MESSAGE = 'From: a@sender.example\r\nSubject: hello\r\nMessage-ID: <1@sender.example>\r\n\r\nHello.\r\n';


async function rcptReply(runner, address) {
	const talk = await openSmtp(runner.smtpPort);
	await talk.say('EHLO x', '250');
	await talk.say('MAIL FROM:<a@sender.example>', '250');
	const reply = await talk.say(`RCPT TO:<${address}>`);
	talk.socket.end('QUIT\r\n');
	return reply;
}

describe('a message taken with 250', () => {
	for (let round = 1; round <= 3; round++)
		test(`is analyzed once after kill -9 of the runner, round ${round}`, async () => {
			const folder = mkdtempSync(join(tmpdir(), 'eds-killed-'));
			try {
				const first = await startRunner({ env: SETTINGS, folder });
				const session = await createSession(first);
				const reply = await sendMail(first.smtpPort, { to: session.email, message: MESSAGE });
				assert.match(reply, /^250 /);
				await first.stop('SIGKILL');

				const second = await startRunner({ env: SETTINGS, folder });
				const completed = await untilCompleted(second, session.testId);
				assert.equal(completed.results.headers.subject, 'hello');
				assert.equal(sql(second, 'SELECT count(*) FROM tester_messages'), '1');
				assert.ok(isSound(second));
				await second.stop();

				const third = await startRunner({ env: SETTINGS, folder });
				assert.deepEqual(await getSession(third, session.testId), completed);
				assert.equal((await storedIds(third)).length, 1);
				await third.stop();
			} finally {
				rmSync(folder, { recursive: true, force: true });
			}
		});
});

describe('with the tester running', () => {
	let runner;

	before(async () => {
		runner = await startRunner({ env: SETTINGS });
	});
	after(() => runner?.stop());

	test('an address and its results end at its expiry to the second, and the message is deleted', async () => {
		const session = await createSession(runner);
		await sendMail(runner.smtpPort, { to: session.email, message: MESSAGE });
		await untilCompleted(runner, session.testId);
		const before = (await storedIds(runner)).length;

		// time enough for the next three steps on a slow machine
		const expiry = (Math.floor(Date.now() / 1000) + 10) * 1000;
		sql(runner, `UPDATE tester_sessions SET expires_at_ms = ${expiry} WHERE test_id = '${session.testId}'`);
		const shown = await getSession(runner, session.testId);
		assert.equal(Date.parse(shown.expiresAt), expiry);
		assert.match(await rcptReply(runner, session.email), /^250 /);
		await until(() => Date.now() >= expiry);

		const url = `${runner.baseUrl}/api/inbound-tester/sessions/`;
		const gone = await request(url + session.testId);
		const unknown = await request(url + 'a'.repeat(26));
		assert.equal(gone.status, 404);
		assert.equal(gone.text, unknown.text);
		assert.match(await rcptReply(runner, session.email), /^550 /);

		// the job tester-expire, which deletes the message, runs every minute
		await until(async () => (await storedIds(runner)).length === before - 1, 90000);
	});

	test('a later message replaces the result', async () => {
		const session = await createSession(runner);
		await sendMail(runner.smtpPort, { to: session.email, message: MESSAGE });
		await untilCompleted(runner, session.testId);
		await sendMail(runner.smtpPort, { to: session.email, message: MESSAGE.replace('hello', 'again') });
		await until(async () =>
			(await getSession(runner, session.testId)).results.headers.subject === 'again', 40000);
	});

	test('one mail to several test addresses completes each of them', async () => {
		const sessions = [await createSession(runner), await createSession(runner)];
		await sendMail(runner.smtpPort, { to: sessions.map(({ email }) => email), message: MESSAGE });
		for (const { testId } of sessions)
			assert.equal((await untilCompleted(runner, testId)).status, 'completed');
	});

	test('a message is analyzed again on demand, and its time of receipt stays', async () => {
		const session = await createSession(runner);
		const url = `${runner.baseUrl}/api/inbound-tester/sessions/${session.testId}/reanalyze`;
		assert.equal((await request(url, { method: 'POST' })).status, 409);
		await sendMail(runner.smtpPort, { to: session.email, message: MESSAGE });
		const first = await untilCompleted(runner, session.testId);
		const again = await request(url, { method: 'POST' });
		assert.equal(again.status, 200);
		assert.equal(again.json().results.headers.receivedAt, first.results.headers.receivedAt);
		const tooSoon = await request(url, { method: 'POST' });
		assert.equal(tooSoon.status, 429);
		assert.equal(tooSoon.json().code, 'reanalyzed-just-now');
		assert.ok(Number(tooSoon.headers['retry-after']) >= 1);
	});

	test('while the database is locked new addresses get 503 and mail waits in the spool', async () => {
		const session = await createSession(runner);
		const unlock = await lockTable(runner, 'tester_sessions');
		try {
			const refused = await request(`${runner.baseUrl}/api/inbound-tester/sessions`, { method: 'POST' });
			assert.equal(refused.status, 503);
			assert.equal(refused.json().code, 'store-unavailable');
			await sendMail(runner.smtpPort, { to: session.email, message: MESSAGE });
			assert.equal((await getSession(runner, session.testId)).status, 'pending');
		} finally {
			await unlock();
		}
		await untilCompleted(runner, session.testId);
	});
});

describe('on a full disk', () => {
	test('only stored mail is acknowledged, and service returns when there is space again', async (t) => {
		const folder = mkdtempSync(join(tmpdir(), 'eds-full-'));
		try {
			execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=3m', 'tmpfs', folder], { stdio: 'pipe' });
		} catch {
			t.skip('a small file system cannot be mounted here');
			return;
		}
		const runner = await startRunner({ env: SETTINGS, folder });
		try {
			const session = await createSession(runner);
			const filler = join(folder, 'filler');
			execFileSync('sh', ['-c', `dd if=/dev/zero of=${filler} bs=4k 2>/dev/null || true`]);

			await assert.rejects(
				sendMail(runner.smtpPort, { to: session.email, message: MESSAGE + 'x'.repeat(70) + '\r\n' }),
				/\b4[35]\d 4\./);
			const another = await request(`${runner.baseUrl}/api/inbound-tester/sessions`, { method: 'POST' });
			// the disk of a PostgreSQL server is not full
			assert.equal(another.status, onPostgres(runner) ? 201 : 503);
			const spool = async () => (await (await fetch(`${runner.opsUrl}/readyz`)).json()).parts.spool;
			assert.match((await spool()).reason, /^the disk of \S+mail\.spool is full$/);

			rmSync(filler);
			assert.equal((await spool()).state, 'ok');
			await sendMail(runner.smtpPort, { to: session.email, message: MESSAGE });
			const completed = await untilCompleted(runner, session.testId);
			assert.equal(completed.results.headers.subject, 'hello');
			assert.equal(sql(runner, 'SELECT count(*) FROM tester_messages'), '1');
			assert.ok(isSound(runner));
		} finally {
			await runner.stop();
			execFileSync('umount', [folder]);
			rmSync(folder, { recursive: true, force: true });
		}
	});
});
