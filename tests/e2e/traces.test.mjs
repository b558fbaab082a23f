// A trace that comes with an event continues in its log lines and in messages to receivers (W3C Trace
// Context); an invalid one is ignored.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';

import { startHttpBootstrap } from './support/bootstrap.mjs';
import { BUILD, exchange, request, startRunner, testFunctions, until } from './support/runner.mjs';

const ID = '4bf92f3577b34da6a3ce929d0e0e4736';
const SPAN = '00f067aa0ba902b7';
const TRACEPARENT = /^00-([0-9a-f]{32})-([0-9a-f]{16})-0[01]$/;
const FUNCTIONS = {
	act: { program: 'handler-http', http: ['GET /act/{name}'], timeoutMs: 20000 },
	mailed: { program: 'handler-direct', mail: true, timeoutMs: 20000 },
	job: { program: 'handler-direct', schedule: 'rate(1 minute)', timeoutMs: 20000 },
};

const logOf = ({ output }, wanted) => until(() => output.err.split('\n').slice(0, -1)
	.filter((line) => line.startsWith('{')).map((line) => JSON.parse(line)).find(wanted));

let functions;
before(() => (functions = testFunctions(FUNCTIONS)));
after(() => functions?.remove());

describe('a request', () => {
	let runner;
	before(async () => (runner = await startRunner({ functions: functions.folder })));
	after(() => runner?.stop());

	// Sends a request; returns the event that the function got, and the trace ids in the log lines of the
	// function and of the request.
	async function ask(headers) {
		const { headers: { 'x-request-id': requestId } } = await request(`${runner.baseUrl}/act/nap`, { headers });
		const ids = [];
		for (const text of ['the nap begins', 'request answered'])
			ids.push((await logOf(runner, (line) => line.requestId === requestId && line.message === text)).traceId);
		const { headers: seen } = (await request(`${runner.baseUrl}/act/echo`, { headers })).json();
		return { seen, ids };
	}

	test('with a trace continues it', async () => {
		const { seen, ids } = await ask({ traceparent: `00-${ID}-${SPAN}-01`, tracestate: 'vendor=x' });
		assert.deepEqual(ids, [ID, ID]);
		const [, id, span] = seen.traceparent.match(TRACEPARENT);
		assert.equal(id, ID);
		assert.notEqual(span, SPAN);
		assert.ok(seen.traceparent.endsWith('-01'));
		assert.equal(seen.tracestate, undefined);
	});

	test('with no trace or a malformed one begins a new one', async () => {
		const begun = new Set();
		for (const traceparent of [undefined, '', 'x', `00-${ID.toUpperCase()}-${SPAN}-01`, `00-${ID}-${SPAN}-01-x`, `ff-${ID}-${SPAN}-01`,
			`00-${'0'.repeat(32)}-${SPAN}-01`, `00-${ID}-${SPAN}-01,00-${ID}-${SPAN}-01`, `"},"message":"forged${'-'.repeat(39)}`, 'a'.repeat(4000)]) {
			const { seen, ids } = await ask(traceparent === undefined ? {} : { traceparent });
			assert.match(ids[0], /^[0-9a-f]{32}$/);
			assert.equal(ids[1], ids[0], traceparent);
			assert.notEqual(ids[0], ID, traceparent);
			assert.match(seen.traceparent, TRACEPARENT);
			begun.add(ids[0]);
		}
		assert.equal(begun.size, 10);
	});

	test('with two trace fields begins a new one', async () => {
		const { text } = await exchange(runner.httpPort, [['GET /act/echo HTTP/1.1', 'Host: localhost', `Traceparent: 00-${ID}-${SPAN}-01`,
			`traceparent: 00-${ID}-${SPAN}-01`, 'Connection: close', '', ''].join('\r\n')]);
		const { headers } = JSON.parse(text.split('\r\n\r\n')[1]);
		assert.match(headers.traceparent, TRACEPARENT);
		assert.ok(!headers.traceparent.includes(ID), headers.traceparent);
	});

	test('that is not valid HTTP belongs to no trace', async () => {
		const { text } = await exchange(runner.httpPort, 'nonsense\r\n\r\n');
		assert.match(text, /^HTTP\/1\.1 501 /);
		assert.equal((await logOf(runner, ({ status }) => status === 501)).traceId, undefined);
	});
});

describe('a job and mail', () => {
	const running = [];
	after(() => Promise.all(running.map((bootstrap) => bootstrap.stop('SIGKILL'))));

	for (const [name, body] of [['job', '{}'], ['mailed', '{ "do":"fail"}'], ['mailed', '{"do":"fail"}']])
		test(`in a cloud continue the trace that comes with the event: ${name}, ${body}`, async () => {
			const bootstrap = await startHttpBootstrap({ functions: functions.folder, name });
			running.push(bootstrap);
			const headers = { 'ce-specversion': '1.0', 'ce-type': 'test', 'ce-source': '/test', 'ce-id': 'fail', 'ce-time': '2026-11-20T12:00:00Z',
				'content-type': 'application/json', traceparent: `00-${ID}-${SPAN}-01` };
			assert.equal((await request(bootstrap.baseUrl, { method: 'POST', headers, body })).status, 500);
			assert.equal((await logOf(bootstrap, ({ function: of, level }) => of === name && level === 'error')).traceId, ID);
		});

	test('of the runner each begin a new trace', () => {
		const event = (...args) => JSON.parse(execFileSync(join(BUILD, 'runner'), ['event', ...args], { encoding: 'utf8' })).traceparent;
		const begun = [event('schedule', 'service-watch'), event('schedule', 'service-watch'), event('mail', 'a@tester.localhost')];
		for (const traceparent of begun) assert.match(traceparent, TRACEPARENT);
		assert.equal(new Set(begun).size, 3);
	});
});
