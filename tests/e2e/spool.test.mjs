// runner spool, on a folder of failed mail that the test writes.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, afterEach, before, beforeEach, describe, test } from 'node:test';

import { BUILD, testFunctions } from './support/runner.mjs';

const MESSAGE = 'Subject: x\r\n\r\nx\r\n';

describe('runner spool', () => {
	let folder;
	let functions;
	const spool = (name) => join(folder, 'var/mail.spool', name);

	before(() => (functions = testFunctions({ keep: { mail: true, memoryMb: 0 } })));
	after(() => functions?.remove());
	afterEach(() => rmSync(folder, { recursive: true, force: true }));
	beforeEach(() => {
		folder = mkdtempSync(join(tmpdir(), 'eds-spool-'));
		mkdirSync(spool('failed'), { recursive: true });
		answers({});
	});

	// Makes the function note its event in event.json, and print this answer.
	function answers(answer) {
		writeFileSync(join(functions.folder, 'keep'), `#!/bin/sh\ncat > event.json\necho '${JSON.stringify(answer)}'\n`);
		chmodSync(join(functions.folder, 'keep'), 0o755);
	}

	function fail(id, report = {}) {
		writeFileSync(spool(`failed/${id}.eml`), MESSAGE);
		writeFileSync(spool(`failed/${id}.json`), typeof report === 'string' ? report : JSON.stringify({
			messageId: id, function: 'keep', mailFrom: 'a@b.example', clientIp: '192.0.2.1', helo: 'h.example', tls: '', protocol: 'ESMTP',
			receivedAt: '2026-11-20T12:00:00Z', failedAt: '2026-11-20T12:00:10Z', reason: 'Oops: because', recipients: ['c@d.example', 'e@f.example'], ...report,
		}));
	}

	function run(...args) {
		const { status, stdout, stderr } = spawnSync(join(BUILD, 'runner'), ['spool', ...args, ...(args[0] === 'retry' ? ['--functions', functions.folder] : [])],
			{ cwd: folder, encoding: 'utf8', timeout: 20000 });
		return { status, out: stdout, err: stderr };
	}
	const left = (id) => [existsSync(spool(`failed/${id}.json`)), existsSync(spool(`failed/${id}.eml`))];

	test('list shows failed mail with its reason, names each report that cannot be read, and files of damaged mail', () => {
		mkdirSync(spool('damaged'));
		for (const name of ['2.mail', '1.mail', '.new']) writeFileSync(spool(`damaged/${name}`), 'x');
		fail('id-1');
		fail('id-2', '{');
		fail('id-3', { receivedAt: 'soon' });
		fail('id-4');
		rmSync(spool('failed/id-4.eml'));
		fail('id-5', { recipients: ['c@d.example'], reason: 'other' });
		writeFileSync(spool('failed/note.txt'), '');
		const { status, out, err } = run('list');
		assert.equal(status, 0);
		assert.equal(out, [
			'failed   2026-11-20T12:00:00Z id-1 keep                 c@d.example e@f.example', '         Oops: because',
			'failed   2026-11-20T12:00:00Z id-5 keep                 c@d.example', '         other',
			'damaged  damaged/1.mail', 'damaged  damaged/2.mail', '',
		].join('\n'));
		const complaints = err.split('\n');
		assert.equal(complaints.length, 4);
		assert.match(complaints[0], /^runner spool: id-2: .+$/);
		assert.equal(complaints[1], 'runner spool: id-3: failed/id-3.json cannot be read');
		assert.equal(complaints[2], 'runner spool: id-4: there is no failed mail with this id: No such file or directory');
	});

	test('list of an empty spool shows nothing', () => {
		assert.deepEqual(run('list'), { status: 0, out: '', err: '' });
	});

	test('retry gives each message to its function as it was received, and then deletes it', () => {
		fail('id-1');
		fail('id-2');
		assert.deepEqual(run('retry', 'id-1', 'id-2'), { status: 0, out: 'id-1 was processed by keep\nid-2 was processed by keep\n', err: '' });
		const { ses, envelope } = JSON.parse(readFileSync(join(folder, 'event.json'), 'utf8')).Records[0];
		assert.equal(ses.mail.messageId, 'id-2');
		assert.equal(ses.mail.source, 'a@b.example');
		assert.deepEqual(ses.receipt.recipients, ['c@d.example', 'e@f.example']);
		assert.ok(JSON.stringify(envelope ?? ses).includes('h.example'));
		assert.ok(readFileSync(join(folder, 'var/mail/id-2'), 'latin1').endsWith(MESSAGE));
		assert.deepEqual([...left('id-1'), ...left('id-2')], [false, false, false, false]);
	});

	test('retry keeps what cannot be processed, says why, and goes on with the others', () => {
		fail('id-1', { function: 'gone' });
		fail('id-2', '{}');
		fail('id-4');
		const { status, out, err } = run('retry', 'id-1', 'id-2', 'id-3', 'id-4');
		assert.deepEqual([status, out], [1, 'id-4 was processed by keep\n']);
		assert.equal(err, 'runner spool: id-1: its function no longer exists\nrunner spool: id-2: failed/id-2.json cannot be read\n' +
			'runner spool: id-3: there is no failed mail with this id: No such file or directory\n');
		assert.deepEqual([...left('id-1'), ...left('id-2'), ...left('id-4')], [true, true, true, true, false, false]);
	});

	test('retry keeps the message when its function fails again', () => {
		fail('id-1');
		answers({ errorType: 'Temporary', errorMessage: 'not now' });
		assert.deepEqual(run('retry', 'id-1'), { status: 1, out: '', err: 'runner spool: id-1: Temporary: not now\n' });
		assert.deepEqual(left('id-1'), [true, true]);
	});

	test('drop deletes each message with its report, and names those that it does not find', () => {
		fail('id-1');
		fail('id-3');
		assert.deepEqual(run('drop', 'id-1', 'id-2', '../lock', 'id-3'), { status: 1, out: 'id-1 was dropped\nid-3 was dropped\n',
			err: 'runner spool: id-2: there is no failed mail with this id: No such file or directory\nrunner spool: ../lock: this is not a message id\n' });
		assert.deepEqual([...left('id-1'), ...left('id-3')], [false, false, false, false]);
	});

	for (const [store, path] of [[undefined, 'var/mail.spool'], ['file:mail', 'mail.spool'], ['file:/none/mail//', '/none/mail.spool'], ['file:/', '/.spool']])
		test(`names the spool of EDS_MAIL_STORE=${store ?? ''} when it does not exist`, () => {
			rmSync(join(folder, 'var'), { recursive: true });
			const { status, stdout, stderr } = spawnSync(join(BUILD, 'runner'), ['spool', 'list'],
				{ cwd: folder, encoding: 'utf8', timeout: 20000, env: { PATH: process.env.PATH, ...(store && { EDS_MAIL_STORE: store }) } });
			assert.deepEqual([status, stdout, stderr], [1, '', `runner spool: ${path}: No such file or directory\n`]);
		});

	for (const args of [['list', 'more'], ['retry'], ['drop'], ['clear', 'id-1']])
		test(`${args.join(' ')} exits with 64 and the usage`, () => {
			const { status, out, err } = run(...args);
			assert.deepEqual([status, out], [64, '']);
			assert.match(err, /^usage: runner spool list/m);
		});
});
