// The cost of the cloud adapter: an event through bootstrap and its warm function, compared with the
// same event given directly to the function; and the first answer after exec. A bare socket takes the
// place of the Runtime API, so that the figures are mostly the adapter's.
import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import net from 'node:net';
import { join } from 'node:path';
import { performance } from 'node:perf_hooks';

import { Place, build, heading, http, program, row, us } from './measure.mjs';

const WARM_EVENTS = 10000;
const WARM_UP = 500;
const COLD_STARTS = 100;
const TICK_US = 10000; // the unit of times in /proc/PID/stat

const median = (values) => [...values].sort((a, b) => a - b)[values.length >> 1];
const cpuUs = (pid) => {
	const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').replace(/^.*\) /s, '').split(' ');
	return (Number(fields[11]) + Number(fields[12])) * TICK_US;
};

// Serves a minimal Runtime API: it answers GET with the event and POST with 202, and
// calls answered() after each POST.
function serve(event, answered) {
	const body = JSON.stringify(event);
	const next = `HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: ${Buffer.byteLength(body)}\r\n` +
		'Lambda-Runtime-Aws-Request-Id: 8476a536-e9f4-11e8-9739-2dfe598c3fcd\r\n' +
		'Lambda-Runtime-Trace-Id: Root=1-5759e988-bd862e3fe1be46a994272793;Sampled=1\r\n' +
		`Lambda-Runtime-Deadline-Ms: ${Date.now() + 3600000}\r\n\r\n${body}`;
	const accepted = 'HTTP/1.1 202 Accepted\r\nContent-Length: 0\r\n\r\n';
	const server = net.createServer({ noDelay: true }, (socket) => {
		let text = '';
		socket.setEncoding('latin1');
		socket.on('error', () => {});
		socket.on('data', (data) => {
			text += data;
			for (;;) {
				const head = text.indexOf('\r\n\r\n');
				if (head < 0) return;
				const length = Number(/content-length: (\d+)/i.exec(text.slice(0, head))?.[1] ?? 0);
				if (text.length < head + 4 + length) return;
				const post = text.startsWith('POST');
				if (post && !text.includes('/response HTTP')) throw new Error(`not answered: ${text}`);
				text = text.slice(head + 4 + length);
				if (post) {
					socket.write(accepted);
					answered();
				} else {
					socket.write(next);
				}
			}
		});
	});
	return new Promise((done) => server.listen(0, '127.0.0.1', () => done(server)));
}

function start(server, place) {
	return spawn(join(build, 'bootstrap'), [], {
		cwd: place.folder,
		env: {
			...place.env, AWS_LAMBDA_RUNTIME_API: `127.0.0.1:${server.address().port}`,
			LAMBDA_TASK_ROOT: build, _HANDLER: 'tester-session-get',
		},
		stdio: ['ignore', 'ignore', 'inherit'],
	});
}

const ended = (child) => new Promise((done) => child.once('close', done));

// The wall-clock and CPU time of one event, averaged over many in a row.
async function throughBootstrap(place, event) {
	let count = 0;
	let began;
	let cpu;
	let told;
	const finished = new Promise((done) => (told = done));
	const server = await serve(event, () => {
		count++;
		if (count === WARM_UP) {
			began = performance.now();
			cpu = cpuUs(child.pid);
		} else if (count === WARM_UP + WARM_EVENTS) {
			told({
				wallUs: (performance.now() - began) * 1000 / WARM_EVENTS,
				cpuUs: (cpuUs(child.pid) - cpu) / WARM_EVENTS,
			});
		}
	});
	const child = start(server, place);
	const got = await finished;
	child.kill('SIGKILL');
	await ended(child);
	server.close();
	return got;
}

// The wall-clock and CPU time of an event that is given directly to the function, over its pipes.
function alone(place, event) {
	const child = spawn(program('tester-session-get'), ['--kept'], {
		cwd: place.folder, env: place.env, stdio: ['pipe', 'pipe', 'inherit'],
	});
	const line = `${JSON.stringify(event)}\n`;
	return new Promise((done) => {
		let count = 0;
		let began;
		child.stdout.on('data', () => {
			count++;
			if (count === WARM_UP) began = performance.now();
			if (count < WARM_UP + WARM_EVENTS) {
				child.stdin.write(line);
				return;
			}
			done((performance.now() - began) * 1000 / WARM_EVENTS);
			child.stdin.end();
		});
		child.stdin.write(line);
	});
}

async function firstAnswers(place, event) {
	const times = [];
	let told;
	const server = await serve(event, () => told());
	for (let i = 0; i < COLD_STARTS; i++) {
		const answered = new Promise((done) => (told = done));
		const child = start(server, place);
		const began = performance.now(); // spawn returns once exec has succeeded
		await answered;
		times.push((performance.now() - began) * 1000);
		child.kill('SIGKILL');
		await ended(child);
	}
	server.close();
	return median(times);
}

export async function bootstrap() {
	heading('Cloud adapter (tester-session-get over the Runtime API)');
	const place = new Place();
	try {
		const session = place.createSession();
		const event = http('GET', `/s/${session.testId}`, { testId: session.testId });
		const function_us = await alone(place, event);
		const through = await throughBootstrap(place, event);
		row('overhead of a warm event', us(through.wallUs - function_us), '100 us',
			`${us(through.wallUs)} through it, ${us(function_us)} over the function's pipes`);
		row('CPU of bootstrap for an event', us(through.cpuUs), '', '');
		const { coldUs } = await place.measure('tester-session-get', event, { cold: COLD_STARTS });
		row('first answer after exec, median', us(await firstAnswers(place, event)), '3000 us',
			`both started; the function by itself ${us(coldUs)}`);
	} finally {
		place.remove();
	}
}
