// The backup that systemd's timer makes (infra/systemd/backup), from a service in use, on both databases: it
// is complete, and a service runs on it.
import assert from 'node:assert/strict';
import { execFile, execFileSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { promisify } from 'node:util';

import { findPostgres, psql, startPostgres } from '../support/postgres.mjs';
import { sendMail } from './support/mail.mjs';
import { startRunner } from './support/runner.mjs';
import { createSession, getSession, untilCompleted } from './support/tester.mjs';

const BACKUP = resolve('infra/systemd/backup');
const EXPOSURE_MAX = 20; // tenths
const message = 'From: a@example.com\r\nSubject: kept\r\n\r\ntext\r\n';
const run = promisify(execFile);

describe('the timer', { skip: !existsSync('/usr/bin/systemd-analyze') && 'systemd is not here' }, () => {
	test('has units that systemd understands and calls well confined', () => {
		const folder = mkdtempSync(join(tmpdir(), 'eds-timer-'));
		try {
			for (const name of ['eds-backup.service', 'eds-backup.timer', 'eds.service', 'eds-ports.socket'])
				writeFileSync(join(folder, name), readFileSync(`infra/systemd/${name}`, 'utf8').replaceAll(/\/usr\/local\/lib\/eds\/\w+/g, '/bin/true'));
			const units = ['eds-backup.service', 'eds-backup.timer'].map((name) => join(folder, name));
			execFileSync('systemd-analyze', ['verify', '--man=no', ...units], { stdio: 'pipe' });
			execFileSync('systemd-analyze', ['security', '--offline=true', `--threshold=${EXPOSURE_MAX}`, units[0]], { stdio: 'pipe' });
			assert.match(execFileSync('systemd-analyze', ['calendar', /OnCalendar=(.*)/.exec(readFileSync(units[1], 'utf8'))[1]], { encoding: 'utf8' }), /03:15:00/);
		} finally {
			rmSync(folder, { recursive: true });
		}
	});
});

function story(name, skip, { start, restore }) {
	describe(`a backup of ${name}`, { skip }, () => {
		let folder;
		let env;
		let server;
		let runner;
		const others = [];
		const backups = () => readdirSync(join(folder, 'backup')).sort();
		const backup = (more = {}, ...args) => run(BACKUP, [join(folder, 'backup'), ...args], { cwd: join(folder, 'one'), env: { PATH: process.env.PATH, ...env, ...more } });
		const serve = (home, more) => startRunner({ folder: join(folder, home), cloud: undefined, bootstrap: false,
			env: { EDS_DNS_SERVERS: '127.0.0.1:9', EDS_TESTER_SESSIONS_PER_HOUR: '0', EDS_MAIL_STORE: 'file:var/mail', ...more } });

		before(async () => {
			folder = mkdtempSync(join(tmpdir(), 'eds-backup-timer-'));
			mkdirSync(join(folder, 'one'));
			mkdirSync(join(folder, 'two/var'), { recursive: true });
			server = await start();
			env = { EDS_DATABASE_URL: server?.url ?? 'sqlite:var/eds.db' };
			runner = await serve('one', env);
		});
		after(async () => {
			for (const each of [runner, ...others]) await each?.stop();
			await server?.stop();
			if (folder) rmSync(folder, { recursive: true, force: true });
		});

		test('made while tests run is complete, and a service can continue from it', async () => {
			const done = await createSession(runner);
			await sendMail(runner.smtpPort, { from: 'a@example.com', to: done.email, message });
			const completed = await untilCompleted(runner, done.testId);
			let over = false;
			const load = (async () => {
				while (!over) await createSession(runner);
			})();
			await backup();
			over = true;
			await load;
			const [made] = backups();
			assert.match(made, /^\d{8}T\d{6}Z$/);
			cpSync(join(folder, 'backup', made, 'mail'), join(folder, 'two/var/mail'), { recursive: true });
			const restored = await serve('two', { EDS_DATABASE_URL: restore(join(folder, 'backup', made), join(folder, 'two'), server) });
			others.push(restored);
			assert.deepEqual(await getSession(restored, done.testId), completed);
			assert.ok(readdirSync(join(folder, 'two/var/mail')).length >= 1);
			await createSession(restored);
		});

		test('that fails leaves no file behind, and says so', async () => {
			const was = backups();
			await assert.rejects(backup({ EDS_DATABASE_URL: name === 'SQLite' ? 'sqlite:var/none.db' : 'postgresql:///none?host=/none' }), /none/);
			assert.deepEqual(backups(), was);
		});

		test('that keeps failing does not change the time of the last success', async () => {
			const made = join(folder, 'one/var/mail.spool/backup-made');
			rmSync(made);
			await assert.rejects(backup({ EDS_DATABASE_URL: 'file:none' }), /database's address, none, cannot be read/);
			// the time 1970 stands for "no backup has ever succeeded"
			assert.equal(statSync(made).mtimeMs, 0);
			await backup();
			assert.ok(Date.now() - statSync(made).mtimeMs < 60000);
			utimesSync(made, 1000, 1000);
			await assert.rejects(backup({ EDS_DATABASE_URL: 'file:none' }));
			assert.equal(statSync(made).mtimeMs, 1000000);
		});

		test('finds the address of the database in a credential of its own unit', async () => {
			const credentials = join(folder, 'credentials');
			mkdirSync(credentials);
			writeFileSync(join(credentials, 'database'), env.EDS_DATABASE_URL); // the file has no end of line
			const before = backups();
			await backup({ EDS_DATABASE_URL: 'file:/run/credentials/eds-of-a-test.service/database', CREDENTIALS_DIRECTORY: credentials });
			assert.equal(backups().length, before.length + 1);
		});

		test('made within a second of another is kept beside it', async () => {
			const before = backups();
			await backup();
			await backup();
			assert.equal(backups().length, before.length + 2);
			for (const made of backups()) assert.deepEqual(readdirSync(join(folder, 'backup', made)).filter((file) => file.endsWith('.new')), []);
		});

		test('replaces the oldest', async () => {
			for (const day of ['01', '02', '03']) mkdirSync(join(folder, 'backup', `202001${day}T000000Z`));
			const before = backups();
			await backup({}, '3');
			const after = backups();
			assert.equal(after.length, 3);
			assert.deepEqual(after.slice(0, 2), before.slice(-2));
		});
	});
}

story('SQLite', false, {
	start: () => undefined,
	restore(made, home) {
		cpSync(join(made, 'database.sqlite'), join(home, 'var/eds.db'));
		return 'sqlite:var/eds.db';
	},
});
story('PostgreSQL', !findPostgres() && 'PostgreSQL is not installed', {
	start: () => startPostgres(),
	restore(made, home, server) {
		psql(server.url, 'CREATE DATABASE restored');
		const url = server.url.replace('/postgres?', '/restored?');
		execFileSync('pg_restore', ['-d', url, join(made, 'database.dump')], { stdio: 'pipe' });
		return url;
	},
});
