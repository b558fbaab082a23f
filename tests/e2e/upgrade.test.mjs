// An upgrade under load, and the way back: programs of the previous release (make release-before builds
// them from the history) and of this one use one database. The runner of the previous release serves a
// folder of functions that are replaced while it runs, as `make install` does; clients continue
// meanwhile, and none of them gets a 503 or loses a connection.
import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { chmodSync, copyFileSync, existsSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, renameSync, rmSync } from 'node:fs';
import https from 'node:https';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { after, before, describe, test } from 'node:test';

import { makeAuthority } from '../support/authority.mjs';
import { startDns } from './support/dns.mjs';
import { functionsWithoutSchedule } from './support/functions.mjs';
import { sendMail } from './support/mail.mjs';
import { BUILD, request, firstToken, startRunner, until } from './support/runner.mjs';
import { admin, environment, sql } from './support/store.mjs';
import { untilCompleted } from './support/tester.mjs';

// The previous release supports neither a pooler nor clouds that refuse system calls.
delete process.env.EDS_TEST_POOLER_URL;
delete process.env.EDS_TEST_CLOUD;

const COMMIT = readFileSync('tests/support/release-before', 'utf8').trim();
const BEFORE = resolve('build/before', COMMIT, 'build');
const SUITE_MS = 300000;
const CLIENTS = 4;
const WAIT_MS = 1500; // pause before a migration, so that waiting programs can be observed

const wait = (ms) => new Promise((done) => setTimeout(done, ms));
const asJson = (token) => ({ 'content-type': 'application/json', authorization: `Bearer ${token}` });

// Replaces programs by those of another build: each is written beside the old one and renamed.
function place(build, home, names) {
	for (const name of names) {
		const to = join(home, name);
		mkdirSync(join(to, '..'), { recursive: true });
		copyFileSync(join(build, name), `${to}.new`);
		chmodSync(`${to}.new`, 0o755);
		renameSync(`${to}.new`, to);
	}
}
const programsOf = (build) => ['libexec', 'functions'].flatMap((folder) =>
	readdirSync(join(build, folder)).filter((name) => !name.includes('.')).map((name) => `${folder}/${name}`));

// Runs clients of every kind until stop(), which returns the answers that they got.
function startLoad(runner, token) {
	const seen = { requests: 0, refused: [], sessions: [], slowest: 0 };
	let going = true;
	let serial = 0;

	async function ask(method, path, body, wanted) {
		const began = Date.now();
		const answer = await request(runner.baseUrl + path, { method, headers: asJson(token), ...(body ? { body: JSON.stringify(body) } : {}) })
			.catch((error) => ({ status: error.code ?? error.message, text: '' }));
		seen.requests++;
		seen.slowest = Math.max(seen.slowest, Date.now() - began);
		if (answer.status !== wanted) seen.refused.push(`${method} ${path}: ${answer.status} ${answer.text.slice(0, 200)}`);
		return answer.status === wanted ? answer.json() : undefined;
	}
	async function client(number) {
		while (going) {
			const session = await ask('POST', '/api/inbound-tester/sessions', {}, 201);
			if (session) await ask('GET', `/api/inbound-tester/sessions/${session.testId}`, undefined, 200);
			if (session && number === 0) {
				await sendMail(runner.smtpPort, { from: 'a@sender.example', to: session.email, message: 'Subject: x\r\n\r\nx\r\n' })
					.then(() => seen.sessions.push(session.testId), (error) => seen.refused.push(`mail: ${error.message}`));
			}
			const domain = await ask('POST', '/api/v1/domains', { name: `u${number}-${++serial}-${process.pid}-${Date.now()}.example` }, 201);
			if (!domain) continue;
			const path = `/api/v1/domains/${domain.data.id}`;
			for (const part of ['', '/mta-sts', '/dkim/selectors', '/reports']) await ask('GET', path + part, undefined, 200);
			await ask('PATCH', `${path}/mta-sts`, { mode: 'testing', maxAge: 86400, mxPatterns: ['mx.example.com'] }, 200);
			await ask('DELETE', path, undefined, 200);
		}
	}
	const clients = Array.from({ length: CLIENTS }, (_, number) => client(number));
	return async () => {
		going = false;
		await Promise.all(clients);
		for (const id of seen.sessions) await untilCompleted(runner, id, 60);
		return seen;
	};
}

const assertNoGap = (seen) => {
	assert.deepEqual(seen.refused.slice(0, 5), []);
	assert.ok(seen.requests > 20, `only ${seen.requests} requests`);
	assert.ok(seen.sessions.length > 0);
};

describe('an upgrade under load', { timeout: SUITE_MS, skip: existsSync(join(BEFORE, 'runner')) ? false : 'make release-before built nothing' }, () => {
	const env = { EDS_DNS_SERVERS: '127.0.0.1:1', EDS_TESTER_SESSIONS_PER_HOUR: '0' };
	let folder;
	let home;
	let runner;
	let token;

	const serve = async (build) => {
		runner = await startRunner({ build, functions: join(home, 'functions'), folder, env, bootstrap: false, cloud: null });
		token ??= firstToken(runner);
	};
	const begin = async () => {
		folder = mkdtempSync(join(tmpdir(), 'eds-upgrade-'));
		home = join(folder, 'eds');
		token = undefined;
		place(BEFORE, home, programsOf(BEFORE));
		copyFileSync(join(BEFORE, 'functions/manifest.json'), join(home, 'functions/manifest.json'));
		await serve(BEFORE);
	};
	const end = async () => {
		await runner?.stop();
		rmSync(folder, { recursive: true, force: true });
	};
	const during = async (act) => {
		const stop = startLoad(runner, token);
		try {
			await wait(500);
			await act();
			await wait(1000);
		} catch (error) {
			await stop().catch(() => {});
			throw error;
		}
		return stop();
	};

	describe('in the right order', () => {
		before(begin);
		after(end);

		test('the release before works with the new schema', async () => {
			assertNoGap(await during(async () => assert.equal(admin(runner, { action: 'migrate' }).from, 31)));
		});

		test('programs of this release replace the others', async () => {
			const seen = await during(async () => {
				for (const name of programsOf(BUILD)) {
					place(BUILD, home, [name]);
					await wait(20);
				}
			});
			assertNoGap(seen);
		});

		test('the release before can be put back without restoring data', async () => {
			assertNoGap(await during(async () => place(BEFORE, home, programsOf(BEFORE))));
		});

		test('the runner of either release starts on the new schema', async () => {
			const steps = sql(runner, 'SELECT done FROM schema_steps');
			for (const build of [BEFORE, BUILD]) {
				await runner.stop();
				await serve(build);
				assertNoGap(await during(async () => {}));
			}
			assert.equal(sql(runner, 'SELECT done FROM schema_steps'), steps);
		});
	});

	describe('with programs before their migration', () => {
		before(begin);
		after(end);

		test('the programs wait for the migration', async () => {
			let steps;
			const seen = await during(async () => {
				place(BUILD, home, programsOf(BUILD));
				await wait(WAIT_MS);
				steps = admin(runner, { action: 'migrate' });
			});
			assertNoGap(seen);
			assert.equal(steps.from, 31);
			if (steps.to > steps.from) assert.ok(seen.slowest >= WAIT_MS / 2, `${seen.slowest} ms`);
		});
	});
});

// Runs the recheck job of one of the releases as a separate process. Returns { child, answer }: answer is a
// promise of the number of checked selectors.
function startRecheck(build, runner, dns) {
	const child = spawn(join(build, 'functions/dkim-recheck'), [],
		{ cwd: runner.folder, env: environment(runner, { EDS_DNS_SERVERS: dns.address, EDS_TIMEOUT_MS: '60000' }), stdio: ['pipe', 'pipe', 'inherit'] });
	let output = '';
	child.stdout.setEncoding('utf8').on('data', (data) => (output += data));
	child.stdin.end(JSON.stringify({ version: '0', id: 'recheck', 'detail-type': 'Scheduled Event',
		source: 'aws.events', time: new Date().toISOString(), resources: [], detail: {} }));
	const ended = new Promise((done) => child.once('close', done));
	return { child, ended, answer: ended.then((code) => (code === 0 ? JSON.parse(output).checked : undefined)) };
}

describe('checks that jobs of both releases share', { timeout: SUITE_MS, skip: existsSync(join(BEFORE, 'runner')) ? false : 'make release-before built nothing' }, () => {
	const MANY = 5000;
	const LEASE_MS = 120000;
	let dns;
	let functions;
	let runner;
	const recheck = (build) => startRecheck(build, runner, dns).answer;
	const makeDue = () => sql(runner, 'UPDATE dkim_selectors SET leased_until_ms = 0, due_at_ms = 1, checked_at_ms = 0');
	const unchecked = () => Number(sql(runner, `SELECT count(*) FROM dkim_selectors WHERE checked_at_ms = 0 OR due_at_ms <= ${Date.now()}`));
	const killed = async (build) => {
		const job = startRecheck(build, runner, dns);
		const asked = dns.queries().length;
		await until(() => dns.queries().length > asked);
		job.child.kill('SIGKILL');
		await job.ended;
	};

	before(async () => {
		dns = await startDns([]);
		functions = functionsWithoutSchedule();
		runner = await startRunner({ functions, env: { EDS_DNS_SERVERS: dns.address }, bootstrap: false, cloud: null });
		sql(runner, "INSERT INTO accounts (id, name, plan, created_at_ms) VALUES ('a', 'both', 'free', 1)");
		sql(runner, "INSERT INTO domains (id, account_id, name, created_at_ms) VALUES ('d', 'a', 'example.com', 1)");
		sql(runner, `WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${MANY})
			INSERT INTO dkim_selectors (domain_id, name, shown, domain, manual, created_at_ms, due_at_ms,
			checked_at_ms, changed_at_ms, probed_at_ms, digest, wildcard, first_seen_at_ms, last_seen_at_ms,
			pass_count, fail_count, state, key_bits, errors, warnings)
			SELECT 'd', 'x' || i, 'x' || i, 'example.com', 1, 1, i, 0, 0, 0, 0, 0, 0, 0, 0, 0, 'unknown', 0, '[]', '[]' FROM n`);
	});
	after(async () => {
		await runner?.stop();
		await dns?.stop();
		if (functions) rmSync(functions, { recursive: true });
	});

	for (const round of [1, 2])
		test(`are all made when both run at the same time, round ${round}`, async () => {
			makeDue();
			const checked = await Promise.all([BEFORE, BUILD, BEFORE, BUILD].map(recheck));
			assert.ok(checked.reduce((sum, count) => sum + count, 0) >= MANY, String(checked));
			assert.equal(unchecked(), 0);
		});

	for (const [name, other, build] of [['the release before', 'this one', BEFORE], ['this release', 'the one before', BUILD]])
		test(`are made by ${name} when a job of ${other} was killed, once its lease is over`, async () => {
			makeDue();
			dns.publish(['* !drop']);
			await killed(build === BUILD ? BEFORE : BUILD);
			dns.publish([]);
			const left = await recheck(build);
			assert.ok(left > 0 && left < MANY, String(left));
			sql(runner, `UPDATE dkim_selectors SET leased_until_ms = leased_until_ms - ${LEASE_MS} WHERE checked_at_ms = 0`);
			assert.equal(await recheck(build), MANY - left);
			assert.equal(unchecked(), 0);
		});
});

describe('a stack of CloudFormation', { timeout: SUITE_MS }, () => {
	let authority;
	let server;
	let folder;
	let told;
	let status;

	before(async () => {
		authority = makeAuthority();
		folder = mkdtempSync(join(tmpdir(), 'eds-stack-'));
		server = https.createServer(authority.issue(['localhost']), (req, res) => {
			let text = '';
			req.on('data', (part) => (text += part));
			req.on('end', () => {
				told.push({ method: req.method, url: req.url, headers: req.headers, body: JSON.parse(text) });
				res.writeHead(status).end();
			});
		});
		await new Promise((done) => server.listen(0, '127.0.0.1', done));
	});
	after(() => {
		server.close();
		server.closeAllConnections();
		authority.remove();
		rmSync(folder, { recursive: true, force: true });
	});

	const NAMES = { StackId: 'arn:aws:cloudformation:eu-test-1:1:stack/eds/1', RequestId: 'request-1', LogicalResourceId: 'Migrated' };
	// Invokes the function as CloudFormation does. Returns the outcome that the stack
	// gets, and how the function ended.
	async function ask(RequestType, env = {}) {
		told = [];
		const child = spawn(join(BUILD, 'functions/admin'), [], {
			cwd: folder, env: { PATH: process.env.PATH, EDS_CA_FILE: authority.file, EDS_TIMEOUT_MS: '30000', ...env }, stdio: ['pipe', 'pipe', 'ignore'],
		});
		let out = '';
		child.stdout.on('data', (text) => (out += text));
		child.stdin.end(JSON.stringify({ RequestType, ...NAMES, ResponseURL: `https://localhost:${server.address().port}/answer?signed=1`,
			ResourceType: 'AWS::CloudFormation::CustomResource', ResourceProperties: { ServiceToken: 'arn', Release: 'r1/' } }));
		const code = await new Promise((done) => child.once('close', done));
		return { code, answer: JSON.parse(out), told: told[0] };
	}

	test('gets the schema created, and a success at its response address', async () => {
		status = 200;
		const { code, told: put } = await ask('Create');
		assert.equal(code, 0);
		assert.equal(put.method, 'PUT');
		assert.equal(put.url, '/answer?signed=1');
		assert.equal(put.headers['content-type'], undefined);
		assert.deepEqual(put.body, { ...NAMES, PhysicalResourceId: 'schema', Status: 'SUCCESS' });
		assert.ok(existsSync(join(folder, 'var/eds.db')));
	});

	test('gets a success, too, when there is nothing to do and when it is deleted', async () => {
		status = 200;
		for (const type of ['Update', 'Delete']) assert.equal((await ask(type)).told.body.Status, 'SUCCESS');
	});

	test('gets the reason when its migration failed', async () => {
		status = 200;
		const { code, told: put } = await ask('Update', { EDS_DATABASE_URL: 'postgresql://127.0.0.1:1/none' });
		assert.equal(code, 0);
		assert.equal(put.body.Status, 'FAILED');
		assert.match(put.body.Reason, /^store-unavailable: the database cannot be used now/);
		assert.equal(put.body.PhysicalResourceId, 'schema');
	});

	test('that cannot be answered makes the function fail, so that Lambda runs it again', async () => {
		status = 403;
		const { code, answer } = await ask('Update');
		assert.equal(code, 1);
		assert.equal(answer.errorType, 'temporary.stack-not-told');
	});

	test('is not answered without TLS', () => {
		const { status: code, stdout } = spawnSync(join(BUILD, 'functions/admin'), [], { cwd: folder, encoding: 'utf8', env: { PATH: process.env.PATH },
			input: JSON.stringify({ RequestType: 'Create', ...NAMES, ResponseURL: 'http://127.0.0.1:1/' }) });
		assert.equal(code, 1);
		assert.equal(JSON.parse(stdout).errorType, 'bad-input.field-invalid');
	});

	test('replaces every other function after the one that migrates', () => {
		const { Resources } = JSON.parse(readFileSync('infra/aws/template.json', 'utf8'));
		assert.deepEqual(Resources.Migrated.Properties.ServiceToken, { 'Fn::GetAtt': ['Admin', 'Arn'] });
		// this property changes with each release, because CloudFormation invokes the resource only
		// when a property changes
		assert.deepEqual(Resources.Migrated.Properties.Release, { Ref: 'CodePrefix' });
		for (const [id, { Type, DependsOn }] of Object.entries(Resources))
			if (Type === 'AWS::Lambda::Function') assert.equal(DependsOn, id === 'Admin' ? undefined : 'Migrated', id);
	});
});
