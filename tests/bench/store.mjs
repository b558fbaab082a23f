// The store on PostgreSQL, directly and through PgBouncer: time and CPU of one read and one write, of the program
// and of the server, and the number of sessions that 8 and 32 concurrent writers make. 32 writers should make as
// many as 8. For comparison pgbench sends the same statements, also in one message, with as many clients, in turns
// with our writers. Measured on two processors that were busy with other work: directly, 32 writers make 0.75
// times as many as 8; through PgBouncer, which allows ten connections to the server at once, they make as many. No
// transaction had to start again because of another one.
import { execFileSync, spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { childrenOf } from '../e2e/support/runner.mjs';
import { startPgBouncer } from '../support/pgbouncer.mjs';
import { psql, startPostgres } from '../support/postgres.mjs';
import { build, heading, program, row, us } from './measure.mjs';

const COUNT = 3000;
const SECONDS = 3;
const ROUNDS = 3;
const WRITERS = [8, 32];
const PGBENCH_MS = 20000;
const TICK_US = 10000; // the unit of times in /proc

// The processor time of a process; 0 if it has ended. Only a worker of the server (autovacuum) can have
// ended, never the process of our connection.
function cpuUs(pid) {
	let stat;
	try {
		stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
	} catch (error) {
		if (['ENOENT', 'ESRCH'].includes(error.code)) return 0;
		throw error;
	}
	const fields = stat.replace(/^.*\) /s, '').split(' ');
	return (Number(fields[11]) + Number(fields[12])) * TICK_US;
}

// Runs the program; resolves to its output and to the CPU time that the server's processes used meanwhile.
function run(url, server, ...args) {
	return new Promise((done, failed) => {
		const before = new Set(childrenOf(server.pid));
		const child = spawn(join(build, 'tests/bench/store'), args,
			{ env: { PATH: process.env.PATH, EDS_DATABASE_URL: url }, stdio: ['pipe', 'pipe', 'inherit'] });
		let printed = '';
		child.stdout.setEncoding('utf8').on('data', (text) => {
			printed += text;
			if (!printed.includes('\n')) return;
			const own = childrenOf(server.pid).filter((pid) => !before.has(pid));
			const serverUs = own.reduce((sum, pid) => sum + cpuUs(pid), 0) / COUNT;
			child.stdin.end();
			done({ ...JSON.parse(printed), serverUs });
		});
		child.once('close', (code) => code !== 0 && failed(new Error(`store ${args} ended with ${code}`)));
	});
}

// Makes a session as eds_store_session_create() does, in one message.
const SESSION = `\\set client random(1, 1000000000)
\\set slot random(0, 1023)
\\startpipeline
SELECT set_config('statement_timeout', '10000', true);
SELECT 1 FROM tester_client_slots WHERE slot = :slot FOR UPDATE;
INSERT INTO tester_sessions (test_id, client, created_at_ms, expires_at_ms) SELECT gen_random_uuid()::text, :client::text, 1, 1
 WHERE NOT EXISTS (SELECT 1 FROM tester_sessions WHERE client = :client::text AND created_at_ms > 0 ORDER BY created_at_ms DESC
 LIMIT 1 OFFSET 59);
\\endpipeline
`;

// Runs pgbench; returns transactions per second, or NaN when it hangs, as pgbench 15 sometimes does behind PgBouncer.
function pgbench(url, writers) {
	const folder = mkdtempSync(join(tmpdir(), 'eds-bench-'));
	try {
		writeFileSync(join(folder, 'session.sql'), SESSION);
		// `extended` behind PgBouncer, because PgBouncer does not support named prepared statements
		const out = execFileSync('pgbench', ['-n', '-M', url.includes('pgbouncer') ? 'extended' : 'prepared', '-c', String(writers), '-j', '2', '-T', String(SECONDS),
			'-f', join(folder, 'session.sql'), url], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'], timeout: PGBENCH_MS });
		return Number(/tps = ([\d.]+)/.exec(out)?.[1]);
	} catch (error) {
		if (error.code !== 'ETIMEDOUT') throw error;
		return NaN;
	} finally {
		rmSync(folder, { recursive: true, force: true });
	}
}

// The number of transactions that the server has rolled back so far; here only conflicts cause them.
const givenUp = (server) => Number(psql(server.url, "SELECT xact_rollback FROM pg_stat_database WHERE datname = 'postgres'"));

// Measures our writers and pgbench in turns, with 8 and with 32 writers: { own, plain, again }. own and plain
// are sessions per second by ours and by pgbench, again is the share of repeated transactions.
async function writersOn(url, server) {
	const all = { own: {}, plain: {}, again: {} };
	const note = (kind, writers, value) => (all[kind][writers] ??= []).push(value);
	for (let round = 0; round < ROUNDS; round++)
		for (const writers of WRITERS) {
			psql(server.url, 'TRUNCATE tester_sessions CASCADE');
			const before = givenUp(server);
			const { perSecond } = await run(url, server, 'writers', String(writers), String(SECONDS));
			note('own', writers, perSecond);
			note('again', writers, (givenUp(server) - before) / (perSecond * SECONDS));
			psql(server.url, 'TRUNCATE tester_sessions CASCADE');
			const reference = pgbench(url, writers);
			if (!Number.isNaN(reference)) note('plain', writers, reference);
		}
	const median = (values) => [...values].sort((a, b) => a - b)[values.length >> 1];
	return Object.fromEntries(Object.entries(all).map(([kind, by]) =>
		[kind, Object.fromEntries(Object.entries(by).map(([writers, values]) => [writers, median(values)]))]));
}

async function measureOn(name, url, server) {
	const read = await run(url, server, 'read', String(COUNT));
	const write = await run(url, server, 'write', String(COUNT));
	const { own, plain, again } = await writersOn(url, server);
	const percent = (share) => `${Math.round(share * 1000) / 10}%`;
	const cost = ({ us: took, serverUs }) => `${us(took)} in all, ${us(serverUs)} CPU at the server`;
	row(`${name}: CPU of one read`, us(read.cpuUs), '', cost(read));
	row(`${name}: CPU of one write`, us(write.cpuUs), '', cost(write));
	row(`${name}: sessions made by 32 at once`, `${Math.round(own[32])}/s`, `${Math.round(own[8])}/s`,
		`the target is the rate of 8 writers; repeated transactions ${percent(again[32])}, with 8 writers ${percent(again[8])}`);
	const shown = (rate) => (rate === undefined ? '-' : `${Math.round(rate)}/s`);
	row('  by pgbench', shown(plain[32]), shown(plain[8]), 'the same statements by 32 clients, and by 8');
}

export async function store() {
	const server = await startPostgres(['synchronous_commit=on']);
	const pooler = await startPgBouncer(server);
	heading('the store on PostgreSQL');
	try {
		execFileSync(program('admin'), [], { env: { PATH: process.env.PATH, EDS_DATABASE_URL: server.url }, input: '{"action":"migrate"}' });
		await measureOn('PostgreSQL', server.url, server);
		await measureOn('through PgBouncer', pooler.url, server);
	} finally {
		await pooler.stop();
		await server.stop();
	}
}
