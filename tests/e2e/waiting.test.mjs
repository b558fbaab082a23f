// GET …?wait=SECONDS: the answer comes as soon as the result is stored, and waiting costs next to
// nothing.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import net from 'node:net';
import { after, before, describe, test } from 'node:test';

import { request } from './support/api.mjs';
import { sendMail } from './support/mail.mjs';
import { handlersOf, request as rawRequest, startRunner, until } from './support/runner.mjs';
import { sql } from './support/store.mjs';
import { createSession, untilCompleted } from './support/tester.mjs';

const SETTINGS = { EDS_DNS_SERVERS: '127.0.0.1:1', EDS_TESTER_SESSIONS_PER_HOUR: '0' };
const MESSAGE = 'From: a@sender.example\r\nSubject: hello\r\n\r\nHello.\r\n';

const urlOf = (runner, { testId }) => `${runner.baseUrl}/api/inbound-tester/sessions/${testId}`;
const waitFor = (runner, session, seconds, options) => request(`${urlOf(runner, session)}?wait=${seconds}`, options);
const send = (runner, { email }) => sendMail(runner.smtpPort, { to: email, message: MESSAGE });

async function waiting(runner) {
	const { text } = await rawRequest(`${runner.opsUrl}/metrics`);
	return Number(/^eds_http_waiting (\d+)/m.exec(text)?.[1]);
}

// Sends a waiting request on a connection of its own. Returns { socket, text(), closed }.
function open(runner, session, { seconds = 30, from = '127.0.0.1', more = '' } = {}) {
	const socket = net.connect({ port: runner.httpPort, host: '127.0.0.1', localAddress: from });
	let text = '';
	socket.setEncoding('latin1').on('data', (data) => (text += data)).on('error', () => {});
	socket.write(`GET /api/inbound-tester/sessions/${session.testId}?wait=${seconds} HTTP/1.1\r\nHost: 127.0.0.1\r\n${more}\r\n`);
	return { socket, text: () => text, closed: new Promise((done) => socket.on('close', done)) };
}

const statusIn = (text) => /"status":"(\w+)"/.exec(text)?.[1];

// Memory in kilobytes, and processor time so far in seconds, of a process.
const memoryKb = (pid) => Number(/^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))[1]);
function processorSeconds(pid) {
	const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').replace(/^.*\) /s, '').split(' ');
	return (Number(fields[11]) + Number(fields[12])) / 100;
}

describe('a client that waits', () => {
	let runner;

	before(async () => {
		runner = await startRunner({ env: SETTINGS });
	});
	after(() => runner?.stop());

	test('is answered when the result is there, long before its wait ends', async () => {
		const session = await createSession(runner);
		const began = Date.now();
		const answer = waitFor(runner, session, 30);
		await until(async () => await waiting(runner) === 1);
		await send(runner, session);
		assert.equal((await answer).json().status, 'completed');
		assert.ok(Date.now() - began < 25000);
		assert.equal(await waiting(runner), 0);
	});

	test('is answered at once when the result is there already', async () => {
		const session = await createSession(runner);
		await send(runner, session);
		const { spamScore } = await untilCompleted(runner, session.testId);
		const began = Date.now();
		assert.equal((await waitFor(runner, session, 30)).json().spamScore, spamScore);
		assert.ok(Date.now() - began < 15000);
	});

	test('is told that the session is still pending when its wait ends', async () => {
		const session = await createSession(runner);
		const began = Date.now();
		const answer = await waitFor(runner, session, 2);
		assert.deepEqual(answer.json(), session);
		assert.equal(answer.headers['eds-wait'], undefined);
		assert.ok(Date.now() - began >= 1900, `${Date.now() - began} ms`);
		assert.equal((await waitFor(runner, session, 0)).json().status, 'pending');
	});

	test('with the ETag of the last answer waits for a different one', async () => {
		const session = await createSession(runner);
		const { headers } = await request(urlOf(runner, session));
		const unchanged = await waitFor(runner, session, 1, { headers: { 'if-none-match': headers.etag } });
		assert.equal(unchanged.status, 304);
		const changed = waitFor(runner, session, 30, { headers: { 'if-none-match': headers.etag } });
		await until(async () => await waiting(runner) === 1);
		await send(runner, session);
		assert.equal((await changed).json().status, 'completed');
	});

	test('is answered when the session expires before a message came', async () => {
		const session = await createSession(runner);
		const answer = waitFor(runner, session, 30);
		await until(async () => await waiting(runner) === 1);
		sql(runner, `UPDATE tester_sessions SET expires_at_ms = 1 WHERE test_id = '${session.testId}'`);
		assert.equal((await answer).status, 404);
	});

	test('is answered together with all others that wait for the same result', async () => {
		const session = await createSession(runner);
		const answers = Array.from({ length: 20 }, () => waitFor(runner, session, 30));
		await until(async () => await waiting(runner) === 20);
		await send(runner, session);
		for (const answer of await Promise.all(answers)) assert.equal(answer.json().status, 'completed');
	});

	test('for more than thirty seconds, or for no valid number, is refused', async () => {
		const session = await createSession(runner);
		for (const seconds of ['31', '-1', '1.5', 'long', '', '030', '1&wait=2', '99999999999999999999'])
			assert.equal((await waitFor(runner, session, seconds)).json().code, 'wait-invalid', seconds);
		assert.equal((await waitFor(runner, { testId: 'a'.repeat(26) }, 30)).status, 404);
	});

	test('and disconnects frees its place', async () => {
		const session = await createSession(runner);
		const clients = Array.from({ length: 10 }, () => open(runner, session));
		await until(async () => await waiting(runner) === 10);
		for (const { socket } of clients) socket.destroy();
		await until(async () => await waiting(runner) === 0);
	});

	test('and closes its side gets the current answer', async () => {
		const session = await createSession(runner);
		const client = open(runner, session);
		await until(async () => await waiting(runner) === 1);
		client.socket.end();
		await client.closed;
		assert.equal(statusIn(client.text()), 'pending');
	});

	test('may send more requests on the same connection, and the answers come in order', async () => {
		const session = await createSession(runner);
		const client = open(runner, session, { seconds: 1 });
		client.socket.write(`GET /api/inbound-tester/sessions/${'a'.repeat(26)}?wait=9 HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n`);
		await client.closed;
		assert.deepEqual([...client.text().matchAll(/HTTP\/1\.1 (\d+)/g)].map(([, status]) => status), ['200', '404']);
	});

	test('may wait as often as its address is allowed, and past that is answered at once', async () => {
		const session = await createSession(runner);
		const clients = Array.from({ length: 128 }, () => open(runner, session));
		await until(async () => await waiting(runner) === 128);
		const began = Date.now();
		assert.equal((await waitFor(runner, session, 30)).json().status, 'pending');
		assert.ok(Date.now() - began < 20000);
		const other = open(runner, session, { from: '127.0.3.1' });
		await until(async () => await waiting(runner) === 129);
		for (const { socket } of [...clients, other]) socket.destroy();
		await until(async () => await waiting(runner) === 0);
	});
});

describe('a thousand clients that wait', () => {
	const COUNT = 1000;
	let runner;
	let session;
	let clients;

	before(async () => {
		runner = await startRunner({ env: SETTINGS });
		session = await createSession(runner);
	});
	after(async () => {
		for (const { socket } of clients ?? []) socket.destroy();
		await runner?.stop();
	});

	test('cost little processor time and memory, and no handler', async (t) => {
		const before = memoryKb(runner.pid);
		const sessions = [];
		for (let i = 0; i < 100; i++) sessions.push(await createSession(runner));
		clients = [];
		while (clients.length < COUNT) {
			// no more at a time than fit into the queue of a function
			for (let i = 0; i < 100; i++)
				clients.push(open(runner, sessions[i], { from: `127.0.4.${1 + (i % 10)}` }));
			await until(async () => await waiting(runner) === clients.length, 60000);
		}
		const pids = [runner.pid, ...handlersOf(runner, 'tester-sessions-settled')];
		const began = { at: Date.now(), used: pids.map(processorSeconds).reduce((a, b) => a + b) };
		await new Promise((next) => setTimeout(next, 8000));
		const seconds = (Date.now() - began.at) / 1000;
		const used = pids.map(processorSeconds).reduce((a, b) => a + b) - began.used;
		const memory = memoryKb(runner.pid) - before;
		t.diagnostic(`${used.toFixed(2)} s of a processor in ${seconds.toFixed(1)} s, ${memory} KB more`);
		assert.ok(used / seconds < 0.2, `${used} of ${seconds} s`);
		assert.ok(memory < 30000, `${memory} KB`);
		assert.equal((await request(`${runner.baseUrl}/api/inbound-tester/sessions`, { method: 'POST' })).status, 201);
	});

	test('are all answered at once when the runner stops', async () => {
		const { code, seconds } = await runner.stop();
		assert.equal(code, 0);
		assert.ok(seconds < 15, `${seconds} s`);
		await Promise.all(clients.map(({ closed }) => closed));
		const late = clients.filter(({ text }) => statusIn(text()) !== 'pending');
		assert.equal(late.length, 0, late[0]?.text());
	});
});
