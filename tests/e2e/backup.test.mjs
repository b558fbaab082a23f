// A machine is lost, and the service comes back from the backup that infra/README.md describes: the
// database, copied while in use, and after it the mail store.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';

import { psql } from '../support/postgres.mjs';
import { request } from './support/api.mjs';
import { startDns } from './support/dns.mjs';
import { copyMail, loseMail, restoreMail } from './support/mail-store.mjs';
import { sendMail } from './support/mail.mjs';
import { startRunner } from './support/runner.mjs';
import { admin, onPostgres } from './support/store.mjs';
import { createSession, getSession, untilCompleted } from './support/tester.mjs';

const server = process.env.EDS_TEST_DATABASE_URL;
const schemaOf = (runner) => /search_path%3D(\w+)/.exec(runner.storeEnv.EDS_DATABASE_URL)[1];
const message = 'From: a@example.com\r\nSubject: kept\r\n\r\ntext\r\n';

async function dump(runner, target) {
	if (onPostgres(runner))
		execFileSync('pg_dump', ['--schema', schemaOf(runner), '--file', join(target, 'eds.sql'), server]);
	else
		execFileSync('sqlite3', ['var/eds.db', `.backup '${join(target, 'eds.db')}'`], { cwd: runner.folder });
	mkdirSync(join(target, 'mail'));
	await copyMail(runner, join(target, 'mail'));
}

async function destroy(runner) {
	await loseMail(runner);
	rmSync(join(runner.folder, 'var'), { recursive: true });
	if (onPostgres(runner)) psql(server, `SET client_min_messages = error; DROP SCHEMA ${schemaOf(runner)} CASCADE`);
}

async function restore(runner, target) {
	mkdirSync(join(runner.folder, 'var'));
	await restoreMail(runner, join(target, 'mail'));
	if (onPostgres(runner))
		execFileSync('psql', ['-X', '-q', '-v', 'ON_ERROR_STOP=1', '-f', join(target, 'eds.sql'), server], { stdio: ['ignore', 'ignore', 'inherit'] });
	else cpSync(join(target, 'eds.db'), join(runner.folder, 'var/eds.db'));
}

describe('after a disk was lost and the backup restored', () => {
	const started = [];
	let dns;
	let folder;
	let target;
	let runner;
	let headers;
	let selectors;
	let completed;
	let pending;
	let later;
	let domainPath;

	const start = () => startRunner({ folder, env: { EDS_DNS_SERVERS: dns.address } });
	const deliver = (session) => sendMail(runner.smtpPort, { from: 'a@example.com', to: session.email, message });

	before(async () => {
		dns = await startDns([]);
		folder = mkdtempSync(join(tmpdir(), 'eds-backup-'));
		target = mkdtempSync(join(tmpdir(), 'eds-backup-kept-'));
		started.push((runner = await start()));
		admin(runner, { action: 'create-account', name: 'owner', plan: 'paid' });
		const { token } = admin(runner, { action: 'create-token', account: 'owner', name: 'test', expiresAt: null });
		headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
		const { data: { id } } = (await request(`${runner.baseUrl}/api/v1/domains`,
			{ method: 'POST', headers, body: '{"name":"example.com"}' })).json();
		domainPath = `/api/v1/domains/${id}/dkim/selectors`;
		await request(runner.baseUrl + domainPath, { method: 'POST', headers, body: '{"selector":"s1"}' });
		selectors = (await request(runner.baseUrl + domainPath, { headers })).json();
		[completed, pending] = [await createSession(runner), await createSession(runner)];
		await deliver(completed);
		completed = await untilCompleted(runner, completed.testId);

		await dump(runner, target);
		later = await createSession(runner);
		await runner.stop();
		await destroy(runner);
		await restore(runner, target);
		started.push((runner = await start()));
	});
	after(async () => {
		for (const each of started) await each.stop();
		await dns?.stop();
		for (const path of [folder, target]) if (path) rmSync(path, { recursive: true, force: true });
	});

	test('results are unchanged', async () => {
		assert.deepEqual(await getSession(runner, completed.testId), completed);
	});

	test('a message can be analyzed again', async () => {
		const { status, text } = await request(`${runner.baseUrl}/api/inbound-tester/sessions/${completed.testId}/reanalyze`, { method: 'POST' });
		assert.equal(status, 200, text);
	});

	test('tokens, domains and selectors still work', async () => {
		assert.deepEqual((await request(runner.baseUrl + domainPath, { headers })).json(), selectors);
	});

	test('addresses that wait for mail still accept it', async () => {
		await deliver(pending);
		await untilCompleted(runner, pending.testId);
	});

	test('sessions from after the backup are gone, and requests for them say so', async () => {
		assert.equal((await request(`${runner.baseUrl}/api/inbound-tester/sessions/${later.testId}`)).status, 404);
		await assert.rejects(deliver(later), /550/);
	});
});
