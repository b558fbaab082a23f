// A PostgreSQL server for tests: a cluster of its own in a temporary folder, only on a Unix socket,
// which ends with the process that started it. It sorts by a language, as many databases do.
//
//   node tests/support/postgres.mjs COMMAND…     runs the command with EDS_TEST_DATABASE_URL
//
// With that variable the tests of the store, of the functions and of the runner use this server
// in place of SQLite, each in a schema of its own.
import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { chmodSync, chownSync, existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

const START_SECONDS = 60;
export const UNPRIVILEGED = { uid: 65534, gid: 65534 };
const INITDB = ['--username=eds', '--auth=trust', '--no-sync', '--encoding=UTF8', '--locale=C.UTF-8',
	'--locale-provider=icu', '--icu-locale=en'];
const SETTINGS = ['listen_addresses=', 'fsync=off', 'synchronous_commit=off', 'full_page_writes=off',
	'shared_buffers=32MB', 'autovacuum=off', 'jit=off', 'max_connections=200', 'log_min_messages=log'];

const versions = '/usr/lib/postgresql';
const asRoot = process.getuid() === 0;

// The folder with the programs of the newest installed server; undefined without one.
export function findPostgres() {
	if (!existsSync(versions)) return undefined;
	return readdirSync(versions)
		.sort((a, b) => Number(b) - Number(a))
		.map((version) => join(versions, version, 'bin'))
		.find((folder) => existsSync(join(folder, 'initdb')));
}

// The command that runs a program as a user other than root, because database servers refuse to run as root;
// the program ends with this process, whatever ends it.
export function asUnprivileged(program, args) {
	const user = asRoot ? [`--reuid=${UNPRIVILEGED.uid}`, `--regid=${UNPRIVILEGED.gid}`, '--clear-groups'] : [];
	return ['setpriv', [...user, '--pdeathsig=INT', program, ...args]];
}

function ready(child) {
	return new Promise((done, failed) => {
		let output = '';
		const timer = setTimeout(() => failed(new Error(`PostgreSQL does not start\n${output}`)),
			START_SECONDS * 1000);
		child.stderr.setEncoding('utf8').on('data', (text) => {
			output += text;
			if (!/ready to accept (read-only )?connections/.test(output)) return;
			clearTimeout(timer);
			done();
		});
		child.once('close', () => {
			clearTimeout(timer);
			failed(new Error(`PostgreSQL ended at once\n${output}`));
		});
	});
}

// Starts a server; fill(program, data) makes its data folder.
async function startServer(settings, fill) {
	const bin = findPostgres();
	const folder = mkdtempSync(join(tmpdir(), 'eds-postgres-'));
	const data = join(folder, 'data');
	const options = { cwd: folder, env: { PATH: process.env.PATH, LC_ALL: 'C.UTF-8' } };
	const server = { url: `postgresql:///postgres?host=${folder}&user=eds`, folder };
	let child;

	chmodSync(folder, 0o755);
	if (asRoot) chownSync(folder, UNPRIVILEGED.uid, UNPRIVILEGED.gid);
	server.start = async () => {
		child = spawn(...asUnprivileged(join(bin, 'postgres'),
			['-D', data, '-k', folder, ...settings.flatMap((setting) => ['-c', setting])]),
		{ ...options, stdio: ['ignore', 'ignore', 'pipe'] });
		server.pid = child.pid;
		await ready(child);
	};
	server.halt = async (signal = 'SIGINT') => {
		if (!child || child.exitCode !== null || child.signalCode !== null) return;
		const ended = new Promise((done) => child.once('close', done));
		child.kill(signal);
		await ended;
	};
	server.stop = async () => {
		await server.halt();
		rmSync(folder, { recursive: true, force: true });
	};
	try {
		fill((program, args) =>
			execFileSync(...asUnprivileged(join(bin, program), args), { ...options, stdio: 'pipe' }), data);
		await server.start();
		return server;
	} catch (error) {
		await server.stop();
		throw error;
	}
}

// more: settings in addition to those for tests. Returns { url, folder, pid, halt, start, stop }:
// halt(signal) ends the server (SIGINT at once, SIGQUIT without writing anything more), start()
// starts it again on its data.
export const startPostgres = (more = []) =>
	startServer([...SETTINGS, ...more], (run, data) => run('initdb', [...INITDB, '-D', data]));

// A hot standby of that server. From now on the server acknowledges only commits that the standby
// has written, too. Returns the same members, and promote().
export async function startStandby(primary, more = []) {
	const standby = await startServer([...SETTINGS, ...more], (run, data) =>
		run('pg_basebackup', ['-h', primary.folder, '-U', 'eds', '-D', data, '-R', '--checkpoint=fast', '--no-sync']));
	psql(primary.url, "ALTER SYSTEM SET synchronous_standby_names = '*'");
	psql(primary.url, 'SELECT pg_reload_conf()');
	standby.promote = () => psql(standby.url, 'SELECT pg_promote()');
	return standby;
}

// Runs SQL and returns the output of psql: rows as lines, columns separated by |.
export function psql(url, sql) {
	const done = spawnSync('psql', ['-X', '-q', '-A', '-t', '-v', 'ON_ERROR_STOP=1', url, '-c', sql],
		{ encoding: 'utf8' });
	if (done.status !== 0) throw new Error(`${sql}: ${done.stderr ?? done.error}`);
	return done.stdout.trim();
}

// Makes a database for a runner, and returns its URL through the pooler. Schemas are not possible there,
// because a pooler accepts no search path from its clients.
function testDatabaseBehind(pooler, server, name, template) {
	try {
		psql(server, `CREATE DATABASE ${name}${template ? ` TEMPLATE ${template} STRATEGY FILE_COPY` : ''}`);
	} catch (error) {
		if (!error.message.includes('already exists')) throw error;
	}
	return pooler.replace('/postgres?', `/${name}?`);
}

// Makes an empty database with this name, from which others can be copied as long as nobody is
// connected to it; returns its URL without the pooler. Undefined when databases are schemas, which
// cannot be copied.
export function templateDatabase(name) {
	const { EDS_TEST_DATABASE_URL: server, EDS_TEST_POOLER_URL: pooler } = process.env;
	if (!pooler) return undefined;
	psql(server, `CREATE DATABASE ${name}`);
	return server.replace('/postgres?', `/${name}?`);
}

// Makes an empty database with this name (the same for the same name) on the server that
// EDS_TEST_DATABASE_URL names; returns its URL. It is a schema or, if EDS_TEST_POOLER_URL names a pooler
// in front of the server, a database behind the pooler, which may be a copy of a template. Undefined
// when the tests use SQLite. It is removed with the server.
export function testDatabase(name, template) {
	const { EDS_TEST_DATABASE_URL: server, EDS_TEST_POOLER_URL: pooler } = process.env;
	if (!server) return undefined;
	const schema = `t${Buffer.from(name).toString('hex')}`;
	if (pooler) return testDatabaseBehind(pooler, server, schema, template);
	psql(server, `SET client_min_messages = error; CREATE SCHEMA IF NOT EXISTS ${schema}`);
	return `${server}&options=-csearch_path%3D${schema}`;
}

async function main(program, ...args) {
	if (!findPostgres()) throw new Error('PostgreSQL is not installed: make deps-test');
	const server = await startPostgres();
	const child = spawn(program, args,
		{ stdio: 'inherit', env: { ...process.env, EDS_TEST_DATABASE_URL: server.url } });
	const code = await new Promise((done) => child.once('close', (status) => done(status ?? 1)));
	await server.stop();
	process.exitCode = code;
}

if (import.meta.url === pathToFileURL(process.argv[1]).href) await main(...process.argv.slice(2));
