// No client can stop the mail of others by sending much and slowly.
import assert from 'node:assert/strict';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import net from 'node:net';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';

import { sendMail } from './support/mail.mjs';
import { storedMessages } from './support/mail-store.mjs';
import { startRunner, until } from './support/runner.mjs';
import { createSession, getSession, untilCompleted } from './support/tester.mjs';

const MB = 1024 * 1024;
const LINE = `${'x'.repeat(76)}\r\n`;
const NOWHERE = '127.0.0.1:9'; // nothing answers at this address, so every DNS question fails at once

let runner;

before(async () => (runner = await startRunner({ env: { EDS_DNS_SERVERS: NOWHERE } })));
after(() => runner?.stop());

const memoryMb = () => Number(/^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${runner.pid}/status`, 'utf8'))[1]) / 1024;

// The files of the spool that have a large message in them.
const large = () => readdirSync(join(runner.folder, 'var/mail.spool')).filter((name) => name.endsWith('.mail')
	&& (statSync(join(runner.folder, 'var/mail.spool', name), { throwIfNoEntry: false })?.size ?? 0) > MB);

// Sends each line after the answer to the previous one. Returns { socket, replies } after the last answer.
function converse(from, lines) {
	const socket = net.connect({ port: runner.smtpPort, host: '127.0.0.1', localAddress: from });
	const client = { socket, replies: [] };
	let left = lines;
	let text = '';
	socket.on('error', () => {});
	return new Promise((done) => {
		socket.on('close', () => done(client));
		socket.on('data', (data) => {
			text += data;
			for (let line; (line = /^(\d{3})([- ]).*\r\n/.exec(text)); text = text.slice(line[0].length)) {
				if (line[2] === '-') continue;
				client.replies.push(line[0].trim());
				if (left.length === 0) return done(client);
				socket.write(`${left[0]}\r\n`);
				left = left.slice(1);
			}
		});
	});
}

const begin = (from, email) => converse(from, ['EHLO c', 'MAIL FROM:<a@example.com>', `RCPT TO:<${email}>`, 'DATA']);

// Sends this many octets of a message, without its end, as fast as the server accepts them.
async function pour(client, octets) {
	client.socket.write('Subject: large\r\n\r\n');
	for (let sent = 0; sent < octets && !client.socket.destroyed; sent += LINE.length * 1000)
		if (!client.socket.write(LINE.repeat(1000)))
			await new Promise((next) => client.socket.once('drain', next).once('close', next));
}

describe('a client that sends much', () => {
	test('holds no more than its share, and mail of others is accepted meanwhile', { timeout: 120000 }, async () => {
		const { email } = await createSession(runner);
		const clients = await Promise.all(Array.from({ length: 16 }, () => begin('127.0.3.1', email)));
		await Promise.all(clients.map((client) => pour(client, 8 * MB)));
		const trickle = setInterval(() => clients.forEach(({ socket }) => socket.destroyed || socket.write(LINE)), 200);
		try {
			for (let i = 0; i < 10; i++) {
				const other = await createSession(runner);
				await sendMail(runner.smtpPort, { from: 'b@example.com', to: other.email, message: 'From: b@example.com\r\n\r\nhello\r\n' });
				await untilCompleted(runner, other.testId);
			}
			assert.ok(memoryMb() < 60, `${memoryMb()} MB`);
		} finally {
			clearInterval(trickle);
		}
		const replies = await Promise.all(clients.map(({ socket }) => new Promise((done) => {
			socket.on('data', (data) => done(String(data).slice(0, 9))).on('close', () => done('closed'));
			socket.write('\r\n.\r\n');
		})));
		// The limit of 32 MiB has room for only three of these messages of 8 MiB and for a part of
		// others, so most are refused.
		assert.ok(replies.filter((reply) => reply === '452 4.3.1').length >= 12, replies.join());
		clients.forEach(({ socket }) => socket.destroy());
	});

	test('leaves nothing on the disk when its connection breaks', { timeout: 60000 }, async () => {
		const { email, testId } = await createSession(runner);
		await until(() => large().length === 0, 20000);
		const client = await begin('127.0.3.2', email);
		await pour(client, 3 * MB);
		await until(() => large().length === 1);
		client.socket.destroy();
		await until(() => large().length === 0);
		assert.equal((await getSession(runner, testId)).status, 'pending');
	});

	test('is still served: a message of 9 MB is analyzed unchanged', { timeout: 60000 }, async () => {
		const { email, testId } = await createSession(runner);
		const body = Array.from({ length: 120000 }, (_, i) => `${i} ${'y'.repeat(i % 140)}`).join('\r\n');
		const message = `From: b@example.com\r\nSubject: nine\r\n\r\n${body}\r\n`;
		assert.ok(message.length > 9e6 && message.length < 10 * MB);
		await sendMail(runner.smtpPort, { from: 'b@example.com', to: email, message });
		await untilCompleted(runner, testId);
		const stored = (await storedMessages(runner)).find((text) => text.includes('Subject: nine'));
		assert.ok(stored.endsWith(message));
	});
});

describe('a test address', () => {
	test('keeps the newest of its messages, and nothing of the others', { timeout: 60000 }, async () => {
		const [first, second] = [await createSession(runner), await createSession(runner)];
		const send = async (subject, ...to) => {
			for (const { email } of to) await sendMail(runner.smtpPort, { from: 'b@example.com', to: email, message: `From: b@example.com\r\nSubject: ${subject}\r\n\r\nhello\r\n` });
		};
		const subjects = async () => (await storedMessages(runner)).flatMap((text) => /^Subject: (kept .*)\r$/m.exec(text)?.[1] ?? []).sort();
		await send('kept one', first, second);
		await untilCompleted(runner, first.testId);
		await untilCompleted(runner, second.testId);
		assert.deepEqual(await subjects(), ['kept one', 'kept one']);
		for (const subject of ['kept two', 'kept three', 'kept four']) {
			await send(subject, first);
			await until(async () => (await subjects()).includes(subject) && (await subjects()).length === 2);
		}
		assert.deepEqual(await subjects(), ['kept four', 'kept one']);
		assert.equal((await getSession(runner, first.testId)).status, 'completed');
		assert.equal((await getSession(runner, second.testId)).status, 'completed');
	});
});
