// runner serve --bootstrap: functions as they are deployed, behind the adapter. With
// EDS_TEST_BOOTSTRAP=1 the stories of the other files run this way too; this file tests what exists
// only with bootstrap.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { copyFileSync, mkdtempSync, renameSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';

import { BUILD, childrenOf, exchange, isAlive, ofProcess, request, startRunner, testFunctions, until, untilBegun } from './support/runner.mjs';

const commandOf = (pid) => ofProcess(pid, 'cmdline').split('\0')[0];
const portOf = (pid) =>
	Number(/AWS_LAMBDA_RUNTIME_API=127\.0\.0\.1:(\d+)/.exec(ofProcess(pid, 'environ'))[1]);

describe('a function behind bootstrap', () => {
	let installed;
	let functions;
	let runner;

	// A runner and a bootstrap in a folder of their own, so that a test can replace them.
	before(async () => {
		installed = mkdtempSync(join(tmpdir(), 'eds-installed-'));
		for (const program of ['runner', 'bootstrap']) copyFileSync(join(BUILD, program), join(installed, program));
		functions = testFunctions({
			act: { program: 'handler-http', http: ['GET /act/{name}', 'POST /act/{name}'] },
			slow: { program: 'handler-http', http: ['GET /slow/{name}'], timeoutMs: 500 },
			raw: { program: 'handler-raw', http: ['GET /raw/{name}'] },
			none: { http: ['GET /none'] },
		});
		runner = await startRunner({ build: installed, bootstrap: true, functions: functions.folder });
	});
	after(async () => {
		await runner?.stop();
		functions?.remove();
		rmSync(installed, { recursive: true, force: true });
	});

	const get = (path) => request(runner.baseUrl + path);
	const pid = async () => (await get('/act/pid')).json();
	const bootstraps = () => childrenOf(runner.pid).filter((child) => commandOf(child) === join(installed, 'bootstrap'));

	test('is the child of a bootstrap, which is the child of the runner', async () => {
		const handler = await pid();
		const [bootstrap] = bootstraps().filter((parent) => childrenOf(parent).includes(handler));
		assert.ok(bootstrap, `${handler} has no bootstrap`);
		assert.equal(commandOf(handler), join(functions.folder, 'act'));
	});

	test('handles events and answers of every length', async () => {
		for (const length of [0, 1, 1500, 4000, 60000]) {
			const answer = await request(`${runner.baseUrl}/act/echo`, { method: 'POST', body: 'b'.repeat(length) });
			assert.equal(answer.json().length, length);
		}
		assert.equal((await get('/act/large')).text.length, 3 * 1024 * 1024);
	});

	test('works again after its bootstrap was killed, and only the event under way is lost', async () => {
		const handler = await pid();
		const [bootstrap] = bootstraps().filter((parent) => childrenOf(parent).includes(handler));
		const lost = get('/act/nap');
		await untilBegun(runner, 'nap');
		process.kill(bootstrap, 'SIGKILL');
		assert.equal((await lost).status, 502);
		await until(() => !isAlive(handler));
		assert.notEqual(await pid(), handler);
	});

	for (const [path, status, code] of [
		['/act/crash', 502, 'function-crashed'],
		['/act/exit', 502, 'function-crashed'],
		['/act/fail', 409, 'test-conflict'],
		['/raw/error', 502, 'function-failed'],
		['/slow/sleep', 504, 'function-timed-out'],
		['/raw/garbage', 502, 'answer-invalid'],
	])
		test(`answers ${path} as without it, with ${status} ${code}, and then goes on`, async () => {
			const answer = await get(path);
			assert.deepEqual([answer.status, answer.json().code], [status, code]);
			assert.equal((await get('/act/echo')).status, 200);
		});

	test('runs behind a rebuilt bootstrap from the next event on', async () => {
		const handler = await pid();
		copyFileSync(join(BUILD, 'bootstrap'), join(installed, 'bootstrap.new'));
		renameSync(join(installed, 'bootstrap.new'), join(installed, 'bootstrap'));
		assert.notEqual(await pid(), handler);
		await until(() => !isAlive(handler));
	});

	test('without a program gives a 502, and the log says why', async () => {
		assert.equal((await get('/none')).status, 502);
		await until(() => runner.output.err.includes('Runtime.NoSuchHandler'));
	});

	test('cannot be impersonated by another process on this machine', { skip: process.getuid() !== 0 && 'root alone is shown its port' }, async () => {
		await pid();
		const forged = await exchange(portOf(bootstraps()[0]),
			'GET /2018-06-01/runtime/invocation/next HTTP/1.1\r\nHost: a\r\n\r\n', { ms: 300 });
		assert.deepEqual(forged, { text: '', closed: false });
		assert.equal((await get('/act/echo')).status, 200);
	});
});

test('without a bootstrap beside the runner the start ends with a sentence', () => {
	const installed = mkdtempSync(join(tmpdir(), 'eds-installed-'));
	const functions = testFunctions({ act: { program: 'handler-http', http: ['GET /act/{name}'] } });
	copyFileSync(join(BUILD, 'runner'), join(installed, 'runner'));
	const { status, stderr } = spawnSync(join(installed, 'runner'), ['serve', '--bootstrap', '--functions', functions.folder], {
		cwd: installed, encoding: 'utf8', env: { EDS_HTTP_LISTEN: '127.0.0.1:0' },
	});
	functions.remove();
	rmSync(installed, { recursive: true, force: true });
	assert.equal(status, 1);
	assert.match(stderr, /bootstrap: No such file or directory/);
});
