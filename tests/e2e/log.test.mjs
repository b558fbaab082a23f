// The log: what an operator can read in it, and what it must not contain.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';

import { request } from './support/api.mjs';
import { startDns } from './support/dns.mjs';
import { openSmtp, sendMail } from './support/mail.mjs';
import { startRunner } from './support/runner.mjs';
import { LISTS } from './support/senders.mjs';
import { createSession, untilCompleted } from './support/tester.mjs';

const MESSAGE = 'From: a@sender.example\r\nSubject: content-of-the-mail\r\n\r\nbody-of-the-mail\r\n';

async function until(check, seconds = 20) {
	const end = Date.now() + seconds * 1000;
	for (;;) {
		const found = check();
		if (found) return found;
		if (Date.now() > end) throw new Error('the condition was not met in time');
		await new Promise((resolve) => setTimeout(resolve, 25));
	}
}

describe('the log', () => {
	let dns;
	let runner;
	let session;
	const lines = () => runner.output.err.split('\n').slice(0, -1).map((line) => JSON.parse(line));
	const line = (pattern) => until(() => lines().find(({ message }) => pattern.test(message)));

	before(async () => {
		dns = await startDns();
		runner = await startRunner({ env: { ...LISTS, EDS_DNS_SERVERS: dns.address,
			EDS_TESTER_DOMAIN: 'tester.example', EDS_SMTP_TRUSTED: '127.0.0.1' } });
		session = await createSession(runner);
		await sendMail(runner.smtpPort, { ip: '203.0.113.9', helo: 'host.sender.example',
			from: 'bounce@sender.example', to: session.email, message: MESSAGE });
		await untilCompleted(runner, session.testId);
	});
	after(async () => {
		await runner?.stop();
		await dns?.stop();
	});

	test('shows for each message who sent it, and its outcome', async () => {
		const taken = await line(/^mail accepted from <bounce@sender\.example>, client 203\.0\.113\.9, HELO host\.sender\.example, TLS unknown, \d+ octets to 1 recipients$/);
		const done = await line(/^mail event processed on try 1$/);
		assert.equal(done.requestId, taken.requestId);
		assert.equal(done.function, 'tester-analyze');
	});

	test('shows the reply to each refused recipient', async () => {
		const talk = await openSmtp(runner.smtpPort);
		await talk.say('EHLO refused.example', '250');
		await talk.say('MAIL FROM:<x@refused.example>', '250');
		const reply = await talk.say('RCPT TO:<secret-name@elsewhere.example>', '550');
		talk.socket.end();
		const { message } = await line(/^mail refused from <x@refused\.example>/);
		assert.ok(message.endsWith(`: ${reply.trim()}`), message);
		assert.ok(!runner.output.err.includes('secret-name'));
	});

	test('contains neither test addresses nor the content of mail', async () => {
		for (const method of ['GET', 'PUT'])
			await request(`${runner.baseUrl}/api/inbound-tester/sessions/${session.testId}`, { method });
		for (const [method, status] of [['PUT', 405], ['GET', 200]])
			await until(() => lines().find((entry) => entry.method === method && entry.status === status &&
				entry.path === '/api/inbound-tester/sessions/{testId}'));
		for (const secret of [session.testId, 'content-of-the-mail', 'body-of-the-mail'])
			assert.ok(!runner.output.err.includes(secret), `${secret} is in the log`);
	});
});

test('the log says once that clients have no public address, and a metric counts their messages', async () => {
	const runner = await startRunner({ env: { EDS_DNS_SERVERS: '127.0.0.1:9', EDS_SMTP_TRUSTED: '127.0.0.1', EDS_TRUSTED_RELAYS: '10.0.0.0/8' } });
	try {
		const { email } = await createSession(runner);
		for (const ip of ['8.8.8.8', '10.1.2.3', '192.168.0.7', '192.168.0.8'])
			await sendMail(runner.smtpPort, { ip, helo: 'host.sender.example', from: 'a@sender.example', to: email, message: MESSAGE });
		const metrics = await (await fetch(`${runner.opsUrl}/metrics`)).text();
		assert.match(metrics, /^eds_mail_accepted_total 4$/m);
		assert.match(metrics, /^eds_mail_unjudged_total 2$/m);
		const said = runner.output.err.split('\n').filter((text) => text.includes('no public address')).map((text) => JSON.parse(text));
		assert.deepEqual(said.map(({ level, message }) => [level, message]), [['warning', 'the client 192.168.0.7 has no public address, so SPF, '
			+ 'reverse DNS and blocklists stay unknown; if it is a relay like Postfix, EDS_SMTP_TRUSTED must name it']]);
	} finally {
		await runner.stop();
	}
});
