// Runs the real binaries of functions over events and compares their answers.
//
//   node tests/functions/run.mjs [NAME[/NN-case]]…       (BUILD names the build folder)
//
// tests/functions/NAME/NN-case.event.json    the event, or .event.txt for bytes that are no JSON
//                     NN-case.expect.json    what the answer must be (match.mjs), and beside it
//     "$exit"   exit status of the single run (0)
//     "$again"  the second answer of the kept process, where it differs from the first
//     "$sql"    {"SELECT …": "1"}, what the database then holds
//     "$files"  {"var/mail/m1": false}, which files are then there
//                     NN-case.setup.json     optional:
//     {"env": {…}, "values": {"big": {"repeat": "x", "times": 9000000}}, "before": [
//        ["admin", {"action": "migrate"}],                        an event that goes before
//        ["tester-session-create", {…}, {"id": "body.testId"}],   … ${id} is then that value
//        {"sql": "UPDATE …"}, {"file": "var/mail/m1", "text": "…"}],
//      "store": "sqlite"}                                        for a case about its file
//
// ${now} is the time in milliseconds.
//
// An event {"$http": "GET /path", "params", "query", "headers", "body", "ip"} stands for an API
// Gateway request, {"$schedule": "2026-01-31T23:59:59Z"} for a Scheduled Event.
//
// Each case runs alone and twice in one kept process, each time from an empty folder and an empty
// database: SQLite, or PostgreSQL where EDS_TEST_DATABASE_URL names a server (support/postgres.mjs);
// there only in one kept process, since a single run is the same on either.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync }
	from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { psql, testDatabase } from '../support/postgres.mjs';
import { mismatch, readJson } from './match.mjs';

const CASE_TIMEOUT_MS = 60000;
const ANSWER_BYTES_MAX = 64 * 1024 * 1024;
const SQLITE_FILE = 'var/eds.db';

const here = fileURLToPath(new URL('.', import.meta.url));
const build = resolve(process.env.BUILD ?? join(here, '../../build'));

class Failure extends Error {}

function listCases(wanted) {
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

function readCase(test) {
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

// A folder with its database, its mail store, and the values that events may name.
class Place {
	constructor(setup) {
		this.folder = mkdtempSync(join(tmpdir(), 'eds-function-'));
		this.database = testDatabase(basename(this.folder));
		this.values = { now: String(Date.now()) };
		this.env = { ...fromOutside('PATH', 'ASAN_OPTIONS', 'UBSAN_OPTIONS', 'EDS_SANDBOX'),
			EDS_DATABASE_URL: this.database ?? `sqlite:${SQLITE_FILE}`, EDS_MAIL_STORE: 'file:var/mail',
			EDS_TESTER_DOMAIN: 'tester.example', EDS_TIMEOUT_MS: '10000', ...setup.env };
		for (const [name, { repeat, times }] of Object.entries(setup.values ?? {}))
			this.values[name] = repeat.repeat(times);
		for (const step of setup.before ?? [])
			this.prepare(step);
	}

	fill(text, write = value => value) {
		return text.replace(/\$\{(\w+)\}/g,
			(all, name) => name in this.values ? write(this.values[name]) : all);
	}

	// The same within the strings of JSON text.
	fillJson(text) {
		return this.fill(text, value => JSON.stringify(value).slice(1, -1));
	}

	prepare(step) {
		if (step.sql)
			return this.sql(step.sql);
		if (step.file)
			return this.write(this.fill(step.file), step.text);
		const [name, event, captures = {}] = step;
		const answer = readJson(this.run(name, [], JSON.stringify(
			expand(JSON.parse(this.fillJson(JSON.stringify(event)))))).stdout);
		if (!answer || answer.errorType || answer.statusCode >= 400)
			throw new Failure(`before the case, ${name}: ${JSON.stringify(answer)}`);
		for (const [value, path] of Object.entries(captures))
			this.values[value] = path.split('.').reduce(
				(at, key) => (typeof at === 'string' ? readJson(at) : at)?.[key], answer);
	}

	write(file, text) {
		mkdirSync(dirname(join(this.folder, file)), { recursive: true, mode: 0o700 });
		writeFileSync(join(this.folder, file), text);
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

	run(name, args, input) {
		const done = spawnSync(join(build, 'functions', name), args, { cwd: this.folder,
			env: this.env, input: Buffer.from(input, 'latin1'), encoding: 'utf8',
			timeout: CASE_TIMEOUT_MS, maxBuffer: ANSWER_BYTES_MAX });
		// A function need not read an event to its end that is too large anyway.
		if (done.error && done.error.code !== 'EPIPE')
			throw new Failure(`${name}: ${done.error.message}`);
		if (done.signal)
			throw new Failure(`${name} was killed by ${done.signal}\n${done.stderr}`);
		for (const line of done.stderr.split('\n'))
			if (line !== '' && readJson(line) === undefined)
				throw new Failure(`no log line: ${line}`);
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
		rmSync(this.folder, { recursive: true });
	}
}

function demand(problem) {
	if (problem)
		throw new Failure(problem);
}

// The event as it is sent: JSON keeps the layout of its file unless it is to be one line.
function eventText(test, place, oneLine) {
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

function expectedAnswers(test, place) {
	const { $exit, $again, $sql, $files, ...answer } =
		JSON.parse(place.fillJson(JSON.stringify(test.expect)));
	return [answer, $again ?? answer];
}

function runSingle(test, place) {
	const done = place.run(test.name, [], eventText(test, place, false));
	const [answer] = answers(done, 1);
	demand(mismatch(expectedAnswers(test, place)[0], answer));
	demand(mismatch(test.expect.$exit ?? 0, done.status, 'exit status'));
}

function runKept(test, place) {
	const line = `${eventText(test, place, true)}\n`;
	const done = place.run(test.name, ['--kept'], line + line);
	const got = answers(done, 2);
	const expected = expectedAnswers(test, place);
	demand(mismatch(expected[0], got[0], 'first answer'));
	demand(mismatch(expected[1], got[1], 'second answer'));
	demand(mismatch(0, done.status, 'exit status'));
}

function runMode(test, run) {
	let place;
	try {
		place = new Place(test.setup);
		run(test, place);
		place.check(test.expect);
		return null;
	} catch (failure) {
		if (!(failure instanceof Failure))
			throw failure;
		return failure.message;
	} finally {
		place?.remove();
	}
}

let passed = 0;
let failed = 0;
const onSqlite = !process.env.EDS_TEST_DATABASE_URL;
const onThisStore = test => onSqlite || test.setup.store !== 'sqlite';
for (const test of listCases(process.argv.slice(2)).map(readCase).filter(onThisStore)) {
	const problems = { alone: onSqlite ? runMode(test, runSingle) : null, kept: runMode(test, runKept) };
	const problem = Object.entries(problems).find(([, text]) => text);
	if (problem)
		failed++;
	else
		passed++;
	console.log(problem ? `FAIL ${test.title} (${problem[0]}): ${problem[1]}` : `ok   ${test.title}`);
}
console.log(`${passed} passed, ${failed} failed`);
process.exit(failed > 0 || passed === 0 ? 1 : 0);
