// The self-hosted form: Postfix, as infra/postfix configures it, receives for the runner.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { promisify } from 'node:util';

import { storedMessages } from './support/mail-store.mjs';
import { receiving, startPostfix } from './support/postfix.mjs';
import { startRunner } from './support/runner.mjs';
import { createSession, getSession, untilCompleted } from './support/tester.mjs';

const run = promisify(execFile);
const NOWHERE = '127.0.0.1:9'; /* no name server: every question fails at once */

describe('Postfix in front', { skip: process.getuid() !== 0 && 'it needs root' }, () => {
	let postfix;
	let runner;

	before(async () => {
		runner = await startRunner({
			env: { EDS_SMTP_TRUSTED: '127.0.0.1', EDS_DNS_SERVERS: NOWHERE, EDS_ALLOW_PRIVATE_ADDRESSES: '1' },
		});
		postfix = await startPostfix(receiving(runner.smtpPort));
	});
	after(async () => {
		await postfix?.stop();
		await runner?.stop();
	});

	// swaks from another address than the one Postfix itself has; what it printed, whatever came of it.
	const send = (to, ...more) => run('swaks', ['--server', '127.0.0.1', '--port', postfix.port, '--local-interface', '127.0.0.7',
		'--to', to, '--from', 'me@example.com', '--ehlo', 'sender.example', '--suppress-data', ...more])
		.then(({ stdout }) => stdout, ({ stdout }) => stdout);

	test('mail to a live address is analysed with the address and HELO of who sent it', async () => {
		const { email, testId } = await createSession(runner);
		assert.match(await send(email), /^<- {2}250 2\.0\.0 taken as /m);
		const { results } = await untilCompleted(runner, testId);
		assert.equal(results.helo.name, 'sender.example');
		const stored = await storedMessages(runner);
		assert.equal(stored.length, 1);
		assert.match(stored[0], /^Received: from sender\.example \(unknown \[127\.0\.0\.7\]\)\r\n\tby tester\.localhost /);
	});

	test('mail comes over TLS', async () => {
		const { email, testId } = await createSession(runner);
		assert.match(await send(email, '--tls'), /TLS started/);
		await untilCompleted(runner, testId);
	});

	test('an address that never lived is refused at RCPT, before any text is sent', async () => {
		const output = await send('aaaaaaaaaaaaaaaaaaaaaaaaaa@tester.localhost');
		assert.match(output, /^<\*\* 550 /m);
		assert.doesNotMatch(output, /^ +-> DATA/m);
	});

	test('mail for anybody else is not relayed', async () => {
		assert.match(await send('someone@elsewhere.example'), /^<\*\* 554 .*Relay access denied/m);
	});

	test('a message longer than eds takes is refused, and the address stays free for another', async () => {
		const { email, testId } = await createSession(runner);
		const long = join(runner.folder, 'long.txt');
		writeFileSync(long, 'a line of a message that is far too long\n'.repeat(400000));
		assert.match(await send(email, '--body', `@${long}`), /^<\*\* 552 5\.3\.4 /m);
		assert.equal((await getSession(runner, testId)).status, 'pending');
	});

	test('while the runner is down the sender is told to try again, and nothing is lost', async () => {
		const other = await startPostfix(receiving(9));
		try {
			const { email, testId } = await createSession(runner);
			assert.match(await send(email, '--port', other.port), /^<\*\* 4\d\d /m);
			assert.equal((await getSession(runner, testId)).status, 'pending');
			await send(email);
			await untilCompleted(runner, testId);
		} finally {
			await other.stop();
		}
	});
});
