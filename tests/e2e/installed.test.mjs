// The files that `make install` puts on a machine: programs that find each other, and a unit for
// systemd whose confinement forbids nothing that they need.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative, resolve } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';

import { BUILD, startRunner, until } from './support/runner.mjs';
import { sendMail } from './support/mail.mjs';
import { createSession, untilCompleted } from './support/tester.mjs';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
// make compiles sources newer than their objects: in another mode than that of BUILD, nothing would link afterwards.
const MODE = relative(resolve(ROOT, 'build'), BUILD) || 'release';
const make = (target, root, ...more) =>
	execFileSync('make', ['-s', target, `DESTDIR=${root}`, `BUILD=${BUILD}`, `MODE=${MODE}`, ...more], { cwd: ROOT, encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'] });
// limit of systemd's exposure level, in tenths; systemd calls a service with up to 2.0 well protected
const EXPOSURE_MAX = 20;

// The system calls that a set such as @system-service contains.
function systemCalls(set) {
	const lines = execFileSync('systemd-analyze', ['syscall-filter', set], { encoding: 'utf8' }).split('\n').slice(1)
		.map((line) => line.trim()).filter((line) => line && !line.startsWith('#'));
	return lines.flatMap((line) => (line.startsWith('@') ? systemCalls(line) : [line]));
}

describe('an installed eds', { skip: !existsSync('/usr/bin/systemd-analyze') && 'systemd is not here' }, () => {
	let root;
	let unit;

	before(() => {
		root = mkdtempSync(join(tmpdir(), 'eds-installed-'));
		make('install', root);
		unit = join(root, 'etc/systemd/system/eds.service');
	});
	after(() => rmSync(root, { recursive: true, force: true }));

	const setting = (name) => readFileSync(unit, 'utf8').match(new RegExp(`^${name}=(.*)$`, 'm'))[1];

	test('has a unit that systemd understands and calls well confined', () => {
		const placed = join(root, 'eds.service');
		writeFileSync(placed, readFileSync(unit, 'utf8').replaceAll('/usr/local', `${root}/usr/local`));
		execFileSync('systemd-analyze', ['verify', '--man=no', placed], { stdio: 'pipe' });
		execFileSync('systemd-analyze', ['security', '--offline=true', `--threshold=${EXPOSURE_MAX}`, placed], { stdio: 'pipe' });
	});

	test('has a unit that tells the runner the boot, because it hides the file of the kernel', () => {
		assert.equal(setting('ProcSubset'), 'pid');
		assert.equal(setting('Environment'), 'BOOT_ID=%b');
	});

	test('has the command eds, its manual page and its completion', () => {
		const prefix = join(root, 'usr/local');
		assert.match(execFileSync(join(prefix, 'bin/eds'), ['--version'], { encoding: 'utf8' }), /^eds \d/);
		assert.match(readFileSync(join(prefix, 'share/man/man1/eds.1'), 'utf8'), /^\.TH EDS 1 /);
		assert.match(readFileSync(join(prefix, 'share/bash-completion/completions/eds'), 'utf8'), /complete -F _eds eds/);
	});

	test('keeps its settings from other users, and leaves those of an earlier installation', () => {
		const settings = join(root, 'etc/eds/eds.conf');
		assert.equal(statSync(settings).mode & 0o777, 0o600);
		writeFileSync(settings, 'EDS_LOG_LEVEL=debug\n');
		make('install', root);
		assert.equal(readFileSync(settings, 'utf8'), 'EDS_LOG_LEVEL=debug\n');
	});

	test('runs commands with the settings of the service, read as systemd reads them', () => {
		const home = join(root, 'var/lib/eds');
		mkdirSync(home, { recursive: true });
		writeFileSync(join(root, 'etc/eds/eds.conf'), ['# EDS_TITLE=no', ' ; EDS_TITLE=no', 'EDS_TITLE=first', '  EDS_TITLE = Mail checks  of $HOME `x`  ', '',
			'EDS_CONTACT="a \'b\' c"', "EDS_IMPRINT_URL='https://example.com/?a=b&c'", 'EDS_PRIVACY_URL=', 'not a setting', 'EDS_LOG_LEVEL=debug'].join('\n'));
		const said = (command, ...args) => execFileSync(join(root, 'usr/local/sbin/as-eds'), [command, ...args], { encoding: 'utf8', env: { PATH: process.env.PATH, AS_EDS_ROOT: root } });
		assert.deepEqual(said('sh', '-c', 'pwd; env | grep ^EDS_ | sort').trim().split('\n'),
			[home, "EDS_CONTACT=a 'b' c", 'EDS_IMPRINT_URL=https://example.com/?a=b&c', 'EDS_LOG_LEVEL=debug', 'EDS_PRIVACY_URL=', 'EDS_TITLE=Mail checks  of $HOME `x`']);
		assert.match(readFileSync(join(root, 'usr/local/sbin/as-eds'), 'utf8'), /^programs=\/usr\/local\/lib\/eds$/m);
		assert.match(readFileSync(join(root, 'usr/local/share/man/man8/as-eds.8'), 'utf8'), /^\.TH AS-EDS 8 /);
	});

	test('analyzes mail without a system call that its unit forbids', async () => {
		const calls = join(root, 'calls');
		const home = join(root, 'var/lib/eds');
		mkdirSync(home, { recursive: true });
		const program = join(root, setting('ExecStart').split(' ')[0]);
		const traced = join(root, 'traced');
		mkdirSync(traced);
		writeFileSync(join(traced, 'runner'), `#!/bin/sh\nexec strace -D -f -q -o '${calls}' -e signal=none '${program}' "$@"\n`, { mode: 0o755 });
		const runner = await startRunner({ build: traced, folder: home, env: { EDS_DNS_SERVERS: '127.0.0.1:9' } });
		try {
			const { email, testId } = await createSession(runner);
			await sendMail(runner.smtpPort, { from: 'a@example.com', to: email, message: 'Subject: test\r\n\r\ntext\r\n' });
			await untilCompleted(runner, testId);
		} finally {
			await runner.stop();
		}
		const trace = () => readFileSync(calls, 'utf8');
		await until(() => new RegExp(`^${runner.pid} +\\+\\+\\+ exited with 0`, 'm').test(trace()));
		const allowed = new Set(setting('SystemCallFilter').split(' ').flatMap((word) => (word.startsWith('@') ? systemCalls(word) : [word])));
		const made = new Set([...trace().matchAll(/^\d+ +(?:<\.\.\. )?([a-z0-9_]+)[( ]/gm)].map(([, name]) => name));
		assert.ok(made.has('seccomp'), 'the sandbox has confined a child');
		// ptrace is an exception: the sandbox tries the calls that must be refused to its children.
		assert.deepEqual([...made].filter((name) => !allowed.has(name) && name !== 'ptrace'), []);
	});

	test('is upgraded in order: the database by the new programs, then the programs, then the service', async () => {
		const home = join(root, 'var/lib/eds');
		const database = (text) => execFileSync('sqlite3', [join(home, 'var/eds.db'), text], { encoding: 'utf8' }).trim();
		mkdirSync(home, { recursive: true });
		writeFileSync(join(root, 'etc/eds/eds.conf'), 'EDS_TITLE=Mail checks of Example\n');
		const runner = await startRunner({ build: join(root, 'usr/local/lib/eds'), folder: home, env: { EDS_DATABASE_URL: 'sqlite:var/eds.db' } });
		try {
			database('DROP TABLE schema_steps'); // makes the schema look as the previous release left it
			const said = make('upgrade', root, 'SYSTEMCTL=echo systemctl');
			assert.match(said, /^\{"from":4,"to":\d+\}\nsystemctl daemon-reload\nsystemctl restart eds\n$/);
			assert.equal(database('SELECT count(*) FROM schema_steps'), '1');
			await createSession(runner); // the running runner, which is still the old one, keeps working
		} finally {
			await runner.stop();
		}
	});
});
