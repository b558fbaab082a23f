// Faults around the service: the disk is full, the database is locked, DNS is silent, the clock jumps,
// events come twice. Each test returns { passed, wrong: [] }.
import assert from 'node:assert/strict';
import { execFileSync, spawn } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { BUILD } from '../e2e/support/runner.mjs';
import { Tester, ZONE } from './tester.mjs';

const DISK_BYTES = 4 * 1024 * 1024;
const FAKETIME = '/usr/lib/x86_64-linux-gnu/faketime/libfaketime.so.1';

async function withTester(env, steps) {
	const tester = await Tester.start(env);
	try {
		await steps(tester);
		return { passed: 1, wrong: [] };
	} catch (error) {
		return { passed: 0, wrong: [error.stack, ...(tester.runner ? [tester.runner.output.err.slice(-2000)] : [])] };
	} finally {
		await tester.remove();
	}
}

async function openAndSend(tester) {
	const session = await tester.open();
	assert.ok(session);
	assert.match(await tester.send(session), /^250/);
	return session;
}

// Mounts a small file system, if this process may; otherwise limits the size of files.
function limitDisk(tester) {
	const folder = join(tester.folder, 'var');
	mkdirSync(folder, { recursive: true });
	try {
		execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${DISK_BYTES}`, 'tmpfs', folder], { stdio: 'ignore' });
	} catch {
		return false;
	}
	tester.mounted = folder;
	return true;
}

async function fillDisk(tester, mounted) {
	if (!mounted) {
		execFileSync('prlimit', ['--pid', String(tester.runner.pid), '--fsize=200000:unlimited']);
		return () => execFileSync('prlimit', ['--pid', String(tester.runner.pid), '--fsize=unlimited:unlimited']);
	}
	const ballast = join(tester.folder, 'var/ballast');
	try {
		writeFileSync(ballast, Buffer.alloc(DISK_BYTES));
	} catch {
		// writing has failed, so the file system is full
	}
	return () => rmSync(ballast);
}

export function diskFull() {
	return withTester({}, async (tester) => {
		const mounted = limitDisk(tester);
		await tester.run();
		await openAndSend(tester);
		const spare = await tester.open();
		const free = await fillDisk(tester, mounted);
		const replies = [];
		for (let i = 0; i < 20; i++) replies.push(await tester.send(spare, 300000).catch((error) => error.message));
		assert.ok(replies.some((reply) => /^4\d\d /.test(reply)), `no message was postponed: ${replies}`);
		assert.ok(replies.every((reply) => /^[24]\d\d /.test(reply)), `${replies}`);
		const health = () => fetch(`${tester.runner.opsUrl}/healthz`);
		const full = await health(); // the answer is 503 while accepted mail waits for the database
		assert.equal((await full.json()).status, full.status === 200 ? 'ok' : 'waiting');
		if (mounted && !process.env.EDS_TEST_DATABASE_URL) {
			const { status, parts } = await (await fetch(`${tester.runner.opsUrl}/readyz`)).json();
			assert.deepEqual([status, parts.database.reason, parts.mailStore.reason],
				['degraded', 'the disk of var/eds.db is full', 'the disk of var/mail is full']);
		}
		free();
		await openAndSend(tester);
		await tester.assertHolds();
		assert.equal((await health()).status, 200);
		await tester.stop();
		await tester.run();
		await openAndSend(tester);
		await tester.assertHolds();
		tester.assertSound();
		await tester.stop();
	});
}

// Another program locks the database for longer than any time limit.
export function databaseLocked() {
	return withTester({}, async (tester) => {
		await tester.run();
		const spare = await openAndSend(tester);
		await tester.assertHolds();
		const other = spawn('sqlite3', [join(tester.folder, 'var/eds.db')], { stdio: ['pipe', 'pipe', 'inherit'] });
		other.stdin.write('BEGIN IMMEDIATE;\nSELECT 1;\n');
		await new Promise((done) => other.stdout.once('data', done));
		const opened = tester.open();
		const sent = tester.send(spare);
		assert.equal(await opened, null, 'a session was opened in a locked database');
		assert.match(await sent, /^[24]/);
		assert.ok(await tester.look(spare), 'a locked database cannot be read');
		other.stdin.end('COMMIT;\n');
		await new Promise((done) => other.once('close', done));
		await openAndSend(tester);
		spare.result = null; // the session may have the result of its second message by now
		await tester.assertHolds();
		tester.assertSound();
	});
}

export function dnsSilent() {
	return withTester({}, async (tester) => {
		tester.dns.publish(['* !drop']);
		await tester.run();
		const sessions = await Promise.all([openAndSend(tester), openAndSend(tester)]);
		await tester.assertHolds();
		for (const { result } of sessions) {
			assert.equal(result.results.spf.result, 'temperror');
			assert.deepEqual(result.scoreBreakdown.map(({ rule }) => rule), ['SPF_TEMPERROR']);
		}
		tester.dns.publish(ZONE);
		const later = await openAndSend(tester);
		await tester.assertHolds();
		assert.equal(later.result.results.spf.result, 'pass');
	});
}

export function clockStepped() {
	let offset;
	const setClock = (text) => {
		writeFileSync(`${offset}.new`, `${text}\n`);
		renameSync(`${offset}.new`, offset);
	};
	if (!existsSync(FAKETIME)) return Promise.resolve({ passed: 0, wrong: [`there is no ${FAKETIME}`] });
	return withTester({}, async (tester) => {
		offset = join(tester.folder, 'clock');
		setClock('+0');
		await tester.run({ LD_PRELOAD: FAKETIME, FAKETIME_TIMESTAMP_FILE: offset, FAKETIME_NO_CACHE: '1', FAKETIME_DONT_FAKE_MONOTONIC: '1' });
		await openAndSend(tester);
		await tester.assertHolds();
		setClock('+47h');
		await tester.assertHolds();
		await openAndSend(tester);
		setClock('-5h');
		await openAndSend(tester);
		await tester.assertHolds();
		const [first] = tester.sessions.values();
		setClock('+49h');
		assert.equal((await fetch(`${tester.runner.baseUrl}/api/inbound-tester/sessions/${first.testId}`)).status, 404);
		assert.match(await tester.send({ ...first }), /^550/);
		tester.sessions.delete(first.testId);
		await openAndSend(tester);
	});
}

// The event of a message in the mail store.
function mailEvent(messageId, session) {
	return JSON.stringify({ Records: [{
		eventSource: 'aws:ses', eventVersion: '1.0',
		ses: {
			mail: { messageId, timestamp: '2026-11-20T10:00:00.000Z', source: 'me@sender.example', destination: [session.email] },
			receipt: { timestamp: '2026-11-20T10:00:00.000Z', recipients: [session.email] },
		},
		envelope: { clientIp: '192.0.2.10', helo: 'mx.sender.example', mailFrom: 'me@sender.example', tls: null },
	}] });
}

export function eventsTwice() {
	return withTester({}, async (tester) => {
		await tester.run();
		const session = await openAndSend(tester);
		await tester.assertHolds();
		const [messageId] = readdirSync(join(tester.folder, 'var/mail'));
		const event = mailEvent(messageId, session);
		const invoke = () => new Promise((done) => {
			const child = spawn(join(BUILD, 'runner'), ['invoke', 'tester-analyze', '-'], {
				cwd: tester.folder, stdio: ['pipe', 'ignore', 'inherit'],
				env: { ...process.env, EDS_DNS_SERVERS: tester.dns.address, EDS_ALLOW_PRIVATE_ADDRESSES: '1' },
			});
			child.once('close', done);
			child.stdin.end(event);
		});
		assert.deepEqual(await Promise.all(Array.from({ length: 5 }, invoke)), [0, 0, 0, 0, 0]);
		const { scoreBreakdown, results } = session.result;
		session.result = null;
		await tester.assertHolds();
		assert.deepEqual(session.result.scoreBreakdown, scoreBreakdown);
		assert.deepEqual(session.result.results, results);
		tester.assertSound();
	});
}
