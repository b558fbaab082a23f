// The tester in a pipeline: a message that is submitted over HTTP gets the same result as by mail.
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';

import { request } from './support/api.mjs';
import { sendMail } from './support/mail.mjs';
import { storedIds, storedMessage } from './support/mail-store.mjs';
import { startNsd } from './support/nsd.mjs';
import { handlersOf, startRunner, until } from './support/runner.mjs';
import { LISTS, Sender } from './support/senders.mjs';
import { admin, sql } from './support/store.mjs';
import { createSession, getSession, untilCompleted } from './support/tester.mjs';

const SETTINGS = {
	...LISTS,
	EDS_TESTER_DOMAIN: 'tester.example',
	EDS_SMTP_TRUSTED: '127.0.0.1',
	EDS_ALLOW_PRIVATE_ADDRESSES: '1',
	EDS_TESTER_SESSIONS_PER_HOUR: '0',
};
const LF_ONLY = 'From: a@sender.example\nSubject: hello\nMessage-ID: <1@sender.example>\n\nHello.\n';

const rulesOf = ({ scoreBreakdown }) => scoreBreakdown.map(({ rule }) => rule).sort();

const handIn = (runner, { testId }, body, { query = {}, type = 'message/rfc822' } = {}) =>
	request(`${runner.baseUrl}/api/inbound-tester/sessions/${testId}/message?${new URLSearchParams(query)}`,
		{ method: 'POST', headers: type ? { 'content-type': type } : {}, body });

const envelopeOf = (sender) => ({ clientIp: sender.ip, helo: sender.helo, mailFrom: sender.mailFrom });

// Removes the parts in which the two results may differ: when and how the message came, and the Received
// field that only mail has.
function comparable({ results: { headers, tls, ...results }, spamScore, verdict, scoreBreakdown }) {
	const { requirements, outlook, advice, shape: { bytes, ...shape }, ...measured } = results;
	return { measured, shape, spamScore, verdict, scoreBreakdown };
}

describe('a message handed in over HTTP', () => {
	const good = new Sender('pipeline');
	const list = new Sender('unlike', { spf: 'v=spf1 -all' });
	let nsd;
	let runner;

	before(async () => {
		nsd = await startNsd([good, list].flatMap((sender) => sender.records()));
		runner = await startRunner({ env: { ...SETTINGS, EDS_DNS_SERVERS: nsd.address } });
	});
	after(async () => {
		await runner?.stop();
		await nsd?.stop();
	});

	for (const [what, sender] of [['good', good], ['refused by its SPF', list]])
		test(`that is ${what} has the result of the same message by mail`, async () => {
			const message = await sender.signed();
			const byMail = await createSession(runner);
			await sendMail(runner.smtpPort, { ip: sender.ip, helo: sender.helo, from: sender.mailFrom, to: byMail.email, message });
			const session = await createSession(runner);
			const answer = await handIn(runner, session, message, { query: envelopeOf(sender) });
			assert.equal(answer.status, 202);
			assert.deepEqual(answer.json(), session);
			assert.equal(answer.headers.location, `/api/inbound-tester/sessions/${session.testId}`);
			assert.equal(answer.headers['eds-stored'], undefined);
			assert.deepEqual(comparable(await untilCompleted(runner, session.testId)),
				comparable(await untilCompleted(runner, byMail.testId)));
		});

	test('in JSON, as text or in base64, has the same result, too', async () => {
		const message = await good.signed();
		for (const form of [{ message }, { messageBase64: Buffer.from(message).toString('base64') }]) {
			const session = await createSession(runner);
			const answer = await handIn(runner, session, JSON.stringify({ ...form, ...envelopeOf(good) }), { type: 'application/json' });
			assert.equal(answer.status, 202);
			const completed = await untilCompleted(runner, session.testId);
			assert.deepEqual(rulesOf(completed), ['DKIM_VALID', 'DMARC_PASS', 'PTR_VALID', 'SPF_PASS']);
		}
	});

	test('with LF line ends, as an editor saves it, keeps its signature valid', async () => {
		const session = await createSession(runner);
		const saved = (await good.signed()).replaceAll('\r\n', '\n');
		assert.equal((await handIn(runner, session, saved, { query: envelopeOf(good), type: null })).status, 202);
		const completed = await untilCompleted(runner, session.testId);
		assert.equal(completed.results.dkim.valid, true);
		assert.equal(completed.spamScore, -1.3);
	});

	test('with both kinds of line end is not changed, and the result says so', async () => {
		const session = await createSession(runner);
		const mixed = (await good.signed()).replace('\r\n\r\n', '\r\n\r\none\ntwo\rthree\r\n');
		await handIn(runner, session, mixed, { query: envelopeOf(good) });
		const completed = await untilCompleted(runner, session.testId);
		assert.equal(completed.results.dkim.valid, false);
		const texts = await Promise.all((await storedIds(runner)).map((id) => storedMessage(runner, id)));
		assert.ok(texts.includes(mixed));
	});

	test('without an address of the client leaves the results that depend on it undecided', async () => {
		const session = await createSession(runner);
		// this Received field looks like that of our receiver, but the client has written it
		const forged = `Received: from x (x [${good.ip}]) by tester.example with ESMTP id 1; ${new Date().toUTCString()}\r\n`;
		await handIn(runner, session, forged + await good.message(), { query: { mailFrom: good.mailFrom } });
		const { results, scoreBreakdown } = await untilCompleted(runner, session.testId);
		assert.deepEqual(scoreBreakdown, []);
		assert.equal(results.spf.state, 'unknown');
		assert.equal(results.dmarc.state, 'undecided');
		assert.equal(results.ptr.state, 'unknown');
		assert.deepEqual(results.blocklists.results.map(({ state }) => state), Array(4).fill('unknown'));
		const again = await request(`${runner.baseUrl}/api/inbound-tester/sessions/${session.testId}/reanalyze`, { method: 'POST' });
		assert.equal(again.json().results.spf.state, 'unknown');
	});

	test('of five megabytes is accepted', async () => {
		const session = await createSession(runner);
		const message = await good.signed({}, `${'0123456789'.repeat(7)}\r\n`.repeat(70000));
		assert.equal((await handIn(runner, session, message, { query: envelopeOf(good) })).status, 202);
		assert.equal((await untilCompleted(runner, session.testId)).spamScore, -1.3);
	});

	test('replaces the older result, which is not shown any more', async () => {
		const session = await createSession(runner);
		await handIn(runner, session, await good.signed({ Subject: 'first' }), { query: envelopeOf(good) });
		assert.equal((await untilCompleted(runner, session.testId)).results.headers.subject, 'first');
		const answer = await handIn(runner, session, await good.signed({ Subject: 'second' }), { query: envelopeOf(good) });
		assert.equal(answer.json().status, 'pending');
		assert.equal((await untilCompleted(runner, session.testId)).results.headers.subject, 'second');
	});

	test('of hostile octets gets a result, too', async () => {
		for (const octets of [Buffer.from([0]), Buffer.alloc(70000, 0xff), Buffer.from('\r\r\n\n\0From: x\r\n'), Buffer.from('{"message": 1}')]) {
			const session = await createSession(runner);
			assert.equal((await handIn(runner, session, octets, { type: 'application/octet-stream', query: { clientIp: good.ip } })).status, 202);
			await untilCompleted(runner, session.testId);
		}
	});
});

describe('a message that was answered with 202', () => {
	test('is analyzed though the runner was killed at once', async () => {
		const folder = mkdtempSync(join(tmpdir(), 'eds-killed-'));
		const env = { ...SETTINGS, EDS_DNS_SERVERS: '127.0.0.1:1' };
		let runner;
		try {
			runner = await startRunner({ env, folder });
			const session = await createSession(runner);
			// the handlers are stopped, so that no process begins with the message
			const stopped = await stopAnalysis(runner);
			assert.equal((await handIn(runner, session, LF_ONLY)).status, 202);
			await runner.stop('SIGKILL');
			// handlers end with the runner; this kills those that the kernel has not ended
			stopped.forEach(killIfLeft);

			runner = await startRunner({ env, folder });
			assert.equal((await getSession(runner, session.testId)).status, 'pending');
			assert.equal((await untilCompleted(runner, session.testId, 150)).results.headers.subject, 'hello');
			assert.equal(sql(runner, `SELECT count(*) FROM tester_messages WHERE test_id = '${session.testId}'`), '1');
		} finally {
			await runner?.stop();
			rmSync(folder, { recursive: true, force: true });
		}
	});
});

describe('a test of an account', () => {
	const own = new Sender('tested');
	let nsd;
	let runner;
	let token;
	let id;

	const call = async (method, path, body) => request(`${runner.baseUrl}${path}`, { method, body: body && JSON.stringify(body),
		headers: { authorization: `Bearer ${token}`, ...(body ? { 'content-type': 'application/json' } : {}) } });
	const selectors = async () => (await call('GET', `/api/v1/domains/${id}/dkim/selectors`)).json().data;
	const judged = async (session, message) => {
		assert.equal((await handIn(runner, session, message, { query: envelopeOf(own) })).status, 202);
		return untilCompleted(runner, session.testId, 150);
	};
	const ofAccount = async () => (await call('POST', '/api/inbound-tester/sessions')).json();

	before(async () => {
		nsd = await startNsd(own.records());
		runner = await startRunner({ env: { ...SETTINGS, EDS_DNS_SERVERS: nsd.address } });
		admin(runner, { action: 'create-account', name: 'owner', plan: 'paid' });
		({ token } = admin(runner, { action: 'create-token', account: 'owner', name: 'test', expiresAt: null }));
		({ id } = (await call('POST', '/api/v1/domains', { name: own.domain })).json().data);
	});
	after(async () => {
		await runner?.stop();
		await nsd?.stop();
	});

	test('without its token, or with a signature that does not verify, makes no selector known', async () => {
		const message = await own.signed();
		await judged(await createSession(runner), message);
		await judged(await ofAccount(), `${message}and more\r\n`);
		assert.deepEqual((await selectors()).map(({ selector }) => selector), []);
	});

	test('makes the selector of its message\'s signature known, and the selector is then checked', async () => {
		await judged(await ofAccount(), await own.signed());
		await judged(await ofAccount(), await own.signed());
		const [{ selector, addedManually }, ...others] = await selectors();
		assert.deepEqual([selector, addedManually, others], ['s1', false, []]);
		assert.equal((await call('POST', `/api/v1/domains/${id}/dkim/selectors/s1/check`)).json().data.valid, true);
	});

	test('makes no more than a hundred selectors known', async () => {
		await call('DELETE', `/api/v1/domains/${id}/dkim/selectors/s1`);
		for (let i = 0; i < 100; i++)
			sql(runner, `INSERT INTO dkim_selectors (domain_id, name, shown, domain, manual, created_at_ms, due_at_ms, checked_at_ms,
				changed_at_ms, probed_at_ms, digest, wildcard, first_seen_at_ms, last_seen_at_ms, pass_count, fail_count, state, key_bits,
				errors, warnings) VALUES ('${id}', 'x${i}', 'x${i}', '${own.domain}', 0, 1, 9000000000000, 0, 0, 0, 0, 0, 0, 0, 0, 0,
				'unknown', 0, '[]', '[]')`);
		await judged(await ofAccount(), await own.signed());
		assert.equal((await selectors()).length, 100);
	});

	test('with an invalid token works as without one', async () => {
		token = 'eds_none';
		const { status } = await call('POST', '/api/inbound-tester/sessions');
		assert.equal(status, 201);
	});
});

function killIfLeft(pid) {
	try {
		process.kill(pid, 'SIGKILL');
	} catch (error) {
		if (error.code !== 'ESRCH') throw error;
	}
}

// Stops the handlers of tester-analyze while they are idle; returns the process ids. A working handler might hold the
// database's lock, and in its place the runner would start another one for the next message.
async function stopAnalysis(runner) {
	const message = 'From: a@sender.example\r\nSubject: before\r\n\r\n';
	const session = await createSession(runner);
	await sendMail(runner.smtpPort, { to: session.email, message });
	await untilCompleted(runner, session.testId, 150);
	await until(async () => /^eds_mail_delivered_total 1$/m.test(await (await fetch(`${runner.opsUrl}/metrics`)).text()));
	const pids = handlersOf(runner, 'tester-analyze');
	assert.ok(pids.length > 0);
	for (const pid of pids) process.kill(pid, 'SIGSTOP');
	return pids;
}
