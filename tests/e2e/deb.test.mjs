// The Debian packages of `make deb`: lintian finds no fault, and they can be installed, upgraded, removed and
// purged in a root of this release of Debian that has only their dependencies.
import assert from 'node:assert/strict';
import { execFileSync, spawn } from 'node:child_process';
import { appendFileSync, existsSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';

import { freePort } from '../support/free-port.mjs';
import { canIsolate } from './support/package.mjs';
import { BUILD, request, until } from './support/runner.mjs';
import { createSession, getSession } from './support/tester.mjs';

const DEBS = join(BUILD, 'deb');
const files = existsSync(DEBS) ? readdirSync(DEBS) : [];
const missing = !files.some((file) => file.endsWith('.changes')) && 'make deb was not run';
const deb = (name) => join(DEBS, files.find((file) => file.startsWith(`${name}_`) && file.endsWith('.deb')));

const run = (program, ...args) => execFileSync(program, args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'], maxBuffer: 64 * 1024 * 1024 });
const has = (program) => ['/usr/bin', '/usr/sbin'].some((folder) => existsSync(join(folder, program)));
const paths = (file) => run('sh', '-c', 'dpkg-deb --fsys-tarfile "$0" | tar -t', file)
	.split('\n').filter((path) => path && !path.endsWith('/')).map((path) => path.slice(1));
const content = (file, path) => run('sh', '-c', 'dpkg-deb --fsys-tarfile "$0" | tar -xO ".$1"', file, path);
// limit of systemd's exposure level, in tenths; systemd calls a service with up to 2.0 well protected
const EXPOSURE_MAX = 20;

describe('the Debian packages', { skip: missing }, () => {
	test('have no errors or warnings of lintian', { skip: !has('lintian') && 'lintian is not installed' }, () => {
		const { status, stdout } = lint(join(DEBS, files.find((file) => file.endsWith('.changes'))));
		assert.equal(stdout, '');
		assert.equal(status, 0);
	});

	test('name in their notices the libraries that are linked into programs', () => {
		const notices = run('sh', '-c', 'dpkg-deb --fsys-tarfile "$0" | tar -xO ./usr/share/doc/eds/notices.txt.gz | gzip -d', deb('eds'));
		for (const library of ['libgmime-3.0-dev', 'libspf2-dev', 'libopendkim-dev', 'libarchive-dev', 'libssl-dev', 'libevent-dev']) {
			assert.ok(notices.includes(`\n${library} ${run('dpkg-query', '-W', '-f=${Version}', library)} (source `), library);
			assert.ok(notices.includes(readFileSync(`/usr/share/doc/${library}/copyright`, 'utf8')), library);
		}
	});

	test('have a unit that systemd calls well confined', { skip: !has('systemd-analyze') && 'systemd is not here' }, () => {
		const folder = mkdtempSync(join(tmpdir(), 'eds-unit-'));
		writeFileSync(join(folder, 'eds.service'), content(deb('eds'), paths(deb('eds')).find((path) => path.endsWith('/eds.service'))));
		run('systemd-analyze', 'security', '--offline=true', `--threshold=${EXPOSURE_MAX}`, join(folder, 'eds.service'));
		rmSync(folder, { recursive: true });
	});

	test('configure Caddy completely by the one line that their README.Debian says to write', { skip: !has('caddy') && 'caddy is not installed' }, () => {
		const folder = mkdtempSync(join(tmpdir(), 'eds-caddy-'));
		const installed = '/usr/share/eds-caddy/Caddyfile';
		const line = content(deb('eds-caddy'), '/usr/share/doc/eds-caddy/README.Debian').match(/^ +(import .*)$/m)[1];
		writeFileSync(join(folder, 'front'), content(deb('eds-caddy'), installed));
		writeFileSync(join(folder, 'Caddyfile'), `${line.replace(installed, join(folder, 'front'))}\n`);
		const adapted = (name) => JSON.parse(run('caddy', 'adapt', '--adapter', 'caddyfile', '--config', join(folder, name)));
		assert.deepEqual(adapted('Caddyfile'), adapted('front'));
		assert.match(JSON.stringify(adapted('Caddyfile')), /mta-sts\.txt/);
		rmSync(folder, { recursive: true });
	});

	test('for Postfix and Caddy put files only under /usr/share', () => {
		assert.ok(paths(deb('eds-postfix')).includes('/usr/share/eds-postfix/main.cf'));
		assert.ok(paths(deb('eds-caddy')).includes('/usr/share/eds-caddy/Caddyfile'));
		for (const name of ['eds-postfix', 'eds-caddy'])
			assert.deepEqual(paths(deb(name)).filter((path) => !path.startsWith('/usr/share/')), []);
	});
});

function lint(changes) {
	try {
		return { status: 0, stdout: run('lintian', '--allow-root', '--fail-on', 'error,warning', '--display-level', '>=warning', changes) };
	} catch ({ status, stdout }) {
		return { status, stdout };
	}
}

// The packages that a package depends on; of alternatives, the one that does not need systemd.
const dependenciesOf = (file) => run('dpkg-deb', '-f', file, 'Depends').split(', ')
	.map((group) => group.split('|').map((name) => name.trim().split(' ')[0]))
	.map((names) => names.find((name) => name.includes('standalone')) ?? names[0]);

// Files that dpkg and the tools for users and systemd keep for themselves; installing or
// removing any package changes them.
const KEPT = /^\/(var\/lib\/dpkg\/|var\/log\/|var\/cache\/|etc\/(passwd|group|shadow|gshadow)-$|etc\/\.pwd\.lock$)/;
const listed = (root) => run('find', root, '-xdev', '-not', '-path', `${root}/proc/*`, '-printf', '/%P\n').split('\n').filter((path) => path && !KEPT.test(path)).sort();

const ROOT_MS = 800000; // fetching and unpacking a root alone takes minutes on a slow machine
const cannot = () => missing || (!canIsolate() && 'only root makes roots') || (!has('mmdebstrap') && 'mmdebstrap is not installed');

describe('eds in a root of Debian', { skip: cannot(), timeout: ROOT_MS }, () => {
	const folder = join('/var/tmp', `eds-deb-${process.pid}`);
	const root = join(folder, 'root');
	const inRoot = (...command) => run('chroot', root, 'env', '-i', 'PATH=/usr/sbin:/usr/bin:/sbin:/bin', 'DEBIAN_FRONTEND=noninteractive', ...command);
	const settings = join(root, 'etc/eds/eds.conf');
	const data = join(root, 'var/lib/eds');
	const systemctl = join(root, 'usr/bin/systemctl');
	const log = join(root, 'run/systemctl.log');
	let unmade;
	let atFirst;
	let testId;

	before(() => {
		mkdirSync(folder, { mode: 0o711 });
		try {
			run('mmdebstrap', '--quiet', '--variant=minbase', `--include=${dependenciesOf(deb('eds'))}`, release().VERSION_CODENAME, root);
		} catch ({ stderr }) {
			unmade = `no root can be made here: ${stderr.trim().split('\n').at(-1)}`;
			return;
		}
		atFirst = listed(root);
	});
	after(() => rmSync(folder, { recursive: true, force: true }));
	const story = (name, tell) => test(name, async (t) => (unmade ? t.skip(unmade) : tell(t)));

	function install(file, ...options) {
		writeFileSync(join(root, 'package.deb'), readFileSync(file));
		try {
			return inRoot('dpkg', ...options, '--install', '/package.deb');
		} finally {
			rmSync(join(root, 'package.deb'));
		}
	}

	// Returns what maintainer scripts ask of systemctl during tell(); with this folder they assume that systemd is running.
	function toSystemctl(tell) {
		mkdirSync(join(root, 'run/systemd/system'), { recursive: true });
		writeFileSync(systemctl, '#!/bin/sh\necho "$*" >>/run/systemctl.log\n', { mode: 0o755 });
		tell();
		const asked = readFileSync(log, 'utf8');
		for (const path of [log, systemctl, join(root, 'run/systemd')]) rmSync(path, { recursive: true });
		return asked;
	}

	// Starts the service with the user, the folder and the settings file of its unit,
	// and calls tell() while it runs.
	async function whileServing(tell) {
		const unit = readFileSync(join(root, inRoot('dpkg', '-L', 'eds').match(/.*\/eds\.service$/m)[0]), 'utf8');
		const of = (name) => unit.match(new RegExp(`^${name}=(.*)$`, 'm'))[1];
		const user = of('User');
		const state = `/var/lib/${of('StateDirectory')}`;
		inRoot('install', '-d', '-o', user, '-g', user, '-m', of('StateDirectoryMode'), state);
		const env = readFileSync(join(root, of('EnvironmentFile')), 'utf8').split('\n').filter((line) => /^\w+=/.test(line));
		const child = spawn('unshare', ['--mount', '--propagation', 'private', 'sh', '-c', 'mount -t proc proc "$0/proc" && exec chroot "$@"', root, root,
			'setpriv', `--reuid=${user}`, `--regid=${user}`, '--init-groups', '--no-new-privs', '--bounding-set=-all',
			'env', '-i', '-C', state, 'PATH=/usr/bin:/bin', ...env, ...of('ExecStart').split(' ')], { stdio: ['ignore', 'pipe', 'pipe'] });
		const ended = new Promise((done) => child.once('close', done));
		const output = { out: '', err: '' };
		child.stdout.setEncoding('utf8').on('data', (text) => (output.out += text));
		child.stderr.setEncoding('utf8').on('data', (text) => (output.err += text));
		try {
			await until(() => output.out.includes('\n') || child.exitCode !== null);
			assert.equal(child.exitCode, null, output.err);
			const { http, ops } = JSON.parse(output.out.split('\n')[0]);
			await tell({ pid: child.pid, baseUrl: `http://${http}`, opsUrl: `http://${ops}` });
		} finally {
			child.kill('SIGTERM');
			assert.equal(await ended, 0, output.err);
		}
	}

	story('is installed with only its dependencies, its own user, and settings that only root may read', () => {
		install(deb('eds'));
		install(deb('eds-postfix'));
		install(deb('eds-caddy'));
		assert.match(inRoot('getent', 'passwd', 'eds'), /^eds:x:\d+:\d+:.*:\/var\/lib\/eds:\/usr\/sbin\/nologin$/m);
		assert.equal(statSync(settings).mode & 0o777, 0o600);
		assert.match(inRoot('eds', '--version'), /^eds \d/);
		// the service starts when the machine starts
		assert.match(inRoot('find', '/etc/systemd/system/multi-user.target.wants'), /\/eds\.service$/m);
	});

	story('finds the libraries that its programs need, including those opened on demand', () => {
		const needed = inRoot('sh', '-c', 'find /usr/lib/eds /usr/bin/eds -type f -perm /111 -exec grep -q "^.ELF" {} \\; -exec ldd {} \\; 2>&1');
		assert.match(needed, /libsqlite3\.so\.0 => \//);
		assert.doesNotMatch(needed, /not found/);
		for (const opened of ['libpq.so.5', 'libcurl.so.4']) assert.ok(inRoot('ldconfig', '-p').includes(`\t${opened} `), opened);
	});

	story('serves its page with the installed settings, as its own user', async () => {
		const ports = [await freePort(), await freePort(), await freePort()];
		appendFileSync(settings, ['HTTP', 'SMTP', 'OPS'].map((name, i) => `EDS_${name}_LISTEN=127.0.0.1:${ports[i]}\n`).join(''));
		await whileServing(async (runner) => {
			assert.equal((await request(`${runner.opsUrl}/healthz`)).status, 200);
			const page = await request(`${runner.baseUrl}/`);
			assert.equal(page.status, 200);
			assert.match(page.text, /<title>/);
			({ testId } = await createSession(runner));
			const user = Number(inRoot('id', '-u', 'eds'));
			assert.equal(statSync(`/proc/${runner.pid}`).uid, user);
			assert.equal(statSync(join(data, 'var/eds.db')).uid, user);
		});
	});

	story('makes a token by the command that its README gives, as the user of the service', () => {
		const told = readFileSync(join(root, 'usr/share/doc/eds/README.Debian'), 'utf8').match(/^ +(echo .*invoke admin -)$/m)[1];
		appendFileSync(settings, 'EDS_TITLE=Mail checks of Example\n');
		const { account, token } = JSON.parse(inRoot('sh', '-c', told));
		assert.equal(inRoot('as-eds', 'sh', '-c', 'id -un; pwd; echo "$EDS_TITLE"; umask'), 'eds\n/var/lib/eds\nMail checks of Example\n0077\n');
		assert.equal(account, 'dev');
		assert.match(token, /^\S{20,}$/);
	});

	story('keeps its settings, data and timer when it is upgraded, and its service is restarted', async () => {
		const settled = readFileSync(settings, 'utf8');
		const next = join(folder, 'next');
		run('dpkg-deb', '-R', deb('eds'), next);
		const control = join(next, 'DEBIAN/control');
		writeFileSync(control, readFileSync(control, 'utf8').replace(/^Version: .*$/m, 'Version: 99'));
		appendFileSync(join(next, 'etc/eds/eds.conf'), '# A later release has more to set.\n');
		run('dpkg-deb', '-Zgzip', '-z1', '-b', next, `${next}.deb`);

		const asked = toSystemctl(() => install(`${next}.deb`, '--force-confdef', '--force-confold'));
		assert.match(asked, /daemon-reload[^]*\brestart eds\.service/);
		assert.doesNotMatch(asked, /\bstop\b/);

		assert.match(inRoot('dpkg-query', '-W', 'eds'), /\t99$/m);
		assert.equal(readFileSync(settings, 'utf8'), settled);
		await whileServing(async (runner) => assert.equal((await getSession(runner, testId)).testId, testId));
	});

	story('keeps its settings and data when it is removed, and none of its units goes on', () => {
		const asked = toSystemctl(() => inRoot('dpkg', '--remove', 'eds', 'eds-postfix', 'eds-caddy'));
		for (const unit of ['eds.service', 'eds-backup.timer', 'eds-ports.socket']) assert.match(asked, new RegExp(`\\bstop\\b.* ${unit}`), unit);
		assert.ok(!existsSync(join(root, 'usr/lib/eds')));
		assert.match(readFileSync(settings, 'utf8'), /^EDS_HTTP_LISTEN=/m);
		assert.ok(existsSync(join(data, 'var/eds.db')));
	});

	story('leaves nothing behind when it is purged', () => {
		inRoot('dpkg', '--purge', 'eds', 'eds-postfix', 'eds-caddy');
		assert.deepEqual(listed(root), atFirst);
	});
});

function release() {
	return Object.fromEntries(readFileSync('/etc/os-release', 'utf8').trim().split('\n').map((line) => line.replaceAll('"', '').split('=')));
}
