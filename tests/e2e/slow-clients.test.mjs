// Slow, silent and many clients: deadlines count from the beginning, however slowly data arrives, and
// no client makes the service unusable for others.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import net from 'node:net';
import { after, before, describe, test } from 'node:test';

import { request, startRunner, testFunctions, until } from './support/runner.mjs';

const IDLE_KB = 8; // the memory that an idle connection may take
const PER_ADDRESS = 256;
const IN_ALL = 2048;
const MAIL_IN_ALL = 500;
const MAIL_IDLE_MS = 2000; // after this much silence a connection is closed for a new one

let functions;
let runner;

before(async () => {
	functions = testFunctions({
		act: { program: 'handler-http', http: ['GET /act/{name}', 'POST /act/{name}'] },
		'mail-accept': { program: 'handler-keep' },
	});
	runner = await startRunner({ functions: functions.folder, env: { EDS_BASE_URL: 'http://a' } });
});
after(async () => {
	await runner?.stop();
	functions?.remove();
});

const echo = () => request(`${runner.baseUrl}/act/echo`);
const statusOf = (text) => Number(/^HTTP\/1\.1 (\d+) /.exec(text)?.[1]);
const memoryKb = () => Number(/^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${runner.pid}/status`, 'utf8'))[1]);

// A connection from an address of the loopback network: { socket, text(), closed: promise of seconds }.
function open(port, from = '127.0.0.1') {
	const began = Date.now();
	const socket = net.connect({ port, host: '127.0.0.1', localAddress: from });
	let text = '';
	socket.on('data', (data) => (text += data));
	socket.on('error', () => {});
	return { socket, text: () => text, closed: new Promise((done) => socket.on('close', () => done((Date.now() - began) / 1000))) };
}

describe('slow clients', { concurrency: true }, () => {
	// Writes the text, then single bytes with pauses, until the server closes the connection.
	async function trickle(first) {
		const client = open(runner.httpPort);
		client.socket.write(first);
		const timer = setInterval(() => client.socket.write('x'), 400);
		const seconds = await client.closed;
		clearInterval(timer);
		return { seconds, status: statusOf(client.text()) };
	}

	test('a head that trickles in is cut off', { timeout: 60000 }, async () => {
		const { seconds, status } = await trickle('GET /act/echo HTTP/1.1\r\nHost: a\r\nX: ');
		assert.equal(status, 408);
		assert.ok(seconds > 9 && seconds < 25, `${seconds}`);
	});

	test('a body that trickles in is cut off', { timeout: 60000 }, async () => {
		const { seconds, status } = await trickle('POST /act/echo HTTP/1.1\r\nHost: a\r\nContent-Length: 5000\r\n\r\n');
		assert.equal(status, 408);
		assert.ok(seconds > 14 && seconds < 30, `${seconds}`);
	});

	test('a chunked body that trickles in is cut off', { timeout: 60000 }, async () => {
		const { seconds, status } = await trickle('POST /act/echo HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n2000\r\n');
		assert.equal(status, 408);
		assert.ok(seconds > 14 && seconds < 30, `${seconds}`);
	});

	test('a client that does not read its answer is cut off', { timeout: 90000 }, async () => {
		const client = open(runner.httpPort);
		client.socket.pause();
		// More than the kernel buffers for the client.
		client.socket.write('GET /act/large HTTP/1.1\r\nHost: a\r\n\r\n'.repeat(10));
		const gone = () => !readFileSync('/proc/net/tcp', 'utf8').split('\n').some((line) => {
			const [, local, remote, state] = line.trim().split(/\s+/);
			return state === '01' && local?.endsWith(hexPort(runner.httpPort)) && remote.endsWith(hexPort(client.socket.localPort));
		});
		await until(() => client.socket.localPort);
		assert.ok(!gone());
		const began = Date.now();
		await until(gone, 60000);
		assert.ok(Date.now() - began > 20000);
		client.socket.destroy();
		assert.equal((await echo()).status, 200);
	});

	test('other clients are served meanwhile', { timeout: 60000 }, async () => {
		for (let i = 0; i < 50; i++) {
			assert.equal((await echo()).status, 200);
			await new Promise((next) => setTimeout(next, 200));
		}
	});
});

const hexPort = (port) => `:${port.toString(16).toUpperCase().padStart(4, '0')}`;

describe('many clients', () => {
	async function openMany(port, count, perAddress) {
		const clients = Array.from({ length: count }, (_, i) => open(port, `127.0.1.${1 + Math.floor(i / perAddress)}`));
		await until(() => clients.every(({ socket }) => !socket.connecting), 20000);
		return clients;
	}
	const close = async (clients) => {
		for (const { socket } of clients) socket.destroy();
		await Promise.all(clients.map(({ closed }) => closed));
	};

	test('a thousand idle connections cost little, and the next client is served', { timeout: 60000 }, async () => {
		const before = memoryKb();
		const clients = await openMany(runner.httpPort, 1000, 250);
		for (const { socket } of clients) socket.write('GET /act/echo HTTP/1.1\r\nHost: a\r\n\r\n');
		await until(() => clients.every(({ text }) => statusOf(text()) === 200 || statusOf(text()) === 503), 20000);
		for (let i = 0; i < 20; i++) assert.equal((await echo()).status, 200);
		assert.ok(memoryKb() - before < 1000 * IDLE_KB, `${memoryKb() - before} KB`);
		assert.ok(clients.every(({ socket }) => !socket.destroyed));
		await close(clients);
	});

	// A request that has begun but is not complete: its connection is not idle.
	const HALF = 'GET /act/echo HTTP/1.1\r\nHost: a\r\n';

	test('each address may have a limited number of connections, and the next is refused', { timeout: 60000 }, async () => {
		const clients = await openMany(runner.httpPort, PER_ADDRESS, 1000);
		for (const { socket } of clients) socket.write(HALF);
		await until(() => clients.every(({ socket }) => socket.writableLength === 0));
		const next = open(runner.httpPort, '127.0.1.1');
		await next.closed;
		assert.equal(statusOf(next.text()), 503);
		assert.match(next.text(), /\r\nRetry-After: 1\r\n/);
		await close(clients);
		await until(async () => (await echo().catch(() => ({ status: 0 }))).status === 200);
	});

	test('idle connections of an address give way to its new ones, the oldest first', { timeout: 60000 }, async () => {
		const clients = await openMany(runner.httpPort, PER_ADDRESS, 1000);
		const later = await openMany(runner.httpPort, 20, 1000);
		await until(() => clients.filter(({ socket }) => socket.destroyed).length === 20);
		assert.ok(clients.slice(0, 20).every(({ socket }) => socket.destroyed));
		for (const { socket } of later) socket.write('GET /act/echo HTTP/1.1\r\nHost: a\r\n\r\n');
		await until(() => later.every(({ text }) => statusOf(text()) === 200 || statusOf(text()) === 503));
		await close([...clients.slice(20), ...later]);
	});

	test('many addresses that hold all connections idle keep nobody out', { timeout: 60000 }, async () => {
		const clients = await openMany(runner.httpPort, IN_ALL, 240);
		await until(() => clients.filter(({ socket }) => !socket.destroyed).length === IN_ALL);
		for (let i = 0; i < 5; i++) assert.equal((await echo()).status, 200);
		const gone = clients.filter(({ socket }) => socket.destroyed);
		assert.equal(gone.length, 1); // one closed connection was enough: the later clients used its place one after another
		await close(clients.filter(({ socket }) => !socket.destroyed));
	});

	test('many addresses that say nothing to the mail server keep nobody out', { timeout: 60000 }, async (t) => {
		const began = Date.now();
		const clients = await openMany(runner.smtpPort, MAIL_IN_ALL, 50);
		await until(() => clients.every(({ text }) => text().startsWith('220')), 20000);
		// If this machine is fast enough, no client has been silent for long yet, so
		// none is closed for a new one.
		if (Date.now() - began < MAIL_IDLE_MS / 2) {
			const early = open(runner.smtpPort, '127.0.2.1');
			await early.closed;
			assert.match(early.text(), /^421 4\.3\.2/);
		} else {
			t.diagnostic('too slow to look whether clients of a moment keep their places');
		}
		await new Promise((next) => setTimeout(next, MAIL_IDLE_MS + 500));
		clients.slice(1).forEach(({ socket }) => socket.write('NOOP\r\n'));
		await until(() => clients.slice(1).every(({ text }) => text().includes('250')));
		const next = open(runner.smtpPort, '127.0.2.1');
		await until(() => next.text().startsWith('220'));
		await clients[0].closed;
		assert.match(clients[0].text(), /421 4\.3\.2 too many connections, and this one is silent/);
		next.socket.destroy();
		await close(clients.slice(1));
	});
});
