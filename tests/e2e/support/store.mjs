// Direct access to the database of a runner, on either store, for states that a story cannot see or
// cause through the API.
import { execFileSync, spawn } from 'node:child_process';
import { join } from 'node:path';

import { psql } from '../../support/postgres.mjs';
import { asCloud, cloudBuild } from './cloud.mjs';
import { BUILD } from './runner.mjs';

const LOCK_WAIT_MS = 5000;
const SQLITE_FILE = 'var/eds.db';

export const onPostgres = (runner) => Boolean(runner.storeEnv.EDS_DATABASE_URL);

// Runs SQL: rows as lines, columns separated by |.
export function sql(runner, text) {
	const { EDS_DATABASE_URL: url } = runner.storeEnv;
	if (url) return psql(url, text);
	return execFileSync('sqlite3', ['-bail', '-cmd', '.timeout 20000', SQLITE_FILE, text],
		{ cwd: runner.folder, encoding: 'utf8' }).trim();
}

// The settings that programs need to work on the runner's database; they run in its folder.
export const environment = (runner, more = {}) =>
	({ PATH: process.env.PATH, EDS_TIMEOUT_MS: '30000', EDS_NAME_SERVER_PORT: '0', ...runner.storeEnv, ...more });

// Runs the function admin; returns its answer.
export function admin(runner, input) {
	const [program, args] = runner.cloud
		? asCloud(join(cloudBuild(), 'functions/admin'), [], runner.cloud)
		: [join(BUILD, 'functions/admin'), []];
	return JSON.parse(execFileSync(program, args,
		{ cwd: runner.folder, env: environment(runner), input: JSON.stringify(input), encoding: 'utf8' }));
}

// Locks the table against all other writers until the returned function is called.
export async function lockTable(runner, table) {
	const { EDS_DATABASE_URL: url } = runner.storeEnv;
	const [program, args, lock] = url
		? ['psql', ['-X', '-q', '-A', '-t', url], `BEGIN; LOCK TABLE ${table} IN EXCLUSIVE MODE; SELECT 1;\n`]
		: ['sqlite3', ['-bail', SQLITE_FILE], `.timeout ${LOCK_WAIT_MS}\nBEGIN EXCLUSIVE;\nSELECT 1;\n`];
	const holder = spawn(program, args, { cwd: runner.folder, stdio: ['pipe', 'pipe', 'inherit'] });
	const ended = new Promise((done) => holder.once('close', done));
	holder.stdin.write(lock);
	await Promise.race([new Promise((done) => holder.stdout.once('data', done)),
		ended.then(() => { throw new Error(`${program} ended`); })]);
	return async () => {
		holder.stdin.end('ROLLBACK;\n');
		await ended;
	};
}

// Checks the file of SQLite; a PostgreSQL server checks its own files.
export function isSound(runner) {
	return onPostgres(runner) || sql(runner, 'PRAGMA integrity_check') === 'ok';
}
