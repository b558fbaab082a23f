// Processes that make domains are killed in the middle of requests with an Idempotency-Key: a client
// that repeats such a request has exactly one domain in the end.
import assert from 'node:assert/strict';

import { firstToken, handlersOf, killAll, request, startRunner } from '../e2e/support/runner.mjs';
import { sql } from '../e2e/support/store.mjs';
import { findPostgres, startPostgres } from '../support/postgres.mjs';
import { random } from './disk.mjs';

const KILL_WITHIN_MS = 6;
const REQUESTS_MAX = 2000;
const PAUSE_MS = 500;
const PATIENCE_MS = 30000;

const pause = (ms) => new Promise((next) => setTimeout(next, ms));

const post = (runner, number) => request(`${runner.baseUrl}/api/v1/domains`, {
	method: 'POST',
	headers: { authorization: `Bearer ${firstToken(runner)}`, 'content-type': 'application/json', 'idempotency-key': `"make ${number}"` },
	body: JSON.stringify({ name: `made-${number}.example` }),
});

// Makes domains while processes are killed, so many or until a request has failed. Returns the numbers of requests and
// of those that failed.
async function makeAmidKills(runner, requests, next) {
	let failed = 0;
	let made = 0;
	for (; made < requests || (failed === 0 && made < REQUESTS_MAX); made++) {
		const handlers = handlersOf(runner, 'domains-create');
		const answer = post(runner, made);
		await pause(next() * KILL_WITHIN_MS);
		killAll(handlers);
		if ((await answer).status !== 201) failed++;
	}
	return { made, failed };
}

async function untilMade(runner, number) {
	for (const end = Date.now() + PATIENCE_MS;; await pause(PAUSE_MS)) {
		const answer = await post(runner, number);
		if (answer.status === 201) return answer.json().data.id;
		assert.ok(answer.status >= 500 || answer.json().code === 'idempotency-key-busy', answer.text);
		assert.ok(Date.now() < end, `request ${number} is never answered: ${answer.text}`);
	}
}

async function onStore(database, requests, next) {
	const runner = await startRunner({ bootstrap: false,
		env: { ...(database ? { EDS_DATABASE_URL: database } : {}), EDS_DNS_SERVERS: '127.0.0.1:9', EDS_QUOTA_FREE: 'domains=0', EDS_LOG_LEVEL: 'error' } });
	const asked = { ...runner, storeEnv: database ? { EDS_DATABASE_URL: database } : runner.storeEnv };
	try {
		const { made, failed } = await makeAmidKills(runner, requests, next);
		for (let number = 0; number < made; number++)
			assert.equal(await untilMade(runner, number), await untilMade(runner, number));
		assert.equal(sql(asked, "SELECT count(*) FROM domains WHERE name LIKE 'made-%'"), String(made));
		assert.equal(sql(asked, 'SELECT count(*) FROM once_answers WHERE answer IS NULL'), '0');
		return { made, failed };
	} finally {
		await runner.stop();
	}
}

// Runs the campaign on each database; returns { passed: number of databases, wrong: [] }.
export async function makeOnce({ seed, requests, report }) {
	const server = findPostgres() ? await startPostgres() : null;
	const result = { passed: 0, wrong: [] };
	try {
		for (const [name, database] of [['SQLite', undefined], ...(server ? [['PostgreSQL', server.url]] : [])]) {
			const { made, failed } = await onStore(database, requests, random(seed));
			report(`${made} domains on ${name}, ${failed} requests cut off`);
			result.passed++;
			if (failed === 0) result.wrong.push(`no process was killed in the middle of a request on ${name}`);
		}
	} catch (error) {
		result.wrong.push(error.stack);
	} finally {
		await server?.stop();
	}
	return result;
}
