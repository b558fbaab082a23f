// `runner serve --renew`, as `make run` starts it: the runner starts again when the manifest has changed.
import assert from 'node:assert/strict';
import { renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';

import { isAlive, request, startRunner, testFunctions, until } from './support/runner.mjs';

const SUITE_MS = 120000;
const echo = (path) => ({ echo: { http: [`GET ${path}`], timeoutMs: 5000, memoryMb: 64 } });

describe('a runner that renews itself', { timeout: SUITE_MS }, () => {
	let functions;
	let runner;
	const starts = () => runner.output.out.split('\n').filter((line) => line.startsWith('{')).map((line) => JSON.parse(line));
	const get = async (path) => (await request(`http://${starts().at(-1).http}${path}`)).status;
	const write = (text) => {
		writeFileSync(join(functions.folder, 'manifest.json.new'), text);
		renameSync(join(functions.folder, 'manifest.json.new'), join(functions.folder, 'manifest.json'));
	};

	before(async () => {
		functions = testFunctions({ echo: { program: 'handler-http', http: ['GET /before/echo'] } });
		runner = await startRunner({ functions: functions.folder, renew: true });
	});
	after(async () => {
		await runner?.stop('SIGKILL');
		functions?.remove();
	});

	test('serves the routes of a changed manifest, in the same process and by the same settings', async () => {
		assert.equal(await get('/before/echo'), 200);
		write(JSON.stringify({ functions: echo('/after/echo') }));
		await until(() => starts().length === 2);
		assert.deepEqual(Object.keys(starts()[1]), ['http', 'smtp', 'ops']);
		assert.notEqual(starts()[1].smtp, starts()[0].smtp); // port 0 is any free one again
		assert.equal(await get('/after/echo'), 200);
		assert.equal(await get('/before/echo'), 404);
		assert.ok(isAlive(runner.pid));
		assert.match(runner.output.err, /stopping: the manifest has changed/);
	});

	test('goes on with the manifest before when the changed one cannot be used, and says why', async () => {
		write('{"functions": {');
		await until(() => /manifest.json cannot be used, so the previous one stays: line/.test(runner.output.err));
		assert.equal(await get('/after/echo'), 200);
		write(JSON.stringify({ functions: echo('/third/echo') }));
		await until(() => starts().length === 3);
		assert.equal(await get('/third/echo'), 200);
	});

	test('ends by a signal as any other', async () => {
		assert.deepEqual((({ code, signal }) => ({ code, signal }))(await runner.stop()), { code: 0, signal: null });
		assert.equal(starts().length, 3);
	});
});

test('a runner without --renew goes on with the manifest of its start', async () => {
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
