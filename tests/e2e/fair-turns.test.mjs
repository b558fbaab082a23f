// The requests and messages of one client do not delay those of others.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';

import { startDns } from './support/dns.mjs';
import { sendMail } from './support/mail.mjs';
import { request, startRunner, until } from './support/runner.mjs';
import { LISTS, Sender } from './support/senders.mjs';
import { admin } from './support/store.mjs';
import { createSession, getSession, untilCompleted } from './support/tester.mjs';

const SLOW_MAILS = 40;
const DEAD = ['dead.example', 'mail.dead.example', '_dmarc.dead.example'];

describe('forty messages whose DNS never answers', () => {
	let dns;
	let runner;

	before(async () => {
		dns = await startDns(DEAD.map((name) => `${name} !drop`));
		runner = await startRunner({ env: { ...LISTS, EDS_DNS_SERVERS: dns.address, EDS_TESTER_DOMAIN: 'tester.example',
			EDS_SMTP_TRUSTED: '127.0.0.1', EDS_ALLOW_PRIVATE_ADDRESSES: '1', EDS_TESTER_SESSIONS_PER_HOUR: '0' } });
	});
	after(async () => {
		await runner?.stop();
		await dns?.stop();
	});

	test('from one address do not delay a message from another', async () => {
		const slow = new Sender('dead');
		const good = new Sender('good');
		const waiting = [];
		for (let i = 0; i < SLOW_MAILS; i++) {
			const session = await createSession(runner);
			await sendMail(runner.smtpPort, { ip: slow.ip, helo: slow.helo, from: slow.mailFrom,
				to: session.email, message: slow.message() });
			waiting.push(session);
		}
		const session = await createSession(runner);
		await sendMail(runner.smtpPort, { ip: good.ip, helo: good.helo, from: good.mailFrom,
			to: session.email, message: good.message() });
		await untilCompleted(runner, session.testId, 30);
		const last = await getSession(runner, waiting.at(-1).testId);
		assert.equal(last.status, 'pending', 'the slow messages were already analyzed, so this shows nothing');
	});
});

describe('an account that checks domains whose DNS never answers', () => {
	const CHECKS = 24;
	let dns;
	let runner;

	// An account: call(method, path, body) sends a request to the API with its token.
	function newAccount(name) {
		admin(runner, { action: 'create-account', name, plan: 'free' });
		const { token } = admin(runner, { action: 'create-token', account: name, name, expiresAt: null });
		return (method, path, body) => request(`${runner.baseUrl}/api/v1/domains${path}`, { method,
			headers: { authorization: `Bearer ${token}`, ...(body ? { 'content-type': 'application/json' } : {}) },
			body: body && JSON.stringify(body) });
	}

	before(async () => {
		dns = await startDns(['_mta-sts.silent.example !drop', 'mta-sts.silent.example !drop', 'silent.example !drop',
			'test SOA 900 ns.test h.test 1 3600 600 86400 60']);
		runner = await startRunner({ env: { EDS_DNS_SERVERS: dns.address } });
	});
	after(async () => {
		await runner?.stop();
		await dns?.stop();
	});

	test('does not delay the checks of another account', async () => {
		const slow = newAccount('slow');
		const other = newAccount('other');
		const { id } = (await slow('POST', '', { name: 'silent.example' })).json().data;
		const theirs = (await other('POST', '', { name: 'good.example' })).json().data.id;
		await slow('PATCH', `/${id}/mta-sts`, { enabled: true });
		const waiting = Array.from({ length: CHECKS }, () => slow('POST', `/${id}/mta-sts/check`));
		await until(async () => /^eds_pool_queue\{function="mta-sts-check-now"\} \d\d$/m.test(
			(await request(`${runner.opsUrl}/metrics`)).text));
		const began = Date.now();
		const { status, text } = await other('POST', `/${theirs}/mta-sts/check`);
		assert.equal(status, 200, text);
		assert.ok(Date.now() - began < 10000, `it took ${Date.now() - began} ms`);
		const statuses = (await Promise.all(waiting)).map((answer) => answer.status);
		assert.ok(statuses.includes(200), "some of the account's own checks still succeed");
	});
});
