// The zips of make package: they need nothing from the machine that they run on, are small, and
// have the same octets each time they are packed.
import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { copyFileSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { describe, test } from 'node:test';

import { makeAuthority } from '../support/authority.mjs';
import { canIsolate, packageFile, runPackage, startPackage } from './support/package.mjs';
import { BUILD, childrenOf, ofProcess } from './support/runner.mjs';
import { startS3 } from './support/s3.mjs';

const MB = 1024 * 1024;
const API_MB = 5;
const ZSTD_MB = 2; // additional size with OpenSSL 3.5 of Debian 13, which needs zstd
const EVENT_MB = 12; // size limit of a function that takes mail or has a schedule
const HELPERS = {
	'tester-analyze': ['verifier'], 'tester-uploads': ['verifier'], 'tester-session-reanalyze': ['verifier'],
	'reports-ingest': ['report-reader', 'verifier'],
	'reports-tls-post': ['report-reader'], 'reports-upload': ['report-reader'],
	'posture-check': ['validator'], 'posture-check-now': ['validator'],
};
// an age at which a message without a session is deleted, which happens after 49 hours
const FORGOTTEN_MS = 60 * 3600 * 1000;
const HOURLY = {
	version: '0', id: 'a', 'detail-type': 'Scheduled Event', source: 'aws.events', account: '123456789012',
	time: '2026-01-31T12:00:00Z', region: 'eu-test-1', resources: [], detail: {},
};
const SUITE_MS = 600000;

const { functions } = JSON.parse(readFileSync('functions/manifest.json', 'utf8'));
const names = Object.keys(functions);
const missing = names.every((name) => existsSync(packageFile(name))) ? false : 'make package was not run';
const ownCurl = existsSync(join(BUILD, 'package/own/libcurl.so.4'));
const noOwnCurl = ownCurl ? false : 'the sources of libcurl could not be had, and the system\'s is in the packages';
const contents = (name) =>
	execFileSync('unzip', ['-Z1', packageFile(name)], { encoding: 'utf8' }).trim().split('\n');
const hash = (name) => createHash('sha256').update(readFileSync(packageFile(name))).digest('hex');

describe('the package', { skip: missing, timeout: SUITE_MS }, () => {
	test('of each function holds its program, bootstrap, manifest, loader and authorities', () => {
		for (const name of names) {
			const files = contents(name);
			for (const file of ['bootstrap', `functions/${name}`, 'functions/manifest.json', 'lib/ld-linux-x86-64.so.2',
				'lib/libc.so.6', 'ca-certificates.crt'])
				assert.ok(files.includes(file), `${name}: ${file}`);
			assert.equal(files.filter((file) => file.startsWith('functions/')).length, 2);
		}
	});

	test('has the helper that reads hostile octets only where it is needed', () => {
		const helpers = (name) => contents(name).filter((file) => file.startsWith('libexec/')).join();
		for (const name of names) {
			assert.equal(helpers(name), (HELPERS[name] ?? []).map((helper) => `libexec/eds-${helper}`).join(), name);
		}
	});

	test('has libcurl where it may need a bucket, a policy or the database\'s secret, so not in the dashboard', () => {
		for (const name of names) assert.equal(contents(name).includes('lib/libcurl.so.4'), name !== 'dashboard-page', name);
	});

	test('is small: under 5 MB for a function with routes, under 12 MB for one that has a schedule or handles mail', { skip: noOwnCurl }, () => {
		for (const name of names) {
			const size = statSync(packageFile(name)).size / MB;
			const zstd = contents(name).includes('lib/libzstd.so.1') ? ZSTD_MB : 0;
			assert.ok(size < ((functions[name].http || functions[name].ops) && !HELPERS[name] ? API_MB : EVENT_MB) + zstd, `${name}: ${size} MB`);
		}
	});

	test('has a libcurl that needs OpenSSL and no other library', { skip: noOwnCurl }, () => {
		const needed = execFileSync('readelf', ['-d', join(BUILD, 'package/own/libcurl.so.4')], { encoding: 'utf8' });
		assert.deepEqual([...needed.matchAll(/NEEDED.*\[(\w+)/g)].map(([, name]) => name).sort(), ['libc', 'libcrypto', 'libssl']);
	});

	test('has every library that its libraries need, with our libcurl and with that of the system', () => {
		const folder = mkdtempSync(join(tmpdir(), 'eds-packed-'));
		const unbound = (archive, to) => {
			execFileSync('unzip', ['-q', archive, '-d', join(folder, to)]);
			const lib = join(folder, to, 'lib');
			const files = readdirSync(lib).filter((file) => !file.startsWith('ld-linux'));
			assert.ok(files.includes('libcurl.so.4') && files.includes('libpq.so.5'), files.join());
			return files.flatMap((file) => {
				const { stdout, stderr } = spawnSync(join(lib, 'ld-linux-x86-64.so.2'), ['--library-path', lib, join(lib, file)], {
					encoding: 'utf8', env: { LD_TRACE_LOADED_OBJECTS: '1', LD_WARN: 'yes', LD_BIND_NOW: 'yes' },
				});
				assert.match(stdout, /linux-vdso|statically linked/, `${file}: ${stderr}`);
				return `${stdout}${stderr}`.split('\n').filter((line) => /undefined|not found|no version/.test(line));
			});
		};
		try {
			assert.deepEqual(unbound(packageFile('common'), 'made'), []);
			mkdirSync(join(folder, 'package/own'), { recursive: true });
			mkdirSync(join(folder, 'package/bin/functions'), { recursive: true });
			for (const program of ['bootstrap', 'libexec', 'functions/mta-sts-check'])
				symlinkSync(resolve(BUILD, 'package/bin', program), join(folder, 'package/bin', program));
			for (const file of readdirSync(join(BUILD, 'package/own')).filter((file) => /^lib(ldap|gssapi)/.test(file)))
				copyFileSync(join(BUILD, 'package/own', file), join(folder, 'package/own', file));
			// a replacement for advzip, which takes a minute and makes the zip 4 % smaller
			symlinkSync('/bin/true', join(folder, 'advzip'));
			const env = { ...process.env, PATH: `${folder}:${process.env.PATH}`, BUILD: folder, PACKAGE_CA: '/etc/ssl/certs/ca-certificates.crt' };
			execFileSync('infra/package/pack', ['common'], { env });
			assert.deepEqual(unbound(join(folder, 'package/common.zip'), 'system'), []);
		} finally {
			rmSync(folder, { recursive: true, force: true });
		}
	});

	test('is the same when it is packed again', () => {
		const before = hash('mail-accept');
		execFileSync('infra/package/pack', ['mail-accept'], { env: { ...process.env, BUILD } });
		assert.equal(hash('mail-accept'), before);
	});

	describe('in an empty root', { skip: canIsolate() ? false : 'this machine lets no test make one' }, () => {
		for (const name of names)
			test(`${name} starts and answers`, async () => {
				const env = { EDS_DATABASE_URL: 'sqlite:/tmp/eds.db', EDS_MAIL_STORE: 'file:/tmp/mail' };
				const outcome = await runPackage(name, {}, { env });
				assert.ok(['response', 'error'].includes(outcome.kind));
				if (outcome.kind === 'error')
					assert.equal(outcome.headers['lambda-runtime-function-error-type'], 'Function.Failed', outcome.text);
			});

		for (const name of names)
			test(`${name} starts and answers as a user other than root, on a kernel that refuses some calls`, async () => {
				const env = { EDS_DATABASE_URL: 'sqlite:/tmp/eds.db', EDS_MAIL_STORE: 'file:/tmp/mail' };
				const cloud = { refuse: 'none', missing: 'prctl,seccomp,ptrace,close_range,memfd_create,sched_setscheduler' };
				const outcome = await runPackage(name, {}, { env, cloud });
				if (outcome.kind === 'error')
					assert.equal(outcome.headers['lambda-runtime-function-error-type'], 'Function.Failed', outcome.text);
				else
					assert.equal(outcome.kind, 'response');
			});

		test('a bucket is used over TLS only with a valid certificate', async () => {
			const authority = makeAuthority();
			const shared = mkdtempSync(join(tmpdir(), 'eds-package-'));
			const s3 = await startS3({ tls: authority.issue(['localhost']) });
			const forged = await startS3({ tls: authority.issue(['localhost'], { selfSigned: true }) });
			const env = { EDS_DATABASE_URL: 'sqlite:/shared/eds.db', EDS_CA_FILE: '/shared/ca.pem' };
			copyFileSync(authority.file, join(shared, 'ca.pem'));
			try {
				await runPackage('admin', { action: 'migrate' }, { shared, env: { ...env, EDS_MAIL_STORE: 'file:/tmp/mail' } });
				const key = `${s3.env.EDS_MAIL_STORE.split('/').slice(3).join('/')}/forgotten`;
				s3.objects.set(key, { bytes: Buffer.from('x'), modified: new Date(Date.now() - FORGOTTEN_MS) });
				const outcome = await runPackage('tester-expire', HOURLY, { shared, env: { ...env, ...s3.env } });
				assert.equal(outcome.kind, 'response', outcome.text);
				assert.equal(s3.objects.size, 0);
				const refused = await runPackage('tester-expire', HOURLY, { shared, env: { ...env, ...forged.env } });
				assert.match(refused.text, /certificate/);
				assert.deepEqual(forged.requests, []);
			} finally {
				await s3.close();
				await forged.close();
				authority.remove();
				rmSync(shared, { recursive: true, force: true });
			}
		});

		test('every library comes from the package', async () => {
			const env = { EDS_DATABASE_URL: 'postgresql://127.0.0.1:1/x', EDS_MAIL_STORE: 's3://abc' };
			const running = await startPackage('tester-analyze', { env });
			try {
				await running.invoke({});
				const pids = [];
				for (let found = childrenOf(process.pid); found.length > 0; found = found.flatMap(childrenOf))
					pids.push(...found);
				const maps = pids.map((pid) => [pid, ofProcess(pid, 'maps')])
					.filter(([, text]) => text.includes('/functions/tester-analyze'));
				assert.equal(maps.length, 1);
				const files = new Set(maps[0][1].match(/\/\S+$/gm));
				for (const file of files) assert.match(file, /\/var\/task\//);
				assert.ok([...files].some((file) => file.endsWith('lib/ld-linux-x86-64.so.2')));
			} finally {
				await running.stop();
			}
		});
	});
});
