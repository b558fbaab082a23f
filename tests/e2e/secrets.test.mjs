// The database's address as a secret of AWS Secrets Manager: read with signed requests over TLS, against a
// PostgreSQL that asks for the password over TLS, and read again when the password was changed under way.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { chmodSync, chownSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, afterEach, before, beforeEach, describe, test } from 'node:test';

import { makeAuthority } from '../support/authority.mjs';
import { freePort } from '../support/free-port.mjs';
import { UNPRIVILEGED, findPostgres, psql, startPostgres } from '../support/postgres.mjs';
import { request } from './support/api.mjs';
import { sendMail } from './support/mail.mjs';
import { BUILD, descendantsOf, handlersOf, ofProcess, request as rawRequest, startRunner, until } from './support/runner.mjs';
import { startSecrets } from './support/secrets.mjs';
import { createSession, untilCompleted } from './support/tester.mjs';

const SETTINGS = { EDS_DNS_SERVERS: '127.0.0.1:1', EDS_TESTER_SESSIONS_PER_HOUR: '0' };
const MESSAGE = 'From: a@sender.example\r\nSubject: hello\r\n\r\nHello.\r\n';
const SUITE_MS = 240000;
const CUT_MS = 10000; // time limit for each connection to end

const pause = (ms) => new Promise((next) => setTimeout(next, ms));

// A new password of letters only, which no encoding changes, so that the test finds it wherever it appears.
let count = 0;
const newPassword = () => `geheim${String.fromCharCode(97 + count++)}${Math.random().toString(36).replace(/[^a-z]/g, '')}`;

// Starts a PostgreSQL that requires TLS and a password over the network.
async function startGuarded(authority) {
	const folder = mkdtempSync(join(tmpdir(), 'eds-guarded-'));
	const port = await freePort();
	const { cert, key } = authority.issue(['localhost']);
	const file = (name, text) => {
		writeFileSync(join(folder, name), text, { mode: 0o600 });
		if (process.getuid() === 0) chownSync(join(folder, name), UNPRIVILEGED.uid, UNPRIVILEGED.gid);
		return join(folder, name);
	};
	chmodSync(folder, 0o755);
	const server = await startPostgres(['listen_addresses=127.0.0.1', `port=${port}`, 'ssl=on',
		`ssl_cert_file=${file('cert.pem', cert)}`, `ssl_key_file=${file('key.pem', key)}`,
		`hba_file=${file('hba', 'local all eds trust\nhostssl all all 127.0.0.1/32 scram-sha-256\n')}`]);
	const admin = `${server.url}&port=${port}`;
	const stop = async () => {
		await server.stop();
		rmSync(folder, { recursive: true, force: true });
	};
	try {
		psql(admin, 'CREATE ROLE service LOGIN');
		psql(admin, 'CREATE DATABASE service OWNER service');
	} catch (error) {
		await stop();
		throw error;
	}
	return {
		port,
		ask: (sql) => psql(admin, sql),
		setPassword: (password) => psql(admin, `ALTER ROLE service PASSWORD '${password}'`),
		// Ends all connections of the service; returns their number when the last one has ended.
		cutAll: () => psql(admin, `SELECT count(pg_terminate_backend(pid, ${CUT_MS})) FROM pg_stat_activity WHERE usename = 'service'`),
		stop,
	};
}

// Runs a function's program with one event. Returns { answer, err }: its unchanged output and log.
function invoke(name, event, env) {
	return new Promise((done, failed) => {
		const { PATH, HOME, ASAN_OPTIONS = '', UBSAN_OPTIONS = '' } = process.env;
		const child = spawn(join(BUILD, 'functions', name), [], { env: { PATH, HOME, ASAN_OPTIONS, UBSAN_OPTIONS, ...env } });
		let out = '';
		let err = '';
		child.stdout.on('data', (text) => (out += text));
		child.stderr.on('data', (text) => (err += text));
		child.on('error', failed);
		child.on('close', () => done({ answer: JSON.parse(out), all: out + err }));
		child.stdin.end(JSON.stringify(event));
	});
}

describe('with the database\'s address in Secrets Manager', { timeout: SUITE_MS, skip: findPostgres() ? false : 'PostgreSQL is not installed' }, () => {
	let authority;
	let postgres;
	let secrets;
	let settings;
	let password;

	before(async () => {
		authority = makeAuthority();
		postgres = await startGuarded(authority);
		secrets = await startSecrets({ tls: authority.issue(['localhost']) });
		settings = { ...SETTINGS, ...secrets.env, EDS_CA_FILE: authority.file };
	});
	after(async () => {
		await secrets?.close();
		await postgres?.stop();
		authority?.remove();
	});
	beforeEach(() => {
		password = newPassword();
		postgres.setPassword(password);
	});
	afterEach(() => {
		secrets.requests.splice(0);
		secrets.refusals.splice(0);
		secrets.allow(undefined);
	});

	const address = (more = '') => `postgresql://service:${password}@localhost:${postgres.port}/service?sslmode=verify-full&sslrootcert=${authority.file}${more}`;
	const inRds = () => ({ username: 'service', password });
	const where = (more = '') => `?host=localhost&port=${postgres.port}&dbname=service${more}`;
	const migrate = (url, env = {}) => invoke('admin', { action: 'migrate' }, { ...settings, EDS_DATABASE_URL: `secretsmanager:${url}`, ...env });

	test('a member with an address, a secret of RDS with settings, and a complete secret all lead to the database', async () => {
		const places = [
			`${secrets.put('whole', address())}`,
			`${secrets.put('member', { url: address() })}#url`,
			`${secrets.put('rds!db-1', inRds())}${where()}`,
			`${secrets.put('rotated', { engine: 'postgres', ...inRds(), host: 'localhost', port: postgres.port, dbname: 'service' })}`,
		];
		for (const place of places) {
			const { answer, all } = await migrate(place);
			assert.ok(answer.to > 0, all);
			assert.ok(!all.includes(password));
		}
		assert.equal(secrets.requests.length, places.length);
		assert.deepEqual(secrets.refusals, []);
	});

	test('values missing from a secret of RDS come from PGHOST and the like, and the certificate is still verified', async () => {
		const place = secrets.put('rds!db-2', inRds());
		const { answer, all } = await migrate(place, { PGHOST: 'localhost', PGPORT: String(postgres.port), PGDATABASE: 'service' });
		assert.ok(answer.to > 0, all);
		const stranger = makeAuthority();
		try {
			const { answer: refused } = await migrate(`${place}${where(`&sslrootcert=${stranger.file}`)}`);
			assert.equal(refused.errorType, 'temporary.store-unavailable', JSON.stringify(refused));
			const { answer: byAddress } = await migrate(`${place}${where('&host=127.0.0.1')}`);
			assert.equal(byAddress.errorType, 'temporary.store-unavailable', 'a certificate for another name was accepted');
		} finally {
			stranger.remove();
		}
	});

	test('a refused secret gets advice, and its content is not shown', async () => {
		const good = secrets.put('eds', { url: address(), port: 5432 });
		const other = secrets.put('other', 'x');
		const cases = [
			[`${other.replace('other', 'absent')}#url`, /there is no such secret.*ResourceNotFoundException/],
			[`${good}#uri`, /has no member "uri"/],
			[`${good}#port`, /member "port" is not an address of PostgreSQL/],
			[secrets.put('list', `["${password}"]`), /not an address of PostgreSQL and has no username and password/],
			[secrets.put('text', `${password}, not an address`), /not an address of PostgreSQL/],
			[`${secrets.put('no-json', password)}#url`, /is not a JSON object/],
			[secrets.put('octets', Buffer.from(password)), /the answer contains no text of it/],
			[secrets.put('rds!db-3', inRds()), /has no host/],
			[`${good}#url`, /needs secretsmanager:GetSecretValue.*AccessDeniedException/, () => secrets.allow([other])],
			[`${good}#url`, /needs kms:Decrypt/, () => secrets.fault('DecryptionFailure')],
			[`${good}#url`, /marked for deletion/, () => secrets.fault('InvalidRequestException')],
			[`${good}#url`, /the answer contains no text of it/, () => secrets.fault({ text: `<html>${password}` })],
			[`${good}#url`, /cannot be reached/, () => secrets.fault({ text: 'x'.repeat(3 << 20) }, { text: 'x'.repeat(3 << 20) })],
			[`${good}#url`, /answers 500 InternalServiceError/, () => secrets.fault(500, 500)],
		];
		for (const [place, because, arrange] of cases) {
			arrange?.();
			const { answer, all } = await migrate(place);
			secrets.allow(undefined);
			assert.equal(answer.errorType, 'temporary.store-unavailable', all);
			assert.match(answer.errorMessage, because);
			assert.ok(!all.includes(password), all);
			for (const value of Object.values(secrets.env)) assert.ok(value.startsWith('https://') || !all.includes(value), all);
		}
	});

	test('a server that fails once is asked again, and a silent one is given up after a few seconds', async () => {
		const place = `${secrets.put('eds', { url: address() })}#url`;
		for (const what of ['drop', 500, 'ThrottlingException', 'silence']) {
			secrets.fault(what);
			const began = Date.now();
			const { answer, all } = await migrate(place);
			assert.ok(answer.to > 0, `${what}: ${all}`);
			assert.ok(Date.now() - began < 15000, `${what}: ${Date.now() - began} ms`);
		}
	});

	test('a wrong or unknown key is refused by the signature, and an expired token is renewed once', async () => {
		const place = `${secrets.put('eds', { url: address() })}#url`;
		const { answer: wrong } = await migrate(place, { AWS_SECRET_ACCESS_KEY: 'another' });
		assert.match(JSON.stringify(wrong), /signature is not valid.*InvalidSignatureException/);
		const { answer: unknown } = await migrate(place, { AWS_ACCESS_KEY_ID: 'ASIANOBODY' });
		assert.match(JSON.stringify(unknown), /does not know the credentials.*UnrecognizedClientException/);
		const { AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY, ...none } = settings;
		const byContainer = { ...none, ...secrets.containerEnv, EDS_DATABASE_URL: `secretsmanager:${place}` };
		secrets.fault('ExpiredTokenException');
		const { answer, all } = await invoke('admin', { action: 'migrate' }, byContainer);
		assert.ok(answer.to > 0, all);
		const { answer: noCredentials } = await invoke('admin', { action: 'migrate' },
			{ ...none, AWS_EC2_METADATA_DISABLED: 'true', EDS_DATABASE_URL: `secretsmanager:${place}` });
		assert.match(JSON.stringify(noCredentials), /no credentials for the secret that EDS_DATABASE_URL names/);
	});

	describe('the service', () => {
		let runner;
		const open = async () => (await request(`${runner.baseUrl}/api/inbound-tester/sessions`, { method: 'POST' }));
		const start = async (place, more = {}) => {
			runner = await startRunner({ env: { ...settings, EDS_DATABASE_URL: `secretsmanager:${place}`, ...more } });
			return runner;
		};
		afterEach(async () => {
			await runner?.stop();
			runner = undefined;
		});

		const asRoot = { skip: process.getuid() !== 0 && 'root alone reads the environments' };
		test('keeps the password out of every environment, argument and log line, and credentials from functions that do not need them', asRoot, async () => {
			await start(`${secrets.put('rds!db-4', inRds())}${where()}`, { EDS_SANDBOX: 'off', EDS_LOG_LEVEL: 'debug' });
			const session = await createSession(runner);
			await sendMail(runner.smtpPort, { to: session.email, message: MESSAGE });
			await untilCompleted(runner, session.testId);
			await rawRequest(`${runner.baseUrl}/`);
			assert.ok(Number(postgres.ask("SELECT count(*) FROM pg_stat_ssl JOIN pg_stat_activity USING (pid) WHERE usename = 'service' AND ssl")) > 0);
			const all = [runner.pid, ...descendantsOf(runner.pid)];
			assert.ok(all.length > 3);
			for (const pid of all)
				for (const file of ['environ', 'cmdline']) assert.ok(!ofProcess(pid, file).includes(password), `${pid}/${file}`);
			assert.ok(!(runner.output.out + runner.output.err).includes(password));
			const given = (name) => readFileSync(`/proc/${handlersOf(runner, name)[0]}/environ`, 'latin1');
			assert.match(given('tester-session-create'), /AWS_SECRET_ACCESS_KEY=/);
			assert.doesNotMatch(given('dashboard-page'), /AWS_/);
		});

		test('has no failed request when the password is changed and every connection is cut, repeatedly', async () => {
			const place = secrets.put('eds', inRds());
			await start(`${place}${where()}`);
			const statuses = [];
			const sent = [];
			let over = false;
			const worker = async () => {
				while (!over) {
					const response = await open();
					statuses.push(response.status);
					if (response.status !== 201) continue;
					const { testId, email } = response.json();
					const got = await request(`${runner.baseUrl}/api/inbound-tester/sessions/${testId}`);
					statuses.push(got.status);
					if (sent.length < 20 && statuses.length % 5 === 0) {
						await sendMail(runner.smtpPort, { to: email, message: MESSAGE });
						sent.push(testId);
					}
				}
			};
			const load = Promise.all([worker(), worker(), worker()]);
			await until(() => statuses.length > 50);
			for (let i = 0; i < 3; i++) {
				const old = password;
				// No request for the secret is answered between these two changes, because
				// the server of the secret runs in this process.
				password = newPassword();
				postgres.setPassword(password);
				secrets.put('eds', inRds());
				assert.ok(Number(postgres.cutAll()) > 0);
				const before = statuses.length;
				await until(() => statuses.length > before + 100);
				await pause(3500); // a process asks for the secret at most once in three seconds
				assert.ok(!runner.output.err.includes(old) && !runner.output.err.includes(password));
			}
			over = true;
			await load;
			assert.deepEqual([...new Set(statuses)].sort(), [200, 201]);
			for (const testId of sent) await untilCompleted(runner, testId);
			assert.ok(sent.length > 0);
			// each process reads the secret at its start and once for each change, not for each
			// connection
			assert.ok(secrets.requests.length <= 4 * (descendantsOf(runner.pid).length + 20), `${secrets.requests.length} readings`);
		});

		test('answers 503 while the secret is older than the password, recovers by itself, and lets mail wait', async () => {
			await start(`${secrets.put('eds', inRds())}${where()}`);
			const session = await createSession(runner);
			const changed = newPassword();
			postgres.setPassword(changed);
			postgres.cutAll();
			secrets.requests.splice(0);
			const began = Date.now();
			let asked = 0;
			// sending may fail, because RCPT may be refused temporarily
			await sendMail(runner.smtpPort, { to: session.email, message: MESSAGE }).catch(() => undefined);
			while (Date.now() - began < 7000) {
				const response = await open();
				assert.equal(response.status, 503);
				assert.equal(response.json().code, 'store-unavailable');
				asked++;
			}
			assert.ok(asked > 10);
			const seconds = (Date.now() - began) / 1000;
			const processes = descendantsOf(runner.pid).length;
			assert.ok(secrets.requests.length <= processes * (seconds / 3 + 2), `${secrets.requests.length} readings by ${processes} processes`);
			password = changed;
			secrets.put('eds', inRds());
			await until(async () => (await open()).status === 201);
			const later = await createSession(runner);
			await sendMail(runner.smtpPort, { to: later.email, message: MESSAGE });
			await untilCompleted(runner, later.testId);
		});

		test('keeps the address that it has while Secrets Manager is away', async () => {
			const place = secrets.put('eds', { url: address() });
			await start(`${place}#url`);
			await createSession(runner);
			secrets.allow([]);
			assert.ok(Number(postgres.cutAll()) > 0);
			for (let i = 0; i < 20; i++) await createSession(runner);
		});
	});
});
