// GET of a session and of a policy through the runner, under wrk: requests a second, CPU of a request,
// and the ratio to node with better-sqlite3 doing the same reads of sessions in the same run.
import { execFile, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';
import { fileURLToPath } from 'node:url';

import { startDns } from '../e2e/support/dns.mjs';
import { sendMail } from '../e2e/support/mail.mjs';
import { childrenOf, request, startRunner } from '../e2e/support/runner.mjs';
import { admin } from '../e2e/support/store.mjs';
import { createSession, getSession, untilCompleted } from '../e2e/support/tester.mjs';
import { build, heading, mb, row, times } from './measure.mjs';

const CONNECTIONS = 32;
const SECONDS = 4;
const PAIRS = 5;
const START_MS = 5000;
const PEER_SQL = `SELECT m.result FROM tester_sessions s LEFT JOIN tester_messages m ON m.test_id = s.test_id
	WHERE s.test_id = ? ORDER BY m.received_at_ms DESC, m.message_id DESC LIMIT 1`;
const TICKS_PER_SECOND = Number(execFileSync('getconf', ['CLK_TCK'], { encoding: 'utf8' }));

function cpuSeconds(pid) {
	const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').replace(/^.*\) /s, '').split(' ');
	return (Number(fields[11]) + Number(fields[12])) / TICKS_PER_SECOND;
}

const totalCpu = (pids) => pids.reduce((sum, pid) => sum + cpuSeconds(pid), 0);

export async function load(url, headers = []) {
	const { stdout } = await promisify(execFile)('wrk',
		['-t1', `-c${CONNECTIONS}`, `-d${SECONDS}s`, ...headers.flatMap((h) => ['-H', h]), url]);
	if (/Non-2xx|Socket errors/.test(stdout)) throw new Error(`wrk against ${url}:\n${stdout}`);
	return { rate: Number(/Requests\/sec:\s*([\d.]+)/.exec(stdout)[1]),
		count: Number(/(\d+) requests in/.exec(stdout)[1]) };
}

const hasPeer = () => existsSync(fileURLToPath(new URL('../../build/peers/node_modules/better-sqlite3', import.meta.url)));

// Starts the peer; returns its port and end().
async function startPeer(database) {
	const peer = spawn(process.execPath, [join(fileURLToPath(new URL('.', import.meta.url)), 'peer.mjs'), database, PEER_SQL],
		{ stdio: ['pipe', 'pipe', 'inherit'] });
	const [port] = await once(createInterface({ input: peer.stdout }), 'line',
		{ signal: AbortSignal.timeout(START_MS) });
	const ended = once(peer, 'exit');
	return { port, pid: peer.pid, end: () => (peer.stdin.end(), ended) };
}

// Measures eds and the peer in turns, because the speed of the machine changes; the ratio
// is the median over the pairs.
async function compare(runner, reads) {
	if (!hasPeer()) {
		row('ratio to node + better-sqlite3', '-', '1.2',
			'not there; make peers compiles it');
		return;
	}
	const peer = await startPeer(join(runner.folder, 'var/eds.db'));
	for (const [what, path, target] of reads) {
		const pairs = [];
		for (let i = 0; i < PAIRS; i++) {
			const ours = await load(runner.baseUrl + path);
			const theirs = await load(`http://127.0.0.1:${peer.port}${path}`);
			pairs.push({ ratio: ours.rate / theirs.rate, rates: `${Math.round(ours.rate)} to ${Math.round(theirs.rate)}` });
		}
		const { ratio, rates } = pairs.sort((one, other) => one.ratio - other.ratio)[PAIRS >> 1];
		row(`${what}, ratio to node + better-sqlite3`, times(ratio), target,
			`${rates} a second; of ${PAIRS} pairs the lowest ${times(pairs[0].ratio)}, the highest ${times(pairs.at(-1).ratio)}`);
	}
	await peer.end();
}

async function measure(runner, what, path, target, headers = []) {
	await load(runner.baseUrl + path, headers); // time for the pool to grow and the caches to fill
	const handlers = childrenOf(runner.pid);
	const before = [cpuSeconds(runner.pid), totalCpu(handlers)];
	const { rate, count } = await load(runner.baseUrl + path, headers);
	const own = ((cpuSeconds(runner.pid) - before[0]) / count) * 1e6;
	const theirs = ((totalCpu(handlers) - before[1]) / count) * 1e6;
	row(`${what}, requests a second`, String(Math.round(rate)), target,
		`wrk, ${CONNECTIONS} connections; CPU: runner ${own.toFixed(1)} us, handlers ${theirs.toFixed(1)} us`);
}

// A domain whose policy is served, because a check has seen its TXT record.
async function makePolicy(runner, name) {
	admin(runner, { action: 'create-account', name: 'bench', plan: 'paid' });
	const { token } = admin(runner, { action: 'create-token', account: 'bench', name: 'bench', expiresAt: null });
	const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
	const call = async (method, path, body) => (await request(`${runner.baseUrl}/api/v1/domains${path}`,
		{ method, headers, body: JSON.stringify(body) })).json().data;
	const { id } = await call('POST', '', { name });
	await call('PATCH', `/${id}/mta-sts`, { enabled: true, mxPatterns: [`mx1.${name}`, `mx2.${name}`, '*.example.net'] });
	await call('POST', `/${id}/mta-sts/check`);
}

export async function requests() {
	heading('GET through the runner');
	const dns = await startDns([], { build });
	const runner = await startRunner({ env: { EDS_DNS_SERVERS: dns.address }, log: 'file' });
	try {
		const pending = await createSession(runner);
		const completed = await createSession(runner);
		await sendMail(runner.smtpPort, { from: 'a@sender.example', to: completed.email,
			message: 'From: a@sender.example\r\nSubject: bench\r\n\r\nHello\r\n' });
		await untilCompleted(runner, completed.testId);
		const bytes = JSON.stringify(await getSession(runner, completed.testId)).length;
		const path = (session) => `/api/inbound-tester/sessions/${session.testId}`;

		await measure(runner, 'pending session', path(pending), '45000');
		await measure(runner, `completed session (${bytes} bytes)`, path(completed), '45000');
		await compare(runner, [['pending session', path(pending), '1.2'], ['completed session', path(completed), '1.0']]);
		await makePolicy(runner, 'example.com');
		await measure(runner, 'policy', '/.well-known/mta-sts.txt', '45000', ['Host: mta-sts.example.com']);
		const rss = Number(/VmRSS:\s*(\d+)/.exec(readFileSync(`/proc/${runner.pid}/status`, 'utf8'))[1]);
		row('runner, RSS after it', mb(rss), '', '');
	} finally {
		await runner.stop();
		await dns.stop();
	}
}
