// A start that cannot succeed prints the reason once, and names the setting to change.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import net from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';

import { BUILD } from './support/runner.mjs';

describe('the start', () => {
	let folder;
	let taken;

	before(async () => {
		folder = mkdtempSync(join(tmpdir(), 'eds-start-'));
		taken = net.createServer().listen(0, '127.0.0.1');
		await once(taken, 'listening');
	});
	after(() => {
		taken?.close();
		rmSync(folder, { recursive: true, force: true });
	});

	const run = (program, args, env = {}) => spawnSync(join(BUILD, program), args, {
		cwd: folder, encoding: 'utf8', timeout: 20000,
		env: { PATH: process.env.PATH, EDS_HTTP_LISTEN: '127.0.0.1:0', EDS_SMTP_LISTEN: '127.0.0.1:0',
			EDS_OPS_LISTEN: '127.0.0.1:0', ...env },
	});

	test('fails without a mail store of a known kind', () => {
		const { status, stderr } = run('runner', ['serve'], { EDS_MAIL_STORE: 'ftp://bucket/mail' });
		assert.equal(status, 78);
		assert.match(stderr, /EDS_MAIL_STORE must be /);
	});

	test('fails without a folder for the database, naming it once', () => {
		const { status, stderr } = run('runner', ['serve'], { EDS_DATABASE_URL: 'sqlite:/proc/nowhere/eds.db' });
		assert.equal(status, 1);
		assert.equal(stderr.match(/\/proc\/nowhere\/eds\.db cannot be made: No such file or directory/g).length, 1);
	});

	for (const variable of ['EDS_HTTP_LISTEN', 'EDS_SMTP_LISTEN', 'EDS_OPS_LISTEN'])
		test(`fails without a free port, naming ${variable}`, () => {
			const { status, stderr } = run('runner', ['serve'],
				{ [variable]: `127.0.0.1:${taken.address().port}` });
			assert.equal(status, 1);
			assert.match(stderr, new RegExp(`${variable}: cannot listen on 127\\.0\\.0\\.1:\\d+: Address already in use`));
		});

	test('fails with an unknown setting, naming the one that was meant', () => {
		const { status, stderr } = run('runner', ['serve'], { EDS_SMPT_LISTEN: '127.0.0.1:0', EDS_COLOUR_OF_THE_PAGE: 'blue' });
		assert.equal(status, 78);
		assert.match(stderr, /^EDS_SMPT_LISTEN is not a setting; did you mean EDS_SMTP_LISTEN\?$/m);
		assert.match(stderr, /^EDS_COLOUR_OF_THE_PAGE is not a setting; README\.md lists all settings$/m);
	});

	test('ignores the variables that Kubernetes sets for a service named eds', () => {
		const links = { EDS_SERVICE_HOST: '10.0.0.1', EDS_SERVICE_PORT: '80', EDS_SERVICE_PORT_HTTP: '80', EDS_PORT: 'tcp://10.0.0.1:80',
			EDS_PORT_80_TCP: 'tcp://10.0.0.1:80', EDS_PORT_80_TCP_ADDR: '10.0.0.1', EDS_SMTP_SERVICE_HOST: '10.0.0.2' };
		const { status, stderr } = run('runner', ['serve'], { ...links, EDS_HTTP_LISTEN: `127.0.0.1:${taken.address().port}` });
		assert.equal(status, 1, stderr);
		assert.match(stderr, /EDS_HTTP_LISTEN: cannot listen/);
	});

	test('a function prints its usage on request, and otherwise only an error', () => {
		const asked = run('functions/admin', ['--help']);
		assert.equal(asked.status, 0);
		assert.match(asked.stdout, /^usage: /);
		const wrong = run('functions/admin', ['--other']);
		assert.equal(wrong.status, 2);
		assert.equal(wrong.stdout, '');
	});

	test('every function that the runner\'s help names exists', () => {
		const { status, stdout } = run('runner', ['--help']);
		assert.equal(status, 0);
		const [, name] = /runner invoke (\S+) -\n/.exec(stdout);
		assert.equal(run(`functions/${name}`, ['--help']).status, 0);
	});
});
