// `runner serve --renew`, as `make run` starts it: the runner starts again when the manifest has changed.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';

import { BUILD, isAlive, request, startRunner, testFunctions, until } from './support/runner.mjs';

const SUITE_MS = 120000;
// Executes the arguments like a service manager that has opened a port for them.
const HOLDER = `
import os, socket, sys
held = socket.create_server(("127.0.0.1", 0))
os.dup2(held.fileno(), 3)
os.set_inheritable(3, True)
os.environ.update(LISTEN_PID=str(os.getpid()), LISTEN_FDS="1", EDS_HTTP_LISTEN="127.0.0.1:%d" % held.getsockname()[1])
os.execv(sys.argv[1], sys.argv[1:])
`;
const echo = (path) => ({ echo: { http: [`GET ${path}`], timeoutMs: 5000, memoryMb: 64 } });

// Replaces the manifest in one step, so that no runner reads half of it.
function write({ folder }, text) {
	writeFileSync(join(folder, 'manifest.json.new'), text);
	renameSync(join(folder, 'manifest.json.new'), join(folder, 'manifest.json'));
}

describe('a runner that renews itself', { timeout: SUITE_MS }, () => {
	let functions;
	let runner;
	const starts = () => runner.output.out.split('\n').filter((line) => line.startsWith('{')).map((line) => JSON.parse(line));
	const get = async (path) => (await request(`http://${starts().at(-1).http}${path}`)).status;

	before(async () => {
		functions = testFunctions({ echo: { program: 'handler-http', http: ['GET /before/echo'] } });
		runner = await startRunner({ functions: functions.folder, renew: true });
	});
	after(async () => {
		await runner?.stop('SIGKILL');
		functions?.remove();
	});

	test('serves the routes of a changed manifest, in the same process and with the same settings', async () => {
		assert.equal(await get('/before/echo'), 200);
		write(functions, JSON.stringify({ functions: echo('/after/echo') }));
		await until(() => starts().length === 2);
		assert.deepEqual(Object.keys(starts()[1]), ['http', 'smtp', 'ops']);
		assert.notEqual(starts()[1].smtp, starts()[0].smtp); // with port 0 the new runner takes another free port
		assert.equal(await get('/after/echo'), 200);
		assert.equal(await get('/before/echo'), 404);
		assert.ok(isAlive(runner.pid));
		assert.match(runner.output.err, /stopping: the manifest has changed/);
	});

	test('keeps the old manifest when the changed one cannot be used, and says why', async () => {
		write(functions, '{"functions": {');
		await until(() => /manifest.json cannot be used, so the previous one stays: line/.test(runner.output.err));
		assert.equal(await get('/after/echo'), 200);
		write(functions, JSON.stringify({ functions: echo('/third/echo') }));
		await until(() => starts().length === 3);
		assert.equal(await get('/third/echo'), 200);
	});

	test('ends by a signal as any other runner', async () => {
		assert.deepEqual((({ code, signal }) => ({ code, signal }))(await runner.stop()), { code: 0, signal: null });
		assert.equal(starts().length, 3);
	});
});

test('a runner that renews itself keeps the socket that a service manager passed', { timeout: SUITE_MS }, async () => {
	const functions = testFunctions({ echo: { program: 'handler-http', http: ['GET /before/echo'] } });
	const folder = mkdtempSync(join(tmpdir(), 'eds-renewal-'));
	const child = spawn('python3', ['-c', HOLDER, join(BUILD, 'runner'), 'serve', '--functions', functions.folder, '--renew'], {
		cwd: folder, stdio: ['ignore', 'pipe', 'pipe'], env: { PATH: process.env.PATH, EDS_SMTP_LISTEN: '127.0.0.1:0', EDS_OPS_LISTEN: '127.0.0.1:0' },
	});
	let text = '';
	for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8').on('data', (part) => (text += part));
	const starts = () => text.match(/(?<="http":")[^"]+/g) ?? [];
	try {
		await until(() => starts().length === 1);
		write(functions, JSON.stringify({ functions: echo('/after/echo') }));
		await until(() => starts().length === 2);
		assert.equal(starts()[1], starts()[0]);
		assert.equal((await request(`http://${starts()[1]}/after/echo`)).status, 200);
		assert.ok(!text.includes('is closed'), text);
	} finally {
		child.kill('SIGKILL');
		functions.remove();
		rmSync(folder, { recursive: true });
	}
});

// The start waits in `admin`, as it does for a database that does not answer yet.
test('a manifest that changes while the start waits is used after it', { timeout: SUITE_MS }, async () => {
	const functions = testFunctions({ echo: { program: 'handler-http', http: ['GET /before/echo'] }, admin: { timeoutMs: 60000 } });
	const [manifest, begun, end] = ['manifest.json', 'begun', 'end'].map((name) => join(functions.folder, name));
	writeFileSync(join(functions.folder, 'admin'), `#!/bin/sh\n: > ${begun}\nwhile [ ! -e ${end} ]; do sleep 0.1; done\necho '{}'\n`, { mode: 0o755 });
	const starting = startRunner({ functions: functions.folder, renew: true });
	let runner;
	try {
		await until(() => existsSync(begun));
		writeFileSync(manifest, JSON.stringify({ functions: echo('/after/echo') }));
		writeFileSync(end, '');
		runner = await starting;
		const starts = () => runner.output.out.match(/(?<="http":")[^"]+/g) ?? [];
		await until(() => starts().length === 2);
		assert.equal((await request(`http://${starts()[1]}/after/echo`)).status, 200);
	} finally {
		writeFileSync(end, '');
		await (runner ?? await starting.catch(() => undefined))?.stop('SIGKILL');
		functions.remove();
	}
});

test('a runner without --renew keeps the manifest of its start', async () => {
	const functions = testFunctions({ echo: { program: 'handler-http', http: ['GET /before/echo'] } });
	const runner = await startRunner({ functions: functions.folder });
	try {
		writeFileSync(join(functions.folder, 'manifest.json'), JSON.stringify({ functions: echo('/after/echo') }));
		await new Promise((done) => setTimeout(done, 1500));
		assert.equal((await request(`${runner.baseUrl}/before/echo`)).status, 200);
		assert.equal(runner.output.err.includes('manifest'), false);
	} finally {
		await runner.stop();
		functions.remove();
	}
});
