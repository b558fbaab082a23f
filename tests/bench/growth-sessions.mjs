// What a request costs the runner and its handlers while 1 to 1,000 clients poll, each its own session.
import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { childrenOf, startRunner } from '../e2e/support/runner.mjs';
import { createSession } from '../e2e/support/tester.mjs';
import { row, times } from './measure.mjs';
import { threadsNs } from './processor.mjs';

const CLIENTS = [1, 10, 32, 100, 1000];
const SECONDS = 4;
const AT_ONCE = 200; // concurrent requests at most, because the queue of a function takes 256

// For wrk: the requests go through the sessions in turn, each from an address of its own.
const script = (paths) => `local paths = {${paths.map((path) => `"${path}"`).join(',')}}
local next = 0
request = function()
	next = next % #paths + 1
	return wrk.format("GET", paths[next], { ["X-Forwarded-For"] = string.format("198.18.%d.%d", next / 200, next % 200 + 1) })
end
`;

// Polls for some seconds; returns the number of answered requests.
function poll(runner, clients, file, seconds) {
	const output = execFileSync('wrk', ['-t1', `-c${Math.min(clients, AT_ONCE)}`, `-d${seconds}s`, '--timeout', '20s', '-s', file, runner.baseUrl], { encoding: 'utf8' });
	if (/Non-2xx|Socket errors/.test(output)) throw new Error(output);
	return Number(/(\d+) requests in/.exec(output)[1]);
}

export async function sessionsGrow() {
	// wrk counts as a trusted proxy, so that its X-Forwarded-For names a client for each session.
	const runner = await startRunner({ env: { EDS_TESTER_SESSIONS_PER_HOUR: '0', EDS_TRUSTED_PROXIES: '127.0.0.1' }, log: 'file' });
	const file = join(runner.folder, 'poll.lua');
	const costs = [];
	try {
		const paths = [];
		for (let i = 0; i < CLIENTS.at(-1); i++) paths.push(`/api/inbound-tester/sessions/${(await createSession(runner)).testId}`);
		for (const clients of CLIENTS) {
			writeFileSync(file, script(paths.slice(0, clients)));
			poll(runner, clients, file, 1); // time for the pool to grow
			const pids = [runner.pid, ...childrenOf(runner.pid)];
			const before = pids.reduce((sum, pid) => sum + threadsNs(pid), 0);
			const count = poll(runner, clients, file, SECONDS);
			costs.push((pids.reduce((sum, pid) => sum + threadsNs(pid), 0) - before) / count / 1000);
		}
	} finally {
		await runner.stop();
	}
	row('sessions polled by 1,000 clients', times(costs.at(-1) / costs[CLIENTS.indexOf(32)]), '1.1',
		`CPU of a request, to that with 32; ${CLIENTS.map((clients, i) => `${clients.toLocaleString('en')}: ${costs[i].toFixed(1)} us`).join(', ')}; alone, each wakes two processes`);
	return { title: 'CPU of a request, µs, by the clients that poll their sessions', sizes: CLIENTS, lines: [{ name: 'GET of a session', costs }] };
}
