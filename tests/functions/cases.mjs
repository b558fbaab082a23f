// The cases of functions: an event, the steps before it, and the expected answer (run.mjs says how a case
// is written).
import { spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, openSync, readdirSync, readFileSync, rmSync, writeFileSync }
	from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { psql, templateDatabase, testDatabase } from '../support/postgres.mjs';
import { bodyBreaches } from '../e2e/support/openapi.mjs';
import { mismatch, readJson } from './match.mjs';

const CASE_TIMEOUT_MS = 60000;
const ANSWER_BYTES_MAX = 64 * 1024 * 1024;
const DNSD_START_MS = 5000;
const SQLITE_FILE = 'var/eds.db';

const here = fileURLToPath(new URL('.', import.meta.url));
const build = resolve(process.env.BUILD ?? join(here, '../../build'));

export class Failure extends Error {}

export function listCases(wanted) {
	return readdirSync(here, { withFileTypes: true })
		.filter(entry => entry.isDirectory())
		.flatMap(entry => readdirSync(join(here, entry.name)).sort()
			.map(file => /^(.+)\.event\.(json|txt)$/.exec(file))
			.filter(found => found)
			.map(found => ({ name: entry.name, title: `${entry.name}/${found[1]}`,
				base: join(here, entry.name, found[1]), kind: found[2] })))
		.filter(({ name, title }) => wanted.length === 0 || wanted.includes(name) ||
			wanted.includes(title));
}

export function readCase(test) {
	const setup = `${test.base}.setup.json`;
	return {
		...test,
		event: readFileSync(`${test.base}.event.${test.kind}`, 'latin1'),
		expect: JSON.parse(readFileSync(`${test.base}.expect.json`)),
		setup: existsSync(setup) ? JSON.parse(readFileSync(setup)) : {},
	};
}

function httpEvent({ $http: line, params, query = {}, headers = {}, body, ip = '192.0.2.1' }) {
	const [method, path] = line.split(' ');
	const time = Date.now();
	return {
		version: '2.0', routeKey: '$default', rawPath: path,
		rawQueryString: new URLSearchParams(query).toString(), headers,
		queryStringParameters: query, pathParameters: params,
		requestContext: { requestId: `test-${time}`, stage: '$default', timeEpoch: time,
			http: { method, path, protocol: 'HTTP/1.1', sourceIp: ip, userAgent: 'test' } },
		body: body !== undefined && typeof body !== 'string' ? JSON.stringify(body) : body,
		isBase64Encoded: false,
	};
}

function scheduleEvent({ $schedule: time }) {
	return { version: '0', id: `test-${time}`, 'detail-type': 'Scheduled Event',
		source: 'aws.events', time, resources: [], detail: {} };
}

function expand(event) {
	if (event?.$http)
		return httpEvent(event);
	return event?.$schedule ? scheduleEvent(event) : event;
}

function fromOutside(...names) {
	return Object.fromEntries(names.filter(name => process.env[name] !== undefined)
		.map(name => [name, process.env[name]]));
}

// Starts a scripted name server with these lines, on a free port; returns { address, stop }.
function startDns(folder, lines) {
	const zone = join(folder, 'zone');
	const said = join(folder, 'dnsd.out');
	// the test entries of the blocklists in the cases (RFC 5782 section 5)
	const alive = ['combined', 'relay', 'reputation', 'reported']
		.map(list => `2.0.0.127.${list}.lists.example A 60 127.0.0.2`);
	writeFileSync(zone, [...lines, ...alive].map(line => `${line}\n`).join(''));
	const child = spawn(join(build, 'tests/support/dnsd'), ['--listen', '127.0.0.1:0', zone],
		{ stdio: ['pipe', openSync(said, 'w'), 'inherit'] });
	for (const until = Date.now() + DNSD_START_MS; Date.now() < until;) {
		const { address } = readJson(readFileSync(said, 'utf8')) ?? {};
		if (address)
			return { address, stop: () => child.kill() };
		Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 5);
	}
	child.kill();
	throw new Error('the name server did not say where it listens');
}

// Most cases begin with a migration, which takes longer than the case itself; so it is made once, and its
// database is copied.
const migrated = new Map(); // event of the migration -> { answer, file } on SQLite, { answer, template } behind a pooler

function migrate(step) {
	const template = `eds_template_${process.pid}_${migrated.size}`;
	const url = templateDatabase(template);
	const place = new Place(url ? { env: { EDS_DATABASE_URL: url } } : {}, { isFirst: true });
	try {
		const answer = place.ask(step);
		return url ? { answer, template } : { answer, file: readFileSync(join(place.folder, SQLITE_FILE)) };
	} finally {
		place.remove();
	}
}

// The migrated database to copy if the steps begin with a migration; undefined if they do not, or if
// databases cannot be copied.
function beginning({ before: [step] = [], env = {} }) {
	const canBeCopied = !process.env.EDS_TEST_DATABASE_URL || process.env.EDS_TEST_POOLER_URL;
	if (!canBeCopied || step?.[0] !== 'admin' || step[1].action !== 'migrate' || 'EDS_DATABASE_URL' in env)
		return undefined;
	const key = JSON.stringify(step[1]);
	if (!migrated.has(key))
		migrated.set(key, migrate(step));
	return migrated.get(key);
}

// A folder with its database, its mail store, and the values that events may refer to.
export class Place {
	constructor(setup, { isFirst = false } = {}) {
		const begun = isFirst ? undefined : beginning(setup);
		this.folder = mkdtempSync(join(tmpdir(), 'eds-function-'));
		this.database = isFirst ? setup.env?.EDS_DATABASE_URL : testDatabase(basename(this.folder), begun?.template);
		this.values = { now: String(Date.now()), nowTime: new Date().toISOString() };
		this.env = { ...fromOutside('PATH', 'ASAN_OPTIONS', 'UBSAN_OPTIONS', 'EDS_SANDBOX'),
			EDS_DATABASE_URL: this.database ?? `sqlite:${SQLITE_FILE}`, EDS_MAIL_STORE: 'file:var/mail',
			EDS_TESTER_DOMAIN: 'tester.example', EDS_TIMEOUT_MS: '10000', EDS_NAME_SERVER_PORT: '0', ...setup.env };
		this.dns = setup.dns ? startDns(this.folder, setup.dns) : null;
		if (this.dns)
			this.env.EDS_DNS_SERVERS = this.dns.address;
		for (const [name, { repeat, times }] of Object.entries(setup.values ?? {}))
			this.values[name] = repeat.repeat(times);
		const steps = setup.before ?? [];
		if (begun?.file)
			this.write(SQLITE_FILE, begun.file, 0o600);
		if (begun)
			this.capture(begun.answer, steps[0]);
		for (const step of begun ? steps.slice(1) : steps)
			this.prepare(step);
	}

	fill(text, write = value => value) {
		return text.replace(/\$\{(\w+)\}/g,
			(all, name) => name in this.values ? write(this.values[name]) : all);
	}

	// Fills in values within the strings of a JSON text.
	fillJson(text) {
		return this.fill(text, value => JSON.stringify(value).slice(1, -1));
	}

	prepare(step) {
		if (step.sql)
			return this.sql(step.sql);
		if (step.file)
			return this.write(this.fill(step.file), this.fill(step.text));
		this.capture(this.ask(step), step);
	}

	ask([name, event]) {
		const done = this.run(name, [], JSON.stringify(expand(JSON.parse(this.fillJson(JSON.stringify(event))))));
		const answer = readJson(done.stdout);
		demand(mismatch([], troubles(done), `before the case, the log of ${name}`));
		if (!answer || answer.errorType || answer.statusCode >= 400)
			throw new Failure(`before the case, ${name}: ${JSON.stringify(answer)}`);
		return answer;
	}

	capture(answer, [, , captures = {}]) {
		for (const [value, path] of Object.entries(captures))
			this.values[value] = path.split('.').reduce(
				(at, key) => (typeof at === 'string' ? readJson(at) : at)?.[key], answer);
	}

	write(file, content, mode = 0o666) {
		mkdirSync(dirname(join(this.folder, file)), { recursive: true, mode: 0o700 });
		writeFileSync(join(this.folder, file), content, { mode });
	}

	sql(text) {
		if (this.database)
			return this.psql(this.fill(text));
		const done = spawnSync('sqlite3', ['-bail', SQLITE_FILE, this.fill(text)],
			{ cwd: this.folder, encoding: 'utf8', timeout: CASE_TIMEOUT_MS });
		if (done.status !== 0)
			throw new Failure(`${text}: ${done.stderr ?? done.error}`);
		return done.stdout.trim();
	}

	psql(text) {
		try {
			return psql(this.database, text);
		} catch (error) {
			throw new Failure(error.message);
		}
	}

	// env: additional variables for this run. anyEnd: the caller checks how the process ended and what
	// it logged.
	run(name, args, input, env = {}, { anyEnd = false } = {}) {
		const done = spawnSync(join(build, 'functions', name), args, { cwd: this.folder,
			env: { ...this.env, ...env }, input: Buffer.from(input, 'latin1'), encoding: 'utf8',
			timeout: CASE_TIMEOUT_MS, maxBuffer: ANSWER_BYTES_MAX });
		// A function need not read an event that is too large to its end.
		if (done.error && done.error.code !== 'EPIPE')
			throw new Failure(`${name}: ${done.error.message}`);
		if (anyEnd)
			return done;
		if (done.signal)
			throw new Failure(`${name} was killed by ${done.signal}\n${done.stderr}`);
		for (const line of done.stderr.split('\n'))
			if (line !== '' && readJson(line) === undefined)
				throw new Failure(`${name} logs no log line: ${done.stderr}`);
		return done;
	}

	check({ $sql = {}, $files = {} }) {
		for (const [text, expected] of Object.entries($sql))
			demand(mismatch(expected, this.sql(text), text));
		for (const [file, expected] of Object.entries($files))
			if (!this.database || file !== SQLITE_FILE)
				demand(mismatch(expected, existsSync(join(this.folder, this.fill(file))), file));
	}

	remove() {
		this.dns?.stop();
		rmSync(this.folder, { recursive: true });
	}
}

function demand(problem) {
	if (problem)
		throw new Failure(problem);
}

// The warnings and errors that a program logged, each once.
function troubles({ stderr }) {
	const lines = stderr.split('\n').filter(line => line !== '').map(readJson);
	return [...new Set(lines.filter(({ level }) => ['warning', 'error'].includes(level)).map(({ message }) => message))];
}

// The event as it is sent: a JSON event keeps the layout of its file unless it must be one line.
export function eventText(test, place, oneLine) {
	if (test.kind === 'txt')
		return oneLine ? place.fill(test.event).replace(/\n/g, ' ') : place.fill(test.event);
	const plain = JSON.parse(Buffer.from(place.fillJson(test.event), 'latin1').toString('utf8'));
	const json = JSON.stringify(expand(plain), null, oneLine ? 0 : '\t');
	return Buffer.from(json, 'utf8').toString('latin1');
}

function answers(done, count) {
	const lines = done.stdout.split('\n');
	if (lines.length !== count + 1 || lines[count] !== '')
		throw new Failure(`${count} lines expected, not ${JSON.stringify(done.stdout)}`);
	return lines.slice(0, count).map(readJson);
}

export function expectedAnswers(test, place) {
	const { $exit, $again, $sql, $files, $log, $open, ...answer } =
		JSON.parse(place.fillJson(JSON.stringify(test.expect)));
	return [answer, $again ?? answer];
}

// An answer over HTTP keeps to infra/openapi.yaml: it has every member that its schema requires, and no other.
function demandContract(test, place, { statusCode, headers = {}, body = '', isBase64Encoded }) {
	const line = test.kind === 'json' && readJson(place.fillJson(test.event))?.$http;
	if (!line || isBase64Encoded || test.expect.$open)
		return;
	const [method, path] = line.split(' ');
	const [breach] = bodyBreaches(method, path, { status: statusCode, headers, text: body });
	demand(breach && `${line} is answered with ${statusCode}: ${breach}`);
}

export function runSingle(test, place) {
	const done = place.run(test.name, [], eventText(test, place, false));
	const [answer] = answers(done, 1);
	demand(mismatch(expectedAnswers(test, place)[0], answer));
	demandContract(test, place, answer);
	demand(mismatch(test.expect.$exit ?? 0, done.status, 'exit status'));
	demand(mismatch(test.expect.$log ?? [], troubles(done), 'log'));
}

export function runKept(test, place) {
	const line = `${eventText(test, place, true)}\n`;
	const done = place.run(test.name, ['--kept'], line + line);
	const got = answers(done, 2);
	const expected = expectedAnswers(test, place);
	demand(mismatch(expected[0], got[0], 'first answer'));
	demand(mismatch(expected[1], got[1], 'second answer'));
	got.forEach(answer => demandContract(test, place, answer));
	demand(mismatch(0, done.status, 'exit status'));
	demand(mismatch(test.expect.$log ?? [], troubles(done), 'log'));
}
