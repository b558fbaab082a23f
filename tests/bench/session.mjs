// Speed of the tester's API functions: cold answer, and CPU an event in a kept process.
//
//   node tests/bench/session.mjs       (BUILD names the build folder)
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';

const COLD_TARGET_US = 1500;
const GET_CPU_TARGET_US = 20;

const build = resolve(process.env.BUILD ?? join(import.meta.dirname, '../../build'));
const folder = mkdtempSync(join(tmpdir(), 'eds-bench-'));
const env = { PATH: process.env.PATH, EDS_TESTER_SESSIONS_PER_HOUR: '0' };

function http(method, path, params) {
	return { version: '2.0', routeKey: '$default', rawPath: path, rawQueryString: '',
		headers: { host: 'test.example', 'user-agent': 'bench', accept: '*/*' },
		pathParameters: params, requestContext: { requestId: 'bench', stage: '$default',
			http: { method, path, protocol: 'HTTP/1.1', sourceIp: '192.0.2.1' } },
		isBase64Encoded: false };
}

function call(name, event) {
	return JSON.parse(execFileSync(join(build, 'functions', name), [],
		{ cwd: folder, env, input: JSON.stringify(event), encoding: 'utf8' }));
}

function measure(title, name, event, keptEvents) {
	const file = join(folder, 'event.json');
	writeFileSync(file, JSON.stringify(event));
	const got = JSON.parse(execFileSync(join(build, 'tests/bench/function'),
		[join(build, 'functions', name), file, '300', String(keptEvents)],
		{ cwd: folder, env, encoding: 'utf8' }));
	console.log(`${title.padEnd(38)} cold ${String(got.coldUs).padStart(5)} us   ` +
		`kept ${String(got.keptCpuUs).padStart(6)} us CPU, round trip ${got.roundTripUs} us`);
	return got;
}

call('admin', { action: 'migrate' });
const session = JSON.parse(call('tester-session-create', http('POST', '/s')).body);
const get = http('GET', `/s/${session.testId}`, { testId: session.testId });

console.log(`targets: cold ${COLD_TARGET_US} us, session-get kept ${GET_CPU_TARGET_US} us CPU`);
measure('tester-session-get', 'tester-session-get', get, 50000);
measure('tester-session-get, unknown', 'tester-session-get',
	http('GET', '/s/x', { testId: 'a'.repeat(26) }), 50000);
measure('mail-accept', 'mail-accept', { recipient: session.email }, 50000);
measure('tester-session-create (durable)', 'tester-session-create', http('POST', '/s'), 2000);
rmSync(folder, { recursive: true });
