// A PostgreSQL server for tests: a cluster of its own in a temporary folder, on a Unix socket alone,
// which ends with whoever started it. It sorts by a language, as many databases do.
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
const NOBODY = { uid: 65534, gid: 65534 };
const INITDB = ['--username=eds', '--auth=trust', '--no-sync', '--encoding=UTF8', '--locale=C.UTF-8',
	'--locale-provider=icu', '--icu-locale=en'];
const SETTINGS = ['listen_addresses=', 'fsync=off', 'synchronous_commit=off', 'full_page_writes=off',
	'shared_buffers=32MB', 'autovacuum=off', 'jit=off', 'max_connections=200', 'log_min_messages=log'];

const versions = '/usr/lib/postgresql';
const asRoot = process.getuid() === 0;

// The folder of the newest installed server's programs; undefined without one.
export function findPostgres() {
	if (!existsSync(versions)) return undefined;
	return readdirSync(versions)
		.sort((a, b) => Number(b) - Number(a))
		.map((version) => join(versions, version, 'bin'))
		.find((folder) => existsSync(join(folder, 'initdb')));
}

// The server refuses to run as root. It ends when this process does, whatever ends it.
function command(program, args) {
	const user = asRoot ? [`--reuid=${NOBODY.uid}`, `--regid=${NOBODY.gid}`, '--clear-groups'] : [];
	return ['setpriv', [...user, '--pdeathsig=INT', program, ...args]];
}

function ready(child) {
	return new Promise((done, failed) => {
		let output = '';
		const timer = setTimeout(() => failed(new Error(`PostgreSQL does not start\n${output}`)),
			START_SECONDS * 1000);
		child.stderr.setEncoding('utf8').on('data', (text) => {
			output += text;
			if (!output.includes('ready to accept connections')) return;
			clearTimeout(timer);
			done();
		});
		child.once('close', () => {
			clearTimeout(timer);
			failed(new Error(`PostgreSQL ended at once\n${output}`));
		});
	});
}

// more: settings beside those for tests. Gives { url, pid, stop }.
export async function startPostgres(more = []) {
	const bin = findPostgres();
	const folder = mkdtempSync(join(tmpdir(), 'eds-postgres-'));
	const data = join(folder, 'data');
	const settings = [...SETTINGS, ...more].flatMap((setting) => ['-c', setting]);
	const options = { cwd: folder, env: { PATH: process.env.PATH, LC_ALL: 'C.UTF-8' } };
	let child;

	chmodSync(folder, 0o755);
	if (asRoot) chownSync(folder, NOBODY.uid, NOBODY.gid);
	const stop = async () => {
		if (child && child.exitCode === null && child.signalCode === null) {
			const ended = new Promise((done) => child.once('close', done));
			child.kill('SIGINT');
			await ended;
		}
		rmSync(folder, { recursive: true, force: true });
	};
	try {
		execFileSync(...command(join(bin, 'initdb'), [...INITDB, '-D', data]), { ...options, stdio: 'pipe' });
		child = spawn(...command(join(bin, 'postgres'), ['-D', data, '-k', folder, ...settings]),
			{ ...options, stdio: ['ignore', 'ignore', 'pipe'] });
		await ready(child);
		return { url: `postgresql:///postgres?host=${folder}&user=eds`, pid: child.pid, stop };
	} catch (error) {
		await stop();
		throw error;
	}
}

// Runs SQL and gives what psql prints: rows as lines, columns separated by |.
export function psql(url, sql) {
	const done = spawnSync('psql', ['-X', '-q', '-A', '-t', '-v', 'ON_ERROR_STOP=1', url, '-c', sql],
		{ encoding: 'utf8' });
	if (done.status !== 0) throw new Error(`${sql}: ${done.stderr ?? done.error}`);
	return done.stdout.trim();
}

// An empty database of this name (a schema, the same for the same name) on the server that
// EDS_TEST_DATABASE_URL names: its URL. Undefined when the tests are to use SQLite. It goes with the
// server.
export function testDatabase(name) {
	const server = process.env.EDS_TEST_DATABASE_URL;
	if (!server) return undefined;
	const schema = `t${Buffer.from(name).toString('hex')}`;
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
