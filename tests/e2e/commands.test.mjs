// The command line of the runner, as a developer types it.
import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import http from 'node:http';
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
			say: { program: 'handler-direct', timeoutMs: 3000 },
			web: { program: 'handler-http', http: ['GET /hello/{name}', 'POST /hello/{name}'] },
			gone: { http: ['GET /gone'] },
			tick: { schedule: 'rate(5 minutes)' },
			'tester-expire': { schedule: 'cron(0 3 * * ? *)' },
			take: { mail: true },
			bare: { memoryMb: 0 },
		});
		writeFileSync(join(functions.folder, 'bare'), '#!/bin/sh\ncat > /dev/null\nprintf \'{"bare":true}\'\n');
		chmodSync(join(functions.folder, 'bare'), 0o755);
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

		test('takes words after -- as arguments, even those that begin with a dash', () => {
			assert.deepEqual(JSON.parse(run(['invoke', '--functions', functions.folder, '--', 'say', '-'], '{"n":1}').stdout).event, { n: 1 });
			writeFileSync(join(folder, '--help'), '{"from":"--help"}');
			assert.deepEqual(JSON.parse(run(['invoke', '--functions', functions.folder, '--', 'say', '--help']).stdout).event, { from: '--help' });
		});

		test('ends the answer with a line end, if the function does not', () => {
			const { status, stdout } = ofTests(['invoke', 'bare', '-'], '{}');
			assert.deepEqual([status, stdout], [0, '{"bare":true}\n']);
		});

		test('refuses an event that is larger than functions read', () => {
			const { status, stdout, stderr } = ofTests(['invoke', 'say', '-'], ' '.repeat(9 * 1024 * 1024));
			assert.deepEqual([status, stdout], [1, '']);
			assert.match(stderr, /^runner invoke: the event - cannot be read: File too large\n$/);
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

	describe('runner event', () => {
		test('http makes the event that a client with this request and body causes', () => {
			const event = JSON.parse(ofTests(['event', 'http', 'POST', '/hello/a%20b?x=1&y', '{"n":1}']).stdout);
			assert.equal(event.routeKey, 'POST /hello/{name}');
			assert.deepEqual(event.pathParameters, { name: 'a b' });
			assert.deepEqual(event.queryStringParameters, { x: '1', y: '' });
			assert.equal(event.body, '{"n":1}');
			assert.equal(event.headers['content-type'], 'application/json');
			assert.equal(event.headers['content-length'], '7');
			assert.equal(event.requestContext.http.sourceIp, '127.0.0.1');
			assert.equal(JSON.parse(ofTests(['event', 'http', 'GET', '/hello/ann']).stdout).body, undefined);
		});

		test('schedule makes the event of a function, of tester-expire without a name', () => {
			for (const [args, name] of [[['tick'], 'tick'], [[], 'tester-expire']]) {
				const { status, stdout } = ofTests(['event', 'schedule', ...args]);
				const event = JSON.parse(stdout);
				assert.equal(status, 0);
				assert.equal(event['detail-type'], 'Scheduled Event');
				assert.match(event.resources[0], new RegExp(`\\b${name}$`));
				assert.ok(Math.abs(Date.parse(event.time) - Date.now()) < 60000, event.time);
			}
		});

		test('mail makes the event of a message to this recipient', () => {
			const { status, stdout } = ofTests(['event', 'mail', 'a@b.example']);
			const { mail, receipt } = JSON.parse(stdout).Records[0].ses;
			assert.equal(status, 0);
			assert.deepEqual([mail.source, mail.destination, receipt.recipients], ['sender@example.com', ['a@b.example'], ['a@b.example']]);
			assert.equal(mail.commonHeaders.subject, 'Sample');
		});

		for (const [args, sentence] of [
			[['http', 'GET', '/nowhere'], 'no function answers that; see runner routes'],
			[['http', 'PUT', '/hello/ann'], 'no function answers that; see runner routes'],
			[['schedule', 'nobody'], 'there is no function nobody'],
		])
			test(`${args.join(' ')} exits with 1 and says why`, () => {
				const { status, stdout, stderr } = ofTests(['event', ...args]);
				assert.deepEqual([status, stdout, stderr], [1, '', `runner event: ${sentence}\n`]);
			});

		for (const target of ['hello', '/hello/\u00e9'])
			test(`http GET ${target} exits with 1 and the reason of the server`, () => {
				const { status, stdout, stderr } = ofTests(['event', 'http', 'GET', target]);
				assert.deepEqual([status, stdout], [1, '']);
				assert.match(stderr, /^runner event: .+\n$/);
			});

		for (const args of [['http', 'GET'], ['http', 'GET', '/', '{}', 'more'], ['schedule', 'tick', 'more'], ['mail'], ['mail', 'a@b.example', 'more'], ['other']])
			test(`${args.join(' ')} exits with 64 and the usage`, () => {
				const { status, stdout, stderr } = ofTests(['event', ...args]);
				assert.deepEqual([status, stdout], [64, '']);
				assert.match(stderr, /^usage: runner event/m);
			});
	});

	describe('runner replay', () => {
		const env = { ...process.env, EDS_OPS_LISTEN: '127.0.0.1:1' };
		const replay = (...args) => spawnSync(join(BUILD, 'runner'), ['replay', ...args], { cwd: folder, encoding: 'utf8', timeout: 20000, env });

		for (const args of [[], ['some-id']])
			test(`${args.join(' ') || 'without an id'} says that no runner serves`, () => {
				const { status, stdout, stderr } = replay(...args);
				assert.deepEqual([status, stdout], [1, '']);
				assert.equal(stderr, 'runner replay: no runner serves on EDS_OPS_LISTEN: Connection refused\n');
			});

		for (const [what, args, status, text] of [['a page', [], 200, '<html>'], ['no list of events', [], 404, '{}'], ['a page', ['some-id'], 200, '<html>']])
			test(`${args.join(' ') || 'without an id'} says that another program answers, with ${what}`, async () => {
				const server = http.createServer((req, res) => res.writeHead(status).end(text));
				await new Promise((done) => server.listen(0, '127.0.0.1', done));
				const listen = `127.0.0.1:${server.address().port}`;
				const child = spawn(join(BUILD, 'runner'), ['replay', ...args], { cwd: folder, env: { ...env, EDS_OPS_LISTEN: listen } });
				let err = '';
				child.stderr.on('data', (data) => (err += data));
				const code = await new Promise((done) => child.once('close', done));
				server.close();
				assert.deepEqual([code, err], [1, `runner replay: what answers on EDS_OPS_LISTEN is not a runner: ${listen}\n`]);
			});
	});

	test('runner --version prints the release', () => {
		const { status, stdout } = run(['--version']);
		assert.equal(status, 0);
		assert.match(stdout, /^eds \d+\.\d+\.\d+\n$/);
	});

	for (const word of ['help', '--help', '-h'])
		test(`runner ${word} prints the usage on standard output`, () => {
			const { status, stdout, stderr } = run([word]);
			assert.deepEqual([status, stderr], [0, '']);
			assert.match(stdout, /^usage: runner /);
		});

	test('runner routes lists every route with its function, and nothing else', () => {
		const { status, stdout } = ofTests(['routes']);
		assert.equal(status, 0);
		assert.match(stdout, /^http +GET +\/hello\/\{name\} +web$/m);
		assert.match(stdout, /^direct +say$/m);
		assert.match(stdout, /^schedule +rate\(5 minutes\) +tick$/m);
		assert.match(stdout, /^mail +take$/m);
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
