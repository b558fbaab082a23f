// Starts the real bootstrap with one of its fronts, and ends it by its process id.
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { freePort } from '../../support/free-port.mjs';
import { BUILD, until } from './runner.mjs';

const STOP_SECONDS = 15;

// A folder in the form of $LAMBDA_TASK_ROOT, with functions/ in it.
export function taskRoot(functionsFolder) {
	const folder = mkdtempSync(join(tmpdir(), 'eds-task-'));
	symlinkSync(functionsFolder, join(folder, 'functions'));
	return { folder, remove: () => rmSync(folder, { recursive: true, force: true }) };
}

// Returns { child, pid, output, ended, stop } like startRunner().
export function startBootstrap({ env = {}, args = [] }) {
	const { PATH, HOME, ASAN_OPTIONS = '', UBSAN_OPTIONS = '' } = process.env;
	const child = spawn(join(BUILD, 'bootstrap'), args, {
		env: { PATH, HOME, ASAN_OPTIONS, UBSAN_OPTIONS, ...env },
		stdio: ['ignore', 'pipe', 'pipe'],
	});
	const output = { out: '', err: '' };
	const ended = new Promise((done) => child.once('close', (code, signal) => done({ code, signal })));
	child.stdout.setEncoding('utf8').on('data', (text) => (output.out += text));
	child.stderr.setEncoding('utf8').on('data', (text) => (output.err += text));
	const stop = async (signal = 'SIGTERM') => {
		const timer = setTimeout(() => child.kill('SIGKILL'), STOP_SECONDS * 1000);
		if (child.exitCode === null && child.signalCode === null) child.kill(signal);
		const end = await ended;
		clearTimeout(timer);
		return end;
	};
	return { child, pid: child.pid, output, ended, stop };
}

// Starts bootstrap with its HTTP front; the result also has baseUrl and httpPort.
export async function startHttpBootstrap({ functions, name, env = {} }) {
	const root = taskRoot(functions);
	const httpPort = await freePort();
	const bootstrap = startBootstrap({
		args: [name], env: { LAMBDA_TASK_ROOT: root.folder, PORT: String(httpPort), ...env },
	});
	await until(() => {
		if (bootstrap.child.exitCode !== null) throw new Error(`bootstrap ended: ${bootstrap.output.err}`);
		return bootstrap.output.err.includes('listening on');
	}, 20000);
	const stop = async (signal) => {
		const end = await bootstrap.stop(signal);
		root.remove();
		return end;
	};
	return { ...bootstrap, stop, httpPort, baseUrl: `http://127.0.0.1:${httpPort}` };
}
