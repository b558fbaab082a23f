// A service of many domains: the schedule of a day in simulated time, on PostgreSQL, by many
// instances at once against the scripted name server.
//
//     make scale DOMAINS=1000000 MINUTES=60
//
// Each domain has three selectors: two with a valid key (checked hourly), one long gone (daily); its
// MTA-STS is switched off (daily). At each simulated minute INSTANCES of each job start with the
// clock at that minute, as the schedule starts them, and the next minute begins when all have ended.
// So the lateness of a check is what it would be on the clock, and the time a minute takes is what is
// left of it for more domains.
import { execFileSync, spawn } from 'node:child_process';
import { generateKeyPairSync } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { startDns } from '../e2e/support/dns.mjs';
import { psql, startPostgres } from '../support/postgres.mjs';
import { build, heading, program, row } from './measure.mjs';

const DOMAINS = Number(process.env.DOMAINS ?? 1000000);
const MINUTES = Number(process.env.MINUTES ?? 24 * 60);
const INSTANCES = Number(process.env.INSTANCES ?? 8);
const JOBS = ['dkim-recheck', 'mta-sts-check'];
const FAKETIME = '/usr/lib/x86_64-linux-gnu/faketime/libfaketime.so.1';
const MINUTE_MS = 60 * 1000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;
const WARM_SELECTORS = 3; // checked once, so that all others can be what a check makes of them
const START_MS = Date.UTC(2027, 0, 1); // of the simulated time

const now = () => Number(process.hrtime.bigint() / 1000000n);
const rows = (text) => text.split('\n').filter(Boolean).map((line) => line.split('|').map(Number));

function zone() {
	const key = generateKeyPairSync('rsa', { modulusLength: 2048 }).publicKey.export({ type: 'spki', format: 'der' }).toString('base64');
	const text = `v=DKIM1; k=rsa; p=${key}`;
	return [`*.live TXT 300 "${text.slice(0, 250)}" "${text.slice(250)}"`, 'live SOA 300 ns.live h.live 1 3600 600 86400 60',
		'gone SOA 300 ns.gone h.gone 1 3600 600 86400 60'];
}

class Service {
	static async start() {
		const service = new Service();
		service.folder = mkdtempSync(join(tmpdir(), 'eds-scale-'));
		service.dns = await startDns(zone(), { build });
		service.server = await startPostgres(['shared_buffers=1GB', 'autovacuum=on', 'maintenance_work_mem=1GB', 'max_wal_size=16GB']);
		service.env = { PATH: process.env.PATH, EDS_DATABASE_URL: service.server.url, EDS_DNS_SERVERS: service.dns.address,
			EDS_TIMEOUT_MS: String(MINUTE_MS), EDS_LOG_LEVEL: 'warning' };
		execFileSync(program('admin'), { cwd: service.folder, env: service.env, input: '{"action":"migrate"}' });
		return service;
	}

	sql(text) {
		return psql(this.server.url, text);
	}

	// One run of a job with the clock at a time.
	run(name, timeMs) {
		const clock = new Date(timeMs).toISOString().replace('T', ' ').slice(0, 19);
		const child = spawn(program(name), [], { cwd: this.folder, stdio: ['pipe', 'pipe', 'inherit'],
			env: { ...this.env, TZ: 'UTC', LD_PRELOAD: FAKETIME, FAKETIME: `@${clock}`, FAKETIME_DONT_FAKE_MONOTONIC: '1' } });
		let output = '';
		child.stdout.on('data', (data) => (output += data));
		child.stdin.end(JSON.stringify({ version: '0', id: 'scale', 'detail-type': 'Scheduled Event', source: 'aws.events',
			time: new Date(timeMs).toISOString(), resources: [], detail: {} }));
		return new Promise((done, failed) => child.once('close', (code) =>
			(code === 0 ? done(JSON.parse(output)) : failed(new Error(`${name}: ${output}`)))));
	}

	async stop() {
		await this.dns.stop();
		await this.server.stop();
		rmSync(this.folder, { recursive: true, force: true });
	}
}

// The first domains are checked by the real job; the others begin as those are then, each due at its
// own moment of the hour or the day.
async function fill(service) {
	const selector = (count, from) => `INSERT INTO dkim_selectors (domain_id, name, shown, domain, manual, created_at_ms, due_at_ms,
		checked_at_ms, changed_at_ms, probed_at_ms, digest, wildcard, first_seen_at_ms, last_seen_at_ms, pass_count, fail_count,
		state, key_bits, errors, warnings)
		SELECT 'd' || i, s, s, 'd' || i || CASE WHEN s = 'old' THEN '.gone' ELSE '.live' END, 1, 1, ${START_MS}, 0, 1, 0, 0, 0, 0, 0, 0, 0,
		'unknown', 0, '[]', '[]' FROM generate_series(${from}, ${from + count - 1}) i, (VALUES ('s1'), ('s2'), ('old')) AS v (s)`;
	service.sql(`INSERT INTO accounts (id, name, plan, created_at_ms) VALUES ('a', 'scale', 'paid', 1);
		INSERT INTO domains (id, account_id, name, created_at_ms) SELECT 'd' || i, 'a', 'd' || i || '.live', 1 FROM generate_series(1, ${DOMAINS}) i;
		${selector(1, 1)}`);
	const { checked } = await service.run('dkim-recheck', START_MS);
	if (checked !== WARM_SELECTORS) throw new Error(`${checked} selectors were checked`);
	service.sql(`${selector(DOMAINS - 1, 2)};
		UPDATE dkim_selectors t SET state = f.state, digest = f.digest, wildcard = f.wildcard, key_type = f.key_type,
			key_bits = f.key_bits, errors = f.errors, warnings = f.warnings, checked_at_ms = ${START_MS}, probed_at_ms = f.probed_at_ms,
			changed_at_ms = ${START_MS - 30 * DAY_MS}, due_at_ms = ${START_MS} + CAST(random() * CASE WHEN t.name = 'old'
			THEN ${DAY_MS} ELSE ${HOUR_MS} END AS BIGINT) FROM dkim_selectors f WHERE f.domain_id = 'd1' AND f.name = t.name;
		INSERT INTO mta_sts (domain_id, name, hosted, policy_id, updated_at_ms, due_at_ms, changed_at_ms)
			SELECT 'd' || i, 'd' || i || '.live', 0, 'id' || i, 1, ${START_MS} + CAST(random() * ${DAY_MS} AS BIGINT), 1
			FROM generate_series(1, ${DOMAINS}) i;
		CREATE TABLE lateness (late_s BIGINT, checks BIGINT);
		CREATE UNLOGGED TABLE due (domain_id TEXT, name TEXT, due_at_ms BIGINT, PRIMARY KEY (domain_id, name))`);
	service.sql('VACUUM (ANALYZE, FREEZE)');
}

const scans = (service) =>
	Number(service.sql("SELECT sum(seq_scan) FROM pg_stat_user_tables WHERE relname IN ('dkim_selectors', 'mta_sts')"));

// One simulated minute: { checks, seconds }.
async function minute(service, timeMs) {
	service.sql(`TRUNCATE due; INSERT INTO due SELECT domain_id, name, due_at_ms FROM dkim_selectors WHERE due_at_ms <= ${timeMs + MINUTE_MS / 2}`);
	const before = scans(service);
	const began = now();
	const answers = await Promise.all(JOBS.flatMap((name) => Array.from({ length: INSTANCES }, () => service.run(name, timeMs))));
	const seconds = (now() - began) / 1000;
	if (scans(service) !== before) service.scanned = true;
	service.sql(`INSERT INTO lateness SELECT (s.checked_at_ms - d.due_at_ms) / 1000, count(*) FROM dkim_selectors s
		JOIN due d ON d.domain_id = s.domain_id AND d.name = s.name WHERE s.checked_at_ms >= ${timeMs} GROUP BY 1`);
	return { checks: answers.reduce((sum, { checked }) => sum + checked, 0), seconds };
}

function percentile(service, part) {
	const counts = rows(service.sql('SELECT late_s, sum(checks) FROM lateness GROUP BY 1 ORDER BY 1'));
	let left = counts.reduce((sum, [, checks]) => sum + checks, 0) * part;
	return counts.find(([, checks]) => (left -= checks) <= 0)[0];
}

const service = await Service.start();
try {
	heading(`${DOMAINS} domains, ${INSTANCES} instances, ${MINUTES} simulated minutes`);
	await fill(service);
	const totals = { checks: 0, seconds: 0, longest: 0 };
	for (let i = 1; i <= MINUTES; i++) {
		const { checks, seconds } = await minute(service, START_MS + i * MINUTE_MS);
		totals.checks += checks;
		totals.seconds += seconds;
		totals.longest = Math.max(totals.longest, seconds);
		if (i % 60 === 0 || i === MINUTES) console.error(`  minute ${i}: ${checks} checks in ${seconds.toFixed(1)} s`);
	}
	const overdue = Number(service.sql(`SELECT count(*) FROM dkim_selectors WHERE due_at_ms < ${START_MS + (MINUTES - 1) * MINUTE_MS}`));
	row('lateness of a selector’s check, p99', `${percentile(service, 0.99)} s`, '60 s', `p50 ${percentile(service, 0.5)} s; the schedule starts once a minute`);
	row('checks never made', String(overdue), '0', `of ${totals.checks}`);
	row('sequential scans in the jobs', service.scanned ? 'some' : 'none', 'none', 'of dkim_selectors and mta_sts');
	row('a simulated minute, in seconds', (totals.seconds / MINUTES).toFixed(1), '60', `the longest ${totals.longest.toFixed(1)}`);
	row('checks a second', String(Math.round(totals.checks / totals.seconds)), '', 'database, name server and jobs on one machine');
	row('domains one such machine carries', String(Math.round(DOMAINS * 60 * MINUTES / totals.seconds)), '', 'when all of each minute is used');
} finally {
	await service.stop();
}
