// make faults: campaigns of faults, whose rounds can be repeated from their seed.
//
//     node tests/faults/run.mjs [--seed N] [--quick] [--only NAME,…] [--rounds N] [--points N]
//
// make test runs it with --quick. Prints a line for each campaign, and at the end "N passed, N
// failed".
import { parseArgs } from 'node:util';

import * as conditions from './conditions.mjs';
import * as database from './database.mjs';
import { kill } from './kills.mjs';
import { makeOnce } from './once.mjs';
import { failPower } from './power.mjs';

const { values } = parseArgs({
	options: {
		seed: { type: 'string' }, quick: { type: 'boolean' }, only: { type: 'string' },
		rounds: { type: 'string' }, points: { type: 'string' }, skip: { type: 'string' },
	},
});
const seed = Number(values.seed ?? Date.now() % 1000000);
const rounds = Number(values.rounds ?? (values.quick ? 8 : 200));
const points = Number(values.points ?? (values.quick ? 25 : 500));
const RECORDINGS = values.quick ? 1 : 5;

async function powerInRecordings({ report }) {
	let passed = 0;
	for (let i = 0; i < RECORDINGS; i++) {
		const result = await failPower({ seed: seed + 10 * i, points: Math.ceil(points / RECORDINGS), skip: values.skip, report });
		passed += result.passed;
		if (result.wrong.length > 0) return { passed, wrong: [`recording ${i}:`, ...result.wrong] };
	}
	return { passed, wrong: [] };
}

const campaigns = {
	power: powerInRecordings,
	kills: ({ report }) => kill({ seed, rounds, report }),
	once: ({ report }) => makeOnce({ seed, requests: 10 * rounds, report }),
	...conditions,
	...database,
};

const total = { passed: 0, failed: 0 };
const wanted = values.only?.split(',') ?? Object.keys(campaigns);
console.log(`seed ${seed}`);
for (const name of wanted) {
	const began = Date.now();
	const report = (text) => console.log(`     ${name}: ${text}`);
	const { passed, wrong } = await campaigns[name]({ seed, report })
		.catch((error) => ({ passed: 0, wrong: [error.stack] }));
	total.passed += passed;
	total.failed += wrong.length > 0 ? 1 : 0;
	console.log(`${wrong.length > 0 ? 'FAIL' : 'ok  '} ${name}: ${passed} passed in ${Math.round((Date.now() - began) / 1000)} s`);
	for (const line of wrong) console.log(`     ${line}`);
}
console.log(`${total.passed} passed, ${total.failed} failed`);
process.exitCode = total.failed > 0 ? 1 : 0;
