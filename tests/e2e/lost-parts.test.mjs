// Parts of an installation that are lost or damaged are shown to its operator, and nothing makes up for them in
// silence.
import assert from 'node:assert/strict';
import { chmodSync, cpSync, mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, unlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';

import { BUILD, request, startRunner } from './support/runner.mjs';

const parts = async (runner) => (await request(`${runner.opsUrl}/readyz`)).json();
const metric = async (runner, name) => Number(new RegExp(`^${name} (\\d+)$`, 'm').exec((await request(`${runner.opsUrl}/metrics`)).text)?.[1]);

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

	test('is kept aside, counted, and shown until it is deleted', async () => {
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

describe('a helper program', () => {
	let build;

	// The programs, with helpers of the test's own.
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

	test('that is a dead link is named as well', async () => {
		const { helpers } = await startWithout('eds-validator', (path) => {
			unlinkSync(path);
			symlinkSync('/nowhere', path);
		});
		assert.equal(helpers.reason, 'the program eds-validator cannot be executed: No such file or directory');
	});

	test('that may not be executed is named with that reason', async () => {
		const { helpers, log } = await startWithout('eds-report-reader', (path) => chmodSync(path, 0o644));
		assert.match(log, /"function":"eds-report-reader","message":"cannot be started: \S+libexec\/eds-report-reader: Permission denied/);
		assert.equal(helpers.reason, 'the program eds-report-reader cannot be executed: Permission denied');
	});
});
