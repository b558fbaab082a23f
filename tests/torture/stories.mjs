// Makes the calls of the runner fail, one after another, while it serves a request and accepts a message.
//
//     node tests/torture/stories.mjs [--points N] [--seed N] [--kind KIND]
//
// The story: the runner starts on a folder that it has used before, a client makes a session over HTTP, a
// message for an earlier session comes over SMTP, and the runner gets SIGTERM. For every failing call (the
// kinds of tests/support/torture-shim.c; run.mjs tests the functions' own calls), the runner must not
// crash, must end at the signal, and must keep what it acknowledged: a clean runner on the same folder
// knows the session of a 201, and completes that of a 250.
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { request } from '../e2e/support/api.mjs';
import { startDns } from '../e2e/support/dns.mjs';
import { sendMail } from '../e2e/support/mail.mjs';
import { startRunner } from '../e2e/support/runner.mjs';
import { createSession, getSession, untilCompleted } from '../e2e/support/tester.mjs';
import { memoryFolder } from '../support/memory.mjs';
import { optionsOf, pointsOf } from './points.mjs';

const KINDS = ['memory', 'files', 'sockets'];
const PATIENCE_MS = 20_000;
const EXIT_CODES = [0, 1, 70, 71, 78]; // an orderly end, or an error with its reason; never a signal
const shim = resolve(process.env.BUILD ?? 'build', 'tests/support/torture-shim.so');
const MESSAGE = 'From: a@sender.example\r\nTo: b@tester.example\r\nSubject: hello\r\n\r\nHello.\r\n';

const inTime = (promise) => {
	let timer;
	const late = new Promise((_, reject) => (timer = setTimeout(() => reject(new Error('no answer in time')), PATIENCE_MS)));
	return Promise.race([promise, late]).finally(() => clearTimeout(timer));
};
const orNull = (promise) => inTime(promise).catch(() => null);

// Runs the client of the story; returns what was acknowledged: id of the new session, and mailed, whether the
// message was accepted.
async function tell(runner, waiting) {
	const made = await orNull(request(`${runner.baseUrl}/api/inbound-tester/sessions`, { method: 'POST' }));
	const taken = await orNull(sendMail(runner.smtpPort, { to: waiting.email, from: 'a@sender.example', message: MESSAGE }));

	return { id: made?.status === 201 ? made.json().testId : null, mailed: taken !== null };
}

async function isKept({ id, mailed }, folder, waiting, settings) {
	const runner = await startRunner({ folder, env: settings });
	try {
		if (id) await getSession(runner, id);
		if (mailed) await untilCompleted(runner, waiting.testId);
		return null;
	} catch (error) {
		return `acknowledged ${id ? 'a session' : ''} ${mailed ? 'a message' : ''}, but then: ${error.message}`;
	} finally {
		await runner.stop();
	}
}

// Describes the fault in the way the process ended; null if there is none.
function judgeEnd({ code, signal }) {
	if (signal) return `ended by ${signal}`;
	return EXIT_CODES.includes(code) ? null : `ended with ${code}`;
}

// Runs the story once: { calls, problem }; env chooses the call that fails.
async function tortured(template, waiting, settings, env) {
	const folder = mkdtempSync(join(tmpdir(), 'eds-torture-'));
	const count = join(folder, 'count');
	cpSync(template, folder, { recursive: true });
	writeFileSync(count, Buffer.alloc(8));
	try {
		let acknowledged = { id: null, mailed: false };
		let problem;
		try {
			const runner = await startRunner({ folder, env: { ...settings, LD_PRELOAD: shim, TORTURE_COUNT: count, ...env } });
			acknowledged = await tell(runner, waiting);
			problem = judgeEnd(await runner.stop());
		} catch (error) {
			problem = /ended at once: \d+/.test(error.message) ? null : error.message;
		}
		problem ??= await isKept(acknowledged, folder, waiting, settings);
		return { calls: Number(readFileSync(count).readBigUInt64LE()), problem };
	} finally {
		rmSync(folder, { recursive: true, force: true });
	}
}

// Prepares a folder that a runner has used before, with a session that waits for its message.
async function prepare(settings) {
	const template = mkdtempSync(join(tmpdir(), 'eds-torture-'));
	const runner = await startRunner({ folder: template, env: settings });
	const waiting = await createSession(runner);
	await runner.stop();
	return { template, waiting };
}

const wanted = optionsOf(process.argv.slice(2), { points: 12, seed: 1, kind: '' });
process.env.TMPDIR = memoryFolder() ?? tmpdir();
const dns = await startDns([]);
const settings = { EDS_DNS_SERVERS: dns.address, EDS_TESTER_DOMAIN: 'tester.example' };
const { template, waiting } = await prepare(settings);
let passed = 0;
let failed = 0;
try {
	for (const kind of wanted.kind ? [wanted.kind] : KINDS) {
		const { calls } = await tortured(template, waiting, settings, { TORTURE_KIND: kind, TORTURE_AT: '0' });
		for (const at of pointsOf(calls, wanted.points, wanted.seed))
			for (const on of ['0', '1']) {
				const { problem } = await tortured(template, waiting, settings,
					{ TORTURE_KIND: kind, TORTURE_AT: String(at), TORTURE_ON: on });
				if (problem) failed++;
				else passed++;
				if (problem) console.log(`FAIL ${kind} call ${at} of ${calls}${on === '1' ? ' and on' : ''}: ${problem}`);
			}
	}
} finally {
	await dns.stop();
	rmSync(template, { recursive: true, force: true });
}
console.log(`${passed} passed, ${failed} failed`);
process.exitCode = failed > 0 || passed === 0 ? 1 : 0;
