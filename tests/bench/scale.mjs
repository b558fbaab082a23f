// A service of many domains: the schedule of a day in simulated time, on PostgreSQL, by many
// instances at once against the scripted name server.
//
//     make scale DOMAINS=1000000 MINUTES=60
//
// Each domain has three selectors: two with a valid key (checked hourly), one long gone (daily); its
// posture shows something wrong (hourly). MTA-STS is switched on for a tenth of the domains, and in order
// (hourly), and switched off for the others (daily). Two DMARC reports a day of each arrive, spread over
// the day. At each simulated minute INSTANCES of each job start with the clock at that minute, as the
// schedule starts them, beside two processes that take in the minute's reports, and the next minute
// begins when all have ended. So a check is as late as it would be in real time, and a minute that ends
// early shows how much time is left for more domains. The clock of the jobs runs SPEED times as fast as the
// machine's: on a machine that others use, 0.2 gives the jobs the time that they would have alone.
//
// An interrupt ends the measurement after the current minute.
//
// PostgreSQL syncs its commits. Its periodic work follows the simulated time: a checkpoint every CHECKPOINT_MINUTES, a check for dead rows every minute.
import { execFile, execFileSync, spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

import { psql, startPostgres } from '../support/postgres.mjs';
import { heading, program, row } from './measure.mjs';
import { childrenSeconds, treeSeconds } from './processor.mjs';
import { fill, idOf } from './scale-fill.mjs';
import { Arriving } from './scale-reports.mjs';
import { startWorld } from './scale-world.mjs';

const DOMAINS = Number(process.env.DOMAINS ?? 1000000);
const MINUTES = Number(process.env.MINUTES ?? 24 * 60);
const INSTANCES = Number(process.env.INSTANCES ?? 8);
const SPEED = Number(process.env.SPEED ?? 1);
const JOBS = ['dkim-recheck', 'mta-sts-check', 'posture-check'];
const FAKETIME = '/usr/lib/x86_64-linux-gnu/faketime/libfaketime.so.1';
const MINUTE_MS = 60 * 1000;
const HOUR = 60; // simulated minutes in an hour
const CHECKPOINT_MINUTES = Number(process.env.CHECKPOINT_MINUTES ?? 15);
const SAMPLED_MINUTES = 5; // the lateness is measured in every fifth minute
const TOLD_MINUTES = 5;
const READERS = 2; // number of processes that take in reports
// The simulated time begins near the present, because the policy hosts' certificates are made now.
const START_MS = Math.ceil(Date.now() / (HOUR * MINUTE_MS)) * HOUR * MINUTE_MS;
const CHECKED = ['dkim_selectors', 'mta_sts', 'posture'];
const SETTINGS = ['shared_buffers=2GB', 'maintenance_work_mem=1GB', 'max_wal_size=64GB', 'checkpoint_timeout=1d',
	'fsync=on', 'synchronous_commit=on', 'full_page_writes=on', 'wal_compression=lz4',
	'autovacuum=on', 'autovacuum_naptime=2s', 'autovacuum_vacuum_cost_delay=0'];

const now = () => Number(process.hrtime.bigint() / 1000000n);
const rows = (text) => text.split('\n').filter(Boolean).map((line) => line.split('|'));

// Gives the events one by one to a kept process; resolves to its processor time when all are processed.
function workOff(child, events) {
	return new Promise((done, failed) => {
		let output = '';
		let answered = 0;
		let seconds = 0;
		const next = () => {
			if (answered < events.length) {
				child.stdin.write(`${JSON.stringify(events[answered])}\n`);
				return;
			}
			seconds = treeSeconds(child.pid);
			child.stdin.end();
		};
		child.stdout.setEncoding('utf8').on('data', (text) => {
			output += text;
			for (let end; (end = output.indexOf('\n')) >= 0; output = output.slice(end + 1)) {
				const answer = JSON.parse(output.slice(0, end));
				if (answer.read !== 1) failed(new Error(`reports-ingest: ${JSON.stringify(answer)}`));
				answered++;
				next();
			}
		});
		child.once('error', failed).once('close', () => done(seconds));
		next();
	});
}

class Service {
	static async start() {
		const service = new Service();
		service.folder = mkdtempSync(join(tmpdir(), 'eds-scale-'));
		service.world = await startWorld(DOMAINS);
		service.arriving = new Arriving(service.folder, DOMAINS, idOf);
		service.server = await startPostgres(SETTINGS);
		service.env = { PATH: process.env.PATH, EDS_DATABASE_URL: service.server.url, ...service.world.env,
			EDS_TIMEOUT_MS: String(Math.round(MINUTE_MS / SPEED)), EDS_LOG_LEVEL: 'warning' };
		execFileSync(program('admin'), { cwd: service.folder, env: service.env, input: '{"action":"migrate"}' });
		return service;
	}

	sql(text) {
		return psql(this.server.url, text);
	}

	// Starts a program whose clock begins at the given time.
	start(name, args, timeMs) {
		const clock = new Date(timeMs).toISOString().replace('T', ' ').slice(0, 19);
		return spawn(program(name), args, { cwd: this.folder, stdio: ['pipe', 'pipe', 'inherit'],
			env: { ...this.env, TZ: 'UTC', LD_PRELOAD: FAKETIME, FAKETIME: `@${clock} x${SPEED}`, FAKETIME_DONT_FAKE_MONOTONIC: '1' } });
	}

	// Takes in the reports of a minute: { reports, readers: seconds of their processors }.
	async takeIn(timeMs) {
		const events = await this.arriving.minute(timeMs);
		const shares = Array.from({ length: READERS }, (_, i) => events.filter((_each, j) => j % READERS === i));
		const seconds = await Promise.all(shares.map((share) => workOff(this.start('reports-ingest', ['--kept'], timeMs), share)));
		this.arriving.forget(events);
		return { reports: events.length, readers: seconds.reduce((sum, each) => sum + each, 0) };
	}

	// One run of a job whose clock begins at the given time.
	run(name, timeMs) {
		const child = this.start(name, [], timeMs);
		let output = '';
		child.stdout.on('data', (data) => (output += data));
		child.stdin.end(JSON.stringify({ version: '0', id: 'scale', 'detail-type': 'Scheduled Event', source: 'aws.events',
			time: new Date(timeMs).toISOString(), resources: [], detail: {} }));
		return new Promise((done, failed) => child.once('close', (code) =>
			(code === 0 ? done(JSON.parse(output)) : failed(new Error(`${name}: ${output}`)))));
	}

	// Runs SQL while other work goes on.
	sqlBeside(text) {
		return promisify(execFile)('psql', ['-X', '-q', '-v', 'ON_ERROR_STOP=1', this.server.url, '-c', text]);
	}

	// The use so far: processor time in seconds, and octets of the log (WAL) of the database.
	used() {
		return { database: treeSeconds(this.server.pid), jobs: childrenSeconds(process.pid),
			log: Number(this.sql("SELECT pg_wal_lsn_diff(pg_current_wal_lsn(), '0/0')")) };
	}

	scans() {
		return Number(this.sql(`SELECT sum(seq_scan) FROM pg_stat_user_tables WHERE relname IN ('${CHECKED.join("', '")}')`));
	}

	overdue(table, timeMs) {
		return Number(this.sql(`SELECT count(*) FROM ${table} WHERE due_at_ms < ${timeMs}`));
	}

	// The sizes of the tables in megabytes: { table: [rows, indexes] }.
	sizes() {
		return Object.fromEntries(rows(this.sql(`SELECT relname, pg_table_size(relid) / 1000000, pg_indexes_size(relid) / 1000000
			FROM pg_stat_user_tables WHERE pg_total_relation_size(relid) > 10000000`))
			.map(([name, table, indexes]) => [name, [table, indexes]]));
	}

	async stop() {
		await this.world.stop();
		await this.server.stop();
		rmSync(this.folder, { recursive: true, force: true });
	}
}

// One simulated minute, whose costs are added to the totals.
async function minute(service, i, totals) {
	const timeMs = START_MS + i * MINUTE_MS;
	const sampled = i % SAMPLED_MINUTES === 0;
	if (sampled) service.sql(`TRUNCATE due; INSERT INTO due SELECT domain_id, name, due_at_ms FROM dkim_selectors
		WHERE due_at_ms <= ${timeMs + MINUTE_MS / 2}`);
	const scans = service.scans();
	const before = service.used();
	const began = now();
	const work = JOBS.flatMap((name) => Array.from({ length: INSTANCES }, () => service.run(name, timeMs)));
	const takenIn = service.takeIn(timeMs);
	if (i % CHECKPOINT_MINUTES === 0) work.push(service.sqlBeside('CHECKPOINT'));
	const answers = await Promise.all(work);
	const { reports, readers } = await takenIn;
	const seconds = (now() - began) / 1000;
	const after = service.used();
	for (const key of Object.keys(after)) totals[key] += after[key] - before[key];
	totals.jobs -= readers;
	totals.reports += reports;
	totals.readers += readers;
	totals.checks += answers.reduce((sum, { checked = 0 }) => sum + checked, 0);
	totals.seconds += seconds;
	totals.longest = Math.max(totals.longest, seconds);
	totals.scans += service.scans() - scans;
	if (sampled) service.sql(`INSERT INTO lateness SELECT ${Math.floor((i - 1) / HOUR)}, (checked_at_ms - due_at_ms) / 1000, count(*)
		FROM due d, LATERAL (SELECT checked_at_ms FROM dkim_selectors s WHERE s.domain_id = d.domain_id AND s.name = d.name OFFSET 0) c
		WHERE checked_at_ms >= ${timeMs} GROUP BY 2`);
}

function percentile(counts, part) {
	let left = counts.reduce((sum, [, checks]) => sum + Number(checks), 0) * part;
	return counts.find(([, checks]) => (left -= Number(checks)) <= 0)?.[0];
}

function lateness(service, where) {
	const counts = rows(service.sql(`SELECT late_s, sum(checks) FROM lateness WHERE ${where} GROUP BY 1 ORDER BY 1`));
	return [0.5, 0.99, 1].map((part) => percentile(counts, part));
}

function tell(service, totals, minutes) {
	const [p50, p99, most] = lateness(service, 'true');
	const overdue = CHECKED.reduce((sum, table) => sum + service.overdue(table, START_MS + (minutes - 1) * MINUTE_MS), 0);
	const perCheck = (amount) => amount / totals.checks;
	row('lateness of a selector’s check, p99', `${p99} s`, '60 s', `p50 ${p50} s, the latest ${most} s; the schedule starts once a minute`);
	for (let hour = 0; hour < minutes / HOUR; hour++)
		row(`  in hour ${hour + 1}`, `${lateness(service, `hour = ${hour}`)[1]} s`, '60 s', `p50 ${lateness(service, `hour = ${hour}`)[0]} s`);
	row('checks never made', String(overdue), '0', `of ${totals.checks} in ${minutes} minutes`);
	row('sequential scans in the jobs', String(totals.scans), '0', 'of dkim_selectors, mta_sts and posture');
	row('a simulated minute', `${(totals.seconds / minutes).toFixed(1)} s`, `${60 / SPEED} s`, `the longest ${totals.longest.toFixed(1)} s`);
	row('checks a simulated second', String(Math.round(totals.checks / minutes / 60)), '', '');
	row('processor time of the jobs', `${(1e6 * perCheck(totals.jobs)).toFixed(0)} us`, '', `a check; ${(totals.jobs / minutes).toFixed(2)} s a minute`);
	row('processor time of PostgreSQL', `${(1e6 * perCheck(totals.database)).toFixed(0)} us`, '',
		`a check; ${(totals.database / minutes).toFixed(2)} s a minute`);
	row('policies in order', service.sql('SELECT count(*) FROM mta_sts WHERE valid = 1'), service.sql('SELECT count(*) FROM mta_sts WHERE enabled = 1'), '');
	row('reports taken in', String(totals.reports), '', `${(1000 * totals.readers / totals.reports).toFixed(1)} ms of processor time each; ` +
		`${service.sql("SELECT coalesce(sum(verified_reports), 0) FROM report_reporters")} of a verified reporter`);
	row('log of PostgreSQL', `${perCheck(totals.log).toFixed(0)} B`, '', `a check, with the reports; ${(totals.log / minutes * 1440 / 1e9).toFixed(1)} GB a day`);
	for (const [table, [after, indexesAfter]] of Object.entries(service.sizes())) {
		const [before, indexes] = service.sizesAtFirst[table] ?? [0, 0];
		row(`size of ${table}`, `${after} MB`, '', `at first ${before} MB; indexes ${indexesAfter} MB, at first ${indexes} MB`);
	}
}

const service = await Service.start();
try {
	heading(`${DOMAINS} domains, ${INSTANCES} instances, ${MINUTES} simulated minutes`);
	await fill(service, DOMAINS, START_MS);
	service.sizesAtFirst = service.sizes();
	const totals = { checks: 0, reports: 0, readers: 0, seconds: 0, longest: 0, scans: 0, database: 0, jobs: 0, log: 0 };
	let ended = false;
	process.once('SIGINT', () => (ended = true));
	for (let i = 1; i <= MINUTES && !ended; i++) {
		await minute(service, i, totals);
		if (i % TOLD_MINUTES === 0 && i < MINUTES) console.error(`  minute ${i}: ${totals.checks} checks, ${totals.seconds.toFixed(0)} s`);
		if (i % HOUR === 0 || i === MINUTES || ended) tell(service, totals, i);
	}
} finally {
	await service.stop();
}
