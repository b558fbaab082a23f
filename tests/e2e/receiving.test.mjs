// A self-hosted service: Postfix, as infra/postfix configures it, receives mail for the runner.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import net from 'node:net';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { promisify } from 'node:util';

import { storedMessages } from './support/mail-store.mjs';
import { receiving, startPostfix } from './support/postfix.mjs';
import { startRunner } from './support/runner.mjs';
import { createSession, getSession, untilCompleted } from './support/tester.mjs';

const run = promisify(execFile);
const NOWHERE = '127.0.0.1:9'; // nothing answers at this address, so every DNS question fails at once

// Sends each command after the answer to the previous one; returns the codes of all answers.
async function converse(port, lines) {
	const socket = net.connect(port, '127.0.0.1').setEncoding('latin1');
	const codes = [];
	let text = '';
	let left = lines;
	socket.on('data', (data) => {
		text += data;
		for (let line; (line = /^(\d{3})([- ]).*\r\n/.exec(text)); text = text.slice(line[0].length)) {
			if (line[2] === '-') continue;
			codes.push(line[1]);
			if (left.length > 0) socket.write(`${left[0]}\r\n`, 'latin1');
			left = left.slice(1);
		}
	});
	socket.setTimeout(10000, () => socket.destroy());
	await new Promise((done) => socket.on('close', done).on('error', () => {}));
	return codes.slice(1);
}

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

	// Runs swaks from another address than Postfix's own; returns its output, whatever the result.
	const send = (to, ...more) => run('swaks', ['--server', '127.0.0.1', '--port', postfix.port, '--local-interface', '127.0.0.7',
		'--to', to, '--from', 'me@example.com', '--ehlo', 'sender.example', '--suppress-data', ...more])
		.then(({ stdout }) => stdout, ({ stdout }) => stdout);

	test('mail to a live address is analyzed with the address and HELO of who sent it', async () => {
		const { email, testId } = await createSession(runner);
		assert.match(await send(email), /^<- {2}250 2\.0\.0 accepted as /m);
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

	test('an unknown address is refused at RCPT, before any text is sent', async () => {
		const output = await send('aaaaaaaaaaaaaaaaaaaaaaaaaa@tester.localhost');
		assert.match(output, /^<\*\* 550 /m);
		assert.doesNotMatch(output, /^ +-> DATA/m);
	});

	test('mail for anybody else is not relayed', async () => {
		assert.match(await send('someone@elsewhere.example'), /^<\*\* 554 .*Relay access denied/m);
	});

	test('a message longer than eds accepts is refused, and the address still accepts another', async () => {
		const { email, testId } = await createSession(runner);
		const long = join(runner.folder, 'long.txt');
		writeFileSync(long, 'a line of a message that is far too long\n'.repeat(400000));
		assert.match(await send(email, '--body', `@${long}`), /^<\*\* 552 5\.3\.4 /m);
		assert.equal((await getSession(runner, testId)).status, 'pending');
	});

	// Octets that some server takes for the end of a message. The test sends a second transaction after
	// each, which must not be accepted (SMTP smuggling).
	const ENDS = {
		'LF . LF': '\n.\n', 'LF . CR LF': '\n.\r\n', 'CR LF . LF': '\r\n.\n',
		'CR . CR': '\r.\r', 'CR . CR LF': '\r.\r\n', 'CR LF . CR': '\r\n.\r', 'CR . LF': '\r.\n', 'LF . CR': '\n.\r',
		'CR CR LF . CR CR LF': '\r\r\n.\r\r\n', 'CR LF . CR CR LF': '\r\n.\r\r\n', 'CR LF NUL . CR LF': '\r\n\0.\r\n',
		'CR LF . NUL CR LF': '\r\n.\0\r\n', 'CR LF .. CR LF': '\r\n..\r\n', 'CR LF . SP CR LF': '\r\n. \r\n',
		'LF LF . CR LF': '\n\n.\r\n', 'CR LF . LF CR LF': '\r\n.\n\r\n',
	};
	const REFUSED = (end) => /(^|[^\r])\n|\r(?!\n)|\0/.test(end);
	for (const [name, end] of Object.entries(ENDS))
		test(`${name} neither ends a message nor hides one`, async () => {
			const [outer, hidden] = [await createSession(runner), await createSession(runner)];
			const before = (await storedMessages(runner)).length;
			const replies = await converse(postfix.port, ['EHLO sender.example', 'MAIL FROM:<me@example.com>', `RCPT TO:<${outer.email}>`, 'DATA',
				`From: me@example.com\r\nSubject: outer\r\n\r\nfirst${end}MAIL FROM:<admin@example.com>\r\nRCPT TO:<${hidden.email}>\r\n`
				+ 'DATA\r\nFrom: admin@example.com\r\nSubject: hidden\r\n\r\nsecond\r\n.', 'QUIT']);
			assert.deepEqual(replies.slice(4), REFUSED(end) ? ['550', '221'] : ['250', '221'], name);
			if (!REFUSED(end)) await untilCompleted(runner, outer.testId);
			assert.equal((await storedMessages(runner)).length - before, REFUSED(end) ? 0 : 1);
			assert.equal((await getSession(runner, outer.testId)).status, REFUSED(end) ? 'pending' : 'completed');
			assert.equal((await getSession(runner, hidden.testId)).status, 'pending');
		});

	test('commands sent ahead of their turn end the conversation', async () => {
		const { email } = await createSession(runner);
		const replies = await converse(postfix.port, [`EHLO sender.example\r\nMAIL FROM:<me@example.com>\r\nRCPT TO:<${email}>\r\nDATA`]);
		assert.deepEqual(replies, ['554']);
	});

	test('a host name of more than 255 octets is refused, and one of 255 is not', async () => {
		const { email, testId } = await createSession(runner);
		assert.match(await send(email, '--ehlo', 'h'.repeat(256)), /^<\*\* 501 .*255 octets at most/m);
		assert.equal((await getSession(runner, testId)).status, 'pending');
		assert.match(await send(email, '--ehlo', 'h'.repeat(255)), /^<- {2}250 2\.0\.0 accepted as /m);
		await untilCompleted(runner, testId);
		const stored = (await storedMessages(runner)).find((text) => text.includes('h'.repeat(255)));
		assert.ok(stored.split('\r\n').every((line) => line.length <= 998));
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
