// Runs a function as it is deployed: its zip unpacked into an empty root at /var/task, bootstrap started
// in there, in name spaces with nothing else in them but /proc and /tmp, and fed by a Lambda Runtime API.
import { execFileSync, spawn } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { asCloud } from './cloud.mjs';
import { BUILD } from './runner.mjs';
import { startRuntimeApi } from './runtime-api.mjs';

export const packageFile = (name) => join(BUILD, 'package', `${name}.zip`);

// Whether this machine allows a test to make such a root.
export function canIsolate() {
	try {
		execFileSync('unshare', ['--mount', '--pid', '--fork', 'true'], { stdio: 'pipe' });
		return process.getuid() === 0;
	} catch {
		return false;
	}
}

const ENTER = 'mount -t proc proc "$0/proc" && { [ -z "$1" ] || mount --bind "$1" "$0/shared"; } && shift && exec "$@"';
const WRITABLE = ['tmp', 'shared'];

// shared: a folder that becomes /shared in the root. cloud: options for refused system calls
// (support/cloud.mjs), with a user other than root. Returns { invoke, root, output, stop }:
// invoke(event) is that of the Runtime API.
export async function startPackage(name, { env = {}, shared = '', cloud } = {}) {
	const root = mkdtempSync(join(tmpdir(), 'eds-root-'));
	const api = await startRuntimeApi();
	const output = { err: '' };
	for (const folder of ['var/task', 'proc', 'tmp', 'shared']) mkdirSync(join(root, folder), { recursive: true });
	execFileSync('unzip', ['-q', packageFile(name), '-d', join(root, 'var/task')]);
	for (const folder of WRITABLE) chmodSync(join(root, folder), 0o777);
	chmodSync(root, 0o755);
	const [program, args] = cloud ? asCloud('/var/task/bootstrap', [], { ...cloud, root }) : ['chroot', [root, '/var/task/bootstrap']];
	const child = spawn('unshare', ['--mount', '--propagation', 'private', '--pid', '--fork', '--kill-child', 'sh', '-c', ENTER,
		root, shared, program, ...args], {
		env: {
			PATH: process.env.PATH, AWS_LAMBDA_RUNTIME_API: api.address, LAMBDA_TASK_ROOT: '/var/task', _HANDLER: name, ...env,
		},
		stdio: ['ignore', 'ignore', 'pipe'],
	});
	const ended = new Promise((done) => child.once('close', done));
	child.stderr.setEncoding('utf8').on('data', (text) => (output.err += text));
	const stop = async () => {
		if (child.exitCode === null && child.signalCode === null) child.kill('SIGKILL');
		await ended;
		await api.close();
		rmSync(root, { recursive: true, force: true });
	};
	const died = ended.then(() => {
		throw new Error(`bootstrap of ${name} ended: ${output.err}`);
	});
	died.catch(() => {});
	const refused = api.initError.then(({ json }) => {
		throw new Error(`${name} cannot start: ${json.errorMessage}`);
	});
	const invoke = (event) => Promise.race([api.invoke(event, { deadlineMs: 60000 }), died, refused]);
	return { invoke, root, output, stop };
}

// Starts the package for a single event; returns the outcome.
export async function runPackage(name, event, options) {
	const running = await startPackage(name, options);
	try {
		return await running.invoke(event);
	} finally {
		await running.stop();
	}
}
