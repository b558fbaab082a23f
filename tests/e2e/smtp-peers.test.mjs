// Real mail servers and clients deliver to the runner: Postfix and swaks, with and without TLS.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { after, before, describe, test } from 'node:test';
import { promisify } from 'node:util';

import { sendMail } from './support/mail.mjs';
import { storedMessages } from './support/mail-store.mjs';
import { relaying, startPostfix } from './support/postfix.mjs';
import { startRunner, testFunctions, until } from './support/runner.mjs';

const run = promisify(execFile);

let functions;
let runner;

before(async () => {
	functions = testFunctions({
		'mail-accept': { program: 'handler-keep' },
		keep: { program: 'handler-keep', mail: true },
	});
	runner = await startRunner({ functions: functions.folder });
});
after(async () => {
	await runner?.stop();
	functions?.remove();
});

// The stored message that has this X-Serial field.
const stored = async (serial) =>
	(await storedMessages(runner)).find((text) => text.includes(`X-Serial: ${serial}\r\n`));

const message = (serial, body) => `From: a@example.com\r\nX-Serial: ${serial}\r\nSubject: test\r\n\r\n${body}`;

describe('Postfix', { skip: process.getuid() !== 0 && 'it needs root' }, () => {
	let postfix;

	before(async () => (postfix = await startPostfix(relaying(runner.smtpPort))));
	after(() => postfix?.stop());

	async function relay(to, serial, body) {
		await sendMail(postfix.port, { from: 'a@example.com', to, message: message(serial, body) });
		await until(() => stored(serial), 20000).catch((error) => assert.fail(`${error.message}\n${postfix.log()}`));
		return stored(serial);
	}

	test('delivers over TLS', async () => {
		const text = await relay('tls@tester.localhost', 8001, 'text\r\n');
		assert.match(text, /^Received: from postfix\.example \(unknown \[127\.0\.0\.1\]\)\r\n\tby tester\.localhost with ESMTPS id /);
	});

	test('delivers without TLS', async () => {
		assert.match(await relay('plain@tester.localhost', 8002, 'text\r\n'), /\r\n\tby tester\.localhost with ESMTP id /);
	});

	test('delivers octets above 127, dots and long bodies unchanged', async () => {
		const body = `.\r\n..dots\r\n\xe4\xf6\xfc\r\n${'line of the body\r\n'.repeat(20000)}last\r\n`;
		assert.ok((await relay('tls@tester.localhost', 8003, body)).endsWith(`\r\n\r\n${body}`));
	});

	test('delivers a burst of messages, each once', async () => {
		await Promise.all(Array.from({ length: 30 }, (_, i) => sendMail(postfix.port,
			{ from: 'a@example.com', to: 'tls@tester.localhost', message: message(8100 + i, 'text\r\n') })));
		const copies = async () => (await storedMessages(runner)).filter((text) => /^X-Serial: 81\d\d\r$/m.test(text));
		const serials = (texts) => new Set(texts.map((text) => /^X-Serial: (\d+)/m.exec(text)[1]));
		await until(async () => serials(await copies()).size === 30, 30000);
		await until(() => postfix.queued() === 0); // it sends nothing a second time
		assert.equal((await copies()).length, 30);
	});
});

describe('swaks', () => {
	const swaks = (serial, ...more) => run('swaks', ['--server', `127.0.0.1:${runner.smtpPort}`, '--to', 'a@tester.localhost',
		'--from', 'me@example.com', '--ehlo', 'swaks.example', '--add-header', `X-Serial: ${serial}`, ...more]);

	test('delivers without TLS', async () => {
		await swaks(8201);
		assert.match(await until(() => stored(8201)), /with ESMTP id/);
	});

	test('delivers over TLS', async () => {
		const { stdout } = await swaks(8202, '--tls');
		assert.match(stdout, /TLS started with cipher TLSv1\.3/);
		assert.match(await until(() => stored(8202)), /with ESMTPS id/);
	});

	test('delivers over TLS 1.2 with pipelining', async () => {
		await swaks(8203, '--tls', '--tls-protocol', 'tlsv1_2', '--pipeline');
		assert.match(await until(() => stored(8203)), /with ESMTPS id/);
	});

	test('is refused older TLS versions', async () => {
		await assert.rejects(swaks(8204, '--tls', '--tls-protocol', 'tlsv1_1'));
	});
});
