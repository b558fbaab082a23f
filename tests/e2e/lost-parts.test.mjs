// Lost or damaged parts of an installation are reported to its operator, and the service does not silently
// replace them.
import assert from 'node:assert/strict';
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, renameSync, rmSync, symlinkSync, unlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, afterEach, before, beforeEach, describe, test } from 'node:test';

import { sendMail } from './support/mail.mjs';
import { BUILD, request, startRunner, testFunctions, until } from './support/runner.mjs';
import { createSession, untilCompleted } from './support/tester.mjs';

const parts = async (runner) => (await request(`${runner.opsUrl}/readyz`)).json();
const metric = async (runner, name) => Number(new RegExp(`^${name} (\\d+)$`, 'm').exec((await request(`${runner.opsUrl}/metrics`)).text)?.[1]);

test('the start shows where its data is, whatever folder it was started in', async () => {
	const folder = mkdtempSync(join(tmpdir(), 'eds-lost-'));
	const runner = await startRunner({ folder, env: { EDS_MAIL_STORE: 'file:var/mail', EDS_DATABASE_URL: 'sqlite:var/eds.db' } });
	try {
		await until(() => runner.output.out.includes('Try a deliverability test'));
		for (const line of [`the database ${folder}/var/eds.db\n`, `mail         ${folder}/var/mail\n`, `the spool    ${folder}/var/mail.spool\n`,
			`Its token is in the file ${folder}/var/mail.spool/first-token,`]) assert.ok(runner.output.out.includes(line), `${line} in ${runner.output.out}`);
	} finally {
		await runner.stop();
		rmSync(folder, { recursive: true });
	}
});

describe('a damaged file of the spool', () => {
	let folder;
	let runner;

	before(async () => {
		folder = mkdtempSync(join(tmpdir(), 'eds-lost-'));
		mkdirSync(join(folder, 'var/mail.spool'), { recursive: true });
		writeFileSync(join(folder, 'var/mail.spool/00000000000000000003.mail'), 'EDSMAIL1 of which the rest is gone');
		runner = await startRunner({ folder });
	});
	after(async () => {
		await runner?.stop();
		rmSync(folder, { recursive: true, force: true });
	});

	test('is put aside, counted, and reported until it is deleted', async () => {
		const kept = join(folder, 'var/mail.spool/damaged');
		assert.equal(readdirSync(kept).length, 1);
		assert.match(runner.output.err, /"level":"error","message":"files of the spool hold accepted mail that cannot be read; they are kept in damaged\/ /);
		assert.equal(await metric(runner, 'eds_mail_damaged_files'), 1);
		const { status, parts: { spool } } = await parts(runner);
		assert.deepEqual([status, spool.state], ['degraded', 'away']);
		assert.match(spool.reason, /look at the files in damaged\/ of the spool \(1\), .*mail-damaged\.md says how$/);

		unlinkSync(join(kept, readdirSync(kept)[0]));
		assert.equal(await metric(runner, 'eds_mail_damaged_files'), 0);
		assert.equal((await parts(runner)).parts.spool.state, 'ok');
	});
});

// The commands of a page of infra/runbooks, each block as one text.
const commandsOf = (page) => readFileSync(`infra/runbooks/${page}`, 'utf8').split(/\n\n/)
	.filter((part) => /^ {7}/.test(part)).map((part) => part.replaceAll(/^ {7}/gm, ''));

test('a database that is deleted while the service runs is saved by the commands of the runbook', {
	skip: Boolean(process.env.EDS_TEST_DATABASE_URL) && 'SQLite alone' }, async () => {
	const folder = mkdtempSync(join(tmpdir(), 'eds-lost-'));
	const [save, putBack] = commandsOf('restore.md');
	const here = (commands) => commands.replace('/var/lib/eds/var', join(folder, 'var')).replaceAll(/systemctl (stop|start) eds/g, ':');
	const run = (commands) => execFileSync('bash', ['-c', here(commands)], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'] });
	let runner = await startRunner({ folder });
	try {
		const { testId } = await createSession(runner);
		unlinkSync(join(folder, 'var/eds.db'));
		assert.match(run(save), /\nok\n$/);
		await runner.stop();
		run(`cd ${join(folder, 'var')}\n${putBack}`);
		runner = await startRunner({ folder });
		assert.equal((await request(`${runner.baseUrl}/api/inbound-tester/sessions/${testId}`)).status, 200);
		assert.equal(execFileSync('sqlite3', [join(folder, 'var/eds.db'), 'PRAGMA integrity_check'], { encoding: 'utf8' }), 'ok\n');
	} finally {
		await runner.stop();
		rmSync(folder, { recursive: true });
	}
});

describe('the file of the database', { skip: Boolean(process.env.EDS_TEST_DATABASE_URL) && 'SQLite alone' }, () => {
	let folder;
	const file = (name) => join(folder, 'var', name);

	beforeEach(async () => {
		folder = mkdtempSync(join(tmpdir(), 'eds-lost-'));
		await (await startRunner({ folder })).stop();
		for (const name of readdirSync(file('.'))) if (name.startsWith('eds.db')) renameSync(file(name), file(`kept-${name}`));
	});
	afterEach(() => rmSync(folder, { recursive: true, force: true }));

	const fails = async (options) => {
		let runner;
		try {
			runner = await startRunner({ folder, ...options });
		} catch ({ message }) {
			return message;
		}
		await runner.stop();
		return assert.fail('it started');
	};

	test('that is missing ends the start, with advice, and the start works once the file is back', async () => {
		const said = await fails();
		assert.match(said, /ended at once: 1\n/);
		assert.ok(said.includes(`runner: the database ${file('eds.db')} is missing or empty, but this service had one. `
			+ 'Put it back (infra/runbooks/restore.md)'), said);
		assert.ok(!existsSync(file('eds.db')));
		renameSync(file('kept-eds.db'), file('eds.db'));
		assert.equal((await (await startRunner({ folder })).stop()).code, 0);
	});

	test('that is empty ends the start as well', async () => {
		writeFileSync(file('eds.db'), '');
		assert.match(await fails(), /eds\.db is missing or empty/);
	});

	test('that does not exist ends the start with the name of the earlier one, when the setting was changed', async () => {
		const said = await fails({ env: { EDS_DATABASE_URL: 'sqlite:var/typo.db' } });
		assert.ok(said.includes(`the database ${file('typo.db')} is missing or empty, but this service had one: ${file('eds.db')}.`), said);
	});

	test('that is missing beside mail of an earlier release ends the start, too', async () => {
		unlinkSync(file('mail.spool/database'));
		mkdirSync(file('mail'), { recursive: true });
		writeFileSync(file('mail/0190-message'), 'Subject: x\r\n\r\n');
		assert.match(await fails(), /is missing or empty, but this service had one\. Put it back/);
	});

	test('that is missing ends the start even if the name of the earlier one cannot be read', async () => {
		writeFileSync(file('mail.spool/database'), '');
		assert.match(await fails(), /is missing or empty, but this service had one\. Put it back/);
	});

	test('is created where the mail folder is a new disk without mail', async () => {
		rmSync(file('.'), { recursive: true });
		mkdirSync(file('mail/lost+found'), { recursive: true });
		assert.equal((await (await startRunner({ folder })).stop()).code, 0);
	});

	test('is created again by admin, and then the start works', async () => {
		execFileSync(join(BUILD, 'runner'), ['invoke', 'admin', '-'], { cwd: folder, input: '{"action":"migrate"}', env: { PATH: process.env.PATH } });
		const runner = await startRunner({ folder });
		await until(() => runner.output.out.includes('The account `dev` was made'));
		await runner.stop();
	});

	test('is created at the first start', async () => {
		rmSync(file('.'), { recursive: true });
		assert.equal((await (await startRunner({ folder })).stop()).code, 0);
	});
});

describe('a database that can only be read', { skip: Boolean(process.env.EDS_TEST_DATABASE_URL) && 'SQLite alone' }, () => {
	test('is reported while another program holds its lock, and ready when that has ended', async () => {
		const runner = await startRunner();
		try {
			const holder = spawn('sqlite3', [join(runner.folder, 'var/eds.db')], { stdio: ['pipe', 'pipe', 'inherit'] });
			// a job of the runner may hold the lock at this moment
			holder.stdin.write(".timeout 20000\nBEGIN IMMEDIATE;\nSELECT 'held';\n");
			await once(holder.stdout, 'data');
			const { status, text } = await request(`${runner.opsUrl}/readyz`);
			assert.equal(status, 200);
			const held = JSON.parse(text);
			assert.deepEqual([held.status, held.parts.database.state, held.parts.database.reason],
				['degraded', 'away', 'the database cannot be used now: database is locked']);
			holder.kill('SIGKILL');
			await once(holder, 'exit');
			assert.equal((await parts(runner)).parts.database.state, 'ok');
		} finally {
			await runner.stop();
		}
	});
});

// The function admin is replaced by a script. A number of times it gives the answer that the real one gives
// while the database server does not answer.
describe('a database server that is not there yet', () => {
	const away = '{"errorType":"temporary.store-unavailable","errorMessage":"the database cannot be used now: the database server cannot be reached"}';
	const env = { EDS_DATABASE_URL: 'postgresql://eds:secret@db.example:5432/eds' };
	let functions;
	let folder;

	before(() => (folder = mkdtempSync(join(tmpdir(), 'eds-lost-'))));
	after(() => rmSync(folder, { recursive: true, force: true }));
	beforeEach(() => (functions = testFunctions({ admin: {} })));
	afterEach(() => functions.remove());

	const answer = (text) => {
		writeFileSync(join(functions.folder, 'admin'), `#!/bin/sh\n${text}\n`);
		chmodSync(join(functions.folder, 'admin'), 0o755);
	};

	test('is waited for, with a line for each try that names its host and no password', async () => {
		answer(`echo >> tries; if [ $(wc -l < tries) -lt 3 ]; then echo '${away}'; exit 1; fi; echo '{"from":1,"to":1}'`);
		const runner = await startRunner({ folder, functions: functions.folder, env, bootstrap: false });
		await runner.stop();
		const lines = runner.output.err.split('\n').filter((line) => line.includes('waiting for'));
		assert.deepEqual(lines.map((line) => JSON.parse(line)).map(({ level, message }) => [level, message]), [1, 2].map((seconds) => ['warning',
			`waiting for the database (db.example:5432), next try in ${seconds} s: the database cannot be used now: the database server cannot be reached`]));
		assert.ok(!runner.output.err.includes('secret'));
	});

	test('is not waited for when the error is permanent', async () => {
		answer(`echo '${away.replace('temporary.store-unavailable', 'internal.store-not-migrated')}'; exit 1`);
		await assert.rejects(startRunner({ folder, functions: functions.folder, env, bootstrap: false }),
			/ended at once: 1\n[^]*the database cannot be brought up to date; see above/);
	});

	test('does not keep the start from being stopped', async () => {
		answer(`echo '${away}'; exit 1`);
		const child = spawn(join(BUILD, 'runner'), ['serve', '--functions', functions.folder], { cwd: folder, env: { PATH: process.env.PATH, ...env } });
		let text = '';
		child.stderr.setEncoding('utf8').on('data', (part) => (text += part));
		await until(() => text.includes('waiting for the database'));
		child.kill('SIGTERM');
		assert.deepEqual(await once(child, 'exit'), [null, 'SIGTERM']);
	});
});

// As after an upgrade that was interrupted. A cloud keeps the mail itself while a function cannot be started.
test('mail waits while the program of its function is missing, and is analyzed when it is back', async () => {
	const build = mkdtempSync(join(tmpdir(), 'eds-half-'));
	for (const name of ['runner', 'bootstrap', 'functions', 'libexec']) cpSync(join(BUILD, name), join(build, name), { recursive: true });
	const program = join(build, 'functions/tester-analyze');
	renameSync(program, `${program}.new`);
	const runner = await startRunner({ build, env: { EDS_DNS_SERVERS: '127.0.0.1:9' }, bootstrap: false });
	try {
		assert.match(runner.output.err, /"level":"warning","function":"tester-analyze","message":"cannot be started: \S+\/functions\/tester-analyze: No such file or directory; see /);
		const { email, testId } = await createSession(runner);
		await sendMail(runner.smtpPort, { from: 'a@example.com', to: email, message: 'Subject: x\r\n\r\ntext\r\n' });
		await until(async () => (await metric(runner, 'eds_mail_retried_total')) >= 3, 30000);
		assert.equal(await metric(runner, 'eds_mail_failed_total'), 0);
		assert.equal(await metric(runner, 'eds_mail_waiting'), 1);
		const { status, text } = await request(`${runner.opsUrl}/healthz`);
		assert.deepEqual([status, JSON.parse(text).reason], [503, "the function's program cannot be started"]);
		assert.match(runner.output.err, /functions\/tester-analyze cannot be started: No such file or directory/);
		renameSync(`${program}.new`, program);
		assert.equal((await untilCompleted(runner, testId)).status, 'completed');
	} finally {
		await runner.stop();
		rmSync(build, { recursive: true });
	}
});

describe('a helper program', () => {
	let build;

	// Makes a folder with the built programs and with helper programs of the test.
	before(() => {
		build = mkdtempSync(join(tmpdir(), 'eds-helpers-'));
		for (const file of ['runner', 'bootstrap']) cpSync(join(BUILD, file), join(build, file));
		cpSync(join(BUILD, 'functions'), join(build, 'functions'), { recursive: true });
		cpSync(join(BUILD, 'libexec'), join(build, 'libexec'), { recursive: true });
	});
	after(() => rmSync(build, { recursive: true, force: true }));

	async function startWithout(helper, spoil) {
		spoil(join(build, 'libexec', helper));
		const runner = await startRunner({ build });
		try {
			const { status, parts: { helpers } } = await parts(runner);
			return { status, helpers, log: runner.output.err };
		} finally {
			await runner.stop();
			rmSync(join(build, 'libexec', helper), { force: true });
			cpSync(join(BUILD, 'libexec', helper), join(build, 'libexec', helper));
		}
	}

	test('that is missing is named at the start and in /readyz', async () => {
		const { status, helpers, log } = await startWithout('eds-verifier', unlinkSync);
		assert.match(log, new RegExp(`"level":"warning","function":"eds-verifier","message":"cannot be started: ${build}/\\S*libexec/eds-verifier: No such file or directory`));
		assert.equal(status, 'degraded');
		assert.deepEqual([helpers.state, helpers.reason], ['away', 'the program eds-verifier cannot be executed: No such file or directory']);
	});

	test('that is a dangling link is named as well', async () => {
		const { helpers } = await startWithout('eds-validator', (path) => {
			unlinkSync(path);
			symlinkSync('/nowhere', path);
		});
		assert.equal(helpers.reason, 'the program eds-validator cannot be executed: No such file or directory');
	});

	test('without permission to execute is named with that reason', async () => {
		const { helpers, log } = await startWithout('eds-report-reader', (path) => chmodSync(path, 0o644));
		assert.match(log, /"function":"eds-report-reader","message":"cannot be started: \S+libexec\/eds-report-reader: Permission denied/);
		assert.equal(helpers.reason, 'the program eds-report-reader cannot be executed: Permission denied');
	});
});
