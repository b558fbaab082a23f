// Code shared by the measurements: built programs, a working folder with a database, and the table.
import { execFile, execFileSync, spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { fileURLToPath } from 'node:url';

const RUN_SECONDS = 600; // time limit on a machine that is busy with other work
const ANSWER_BYTES_MAX = 4096;

export const build = resolve(process.env.BUILD ?? join(fileURLToPath(new URL('.', import.meta.url)), '../../build'));
export const program = (name) => join(build, 'functions', name);

export function http(method, path, params) {
	return { version: '2.0', routeKey: '$default', rawPath: path, rawQueryString: '',
		headers: { host: 'test.example', 'user-agent': 'bench', accept: '*/*' },
		pathParameters: params, requestContext: { requestId: 'bench', stage: '$default',
			http: { method, path, protocol: 'HTTP/1.1', sourceIp: '192.0.2.1' } },
		isBase64Encoded: false };
}

// A folder with an empty database, in which functions run. env: settings in addition to the
// defaults.
export class Place {
	constructor(env = {}) {
		this.folder = mkdtempSync(join(tmpdir(), 'eds-bench-'));
		this.env = { PATH: process.env.PATH, EDS_TESTER_SESSIONS_PER_HOUR: '0',
			EDS_QUOTA_PAID: 'domains=0,selectors=0,checks=0,certificates=0', ...env };
		this.call('admin', { action: 'migrate' });
	}

	call(name, event) {
		return JSON.parse(execFileSync(program(name), [],
			{ cwd: this.folder, env: this.env, input: JSON.stringify(event), encoding: 'utf8' }));
	}

	createSession() {
		return this.createSessions(1)[0];
	}

	// Makes all sessions with one process.
	createSessions(count) {
		const answers = execFileSync(program('tester-session-create'), ['--kept'], { cwd: this.folder, env: this.env, encoding: 'utf8',
			input: `${JSON.stringify(http('POST', '/s'))}\n`.repeat(count), maxBuffer: ANSWER_BYTES_MAX * count });
		return answers.trim().split('\n').map((answer) => JSON.parse(JSON.parse(answer).body));
	}

	// The output of tests/bench/function. The counts are the numbers of runs: cold, in a
	// stream, and one by one.
	async measure(name, events, { cold = 0, stream = 0, single = 0 }) {
		const file = join(this.folder, 'events');
		writeFileSync(file, [events].flat().map((event) => JSON.stringify(event)).join('\n'));
		const { stdout } = await promisify(execFile)(join(build, 'tests/bench/function'),
			[program(name), file, cold, stream, single].map(String),
			{ cwd: this.folder, env: this.env, timeout: RUN_SECONDS * 1000 });
		return JSON.parse(stdout);
	}

	remove() {
		rmSync(this.folder, { recursive: true, force: true });
	}
}

// A function that only reads its event, in python3. To what its first answer takes that of a cold function is compared,
// because starting a process takes longer on one machine than on another.
const PYTHON = '#!/usr/bin/python3\ninput()\nprint("{}")\n';
const PYTHON_RUNS = 20;

// { coldUs, coldCpuUs }: microseconds from exec to the answer of that function, the median, and of processor.
export async function pythonCold(place) {
	const file = join(place.folder, 'answer.py');
	const events = join(place.folder, 'python-events');
	writeFileSync(file, PYTHON, { mode: 0o700 });
	writeFileSync(events, '{}');
	const { stdout } = await promisify(execFile)(join(build, 'tests/bench/function'), [file, events, PYTHON_RUNS, 0, 0].map(String),
		{ cwd: place.folder, env: place.env });
	return JSON.parse(stdout);
}

// Python runs the command, because node does not report the time and memory that a child used.
const USAGE = `
import resource, subprocess, sys
subprocess.run(sys.argv[1:], stdin=sys.stdin, check=True)
u = resource.getrusage(resource.RUSAGE_CHILDREN)
print(u.ru_utime + u.ru_stime, u.ru_maxrss)
`;

// One run of a command, [program, ...arguments], in the folder of place: { output, seconds, cpu, kb }.
export function runMeasured(place, command, input = '') {
	return new Promise((done, failed) => {
		const began = process.hrtime.bigint();
		const child = spawn('python3', ['-c', USAGE, ...command],
			{ cwd: place.folder, env: place.env, stdio: ['pipe', 'pipe', 'inherit'] });
		let output = '';
		child.stdout.on('data', (data) => (output += data));
		child.on('error', failed);
		child.on('close', (code) => {
			if (code !== 0) return failed(new Error(`${command[0]}: ${output}`));
			const seconds = Number(process.hrtime.bigint() - began) / 1e9;
			const lines = output.trim().split('\n');
			const [cpu, kb] = lines.pop().split(' ').map(Number);
			done({ output: lines.join('\n'), seconds, cpu, kb });
		});
		child.stdin.end(input);
	});
}

// One run of a scheduled function: the members of runMeasured(), and its answer.
export async function runScheduled(place, name) {
	const run = await runMeasured(place, [program(name)], JSON.stringify({ version: '0', id: 'bench',
		'detail-type': 'Scheduled Event', source: 'aws.events', time: '2026-01-31T23:59:00Z', resources: [], detail: {} }));
	return { ...run, answer: JSON.parse(run.output) };
}

// All figures shown so far: [{ title, rows: [[what, figure, target, how]] }].
export const shown = [];

// target: text, or '' if there is none. how: the measurement in a few words.
export function row(what, figure, target, how) {
	shown.at(-1).rows.push([what, figure, target, how]);
	console.log(`  ${what.padEnd(44)} ${figure.padStart(12)}  ${target.padStart(12)}  ${how}`);
}

export function heading(title) {
	shown.push({ title, rows: [] });
	console.log(`\n${title.padEnd(46)} ${'measured'.padStart(12)}  ${'target'.padStart(12)}  how`);
}

export const us = (value) => `${Math.round(value)} us`;
export const ms = (value) => `${(value / 1000).toFixed(2)} ms`;
export const mb = (kb) => `${(kb / 1024).toFixed(1)} MB`;
export const times = (value) => value.toFixed(2);

// The middle one of them by a number.
export const middle = (items, number) => [...items].sort((one, other) => number(one) - number(other))[items.length >> 1];
