// Ports that a service manager holds for the runner: opened by systemd's own tool, and by a program
// that repeatedly starts the runner as systemd does with eds.socket.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import net from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';

import { freePort } from '../support/free-port.mjs';
import { BUILD, until } from './support/runner.mjs';

// Listens on the ports in the arguments; for each line "start" the runner serves with these sockets, for "stop" it
// ends.
const HOLDER = `
import os, signal, socket, subprocess, sys
sockets = [socket.create_server(("127.0.0.1", int(port)), backlog=64) for port in sys.argv[2:]]
def start():
	pid = os.fork()
	if pid == 0:
		for number, held in enumerate(sockets): os.dup2(os.dup(held.fileno()), 20 + number)
		for number in range(len(sockets)): os.dup2(20 + number, 3 + number, inheritable=True)
		os.environ.update(LISTEN_PID=str(os.getpid()), LISTEN_FDS=str(len(sockets)))
		os.execv(sys.argv[1], [sys.argv[1], "serve"])
	return pid
pid = None
for line in sys.stdin:
	if line == "start\\n": pid = start()
	else:
		os.kill(pid, signal.SIGTERM)
		os.waitpid(pid, 0)
		pid = None
	print(line, end="", flush=True)
if pid: os.kill(pid, signal.SIGKILL)
`;

describe('ports that a service manager holds', () => {
	let folder;
	let ports;
	let env;
	let holder;
	let log = '';

	before(async () => {
		folder = mkdtempSync(join(tmpdir(), 'eds-sockets-'));
		ports = [];
		for (let i = 0; i < 4; i++) ports.push(await freePort());
		const [http, smtp, ops] = ports.map((port) => `127.0.0.1:${port}`);
		env = { PATH: process.env.PATH, EDS_HTTP_LISTEN: http, EDS_SMTP_LISTEN: smtp, EDS_OPS_LISTEN: ops, EDS_DNS_SERVERS: '127.0.0.1:9' };
		holder = spawn('python3', ['-c', HOLDER, join(BUILD, 'runner'), ...ports], { cwd: folder, env, stdio: ['pipe', 'pipe', 'pipe'] });
		holder.stderr.setEncoding('utf8').on('data', (text) => (log += text));
		holder.stdout.setEncoding('utf8');
	});
	after(async () => {
		holder.stdin.end();
		if (holder.exitCode === null) await once(holder, 'close');
		rmSync(folder, { recursive: true, force: true });
	});

	const told = async (word) => {
		holder.stdin.write(`${word}\n`);
		for (let said = ''; !said.includes(`${word}\n`);) [said] = await once(holder.stdout, 'data');
	};
	const page = () => fetch(`http://127.0.0.1:${ports[0]}/`, { signal: AbortSignal.timeout(30000), headers: { connection: 'close' } });
	const greeting = (socket) => once(socket.setEncoding('utf8'), 'data').then(([text]) => text);

	test('are answered by the runner, and a socket that it does not know is closed and named', async () => {
		await told('start');
		assert.equal((await page()).status, 200);
		assert.match(await greeting(net.connect(ports[1], '127.0.0.1')), /^220 /);
		await until(async () => log.includes(`the socket 127.0.0.1:${ports[3]} that the service manager passed is closed`), 20000);
		assert.ok(!log.includes('Address already in use'));
	});

	test('make clients wait while the runner is restarted, and refuse none', async () => {
		await told('stop');
		const waiting = [page(), page(), greeting(net.connect(ports[1], '127.0.0.1'))];
		await new Promise((done) => setTimeout(done, 300));
		await told('start');
		const [first, second, said] = await Promise.all(waiting);
		assert.deepEqual([first.status, second.status], [200, 200]);
		assert.match(said, /^220 /);
	});

	test('stay open during requests, restart after restart', async () => {
		let going = true;
		const answers = [];
		const client = async () => {
			while (going) answers.push(await page().then(({ status }) => status, (error) => error.cause?.code ?? error.message));
		};
		const clients = [client(), client(), client()];
		for (let i = 0; i < 3; i++) {
			await new Promise((done) => setTimeout(done, 300));
			await told('stop');
			await told('start');
		}
		await new Promise((done) => setTimeout(done, 300));
		going = false;
		await Promise.all(clients);
		assert.deepEqual([...new Set(answers)], [200]);
		assert.ok(answers.length > 10, `${answers.length}`);
		await told('stop');
	});
});

test('a runner that systemd starts at the first connection answers it', { skip: !existsSync('/usr/bin/systemd-socket-activate') && 'systemd is not here' }, async () => {
	const folder = mkdtempSync(join(tmpdir(), 'eds-sockets-'));
	const [http, smtp, ops] = [await freePort(), await freePort(), await freePort()].map((port) => `127.0.0.1:${port}`);
	const settings = { EDS_HTTP_LISTEN: http, EDS_SMTP_LISTEN: smtp, EDS_OPS_LISTEN: ops, EDS_DNS_SERVERS: '127.0.0.1:9' };
	const child = spawn('systemd-socket-activate', ['-l', http, '-l', smtp, '-l', ops, ...Object.entries(settings).flatMap(([name, value]) => ['-E', `${name}=${value}`]),
		join(BUILD, 'runner'), 'serve'], { cwd: folder, env: { PATH: process.env.PATH }, stdio: ['ignore', 'ignore', 'pipe'] });
	let log = '';
	child.stderr.setEncoding('utf8').on('data', (text) => (log += text));
	try {
		await until(async () => log.includes('Listening on'), 20000);
		const answer = await fetch(`http://${http}/`, { signal: AbortSignal.timeout(30000) });
		assert.equal(answer.status, 200, log);
	} finally {
		child.kill('SIGTERM');
		await once(child, 'close');
		rmSync(folder, { recursive: true, force: true });
	}
});
