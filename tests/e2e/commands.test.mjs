// The command line of the runner, as a developer types it.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';

import { BUILD, testFunctions } from './support/runner.mjs';

describe('the command line', () => {
	let folder;
	let functions;

	before(() => {
		folder = mkdtempSync(join(tmpdir(), 'eds-commands-'));
		functions = testFunctions({
			say: { program: 'handler-direct', timeoutMs: 1000 },
			web: { program: 'handler-http', http: ['GET /hello/{name}'] },
			gone: { http: ['GET /gone'] },
		});
	});
	after(() => {
		functions?.remove();
		rmSync(folder, { recursive: true, force: true });
	});

	const run = (args, input = '') => spawnSync(join(BUILD, 'runner'), args,
		{ cwd: folder, encoding: 'utf8', input, timeout: 20000, maxBuffer: 1 << 26 });
	const ofTests = (args, input) => run([...args, '--functions', functions.folder], input);
	const invoke = (event) => ofTests(['invoke', 'say', '-'], JSON.stringify(event));

	describe('runner invoke', () => {
		test('gives the event on standard input to the function and prints its answer', () => {
			const { status, stdout } = invoke({ hello: 'world' });
			assert.equal(status, 0);
			assert.deepEqual(JSON.parse(stdout).event, { hello: 'world' });
			assert.match(stdout, /\}\n$/);
		});

		test('takes the event from a file', () => {
			writeFileSync(join(folder, 'event.json'), '{"from": "file"}');
			const { status, stdout } = ofTests(['invoke', 'say', 'event.json']);
			assert.equal(status, 0);
			assert.deepEqual(JSON.parse(stdout).event, { from: 'file' });
		});

		test('sends {} when no event is given', () => {
			assert.deepEqual(JSON.parse(ofTests(['invoke', 'say']).stdout).event, {});
		});

		test('reports a file that cannot be read', () => {
			const { status, stdout, stderr } = ofTests(['invoke', 'say', 'nowhere.json']);
			assert.equal(status, 1);
			assert.equal(stdout, '');
			assert.match(stderr, /nowhere\.json cannot be read: No such file or directory/);
		});

		test('exits with 1 when the function failed, and still prints what it answered', () => {
			const { status, stdout } = invoke({ do: 'fail' });
			assert.equal(status, 1);
			assert.deepEqual(JSON.parse(stdout), { errorType: 'temporary.test-failure', errorMessage: 'as asked' });
		});

		test('exits with 124 when the function ran out of time', () => {
			const { status, stdout } = invoke({ do: 'sleep' });
			assert.equal(status, 124);
			assert.equal(stdout, '');
		});

		test('exits with 128 plus the number of the signal that ended the function', () => {
			const { status, stderr } = invoke({ do: 'crash' });
			assert.equal(status, 137);
			assert.match(stderr, /say was ended by signal 9 \(Killed\)/);
		});

		test('exits with 127 when the program cannot be started', () => {
			assert.equal(ofTests(['invoke', 'gone', '-'], '{}').status, 127);
		});

		test('prints an answer of several megabytes completely', () => {
			const { status, stdout } = invoke({ do: 'large-3000000' });
			assert.equal(status, 0);
			assert.equal(JSON.parse(stdout).large.length, 3000000);
		});

		test('points to the list of functions when the name is unknown', () => {
			const { status, stderr } = ofTests(['invoke', 'nobody', '-'], '{}');
			assert.equal(status, 64);
			assert.match(stderr, /there is no function nobody; see runner routes/);
		});
	});

	test('an HTTP event of runner event is answered by runner invoke', () => {
		const { stdout: event } = ofTests(['event', 'http', 'GET', '/hello/ann?x=1']);
		const { status, stdout } = ofTests(['invoke', 'web', '-'], event);
		assert.equal(status, 0);
		assert.equal(JSON.parse(event).pathParameters.name, 'ann');
		assert.equal(JSON.parse(stdout).statusCode, 200);
	});

	test('runner routes lists every route with its function, and nothing else', () => {
		const { status, stdout } = ofTests(['routes']);
		assert.equal(status, 0);
		assert.match(stdout, /^http +GET +\/hello\/\{name\} +web$/m);
		assert.match(stdout, /^direct +say$/m);
		assert.doesNotMatch(stdout, /null/);
	});

	for (const command of ['serve', 'invoke', 'deliver', 'event', 'replay', 'spool', 'routes']) {
		test(`runner ${command} --help prints its usage on standard output`, () => {
			const { status, stdout, stderr } = run([command, '--help']);
			assert.equal(status, 0);
			assert.match(stdout, new RegExp(`^usage: runner ${command}\\b`));
			assert.equal(stderr, '');
		});

		test(`runner ${command} with an unknown option exits with 64`, () => {
			const { status, stdout, stderr } = run([command, '--frobnicate']);
			assert.equal(status, 64);
			assert.equal(stdout, '');
			assert.match(stderr, /--frobnicate/);
		});
	}

	test('runner deliver refuses a message when no function checks recipients', () => {
		const { status, stdout, stderr } = ofTests(['deliver', '-', '--to', 'a@example.com'], 'Subject: x\n\nx\n');
		assert.equal(status, 1);
		assert.equal(stdout, '');
		assert.equal(stderr, 'runner deliver: there is no function mail-accept\n');
	});

	for (const wrong of [['invoke'], ['invoke', 'a', 'b', 'c'], ['event'], ['deliver'], ['spool'], ['nonsense'], []])
		test(`runner ${wrong.join(' ')} exits with 64 and the usage on standard error`, () => {
			const { status, stdout, stderr } = run(wrong);
			assert.equal(status, 64);
			assert.equal(stdout, '');
			assert.match(stderr, /usage: runner/);
		});
});
