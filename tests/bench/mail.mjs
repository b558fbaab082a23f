// Durable mail a second over SMTP: 10 connections, a new one for each message of 8 KB (postfix's
// smtp-source), and the ratio to postfix's smtp-sink, which stores nothing. Both take turns, because the
// machine is not equally fast at all times; the ratio is that of the middle pair.
import { execFile, spawn } from 'node:child_process';
import net from 'node:net';
import { promisify } from 'node:util';

import { childrenOf, request, startRunner, testFunctions, until } from '../e2e/support/runner.mjs';
import { heading, middle, row, times, us } from './measure.mjs';
import { threadsNs } from './processor.mjs';

const MESSAGES = 4000;
const CONNECTIONS = 10;
const BYTES = 8 * 1024;
const RECIPIENT = 'bench@tester.localhost';
const RUN_MS = 60000;
const PAIRS = 5;
const PATH = `${process.env.PATH}:/usr/sbin`;

async function rate(port, recipient) {
	const began = performance.now();
	await promisify(execFile)('smtp-source',
		['-s', CONNECTIONS, '-m', MESSAGES, '-l', BYTES, '-f', 'bench@sender.example', '-t', recipient,
			`inet:127.0.0.1:${port}`].map(String),
		{ env: { ...process.env, PATH }, timeout: RUN_MS });
	return (MESSAGES * 1000) / (performance.now() - began);
}

async function freePort() {
	const server = net.createServer();
	await new Promise((done) => server.listen(0, '127.0.0.1', done));
	const { port } = server.address();
	await new Promise((done) => server.close(done));
	return port;
}

const listens = (port) => new Promise((done) => {
	const socket = net.connect(port, '127.0.0.1');
	socket.on('connect', () => socket.destroy(done(true)));
	socket.on('error', () => done(false));
});

async function sinkRate(recipient) {
	const port = await freePort();
	const sink = spawn('smtp-sink', [...(process.getuid() === 0 ? ['-u', 'nobody'] : []),
		`inet:127.0.0.1:${port}`, '100'], { env: { ...process.env, PATH }, stdio: 'inherit' });
	const ended = new Promise((done, failed) => sink.once('exit', done).once('error', failed));
	try {
		await Promise.race([until(() => listens(port)), ended]);
		const before = threadsNs(sink.pid);
		const sent = await rate(port, recipient);
		return { rate: sent, cpuUs: (threadsNs(sink.pid) - before) / MESSAGES / 1000 };
	} finally {
		sink.kill();
		await ended;
	}
}

// Until the mail accepted so far is processed, so that the peer has the processors for itself.
async function processed(runner) {
	await until(async () => /^eds_mail_queued 0$/m.test((await request(`${runner.opsUrl}/metrics`)).text), RUN_MS);
}

async function ownRate(runner) {
	const handlers = childrenOf(runner.pid);
	const cpu = (pids) => pids.reduce((sum, pid) => sum + threadsNs(pid), 0);
	const before = [threadsNs(runner.pid), cpu(handlers)];
	const sent = await rate(runner.smtpPort, RECIPIENT);
	const of = (now, i) => (now - before[i]) / MESSAGES / 1000;
	return { rate: sent, runnerUs: of(threadsNs(runner.pid), 0), handlersUs: of(cpu(handlers), 1) };
}

export async function mail() {
	heading(`Mail over SMTP (${BYTES / 1024} KB, ${CONNECTIONS} connections, a new one for each message)`);
	// A test address accepts only twenty messages, so a test handler accepts all recipients. The number
	// of handlers is fixed here: more of them would process more mail meanwhile, and leave less time for
	// accepting it.
	const functions = testFunctions({
		'mail-accept': { program: 'handler-keep', handlers: 4 },
		keep: { program: 'handler-keep', handlers: 2, mail: true },
	});
	const runner = await startRunner({ functions: functions.folder, log: 'file' });
	try {
		await ownRate(runner); // starts the handlers
		const pairs = [];
		for (let i = 0; i < PAIRS; i++) {
			await processed(runner);
			const own = await ownRate(runner);
			await processed(runner);
			const sink = await sinkRate(RECIPIENT);
			pairs.push({ own, sink, ratio: own.rate / sink.rate });
		}
		const { own, sink, ratio } = middle(pairs, (pair) => pair.ratio);
		const ratios = pairs.map((pair) => pair.ratio);

		row('durable messages a second', String(Math.round(own.rate)), '5000',
			`${MESSAGES} by smtp-source, each answered 250 when it is on the disk; CPU: runner ${us(own.runnerUs)}, handlers ${us(own.handlersUs)}`);
		row('ratio to smtp-sink, which stores nothing', times(ratio), '0.9',
			`${Math.round(sink.rate)} a second, CPU ${us(sink.cpuUs)}; of ${PAIRS} pairs the lowest ${times(Math.min(...ratios))}, the highest ${times(Math.max(...ratios))}`);
	} finally {
		await runner.stop('SIGKILL'); // the accepted mail is not analyzed here
		functions.remove();
	}
}
