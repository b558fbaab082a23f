// A verifier that was taken over by hostile mail (tests/support/hostile-verifier.c, which acts as the
// HELO says), in place of the real one: neither false claims nor crashes help an attacker.
import assert from 'node:assert/strict';
import { copyFileSync, cpSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';

import { sendMail } from './support/mail.mjs';
import { BUILD, startRunner } from './support/runner.mjs';
import { createSession, untilCompleted } from './support/tester.mjs';

describe('a verifier that was taken over', () => {
	let build;
	let runner;

	before(async () => {
		build = mkdtempSync(join(tmpdir(), 'eds-taken-over-'));
		for (const program of ['runner', 'bootstrap']) copyFileSync(join(BUILD, program), join(build, program));
		cpSync(join(BUILD, 'functions'), join(build, 'functions'), { recursive: true });
		mkdirSync(join(build, 'libexec'));
		copyFileSync(join(BUILD, 'tests/support/hostile-verifier'), join(build, 'libexec/eds-verifier'));
		runner = await startRunner({ build, env: { EDS_DNS_SERVERS: '127.0.0.1:9', EDS_ALLOW_PRIVATE_ADDRESSES: '1' } });
	});
	after(async () => {
		await runner?.stop();
		rmSync(build, { recursive: true, force: true });
	});

	async function deliver(helo) {
		const session = await createSession(runner);
		await sendMail(runner.smtpPort, { helo, from: 'someone@sender.example', to: session.email,
			message: 'From: someone@sender.example\r\nSubject: unsigned\r\n\r\nHello.\r\n' });
		return untilCompleted(runner, session.testId);
	}

	test('gains nothing by claiming a valid signature that the message does not have', async () => {
		const { results, scoreBreakdown } = await deliver('honest');
		assert.equal(results.spf.result, 'fail'); // SPF fails, as the child reported
		assert.equal(results.dkim.valid, false);
		assert.deepEqual(scoreBreakdown.map(({ rule }) => rule).filter((rule) => /DKIM|DMARC/.test(rule)), []);
		assert.match(runner.output.err, /reported a valid signature that the message does not have/);
	});

	test('crashes without details for the sender, but with details in the log', async () => {
		const session = await deliver('crash');
		assert.doesNotMatch(JSON.stringify(session), /Segmentation|SIG|signal/);
		assert.match(JSON.stringify(session), /ended before it was complete/);
		assert.match(runner.output.err, /the verifier of a message crashed: Segmentation fault/);
	});
});
