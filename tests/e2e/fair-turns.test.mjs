// What one client sends is not what another waits for.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';

import { startDns } from './support/dns.mjs';
import { sendMail } from './support/mail.mjs';
import { startRunner } from './support/runner.mjs';
import { LISTS, Sender } from './support/senders.mjs';
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

	test('from one address do not hold up the message of another', async () => {
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
		assert.equal(last.status, 'pending', 'the slow ones must not have been through already');
	});
});
