// Speed and memory of dkim-recheck: due selectors against a local nsd, half of them not existing, on
// SQLite. The first run finds everything changed and looks for wildcards too; the second finds all
// as before, which is what nearly every run does.
//
//   node tests/bench/recheck.mjs [SELECTORS]       (BUILD names the build folder)
import { execFileSync, spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { generateKeyPairSync } from 'node:crypto';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { startNsd, txt } from '../e2e/support/nsd.mjs';

const TARGET_NAMES_PER_SECOND = 60000; // of one core
const TARGET_MB = 32;
const SELECTORS_PER_DOMAIN = 4;
const KEYS = 24;

const count = Number(process.argv[2] ?? 100000);
const build = resolve(process.env.BUILD ?? join(import.meta.dirname, '../../build'));
const folder = mkdtempSync(join(tmpdir(), 'eds-bench-'));

const keys = Array.from({ length: KEYS }, () =>
	generateKeyPairSync('rsa', { modulusLength: 2048 })
		.publicKey.export({ type: 'spki', format: 'der' }).toString('base64'));

const domainOf = (i) => `d${Math.floor(i / SELECTORS_PER_DOMAIN)}.example`;
const exists = (i) => i % 2 === 0;

function records() {
	const lines = [];
	for (let i = 0; i < count; i++)
		if (exists(i))
			lines.push(`s${i}._domainkey.${domainOf(i)}. TXT ${txt(`v=DKIM1; k=rsa; p=${keys[i % KEYS]}`)}`);
	return lines;
}

function sql(text) {
	execFileSync('sqlite3', ['-bail', 'var/eds.db'], { cwd: folder, input: text });
}

function fill() {
	const lines = ['BEGIN;',
		"INSERT INTO accounts (id, name, plan, created_at_ms) VALUES ('a', 'bench', 'paid', 1);"];
	for (let i = 0; i < count; i += SELECTORS_PER_DOMAIN)
		lines.push('INSERT INTO domains (id, account_id, name, created_at_ms) ' +
			`VALUES ('${domainOf(i)}', 'a', '${domainOf(i)}', 1);`);
	for (let i = 0; i < count; i++)
		lines.push('INSERT INTO dkim_selectors (domain_id, name, shown, domain, manual, created_at_ms, ' +
			'due_at_ms, checked_at_ms, changed_at_ms, probed_at_ms, digest, wildcard, first_seen_at_ms, ' +
			'last_seen_at_ms, pass_count, fail_count, state, key_bits, errors, warnings) VALUES ' +
			`('${domainOf(i)}', 's${i}', 's${i}', '${domainOf(i)}', 1, 1, ${i}, 0, 0, 0, 0, 0, 0, 0, 0, 0, ` +
			"'unknown', 0, '[]', '[]');");
	sql([...lines, 'COMMIT;'].join('\n'));
}

// user + system seconds of all children so far that have ended
const schedule = (id) => JSON.stringify({ version: '0', id, 'detail-type': 'Scheduled Event',
	source: 'aws.events', time: '2026-01-31T23:59:00Z', resources: [], detail: {} });

// Runs it under time(1)'s eyes: CPU seconds and the peak of memory come from the kernel.
function recheck(env, id) {
	return new Promise((done, failed) => {
		const began = process.hrtime.bigint();
		const child = spawn('/usr/bin/python3', ['-c', `
import os, resource, subprocess, sys
p = subprocess.run([sys.argv[1]], stdin=sys.stdin)
u = resource.getrusage(resource.RUSAGE_CHILDREN)
print('%f %f %d' % (u.ru_utime, u.ru_stime, u.ru_maxrss))
`, join(build, 'functions/dkim-recheck')], { cwd: folder, env, stdio: ['pipe', 'pipe', 'inherit'] });
		let output = '';
		child.stdout.on('data', (data) => (output += data));
		child.on('error', failed);
		child.on('close', () => {
			const wall = Number(process.hrtime.bigint() - began) / 1e9;
			const [answer, usage] = output.trim().split('\n');
			const [user, system, kilobytes] = usage.split(' ').map(Number);
			done({ answer: JSON.parse(answer), wall, user, system, mb: kilobytes / 1024 });
		});
		child.stdin.end(schedule(id));
	});
}

// Datagrams that the kernel threw away because a buffer was full, of all sockets of the machine.
function lostDatagrams() {
	const [names, values] = readFileSync('/proc/net/snmp', 'utf8').split('\n')
		.filter((line) => line.startsWith('Udp: ')).map((line) => line.split(' '));
	return Number(values[names.indexOf('RcvbufErrors')]);
}

async function measure(title, env) {
	const lost = lostDatagrams();
	const run = await recheck(env, title);
	const cpu = run.user + run.system;
	console.log(`${title.padEnd(22)} ${JSON.stringify(run.answer)}  wall ${run.wall.toFixed(2)} s, CPU ` +
		`${cpu.toFixed(2)} s (user ${run.user.toFixed(2)}, system ${run.system.toFixed(2)}): ` +
		`${Math.round(count / cpu)} names/s of one core, ${(cpu / count * 1e6).toFixed(1)} us a name; ` +
		`${run.mb.toFixed(1)} MB; ${lostDatagrams() - lost} datagrams lost`);
}

const nsd = await startNsd(records());
try {
	const env = { PATH: process.env.PATH, EDS_DNS_SERVERS: nsd.address, EDS_TIMEOUT_MS: '60000' };
	execFileSync(join(build, 'functions/admin'), [],
		{ cwd: folder, env, input: JSON.stringify({ action: 'migrate' }), stdio: ['pipe', 'ignore', 'inherit'] });
	fill();
	console.log(`${count} selectors; targets: ${TARGET_NAMES_PER_SECOND} names/s of one core, ` +
		`${TARGET_MB} MB, no datagram lost`);
	await measure('everything new', env);
	for (const again of ['as before', 'as before, again']) {
		sql('UPDATE dkim_selectors SET due_at_ms = rowid;');
		await measure(again, env);
	}
} finally {
	await nsd.stop();
	rmSync(folder, { recursive: true });
}
