// The cloud adapter: against a Runtime API written for the tests, and over HTTP.
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import http from 'node:http';
import net from 'node:net';
import { join } from 'node:path';
import { after, afterEach, before, beforeEach, describe, test } from 'node:test';

import { startBootstrap, startHttpBootstrap, taskRoot } from './support/bootstrap.mjs';
import { BUILD, childrenOf, exchange, isAlive, request, testFunctions, until } from './support/runner.mjs';
import { RESPONSE_BYTES_MAX, startRuntimeApi } from './support/runtime-api.mjs';

const FUNCTIONS = {
	direct: { program: 'handler-direct', timeoutMs: 20000, memoryMb: 128 },
	raw: { program: 'handler-raw', http: ['GET /raw/{name}'], timeoutMs: 5000, memoryMb: 128 },
	act: { program: 'handler-http', http: ['GET /act/{name}', 'POST /act/{name}'], timeoutMs: 20000, memoryMb: 128, handlers: 1 },
	// long enough for a slow machine to start the function and to answer a quick event
	brief: { program: 'handler-http', http: ['GET /brief/{name}'], timeoutMs: 2000 },
	scheduled: { program: 'handler-direct', schedule: 'rate(1 minute)', timeoutMs: 2000 },
	mailed: { program: 'handler-direct', mail: true, timeoutMs: 20000, handlers: 1 },
	waiting: { program: 'handler-mail', mail: true, timeoutMs: 20000, handlers: 16 },
	absent: { http: ['GET /absent'] },
};
const WAIT_MS = 15000;
const SUITE_MS = 180000;

let functions;
let root;
before(() => {
	functions = testFunctions(FUNCTIONS);
	root = taskRoot(functions.folder);
});
after(() => {
	root.remove();
	functions.remove();
});

describe('the Lambda Runtime API', { timeout: SUITE_MS }, () => {
	let api;
	let bootstrap;

	const start = (handler = 'direct', env = {}) => {
		bootstrap = startBootstrap({
			env: { AWS_LAMBDA_RUNTIME_API: api.address, LAMBDA_TASK_ROOT: root.folder, _HANDLER: handler, ...env },
		});
	};
	const raw = (word) => api.invoke({ rawPath: `/raw/${word}`, requestContext: { http: { method: 'GET' } } });
	// Checks the body and the header that every error must have.
	const assertError = (outcome, category, type = category) => {
		assert.equal(outcome.kind, 'error', outcome.text);
		assert.equal(outcome.headers['lambda-runtime-function-error-type'], category);
		const body = outcome.json();
		assert.deepEqual(Object.keys(body).sort(), ['errorMessage', 'errorType', 'stackTrace']);
		assert.equal(body.errorType, type);
		assert.deepEqual(body.stackTrace, []);
		assert.ok(body.errorMessage.length > 0);
		return body;
	};
	// Waits for the log line with metrics that include a number of this name.
	const metricsOf = async (name) => {
		const text = await until(() => bootstrap.output.err.split('\n').find((line) => line.includes('"_aws"') && line.includes(`"${name}":`)), WAIT_MS);
		return JSON.parse(text);
	};
	const works = async () => assert.equal((await api.invoke({ a: 1 })).kind, 'response');

	beforeEach(async () => (api = await startRuntimeApi()));
	afterEach(async () => {
		await bootstrap?.stop('SIGKILL');
		await api.close();
	});

	test('the numbers in the answer of a job become metrics in its log', async () => {
		start('service-watch', { LAMBDA_TASK_ROOT: BUILD, AWS_LAMBDA_FUNCTION_NAME: 'eds-ServiceWatch-1A', EDS_DNS_SERVERS: '127.0.0.1:1',
			EDS_DATABASE_URL: 'sqlite:/nowhere/eds.db', EDS_SANDBOX: 'off' });
		const { kind } = await api.invoke({ 'detail-type': 'Scheduled Event', source: 'aws.events', time: '2026-01-31T23:59:59Z', detail: {} });
		assert.equal(kind, 'response', bootstrap.output.err);
		const line = await metricsOf('databaseAway');
		assert.equal(line.FunctionName, 'eds-ServiceWatch-1A');
		assert.deepEqual([line.databaseAway, line.mailStoreAway, line.dnsAway], [1, 0, 1]);
		const [{ Namespace, Dimensions, Metrics }] = line._aws.CloudWatchMetrics;
		assert.deepEqual([Namespace, Dimensions], ['eds', [['FunctionName']]]);
		assert.deepEqual(Metrics, ['databaseAway', 'mailStoreAway', 'dnsAway', 'spoolAway', 'helpersAway', 'spoolDamaged'].map((Name) => ({ Name, Unit: 'Count' })));
		assert.ok(Math.abs(line._aws.Timestamp - Date.now()) < 60000);
	});

	test('outcomes of DNS questions and database errors become metrics for any function', async () => {
		start('service-ready', { LAMBDA_TASK_ROOT: BUILD, AWS_LAMBDA_FUNCTION_NAME: 'eds-ServiceReady-1A', EDS_DNS_SERVERS: '127.0.0.1:1',
			EDS_DATABASE_URL: 'sqlite:/nowhere/eds.db', EDS_SANDBOX: 'off' });
		const { kind } = await api.invoke({ rawPath: '/readyz', requestContext: { http: { method: 'GET' } } });
		assert.equal(kind, 'response', bootstrap.output.err);
		const { _aws, version, ...members } = await metricsOf('dnsAsked');
		assert.match(version, /^\d+\.\d+\.\d+/);
		assert.deepEqual(members, { dnsAsked: 1, dnsUnreachable: 1, databaseErrors: 1, FunctionName: 'eds-ServiceReady-1A' });
		assert.deepEqual(_aws.CloudWatchMetrics[0].Metrics, ['dnsAsked', 'dnsUnreachable', 'databaseErrors'].map((Name) => ({ Name, Unit: 'Count' })));
	});

	test('a function that is not a job writes no metrics of its answer', async () => {
		start('direct');
		assert.equal((await api.invoke({ a: 1 })).kind, 'response');
		await bootstrap.stop(); // its whole output has been read then
		assert.ok(!bootstrap.output.err.includes('_aws'), bootstrap.output.err);
	});

	test('events go to one warm process over one kept connection', async () => {
		start();
		const pids = new Set();
		for (let i = 0; i < 20; i++) {
			const outcome = await api.invoke({ number: i });
			assert.equal(outcome.kind, 'response');
			assert.deepEqual(outcome.json().event, { number: i });
			pids.add(outcome.json().pid);
		}
		assert.equal(pids.size, 1);
		assert.equal(api.connections, 1);
		for (const { headers } of api.requests) {
			assert.equal(headers.host, api.address);
			assert.equal(headers.expect, undefined);
		}
	});

	test('an event is read with a length and in chunks, small and large', async () => {
		start();
		for (const size of [0, 2000, 100000, 5 * 1024 * 1024])
			for (const chunked of [false, true]) {
				const event = { text: 'ä'.repeat(size / 2), end: true };
				const outcome = await api.invoke(event, { chunked, deadlineMs: 60000 });
				assert.equal(outcome.kind, 'response', outcome.text);
				assert.deepEqual(outcome.json().event, event);
			}
	});

	test('an event may be spread over several lines', async () => {
		start();
		const outcome = await api.invoke('\r\n{\r\n\t"a": "b\\nc",\n\n"d": []\n}\n', { traceId: 'Root=1' });
		assert.deepEqual(outcome.json().event, { a: 'b\nc', d: [] });
	});

	test('the trace id of each event is in the environment of the function, not in the event', async () => {
		start();
		for (const traceId of ['Root=1-5759e988-bd862e3fe1be46a994272793;Sampled=1', 'Root=2;"odd"\\', undefined])
			for (const event of [{ a: 1 }, {}]) {
				const outcome = await api.invoke(event, { traceId });
				assert.equal(outcome.json().trace, traceId ?? '');
				assert.deepEqual(outcome.json().event, event);
			}
	});

	test('an event that is no object, or no JSON, is answered with the error of the function', async () => {
		start();
		for (const event of ['[1]', 'null', '{"a":', 'garbage']) {
			const outcome = await api.invoke(event, { traceId: 'Root=1' });
			assert.equal(outcome.kind, 'error', event);
			assert.equal(outcome.headers['lambda-runtime-function-error-type'], 'Function.Failed');
		}
		assertError(await api.invoke(' '), 'Runtime.EventInvalid');
		await works();
	});

	test('a failure that the function reports is an error with its type and sentence', async () => {
		start();
		const body = assertError(await api.invoke({ do: 'fail' }), 'Function.Failed', 'temporary.test-failure');
		assert.equal(body.errorMessage, 'as asked');
		await works();
	});

	test('an answer up to the limit is posted, and a longer one is reported as an error', async () => {
		start();
		const frame = '{"large":""}'.length;
		const largest = await api.invoke({ do: `large-${RESPONSE_BYTES_MAX - frame}` });
		assert.equal(largest.kind, 'response');
		assert.equal(largest.text.length, RESPONSE_BYTES_MAX);
		assertError(await api.invoke({ do: `large-${RESPONSE_BYTES_MAX - frame + 1}` }), 'Function.ResponseSizeTooLarge');
		await works();
	});

	test('output that does not end is cut off, and the function started again', async () => {
		start('raw');
		assertError(await raw('flood'), 'Runtime.ExitError');
		assert.equal((await raw('plain')).text, '{"hello":"world"}');
	});

	test('a crash is an error, and the next event finds a new process', async () => {
		start();
		const before = (await api.invoke({})).json().pid;
		assertError(await api.invoke({ do: 'crash' }), 'Runtime.ExitError');
		const now = (await api.invoke({})).json().pid;
		assert.notEqual(now, before);
	});

	test('a function that hangs is killed before the deadline, and an error is posted for it', async () => {
		start();
		const { pid } = (await api.invoke({})).json();
		const began = Date.now();
		assertError(await api.invoke({ do: 'sleep' }, { deadlineMs: 1500 }), 'Function.TimedOut');
		assert.ok(Date.now() - began < 10000);
		await until(() => !isAlive(pid), WAIT_MS);
		await works();
	});

	test('a timeout of the manifest holds even if the event has a later deadline', async () => {
		start('brief');
		const event = { rawPath: '/brief/sleep', requestContext: { http: { method: 'GET' } } };
		assertError(await api.invoke(event, { deadlineMs: 600000 }), 'Function.TimedOut');
	});

	test('an event whose deadline has passed is answered at once', async () => {
		start();
		assertError(await api.invoke({ do: 'sleep' }, { deadlineMs: -1000 }), 'Function.TimedOut');
		await works();
	});

	test('garbage instead of JSON is an error', async () => {
		start('raw');
		assertError(await raw('garbage'), 'Function.InvalidAnswer');
		assert.equal((await raw('array')).text, '[1,2]');
	});

	test('an answer to another event is refused, and so are two answers', async () => {
		start('raw');
		assertError(await raw('wrong-tag'), 'Runtime.ExitError');
		assertError(await raw('twice'), 'Runtime.ExitError');
		assert.equal((await raw('plain')).text, '{"hello":"world"}');
	});

	test('a function that died while idle is started again for the next event', async () => {
		start();
		const { pid } = (await api.invoke({})).json();
		process.kill(pid, 'SIGKILL');
		await until(() => !isAlive(pid), WAIT_MS);
		await works();
	});

	test('a function that cannot be started is an init error', async () => {
		start('absent');
		const told = await api.initError;
		assert.equal(told.headers['lambda-runtime-function-error-type'], 'Runtime.NoSuchHandler');
		assert.equal(told.json.errorType, 'Runtime.NoSuchHandler');
		assert.deepEqual(told.json.stackTrace, []);
		assert.ok(told.json.errorMessage.length > 0);
		assert.equal((await bootstrap.ended).code, 1);
	});

	test('a handler that the manifest does not name is an init error', async () => {
		for (const name of ['nothing', '../direct', '']) {
			api.close();
			api = await startRuntimeApi();
			start(name);
			assert.equal((await api.initError).json.errorType, 'Runtime.NoSuchHandler');
			assert.equal((await bootstrap.ended).code, 1);
		}
	});

	test('a manifest that cannot be used is an init error', async () => {
		const broken = testFunctions({ direct: { program: 'handler-direct' } });
		const brokenRoot = taskRoot(broken.folder);
		writeFileSync(join(broken.folder, 'manifest.json'), '{');
		start('direct', { LAMBDA_TASK_ROOT: brokenRoot.folder });
		assert.equal((await api.initError).json.errorType, 'Runtime.ConfigInvalid');
		assert.equal((await bootstrap.ended).code, 1);
		brokenRoot.remove();
		broken.remove();
	});

	test('a failing GET is tried again with growing pauses, more than three times', async () => {
		api.failNext(503, 3);
		api.failNext('drop', 2);
		api.failNext(403, 1);
		const began = Date.now();
		start();
		await works();
		assert.ok(Date.now() - began >= 50 + 100 + 200 + 400 + 800);
	});

	test('a connection lost while waiting is opened again', async () => {
		start();
		await works();
		await until(() => api.waiting(), WAIT_MS);
		api.interrupt('drop');
		await works();
		assert.equal(api.connections, 2);
	});

	test('bootstrap waits for an API that is not there yet', async () => {
		const { address } = api;
		await api.close();
		start();
		await until(() => bootstrap.output.err.includes('no event could be received'), WAIT_MS);
		assert.equal(bootstrap.child.exitCode, null);
		api = await startRuntimeApi();
		assert.notEqual(api.address, address);
		await bootstrap.stop();
		assert.equal((await bootstrap.ended).code, 0);
	});

	test('an answer lost with its connection is posted again', async () => {
		start();
		api.failPosts('drop', 2);
		await works();
	});

	test('an answer refused with 403 is dropped', async () => {
		start();
		api.failPosts(403);
		api.invoke({ lost: true });
		await works();
		assert.equal(api.requests.filter(({ method }) => method === 'POST').length, 2);
	});

	test('a 500 ends bootstrap, whether for an answer or while it waits', async () => {
		start();
		api.failPosts(500);
		api.invoke({});
		assert.equal((await bootstrap.ended).code, 1);
		start();
		await until(() => api.waiting(), WAIT_MS);
		api.interrupt(500);
		assert.equal((await bootstrap.ended).code, 1);
	});

	test('SIGTERM while waiting ends bootstrap and its function', async () => {
		start();
		const { pid } = (await api.invoke({})).json();
		await until(() => api.waiting(), WAIT_MS);
		bootstrap.child.kill('SIGTERM');
		assert.equal((await bootstrap.ended).code, 0);
		await until(() => !isAlive(pid), WAIT_MS);
	});

	test('SIGTERM during an event ends bootstrap once the event is answered', async () => {
		start();
		await works();
		await until(() => api.waiting(), WAIT_MS);
		// the Runtime API passes the event on at once, because a request of bootstrap waits for it
		const outcome = api.invoke({ do: 'pause' });
		bootstrap.child.kill('SIGTERM');
		assert.equal((await outcome).kind, 'response');
		assert.equal((await bootstrap.ended).code, 0);
		assert.equal(api.waiting(), false);
	});

	test('the function ends with bootstrap, even when bootstrap is killed', async () => {
		start();
		const { pid } = (await api.invoke({})).json();
		assert.deepEqual(childrenOf(bootstrap.pid), [pid]);
		await bootstrap.stop('SIGKILL');
		await until(() => !isAlive(pid), WAIT_MS);
	});

	test('a missing or wrong address of the API is reported', async () => {
		start('direct', { AWS_LAMBDA_RUNTIME_API: 'nonsense' });
		assert.equal((await bootstrap.ended).code, 78);
		assert.match(bootstrap.output.err, /AWS_LAMBDA_RUNTIME_API/);
		bootstrap = startBootstrap({ args: ['direct'] });
		assert.equal((await bootstrap.ended).code, 64);
		assert.match(bootstrap.output.err, /usage/);
	});
});

describe('the HTTP front', { timeout: SUITE_MS }, () => {
	const running = [];
	const start = async (name, env) => {
		const bootstrap = await startHttpBootstrap({ functions: functions.folder, name, env });
		running.push(bootstrap);
		return { ...bootstrap, get: (path, options) => request(bootstrap.baseUrl + path, options) };
	};
	afterEach(async () => {
		for (const bootstrap of running.splice(0)) await bootstrap.stop('SIGKILL');
	});
	// Sends this many events at once while the function is stopped by a signal. The function continues
	// when all events but 32, which bootstrap keeps, are answered.
	const whileHeld = async (pid, count, send, waiting = 32) => {
		const [held] = childrenOf(pid);
		let answered = 0;
		process.kill(held, 'SIGSTOP');
		const all = Array.from({ length: count }, () => send().finally(() => answered++));
		await until(() => answered >= count - waiting, WAIT_MS).finally(() => process.kill(held, 'SIGCONT'));
		return Promise.all(all);
	};
	const assertProblem = (response, status, code) => {
		assert.equal(response.status, status, response.text);
		assert.equal(response.headers['content-type'], 'application/problem+json');
		assert.equal(response.json().code, code);
	};

	test('a request becomes an event, and the answer a response', async () => {
		const { get } = await start('act');
		const response = await get('/act/a%20b?x=1&x=2', { method: 'POST', body: 'hello' });
		assert.equal(response.status, 200);
		assert.equal(response.json().params.name, 'a b');
		assert.equal(response.json().queryParams.x, '1,2');
		assert.equal(response.json().body, 'hello');
		const picture = await get('/act/binary');
		assert.equal(picture.bytes.toString('latin1'), '\x89PNG\r\n\x1a\n\x00\xff');
	});

	test('routes of other functions are 404, and a wrong method is answered with the allowed ones', async () => {
		const { get } = await start('act');
		assertProblem(await get('/raw/plain'), 404, 'route-not-found');
		assertProblem(await get('/act/echo', { method: 'PUT' }), 405, 'method-not-allowed');
	});

	test('the name may come from _HANDLER or from K_SERVICE', async () => {
		for (const variable of ['_HANDLER', 'K_SERVICE']) {
			const bootstrap = startBootstrap({
				env: { LAMBDA_TASK_ROOT: root.folder, PORT: '0', [variable]: 'act' },
			});
			running.push(bootstrap);
			const [, port] = await until(() => /listening on 0\.0\.0\.0:(\d+)/.exec(bootstrap.output.err), WAIT_MS);
			assert.equal((await request(`http://127.0.0.1:${port}/act/echo`)).status, 200);
		}
	});

	test('hostile requests are refused as by the runner', async () => {
		const { httpPort } = await start('act');
		const { text, closed } = await exchange(httpPort,
			'POST /act/echo HTTP/1.1\r\nHost: a\r\nContent-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n');
		assert.match(text, /^HTTP\/1\.1 400 /);
		assert.ok(closed);
	});

	test('a crash gives 502, a timeout 504, and later requests are answered', async () => {
		const act = await start('act');
		assertProblem(await act.get('/act/crash'), 502, 'function-crashed');
		assert.equal((await act.get('/act/echo')).status, 200);
		const brief = await start('brief');
		assertProblem(await brief.get('/brief/sleep'), 504, 'function-timed-out');
		assert.equal((await brief.get('/brief/echo')).status, 200);
		const raw = await start('raw');
		assertProblem(await raw.get('/raw/garbage'), 502, 'answer-invalid');
		assertProblem(await raw.get('/raw/error'), 502, 'function-failed');
	});

	test('one process answers, and past the bound requests are refused with 429', async () => {
		const { get, pid } = await start('act');
		const responses = await whileHeld(pid, 45, () => get('/act/echo'));
		const refused = responses.filter(({ status }) => status === 429);
		assert.equal(responses.filter(({ status }) => status === 200).length, 32);
		assert.equal(refused.length, 13);
		assertProblem(refused[0], 429, 'busy');
		assert.equal(refused[0].headers['retry-after'], '1');
		assert.equal(childrenOf(pid).length, 1);
		assert.equal((await get('/act/echo')).status, 200);
	});

	test('requests whose clients have left make room for those of others', async () => {
		const { get, httpPort, pid } = await start('act');
		const [held] = childrenOf(pid);
		process.kill(held, 'SIGSTOP');
		try {
			const sockets = Array.from({ length: 40 }, () => net.connect(httpPort, '127.0.0.1'));
			let refused = 0;
			for (const socket of sockets) {
				socket.on('error', () => {}).on('data', () => refused++);
				socket.write('GET /act/echo HTTP/1.1\r\nHost: a\r\n\r\n');
			}
			await until(() => refused === 8, WAIT_MS);
			await Promise.all(sockets.map((socket) => new Promise((closed) => socket.on('close', closed).destroy())));
		} catch (error) {
			process.kill(held, 'SIGCONT');
			throw error;
		}
		const responses = await whileHeld(pid, 40, () => get('/act/echo'), 31);
		assert.deepEqual(responses.map(({ status }) => status).sort(), [...Array(31).fill(200), ...Array(9).fill(429)]);
	});

	test('the front is ready while its function waits for events', async () => {
		const { get, pid } = await start('act');
		const ready = await get('/healthz');
		assert.equal(ready.status, 200);
		assert.deepEqual(ready.json(), { status: 'ok' });
		const [ended] = childrenOf(pid);
		process.kill(ended, 'SIGKILL');
		await until(async () => !childrenOf(pid).includes(ended) && (await get('/healthz')).status === 200, WAIT_MS);
	});

	test('the front is not ready while its function keeps ending at once', async () => {
		const broken = testFunctions({ bad: { http: ['GET /bad'] } });
		writeFileSync(join(broken.folder, 'bad'), '#!/bin/sh\nexit 78\n', { mode: 0o755 });
		const bootstrap = await startHttpBootstrap({ functions: broken.folder, name: 'bad' });
		running.push(bootstrap);
		await until(() => bootstrap.output.err.includes('exit status 78'), WAIT_MS);
		assert.equal((await request(`${bootstrap.baseUrl}/healthz`)).status, 503);
		assertProblem(await request(`${bootstrap.baseUrl}/bad`), 502, 'function-crashed');
		broken.remove();
	});

	test('after SIGTERM running requests finish, no new ones are accepted, and the exit status is 0', async () => {
		const { get, child, ended, httpPort, output } = await start('act', { EDS_METRICS_LISTEN: '127.0.0.1:0' });
		const [, metricsPort] = /metrics on 127\.0\.0\.1:(\d+)/.exec(output.err);
		const agent = new http.Agent({ keepAlive: true });
		await get('/act/echo', { agent });
		const slow = get('/act/nap', { agent });
		await until(() => output.err.includes('the nap begins'));
		const queued = get('/act/pause');
		// the request has arrived once its event waits for the function
		await until(async () => /^eds_pool_queue\{function="act"\} 1$/m.test((await request(`http://127.0.0.1:${metricsPort}/metrics`)).text), WAIT_MS);
		child.kill('SIGTERM');
		assert.equal((await slow).status, 200);
		assert.equal((await slow).headers.connection, 'close');
		assert.equal((await queued).status, 200);
		assert.equal((await ended).code, 0);
		await assert.rejects(exchange(httpPort, 'GET / HTTP/1.1\r\nHost: a\r\n\r\n'));
		agent.destroy();
	});

	test('a wrong start is reported: an unknown function, no trigger, no port', async () => {
		for (const [args, PORT, code] of [[['nothing'], '0', 78], [['direct'], '0', 78], [['absent'], '0', 1],
			[['act'], 'x', 1]]) {
			const bootstrap = startBootstrap({ args, env: { LAMBDA_TASK_ROOT: root.folder, PORT } });
			assert.equal((await bootstrap.ended).code, code, `${args} ${PORT}`);
			assert.match(bootstrap.output.err, /^bootstrap: ./m);
		}
	});

	describe('CloudEvents', () => {
		const ce = (more = {}) => ({
			'ce-specversion': '1.0', 'ce-type': 'test', 'ce-source': '/test', 'ce-id': 'e1',
			'ce-time': '2026-11-20T12:00:00Z', 'content-type': 'application/json', ...more,
		});
		const post = ({ get }, headers, body = '{}', path = '/') => get(path, { method: 'POST', headers, body });

		test('an event that succeeded is acknowledged without a body', async () => {
			const scheduled = await start('scheduled');
			const response = await post(scheduled, ce());
			assert.equal(response.status, 204);
			assert.equal(response.text, '');
			assert.equal((await post(scheduled, ce(), '', '/any/path')).status, 204);
			assert.equal((await post(await start('mailed'), ce(), '{"Records":\n[]}')).status, 204);
		});

		test('the numbers in its answer are metrics for Prometheus, only on their own port', async () => {
			const scheduled = await start('scheduled', { EDS_METRICS_LISTEN: '127.0.0.1:0' });
			const [, port] = /metrics on 127\.0\.0\.1:(\d+)/.exec(scheduled.output.err);
			const began = Math.floor(Date.now() / 1000);
			assert.equal((await post(scheduled, ce())).status, 204);
			const { status, text, headers } = await request(`http://127.0.0.1:${port}/metrics`);
			assert.equal(status, 200);
			assert.equal(headers['content-type'], 'text/plain; version=0.0.4; charset=utf-8');
			assert.match(text, /^eds_build_info\{version="[^"]+"\} 1$/m);
			assert.match(text, /^eds_http_requests_total\{function="scheduled",status="204"\} 1$/m);
			const value = (name) => Number(new RegExp(`^${name} (\\d+)$`, 'm').exec(text)?.[1]);
			assert.ok(value('eds_schedule_last_success_timestamp_seconds\\{function="scheduled"\\}') >= began);
			assert.equal(value('eds_schedule_answer\\{function="scheduled",number="pid"\\}'), childrenOf(scheduled.pid)[0]);
			assert.equal((await request(`http://127.0.0.1:${port}/other`)).status, 404);
			assertProblem(await scheduled.get('/metrics'), 405, 'method-not-allowed');
		});

		test('a job that failed, crashed or hung has an error status, so that it is tried again', async () => {
			const scheduled = await start('scheduled');
			assertProblem(await post(scheduled, ce({ 'ce-id': 'fail' })), 500, 'function-failed');
			assertProblem(await post(scheduled, ce({ 'ce-id': 'crash' })), 502, 'function-crashed');
			assertProblem(await post(scheduled, ce({ 'ce-id': 'sleep' })), 504, 'function-timed-out');
			const mailed = await start('mailed');
			assertProblem(await post(mailed, ce(), '{"do":"fail"}'), 500, 'function-failed');
			assertProblem(await post(mailed, ce(), '{"do":"partly"}'), 500, 'function-failed');
			assertProblem(await post(mailed, ce(), 'garbage'), 500, 'function-failed');
			assert.equal((await post(mailed, ce(), '{}')).status, 204);
		});

		test('a request that is not a CloudEvent is refused', async () => {
			const scheduled = await start('scheduled');
			for (const name of ['ce-specversion', 'ce-id', 'ce-source', 'ce-type', 'ce-time']) {
				const headers = ce();
				delete headers[name];
				assertProblem(await post(scheduled, headers), 400, 'event-invalid');
			}
			assertProblem(await post(scheduled, ce({ 'ce-specversion': '0.3' })), 400, 'event-invalid');
			assertProblem(await post(await start('mailed'), ce(), ''), 400, 'event-invalid');
			const wrong = await scheduled.get('/');
			assertProblem(wrong, 405, 'method-not-allowed');
			assert.equal(wrong.headers.allow, 'POST');
		});

		test('as many events run at once as the manifest allows handlers', async () => {
			const waiting = await start('waiting');
			const began = Date.now();
			const mail = JSON.stringify({ Records: [{ ses: {
				mail: { timestamp: '2026-11-20T12:00:00Z', source: 'a@b.example', messageId: 'sleep-600' },
				receipt: { timestamp: '2026-11-20T12:00:00Z', recipients: ['x@tester.example'] },
			} }] });
			const responses = await Promise.all(Array.from({ length: 20 }, () => post(waiting, ce(), mail)));
			assert.deepEqual([...new Set(responses.map(({ status }) => status))], [204]);
			assert.equal(childrenOf(waiting.pid).length, 16);
			assert.ok(Date.now() - began < 10000, `${Date.now() - began} ms; one after another they take 12 s`);
		});

		test('events past the limit are refused with 429', async () => {
			const mailed = await start('mailed');
			const responses = await whileHeld(mailed.pid, 40, () => post(mailed, ce()));
			assert.equal(responses.filter(({ status }) => status === 204).length, 32);
			assert.equal(responses.filter(({ status }) => status === 429).length, 8);
		});
	});
});
