// When the kernel or a cloud refuses system calls, everything still starts and answers, and no process
// is left behind.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { chownSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, test } from 'node:test';

import { CLOUD_USER, asCloud, canBeCloud, cloudBuild } from './support/cloud.mjs';
import { descendantsOf, isAlive, ofProcess, request, startRunner, until } from './support/runner.mjs';
import { admin } from './support/store.mjs';
import { createSession, getSession } from './support/tester.mjs';

const CALLS = ['prctl', 'seccomp', 'ptrace', 'close_range', 'memfd_create', 'sched_setscheduler'];
const END_MS = 10000;

const noCloud = canBeCloud() ? false : 'this machine lets no test refuse calls';

const cases = [
	['every call that AWS Lambda refuses is refused', {}],
	['none of those calls exists', { refuse: 'none', missing: CALLS.join() }],
	...CALLS.map((call) => [`${call} is refused`, { refuse: call }]),
	...CALLS.map((call) => [`${call} is not there`, { refuse: 'none', missing: call }]),
];

describe('as a user other than root, when', { skip: noCloud, concurrency: 2 }, () => {
	for (const [name, cloud] of cases)
		test(`${name}, the runner migrates, serves and ends`, async () => {
			const runner = await startRunner({ cloud });
			try {
				const session = await createSession(runner);
				assert.equal((await getSession(runner, session.testId)).status, 'pending');
				assert.equal(admin(runner, { action: 'list' }).accounts[0].name, 'dev');
			} finally {
				assert.equal((await runner.stop()).code, 0);
			}
		});

	test('every call is refused, functions still end when the runner is killed', async () => {
		const runner = await startRunner({ cloud: {} });
		await createSession(runner);
		const functions = descendantsOf(runner.pid);
		assert.notEqual(functions.length, 0);
		await runner.stop('SIGKILL');
		await until(() => !functions.some(isAlive), END_MS);
	});
});

describe('the confinement of programs that read mail', { skip: noCloud }, () => {
	const LEVELS = [
		['by a filter where the kernel supports it', {}, 'filter'],
		['by limits where it does not, for a user other than root', { cloud: {}, bootstrap: true }, 'limits'],
		['by nothing where the setting says so', { env: { EDS_SANDBOX: 'off' } }, 'off'],
	];
	for (const [name, options, level] of LEVELS)
		test(`${name}, is shown in the log, in the health and in the metrics`, async () => {
			const runner = await startRunner(options);
			try {
				assert.equal(JSON.parse(runner.output.err.split('\n')[0]).sandbox, level);
				const { mail, ...health } = (await request(`${runner.opsUrl}/healthz`)).json();
				assert.deepEqual(health, { status: 'ok', sandbox: level });
				assert.equal(mail.share, 0);
				assert.ok((await request(`${runner.opsUrl}/metrics`)).text.includes(`\neds_sandbox_level{level="${level}"} 1\n`));
			} finally {
				await runner.stop();
			}
		});

	// Runs the program in an empty folder that belongs to this user; returns its output.
	function start(program, args, { env = {}, user = CLOUD_USER, ...cloud }) {
		const folder = mkdtempSync(join(tmpdir(), 'eds-refused-'));
		chownSync(folder, user, user);
		try {
			const { status, stderr, stdout } = spawnSync(...asCloud(join(cloudBuild(), program), args, { user, ...cloud }), {
				cwd: folder, encoding: 'utf8', timeout: 20000, input: '{}',
				env: { PATH: process.env.PATH, EDS_HTTP_LISTEN: '127.0.0.1:0', EDS_SMTP_LISTEN: '127.0.0.1:0', EDS_OPS_LISTEN: '127.0.0.1:0', ...env },
			});
			return { status, stderr, stdout };
		} finally {
			rmSync(folder, { recursive: true, force: true });
		}
	}
	const SENTENCE = /Mail and reports cannot be read in a sandbox here: .* as a user other than root, .* Fargate, .* Kubernetes/;
	for (const [name, args] of [['runner', ['serve']], ['functions/tester-analyze', []], ['functions/reports-ingest', []], ['functions/tester-session-reanalyze', []]]) {
		test(`${name} does not start when a filter is required but refused, and says what would work`, () => {
			const { status, stderr } = start(name, args, { env: { EDS_SANDBOX: 'filter' } });
			assert.equal(status, 78);
			assert.match(stderr, SENTENCE);
		});
		test(`${name} does not start as root where a filter is refused, since limits do not bind root`, () => {
			const { status, stderr } = start(name, args, { user: 0 });
			assert.equal(status, 78);
			assert.match(stderr, SENTENCE);
		});
	}

	test('is reported for each act by the program itself', () => {
		const { status, stdout } = start('libexec/eds-verifier', ['--prove'], {});
		assert.equal(status, 0);
		const [level, ...acts] = stdout.trim().split('\n');
		assert.equal(level, 'limits');
		assert.ok(acts.includes("  read an ancestor's memory            refused"));
		assert.ok(acts.includes('  signal an ancestor                   possible'));
	});

	test('is logged at each start of a function that reads mail in a cloud', () => {
		const { stderr } = start('functions/tester-analyze', ['--kept'], {});
		assert.equal(JSON.parse(stderr.split('\n')[0]).message, 'sandbox level: limits');
	});
});

// Whether this user can read the environment of the process. Root can read that of all processes, another
// user only if the process allows it.
const readable = (pid) => spawnSync('head', ['-c', '1', `/proc/${pid}/environ`]).status === 0;

test('the environment of a function, with its secrets, cannot be read by others', async () => {
	const runner = await startRunner({ bootstrap: true, env: { EDS_DNSBL_REPORTED: 'secret-key.lists.example=2' } });
	try {
		await createSession(runner);
		const shown = [runner.pid, ...descendantsOf(runner.pid)].map((pid) => readable(pid) && ofProcess(pid, 'environ'));
		assert.ok(shown.length >= 3);
		for (const text of shown) assert.ok(!text || !text.includes('secret-key'), text);
	} finally {
		await runner.stop();
	}
});
