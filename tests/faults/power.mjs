// A power failure: every 250 is kept in each possible state of the disk. A recording run accepts
// mail, and is killed and restarted a few times, while changes of its spool and mail store are
// recorded. Then, at points chosen by the seed, a possible state of the disk is created and a
// runner is started on it.
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { openSmtp } from '../e2e/support/mail.mjs';
import { BUILD, startRunner, testFunctions, until } from '../e2e/support/runner.mjs';
import { Disk, random, readLog } from './disk.mjs';

const DOMAIN = 'tester.localhost';
const PHASES = 5;
const SENDERS = 3;
const MESSAGES_OF_A_SENDER = 5;
const SETTLE_MS = 10000;
// the certificate is written once in a recording, so random points would hardly ever hit that moment
const POINTS_OF_THE_CERTIFICATE = 4;

const sha256 = (bytes) => createHash('sha256').update(bytes).digest('hex');
const linesOf = (path) => (existsSync(path) ? readFileSync(path, 'latin1').split('\n').filter(Boolean) : []);
const sizeOf = (path) => (existsSync(path) ? statSync(path).size : 0);

// The sent messages by their serial numbers, so that a found message can be compared with the sent one.
class Mails {
	sent = new Map(); // serial -> { text, functions, fails, acknowledgedAt }

	make(next) {
		const serial = String(this.sent.size + 1);
		const fails = this.sent.size % 16 === 3;
		const functions = next() < 0.2 ? ['keep', 'other'] : ['keep'];
		const body = Array.from({ length: Math.floor(next() * next() * 600) + 1 }, () => `${next()}\r\n`).join('');
		const text = `X-Serial: ${serial}\r\n${fails ? 'X-Fail: always\r\n' : ''}\r\n${body}`;
		this.sent.set(serial, { serial, text, sha256: sha256(text), functions, fails, acknowledgedAt: Infinity });
		return this.sent.get(serial);
	}
	// Finds the sent message to which the text, from its X-Serial field on, is equal; null if there is none.
	recognize(content) {
		const at = content.indexOf('X-Serial: ');
		const mail = this.sent.get(/^X-Serial: (\d+)/.exec(content.slice(at))?.[1]);
		return at >= 0 && mail?.text === content.slice(at) ? mail : null;
	}
}

async function send(runner, mails, next, log) {
	const talk = await openSmtp(runner.smtpPort);
	try {
		for (let i = 0; i < MESSAGES_OF_A_SENDER; i++) {
			const mail = mails.make(next);
			await talk.say('EHLO sender', '250');
			await talk.say('MAIL FROM:<a@example.com>', '250');
			for (const name of mail.functions) await talk.say(`RCPT TO:<${name}@${DOMAIN}>`, '250');
			await talk.say('DATA', '354');
			talk.socket.write(mail.text, 'latin1');
			if ((await talk.say('.')).startsWith('250')) mail.acknowledgedAt = sizeOf(log);
		}
	} catch (error) {
		if (runner.child.exitCode === null && runner.child.signalCode === null && !runner.killed) throw error;
	} finally {
		talk.socket.destroy();
	}
}

const failedReports = (folder) => {
	const path = join(folder, 'store/mail.spool/failed');
	return existsSync(path) ? readdirSync(path).filter((name) => name.endsWith('.json')) : [];
};

function settings(folder) {
	return { EDS_MAIL_STORE: `file:${join(folder, 'store/mail')}`, EDS_LOG_LEVEL: 'error' };
}

async function phase(folder, functions, mails, next, skip, number) {
	const log = join(folder, 'disk.log');
	const kill = number % 2 === 1;
	const runner = await startRunner({
		folder, functions: functions.folder,
		env: {
			...settings(folder),
			LD_PRELOAD: join(BUILD, 'tests/support/fault-shim.so'),
			FAULT_SHIM_ROOT: join(folder, 'store'),
			FAULT_SHIM_LOG: log,
			...(skip ? { FAULT_SHIM_SKIP: skip } : {}),
			...(kill ? { FAULT_SHIM_KILL: String(40 + Math.floor(60 * next())) } : {}),
		},
	});
	runner.killed = kill;
	await Promise.all(Array.from({ length: SENDERS }, () => send(runner, mails, next, log)));
	if (kill) {
		await runner.ended;
		return;
	}
	const failing = [...mails.sent.values()].filter(({ fails, acknowledgedAt }) => fails && acknowledgedAt < Infinity)
		.reduce((sum, { functions: names }) => sum + names.length, 0);
	if (number === 0) await until(() => failedReports(folder).length >= failing, 30000);
	await runner.stop('SIGTERM');
}

// Runs the runner while its file operations are recorded. Returns { folder, mails, operations, commits }.
async function recordRun(functions, seed, skip) {
	const folder = mkdtempSync(join(tmpdir(), 'eds-power-'));
	const next = random(seed);
	const mails = new Mails();

	mkdirSync(join(folder, 'store'));
	for (let number = 0; number < PHASES; number++) await phase(folder, functions, mails, next, skip, number);
	// "serial function" -> the length of the log at which this delivery was certainly noted in keep.jsonl
	const commits = new Map();
	for (const line of linesOf(join(folder, 'keep.jsonl')).map((text) => JSON.parse(text)))
		if (line.position !== undefined) {
			const key = `${line.serial} ${line.function}`;
			commits.set(key, Math.min(line.position, commits.get(key) ?? Infinity));
		}
	return { folder, mails, commits, operations: readLog(join(folder, 'disk.log')) };
}

// Imitates a new start of the machine: writes another boot id into the marks of the spool, because after a
// power failure the machine has a new one.
function startMachineAnew(spool) {
	for (const name of existsSync(spool) ? readdirSync(spool) : []) {
		const bytes = name.endsWith('.done') ? readFileSync(join(spool, name)) : Buffer.alloc(0);
		if (bytes.length < 36) continue;
		bytes.write('00000000-0000-0000-0000-000000000000');
		writeFileSync(join(spool, name), bytes);
	}
}

function keptAside(folder, mails) {
	const failed = join(folder, 'store/mail.spool/failed');
	const kept = new Set();
	for (const name of failedReports(folder)) {
		try {
			const report = JSON.parse(readFileSync(join(failed, name), 'utf8'));
			const mail = mails.recognize(readFileSync(join(failed, name.replace('.json', '.eml')), 'latin1'));
			if (mail) kept.add(`${mail.serial} ${report.function}`);
		} catch {
			// an incomplete report, or one without its message, does not count as kept
		}
	}
	return kept;
}

// Checks the state at a point; returns what is wrong.
class Check {
	constructor(run, operation, folder) {
		this.mails = run.mails;
		this.folder = folder;
		this.due = [...run.mails.sent.values()].filter(({ acknowledgedAt }) => acknowledgedAt <= operation.end);
		this.committed = (key) => (run.commits.get(key) ?? Infinity) < operation.end;
	}
	missing() {
		const noted = new Set(linesOf(join(this.folder, 'keep.jsonl')).map((line) => JSON.parse(line))
			.map(({ serial, function: name }) => `${serial} ${name}`));
		const aside = keptAside(this.folder, this.mails);
		return this.due.flatMap(({ serial, functions }) => functions.map((name) => `${serial} ${name}`))
			.filter((key) => !noted.has(key) && !aside.has(key) && !this.committed(key));
	}
	wrong() {
		const wrong = linesOf(join(this.folder, 'keep.jsonl')).map((line) => JSON.parse(line))
			.filter(({ serial, sha256: sum }) => sum !== undefined && this.mails.sent.get(serial)?.sha256 !== sum)
			.map(({ serial }) => `message ${serial} was delivered altered`);
		const store = join(this.folder, 'store/mail');
		const copies = new Map();
		for (const name of existsSync(store) ? readdirSync(store).filter((each) => !each.startsWith('.')) : []) {
			const mail = this.mails.recognize(readFileSync(join(store, name), 'latin1'));
			if (mail) copies.set(mail.serial, (copies.get(mail.serial) ?? 0) + 1);
			else wrong.push(`${name} in the mail store is incomplete`);
		}
		for (const { serial, functions, fails } of this.due)
			if (!fails && (copies.get(serial) ?? 0) < functions.length) wrong.push(`message ${serial} is not in the mail store`);
		return wrong;
	}
}

// Starts a runner on the state in folder/store; returns a list of faults.
async function tryState(run, functions, operation, folder) {
	const check = new Check(run, operation, folder);
	let runner;

	writeFileSync(join(folder, 'forgiving'), '');
	startMachineAnew(join(folder, 'store/mail.spool'));
	try {
		runner = await startRunner({ folder, functions: functions.folder, env: settings(folder) });
	} catch (error) {
		return [`the runner does not start: ${error.message}`];
	}
	await until(() => check.missing().length === 0, SETTLE_MS).catch(() => {});
	const idle = async () => /^eds_mail_queued 0$/m.test(await (await fetch(`${runner.opsUrl}/metrics`)).text());
	await until(idle, SETTLE_MS).catch(() => {});
	await runner.stop('SIGKILL');
	return [...check.missing().map((key) => `acknowledged and lost: message ${key}`), ...check.wrong()];
}

// Runs the campaign until the first state with a fault; returns { passed, wrong: [] }. points: number of
// states; skip: a kind of sync that the recorded runner leaves out (FAULT_SHIM_SKIP in fault-shim.c).
export async function failPower({ seed, points, skip, report = () => {} }) {
	const functions = testFunctions({
		'mail-accept': { program: 'handler-keep' },
		keep: { program: 'handler-keep', mail: true },
		other: { program: 'handler-keep', mail: true },
	});
	const run = await recordRun(functions, seed, skip);
	const next = random(seed + 1);
	const certificate = run.operations.findIndex(({ op, to }) => op === 'rename' && to?.endsWith('/tls.pem'));
	const chosen = [
		...Array(POINTS_OF_THE_CERTIFICATE).fill(Math.max(certificate, 0)),
		...Array.from({ length: points }, () => Math.floor(next() * run.operations.length)),
	].sort((a, b) => a - b);
	const disk = new Disk(join(run.folder, 'store'));
	let applied = 0;
	let passed = 0;
	let wrong = [];

	report(`${run.mails.sent.size} messages sent, ${run.operations.length} operations on files recorded`);
	for (const point of chosen) {
		while (applied <= point) disk.apply(run.operations[applied++]);
		const folder = mkdtempSync(join(tmpdir(), 'eds-power-'));
		disk.write(join(folder, 'store'), next);
		wrong = await tryState(run, functions, run.operations[point], folder);
		rmSync(folder, { recursive: true });
		if (wrong.length > 0) {
			wrong.unshift(`after operation ${point} of ${run.operations.length} (${run.operations[point].op}):`);
			break;
		}
		passed++;
	}
	rmSync(run.folder, { recursive: true });
	functions.remove();
	return { passed, wrong };
}
