// The runner or its handlers are killed at random moments under load.
import assert from 'node:assert/strict';

import { childrenOf, isAlive, killAll, until } from '../e2e/support/runner.mjs';
import { random } from './disk.mjs';
import { Tester } from './tester.mjs';

const WORKERS = 4;
const LOOKED_AT = 40; // number of sessions that are checked after each round

const pause = (ms) => new Promise((next) => setTimeout(next, ms));

const killSome = (runner, next) => killAll(childrenOf(runner.pid).filter(() => next() < 0.5));

async function round(tester, next) {
	let over = false;
	const runner = await tester.run();
	const load = Promise.all(Array.from({ length: WORKERS }, () => tester.load(() => over)));
	const handlersOnly = next() < 0.3;

	for (let i = 0; handlersOnly && i < 4; i++) {
		await pause(next() * 100);
		killSome(runner, next);
	}
	await pause(next() * 300);
	over = handlersOnly;
	if (handlersOnly) await load;
	const handlers = childrenOf(runner.pid);
	const ended = tester.stop(handlersOnly ? 'SIGTERM' : 'SIGKILL');
	over = true;
	// stop() has forgotten the runner, but the load still needs it: its requests fail until it notices the end
	tester.runner = runner;
	const { code, signal } = await ended;
	await load;
	assert.ok(handlersOnly ? code === 0 : signal === 'SIGKILL', `the runner ended with ${code ?? signal}`);
	await until(() => handlers.every((pid) => !isAlive(pid)));
}

// Runs the campaign; returns { passed, wrong: [] }.
export async function kill({ seed, rounds, report = () => {} }) {
	const tester = await Tester.start();
	let passed = 0;

	try {
		for (; passed < rounds; passed++) {
			await round(tester, random(seed + passed));
			await tester.run();
			await tester.assertHolds(LOOKED_AT);
			await tester.stop('SIGKILL');
			if (passed % 50 === 49) report(`${passed + 1} rounds`);
		}
		await tester.run();
		await tester.assertHolds();
		await tester.stop();
		tester.assertSound();
		const acknowledged = [...tester.sessions.values()].filter((session) => session.acknowledged);
		report(`${tester.sessions.size} sessions, ${acknowledged.length} messages held`);
		return { passed, wrong: acknowledged.length >= rounds ? [] : ['too little was under way'] };
	} catch (error) {
		return { passed, wrong: [`round ${passed} (seed ${seed + passed}): ${error.stack}`] };
	} finally {
		await tester.remove();
	}
}
