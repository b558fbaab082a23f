// PgBouncer in transaction mode in front of a server of postgres.mjs, on a Unix socket of its own:
// each transaction gets any of a few connections, and settings of a session do not apply to its
// next transaction.
import { spawn } from 'node:child_process';
import { chmodSync, chownSync, existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { asUnprivileged, UNPRIVILEGED } from './postgres.mjs';

const START_SECONDS = 20;
const PORT = 6432;
const SAID_MAX = 4000;

const pause = (ms) => new Promise((next) => setTimeout(next, ms));

// more: additional settings. Returns { url, folder, pid, stop, halt, start, point }: all databases of the
// server can be reached through it. halt(signal) ends it and start() starts it again; point(server) directs
// later transactions to another server.
export async function startPgBouncer(server, more = []) {
	const folder = mkdtempSync(join(tmpdir(), 'eds-pgbouncer-'));
	const ini = join(folder, 'pgbouncer.ini');
	const socket = join(folder, `.s.PGSQL.${PORT}`);
	const bouncer = { url: `postgresql:///postgres?host=${folder}&port=${PORT}&user=eds`, folder, socket };
	let child;
	let ended;

	chmodSync(folder, 0o755);
	if (process.getuid() === 0) chownSync(folder, UNPRIVILEGED.uid, UNPRIVILEGED.gid);
	writeFileSync(join(folder, 'users'), '"eds" ""\n');
	const behind = ({ folder: host }) => writeFileSync(ini, ['[databases]', `postgres = host=${host}`, `* = host=${host}`, '[pgbouncer]',
		'listen_addr =', `listen_port = ${PORT}`, `unix_socket_dir = ${folder}`, 'auth_type = trust', `auth_file = ${join(folder, 'users')}`,
		'pool_mode = transaction', 'default_pool_size = 10', 'max_client_conn = 1000', 'server_idle_timeout = 5', ...more, ''].join('\n'));
	bouncer.halt = async (signal = 'SIGTERM') => {
		if (child.exitCode === null && child.signalCode === null) child.kill(signal);
		await ended;
	};
	bouncer.stop = async () => {
		await bouncer.halt();
		rmSync(folder, { recursive: true, force: true });
	};
	bouncer.start = async () => {
		rmSync(socket, { force: true }); // the socket of a killed one is still there
		child = spawn(...asUnprivileged('/usr/sbin/pgbouncer', [ini]), { stdio: ['ignore', 'ignore', 'pipe'] });
		let output = '';
		child.stderr.setEncoding('utf8').on('data', (text) => (output = (output + text).slice(-SAID_MAX)));
		ended = new Promise((done) => child.once('close', done));
		bouncer.pid = child.pid;
		for (const end = Date.now() + START_SECONDS * 1000; !existsSync(socket); await pause(20))
			if (Date.now() > end || child.exitCode !== null) {
				await bouncer.stop();
				throw new Error(`PgBouncer does not start\n${output}`);
			}
	};
	bouncer.point = (other) => {
		behind(other);
		child.kill('SIGHUP');
	};
	behind(server);
	await bouncer.start();
	return bouncer;
}
