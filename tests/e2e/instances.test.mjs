// Many instances of a function at once, as a cloud starts them: due work is done once a period, and
// another instance does the work that a killed one leaves.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';

import { testDatabase } from '../support/postgres.mjs';
import { startBootstrap, taskRoot } from './support/bootstrap.mjs';
import { startDns } from './support/dns.mjs';
import { BUILD, testFunctions, until } from './support/runner.mjs';
import { startRuntimeApi } from './support/runtime-api.mjs';
import { admin, environment, onPostgres, sql } from './support/store.mjs';

const INSTANCES = 8;
const DOMAINS = 400;
const SELECTORS = 2400;
const LEASE_MS = 2 * 60 * 1000;
const MIDST_TRIES = 20;
const BUSY_OTHERS = `SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid() AND state <> 'idle'`;
const SCHEDULED = JSON.stringify({ version: '0', id: 'period', 'detail-type': 'Scheduled Event', source: 'aws.events',
	time: '2026-01-31T23:59:00Z', resources: [], detail: {} });

// Data to be removed: expired sessions, each with a message, and reports of long ago.
const OLD = {
	'tester-expire': {
		table: 'tester_sessions',
		count: 3000,
		removed: ({ sessions }) => sessions,
		fill: (place, rows) => sql(place, `
			INSERT INTO tester_sessions (test_id, client, created_at_ms, expires_at_ms) VALUES ${rows((i) => `('s${i}', 'c', 1, 2)`)};
			INSERT INTO tester_messages (test_id, message_id, received_at_ms, result) VALUES ${rows((i) => `('s${i}', 'm${i}', 1, '{}')`)};`),
	},
	'reports-expire': {
		table: 'reports',
		count: 12000,
		removed: ({ reports }) => reports,
		fill: (place, rows) => sql(place, `
			INSERT INTO reports (domain_id, id, identity, message_id, received_at_ms, kind, state, mail_from, begins_at_ms,
				ends_at_ms, records, total, passed, failed, discovered, selectors, detail)
			VALUES ${rows((i) => `('domain${i % DOMAINS}', 'r${i}', 'r${i}', 'm', ${i}, 'dmarc', 'processed', '', 0, 0, 0, 0, 0, 0, '[]', '[]', '{}')`)};`),
	},
};

// An empty database and a name server without any names.
async function newPlace() {
	const folder = mkdtempSync(join(tmpdir(), 'eds-instances-'));
	const database = testDatabase(basename(folder));
	const dns = await startDns([]);
	return {
		folder,
		dns,
		storeEnv: { EDS_DNS_SERVERS: dns.address, ...(database ? { EDS_DATABASE_URL: database } : {}) },
		async remove() {
			await dns.stop();
			rmSync(folder, { recursive: true, force: true });
		},
	};
}

// Starts one run of a function. Returns { child, outcome }: outcome is a promise of { code, signal, answer }.
function start(place, name, event = SCHEDULED) {
	const child = spawn(join(BUILD, 'functions', name), [],
		{ cwd: place.folder, env: environment(place, { EDS_TIMEOUT_MS: '60000' }), stdio: ['pipe', 'pipe', 'inherit'] });
	let output = '';
	child.stdout.on('data', (data) => (output += data));
	const outcome = new Promise((done) => child.once('close', (code, signal) =>
		done({ code, signal, answer: code === 0 ? JSON.parse(output) : output })));
	child.stdin.end(event);
	return { child, outcome };
}

const together = (place, name, event) =>
	Promise.all(Array.from({ length: INSTANCES }, () => start(place, name, event).outcome));

function fill(place) {
	admin(place, { action: 'migrate' });
	const domain = (i) => `('domain${i}', 'account', 'd${i}.example', 1)`;
	const selector = (i) => {
		const of = i % DOMAINS;
		return `('domain${of}', 's${i}', 's${i}', 'd${of}.example', 1, 1, ${i}, 0, 0, 0, 0, 0, 0, 0, 0, 0, 'unknown', 0, '[]', '[]')`;
	};
	const config = (i) => `('domain${i}', 'd${i}.example', 0, 'id${i}', 1, ${i}, 1)`;
	const rows = (count, row) => Array.from({ length: count }, (_, i) => row(i)).join(',');
	sql(place, `INSERT INTO accounts (id, name, plan, created_at_ms) VALUES ('account', 'account', 'paid', 1);
		INSERT INTO domains (id, account_id, name, created_at_ms) VALUES ${rows(DOMAINS, domain)};
		INSERT INTO mta_sts (domain_id, name, hosted, policy_id, updated_at_ms, due_at_ms, changed_at_ms)
			VALUES ${rows(DOMAINS, config)};
		INSERT INTO posture (domain_id, name, due_at_ms) VALUES ${rows(DOMAINS, (i) => `('domain${i}', 'd${i}.example', ${i})`)};`);
	for (let from = 0; from < SELECTORS; from += 400)
		sql(place, `INSERT INTO dkim_selectors (domain_id, name, shown, domain, manual, created_at_ms, due_at_ms, checked_at_ms,
			changed_at_ms, probed_at_ms, digest, wildcard, first_seen_at_ms, last_seen_at_ms, pass_count, fail_count, state,
			key_bits, errors, warnings) VALUES ${rows(400, (i) => selector(from + i))};`);
}

// Kills all instances. A PostgreSQL server still carries out what they asked for last, and only then notices that
// they are gone, so this waits until it has nothing more to do.
async function killInstances(place, instances) {
	for (const { child } of instances) child.kill('SIGKILL');
	await Promise.all(instances.map(({ outcome }) => outcome));
	if (onPostgres(place)) await until(() => sql(place, BUSY_OTHERS) === '0');
}

// Counts the questions to the name server for each name: { 's1._domainkey.d1.example TXT': 1, … }
function asked(place, pattern) {
	const counts = {};
	for (const query of place.dns.queries()) if (pattern.test(query)) counts[query] = (counts[query] ?? 0) + 1;
	return counts;
}

describe(`${INSTANCES} instances at once`, () => {
	let place;

	before(async () => {
		place = await newPlace();
		fill(place);
	});
	after(() => place?.remove());

	test('check each due selector once', async () => {
		const outcomes = await together(place, 'dkim-recheck');
		for (const { code, answer } of outcomes) assert.equal(code, 0, answer);
		assert.equal(outcomes.reduce((sum, { answer }) => sum + answer.checked, 0), SELECTORS);
		const counts = Object.values(asked(place, /^s\d+\._domainkey\./));
		assert.equal(counts.length, SELECTORS);
		assert.ok(counts.every((count) => count === 1));
	});

	test('find nothing more to do in the same period', async () => {
		const outcomes = await together(place, 'dkim-recheck');
		assert.deepEqual(outcomes.map(({ answer }) => answer.checked), Array(INSTANCES).fill(0));
	});

	test('check each due domain once', async () => {
		const outcomes = await together(place, 'mta-sts-check');
		for (const { code, answer } of outcomes) assert.equal(code, 0, answer);
		assert.equal(outcomes.reduce((sum, { answer }) => sum + answer.checked, 0), DOMAINS);
		const counts = Object.values(asked(place, /^_mta-sts\.d\d+\.example TXT/));
		assert.equal(counts.length, DOMAINS);
		assert.ok(counts.every((count) => count === 1));
	});

	test('look at the records of each due domain once', async () => {
		const outcomes = await together(place, 'posture-check');
		for (const { code, answer } of outcomes) assert.equal(code, 0, answer);
		assert.equal(outcomes.reduce((sum, { answer }) => sum + answer.checked, 0), DOMAINS);
		const counts = Object.values(asked(place, /^_smtp\._tls\.d\d+\.example TXT/));
		assert.equal(counts.length, DOMAINS);
		assert.ok(counts.every((count) => count === 1));
	});

	for (const [name, pattern, table, total] of [
		['dkim-recheck', /^s\d+\._domainkey\./, 'dkim_selectors', SELECTORS],
		['mta-sts-check', /^_mta-sts\./, 'mta_sts', DOMAINS],
		['posture-check', /^_smtp\._tls\./, 'posture', DOMAINS],
	])
		test(`of ${name} that are killed lose no work: others do it when the leases end`, async () => {
			const left = () => Number(sql(place, `SELECT count(*) FROM ${table} WHERE checked_at_ms = 0`));
			let undone = 0;
			for (let tries = 0; undone === 0; tries++) {
				assert.ok(tries < MIDST_TRIES, 'the instances were never killed in the middle of their work');
				sql(place, `UPDATE ${table} SET due_at_ms = 1, checked_at_ms = 0`);
				place.dns.publish([]);
				const instances = Array.from({ length: INSTANCES }, () => start(place, name));
				await until(() => Object.keys(asked(place, pattern)).length > total / 20);
				await killInstances(place, instances);
				undone = left();
			}
			sql(place, `UPDATE ${table} SET due_at_ms = due_at_ms - ${LEASE_MS} WHERE checked_at_ms = 0`);
			const { answer } = await start(place, name).outcome;
			assert.equal(answer.checked, undone);
			assert.equal(left(), 0);
		});
});

describe(`${INSTANCES} instances that delete old data`, () => {
	let place;

	before(async () => {
		place = await newPlace();
		fill(place);
	});
	after(() => place?.remove());

	for (const [name, { table, count, removed, fill: fillOld }] of Object.entries(OLD)) {
		const left = () => Number(sql(place, `SELECT count(*) FROM ${table}`));
		const old = () => {
			for (let from = 0; from < count; from += 500)
				fillOld(place, (row) => Array.from({ length: 500 }, (_, i) => row(from + i)).join(','));
		};

		test(`${name}: all of it is deleted, each item once`, async () => {
			old();
			const outcomes = await together(place, name);
			for (const { code, answer } of outcomes) assert.equal(code, 0, answer);
			assert.equal(outcomes.reduce((sum, { answer }) => sum + removed(answer), 0), count);
			assert.equal(left(), 0);
		});

		// Starts all instances, kills them after this time, and returns the number of rows that are left.
		const killedAfter = async (ms) => {
			const instances = Array.from({ length: INSTANCES }, () => start(place, name));
			await sleep(ms);
			await killInstances(place, instances);
			return left();
		};

		test(`${name}: what killed instances leave is deleted by another`, async () => {
			let undone = 0;
			for (let ms = 100, tries = 0; undone === 0 || undone === count; tries++) {
				assert.ok(tries < MIDST_TRIES, 'the instances were never killed in the middle of their work');
				if (undone === 0) old();
				undone = await killedAfter(ms);
				ms *= undone === 0 ? 0.5 : 1.3;
			}
			assert.equal(removed((await start(place, name).outcome).answer), undone);
			assert.equal(left(), 0);
		});
	}
});

describe('a cold start of many', () => {
	let place;

	before(async () => (place = await newPlace()));
	after(() => place?.remove());

	test('migrates the database once, whichever instance comes first', async () => {
		const outcomes = await together(place, 'admin', '{"action":"migrate"}');
		for (const { code, answer } of outcomes) assert.equal(code, 0, JSON.stringify(answer));
		assert.equal(new Set(outcomes.map(({ answer }) => answer.version ?? answer.to)).size, 1);
	});

	test('gives every first request its answer', async () => {
		const event = JSON.stringify({ version: '2.0', rawPath: '/api/inbound-tester/sessions', headers: {},
			requestContext: { requestId: 'r', http: { method: 'POST', path: '/', sourceIp: '192.0.2.1' } }, isBase64Encoded: false });
		const outcomes = await together(place, 'tester-session-create', event);
		assert.deepEqual(outcomes.map(({ answer }) => answer.statusCode), Array(INSTANCES).fill(201));
		assert.equal(sql(place, 'SELECT count(*) FROM tester_sessions'), String(INSTANCES));
	});
});

describe('10,000 invocations, of which one in a hundred crashes its handler', () => {
	const INVOCATIONS = 10000;
	const UNDER_WAY = 20;
	let api;
	let bootstrap;
	let functions;
	let root;

	before(async () => {
		functions = testFunctions({ direct: { program: 'handler-direct' } });
		root = taskRoot(functions.folder);
		api = await startRuntimeApi();
		bootstrap = startBootstrap({ env: { AWS_LAMBDA_RUNTIME_API: api.address, _HANDLER: 'direct', LAMBDA_TASK_ROOT: root.folder } });
	});
	after(async () => {
		await bootstrap?.stop();
		await api?.close();
		root?.remove();
		functions?.remove();
	});

	test('each get exactly one answer, their own', async () => {
		const crashes = (i) => i % 100 === 57;
		let next = 0;
		let wrong = 0;
		const caller = async () => {
			while (next < INVOCATIONS) {
				const i = next++;
				const outcome = await api.invoke({ serial: i, ...(crashes(i) ? { do: 'crash' } : {}) });
				const right = crashes(i)
					? outcome.kind === 'error' && outcome.json().errorType === 'Runtime.ExitError'
					: outcome.kind === 'response' && outcome.json().event.serial === i;
				if (!right) wrong++;
			}
		};
		await Promise.all(Array.from({ length: UNDER_WAY }, caller));
		assert.equal(wrong, 0);
		assert.equal(api.requests.filter(({ method }) => method === 'POST').length, INVOCATIONS);
	});
});
