// Makes the calls of functions fail, one after another, and checks their answers.
//
//     node tests/torture/run.mjs [--points N] [--seed N] [--kind KIND [--at N,…]] [NAME[/NN-case]]…
//
// For each case of tests/functions and each kind of call (tests/support/torture-shim.c) the calls are
// counted; then at most N of them, picked by the seed, fail: each by itself, and each with all that come
// after it; or those of --at. The function must neither crash nor give a wrong answer: it gives the answer
// of its case, and has stored what the answer says, or it reports a failure. It may also end for lack of
// memory.
import { cpSync, existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { eventText, expectedAnswers, Failure, listCases, Place, readCase } from '../functions/cases.mjs';
import { mismatch, readJson } from '../functions/match.mjs';
import { optionsOf, pointsOf } from './points.mjs';

const EXIT_NO_MEMORY = 71;
const KINDS = ['memory', 'files', 'database', 'sockets', 'resolver', 'transfer'];
// With these kinds an answer may rightly differ: facts that DNS or a server did not give are
// unknown.
const MAY_DIFFER = new Set(['sockets', 'resolver', 'transfer']);
const shim = resolve(process.env.BUILD ?? 'build', 'tests/support/torture-shim.so');

// Runs the function once; env chooses the call that fails. Returns the outcome and the number of calls.
function tortured(test, place, env) {
	const count = join(place.folder, 'count');
	writeFileSync(count, Buffer.alloc(8));
	place.values.now = String(Date.now()); // the current time, because the runs of one case may take many minutes
	const done = place.run(test.name, [], eventText(test, place, false),
		{ LD_PRELOAD: shim, TORTURE_COUNT: count, ...env }, { anyEnd: true });
	return { ...done, calls: Number(readFileSync(count).readBigUInt64LE()) };
}

const saidFailure = (answer) => answer?.errorType !== undefined || answer?.statusCode >= 500;

// Describes the fault in the way the process ended; null if there is none.
function judge(test, place, kind, { status, signal, stdout, stderr }) {
	if (signal) return `ended by ${signal}`;
	if (status === EXIT_NO_MEMORY && stdout === '') return null;
	const answer = readJson(stdout.trim());
	if (answer === undefined)
		return status === 0 ? `no answer: ${JSON.stringify(stdout.slice(0, 200))}` : null;
	if (saidFailure(answer)) return null;
	if (MAY_DIFFER.has(kind)) return null;
	const different = mismatch(expectedAnswers(test, place)[0], answer);
	if (different) return `${different} (exit ${status}) ${stderr.slice(0, 300)}`;
	try {
		place.check(test.expect);
		return null;
	} catch (failure) {
		if (!(failure instanceof Failure)) throw failure;
		return `answered as if it had succeeded, but ${failure.message}`;
	}
}

// time after which the steps before a case are run again, because some are valid for only a minute
const FRESH_MS = 20_000;

class Case {
	constructor(test) {
		this.test = test;
		this.make();
	}

	make() {
		this.madeAt = Date.now();
		this.place = new Place(this.test.setup);
		this.store = join(this.place.folder, 'var');
		this.kept = join(this.place.folder, 'var.kept');
		if (existsSync(this.store)) cpSync(this.store, this.kept, { recursive: true });
	}

	// Restores the state before the event.
	restore() {
		if (Date.now() - this.madeAt > FRESH_MS) {
			this.remove();
			this.make();
			return;
		}
		rmSync(this.store, { recursive: true, force: true });
		if (existsSync(this.kept)) cpSync(this.kept, this.store, { recursive: true });
	}

	torture(kind, wanted) {
		const env = { TORTURE_KIND: kind };
		const { calls } = tortured(this.test, this.place, { ...env, TORTURE_AT: '0' });
		const found = [];
		for (const at of wanted.at ? wanted.at.split(',') : pointsOf(calls, wanted.points, wanted.seed))
			for (const on of ['0', '1']) {
				this.restore();
				const problem = judge(this.test, this.place, kind,
					tortured(this.test, this.place, { ...env, TORTURE_AT: String(at), TORTURE_ON: on }));
				found.push({ at, on, problem });
			}
		this.restore();
		return found;
	}

	remove() {
		this.place.remove();
	}
}

const wanted = optionsOf(process.argv.slice(2), { points: 12, seed: 1, kind: '', at: '', names: [] });
const kinds = wanted.kind ? [wanted.kind] : KINDS;
let passed = 0;
let failed = 0;
for (const test of listCases(wanted.names).map(readCase)) {
	const one = new Case(test);
	let wrong = 0;
	try {
		for (const kind of kinds)
			for (const { at, on, problem } of one.torture(kind, wanted)) {
				if (problem) wrong++;
				else passed++;
				if (problem) console.log(`FAIL ${test.title}: ${kind} call ${at}${on === '1' ? ' and on' : ''}: ${problem}`);
			}
	} finally {
		one.remove();
	}
	failed += wrong;
	if (wrong === 0) console.log(`ok   ${test.title}`);
}
console.log(`${passed} passed, ${failed} failed`);
process.exitCode = failed > 0 || passed === 0 ? 1 : 0;
