// Starts the real runner on free ports, with a database, spool and mail store of its own, and ends it by its
// process id. BUILD names the build folder. The database is SQLite in the runner's folder, or a schema named
// like that folder if EDS_TEST_DATABASE_URL names a PostgreSQL server. With EDS_TEST_BOOTSTRAP=1 each
// function runs behind bootstrap, as it is deployed. EDS_TEST_CLOUD runs all of it like a cloud that refuses
// system calls (JSON: the options of support/cloud.mjs, {} for the defaults).
import { spawn } from 'node:child_process';
import { chownSync, copyFileSync, mkdtempSync, openSync, readFileSync, readdirSync, readlinkSync, rmSync, writeFileSync } from 'node:fs';
import http from 'node:http';
import net from 'node:net';
import { tmpdir } from 'node:os';
import { basename, dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

import { testDatabase } from '../../support/postgres.mjs';
import { CLOUD_USER, asCloud, cloudBuild } from './cloud.mjs';

const ROOT = join(dirname(fileURLToPath(import.meta.url)), '../../..');
export const BUILD = resolve(process.env.BUILD ?? join(ROOT, 'build'));
const IN_CLOUD = process.env.EDS_TEST_CLOUD && JSON.parse(process.env.EDS_TEST_CLOUD);
const BEHIND_BOOTSTRAP = process.env.EDS_TEST_BOOTSTRAP === '1';
const START_SECONDS = 60;
const STOP_SECONDS = 25;
// time limit for an answer, and for the processes that keep the output of a killed runner open
const PATIENCE_SECONDS = 120;

const port = (address) => address && Number(address.slice(address.lastIndexOf(':') + 1));

// The settings of EDS_TEST_S3 (JSON), which name a bucket, with a separate prefix in it for this runner; {} without
// them.
const testMailStore = (home) => {
	const settings = JSON.parse(process.env.EDS_TEST_S3 ?? '{}');
	if (settings.EDS_MAIL_STORE) settings.EDS_MAIL_STORE += `/${basename(home)}`;
	return settings;
};

// The environment variables that a started program needs in addition to its own settings.
const inherited = () =>
	Object.fromEntries(['PATH', 'HOME', 'ASAN_OPTIONS', 'UBSAN_OPTIONS', 'LSAN_OPTIONS']
		.filter((name) => process.env[name] !== undefined)
		.map((name) => [name, process.env[name]]));

// The first line of standard output: {"http":"127.0.0.1:…","smtp":…,"ops":…}.
function readAddresses(child, output) {
	return new Promise((done, failed) => {
		const fail = (why) => failed(new Error(`the runner ${why}\n${output.out}${output.err}`));
		const timer = setTimeout(() => {
			child.kill('SIGKILL');
			fail('did not say where it listens');
		}, START_SECONDS * 1000);
		const look = () => {
			const end = output.out.indexOf('\n');
			if (end < 0) return;
			clearTimeout(timer);
			child.stdout.off('data', look);
			done(JSON.parse(output.out.slice(0, end)));
		};
		child.stdout.on('data', look);
		child.once('error', (error) => fail(`cannot be started: ${error.message}`));
		child.once('close', (code, signal) => {
			clearTimeout(timer);
			fail(`ended at once: ${code ?? signal}`);
		});
	});
}

// Ends the processes that have not ended by themselves.
export function killAll(pids) {
	for (const pid of pids) {
		try {
			process.kill(pid, 'SIGKILL');
		} catch (error) {
			if (error.code !== 'ESRCH') throw error;
		}
	}
}

// The name of a process, and the call of the kernel that it waits in.
export const processLine = (pid) => `${pid} ${ofProcess(pid, 'wchan')} ${ofProcess(pid, 'cmdline').replaceAll('\0', ' ')}`;

// The processes whose working folder is this one.
const workingIn = (folder) => readdirSync('/proc').filter((pid) => {
	try {
		return readlinkSync(`/proc/${pid}/cwd`) === folder;
	} catch {
		return false;
	}
}).map(processLine);

// env: settings in addition to the defaults. functions: a folder from testFunctions(), else the built ones.
// folder: the working folder, kept when given; else a new one, removed by stop().
// cloud: as EDS_TEST_CLOUD. bootstrap: functions behind it. build: the folder of the programs, else BUILD.
// only: the parts to serve, such as 'smtp,schedule'; all by default. renew: it starts again when the
// manifest changes. log: 'output', or 'file' to write standard error to runner.log in the folder, for long
// logs.
//
// Gives { child, pid, folder, cloud, storeEnv, baseUrl, httpPort, smtpPort, opsPort, opsUrl, output, ended,
// stop }: storeEnv is the setting that names its database, empty for SQLite (support/store.mjs); output.out
// and output.err grow, ended is a promise of { code, signal }, stop(signal) ends the runner if it still
// runs and returns { code, signal, seconds }.
export async function startRunner({
	env = {}, functions, folder, cloud = IN_CLOUD, bootstrap = BEHIND_BOOTSTRAP, build = cloud ? cloudBuild() : BUILD, log = 'output',
	only, renew = false,
} = {}) {
	const home = folder ?? mkdtempSync(join(tmpdir(), 'eds-runner-'));
	if (cloud && !folder) chownSync(home, CLOUD_USER, CLOUD_USER);
	const database = testDatabase(basename(home));
	const storeEnv = { ...(database ? { EDS_DATABASE_URL: database } : {}), ...testMailStore(home) };
	const args = [
		'serve', ...(functions ? ['--functions', functions] : []), ...(bootstrap ? ['--bootstrap'] : []),
		...(only ? ['--only', only] : []), ...(renew ? ['--renew'] : []),
	];
	const program = join(build, 'runner');
	const child = spawn(...(cloud ? asCloud(program, args, cloud) : [program, args]), {
		cwd: home,
		env: {
			...inherited(),
			EDS_HTTP_LISTEN: '127.0.0.1:0',
			EDS_SMTP_LISTEN: '127.0.0.1:0',
			EDS_OPS_LISTEN: '127.0.0.1:0',
			// no name servers are asked, because the addresses in the zones of
			// tests may belong to somebody
			EDS_NAME_SERVER_PORT: '0',
			...storeEnv,
			...env,
		},
		stdio: ['ignore', 'pipe', log === 'file' ? openSync(join(home, 'runner.log'), 'w') : 'pipe'],
	});
	const output = { out: '', err: '' };
	const ended = new Promise((done) => child.once('close', (code, signal) => done({ code, signal })));
	child.stdout.setEncoding('utf8').on('data', (text) => (output.out += text));
	child.stderr?.setEncoding('utf8').on('data', (text) => (output.err += text));

	const stop = async (signal = 'SIGTERM') => {
		const began = Date.now();
		const timer = setTimeout(() => child.kill('SIGKILL'), STOP_SECONDS * 1000);
		if (child.exitCode === null && child.signalCode === null) child.kill(signal);
		let patience;
		const outlived = new Promise((_, failed) => {
			patience = setTimeout(() => failed(new Error(`the runner has ended, but its output stays open; processes in its folder:\n${workingIn(home).join('\n')}`)),
				PATIENCE_SECONDS * 1000);
		});
		const end = await Promise.race([ended, outlived]);
		clearTimeout(timer);
		clearTimeout(patience);
		if (!folder) rmSync(home, { recursive: true, force: true });
		return { ...end, seconds: (Date.now() - began) / 1000 };
	};
	try {
		const addresses = await readAddresses(child, output);
		return {
			child,
			pid: child.pid,
			folder: home,
			cloud,
			storeEnv,
			baseUrl: `http://${addresses.http}`,
			opsUrl: `http://${addresses.ops}`,
			httpPort: port(addresses.http),
			smtpPort: port(addresses.smtp),
			opsPort: port(addresses.ops),
			output,
			ended,
			stop,
		};
	} catch (error) {
		if (!folder) rmSync(home, { recursive: true, force: true });
		throw error;
	}
}

// The token that the runner made at its first start. It is in a file; earlier releases printed it.
export const firstToken = ({ folder, output }) =>
	/Bearer (eds_\w+)/.exec(output.out)?.[1] ?? readFileSync(join(folder, 'var/mail.spool/first-token'), 'utf8').trim();

// A folder with a manifest and programs of tests/support, to be served with { functions }.
// functions: { name: { program: 'handler-http', http: […], timeoutMs: … } }; call remove() when
// done.
export function testFunctions(functions) {
	const folder = mkdtempSync(join(tmpdir(), 'eds-functions-'));
	const manifest = { functions: {} };
	for (const [name, { program, ...entry }] of Object.entries(functions)) {
		if (program) copyFileSync(join(BUILD, 'tests/support', program), join(folder, name));
		manifest.functions[name] = { timeoutMs: 5000, memoryMb: 64, ...entry };
	}
	writeFileSync(join(folder, 'manifest.json'), JSON.stringify(manifest));
	return { folder, remove: () => rmSync(folder, { recursive: true, force: true }) };
}

// One request over a connection of its own (or agent's): { status, headers, text, json() }.
export function request(url, { method = 'GET', headers = {}, body, agent = false } = {}) {
	return new Promise((done, failed) => {
		const timer = setTimeout(() => req.destroy(new Error(`${method} ${url} is not answered`)), PATIENCE_SECONDS * 1000);
		const req = http.request(url, { method, headers, agent }, (res) => {
			const parts = [];
			res.on('data', (part) => parts.push(part));
			res.on('error', failed);
			res.on('end', () => {
				const bytes = Buffer.concat(parts);
				const text = bytes.toString();
				done({
					status: res.statusCode,
					headers: res.headers,
					rawHeaders: res.rawHeaders,
					bytes,
					text,
					json: () => JSON.parse(text),
				});
			});
		});
		req.on('error', failed);
		req.on('close', () => clearTimeout(timer));
		req.end(body);
	});
}

// Sends bytes unchanged and returns the whole answer when the server has closed the connection, or
// after ms. parts: one or several pieces, sent 20 ms apart.
export function exchange(portNumber, parts, { ms = 3000, halfClose = false } = {}) {
	return new Promise((done, failed) => {
		const socket = net.connect(portNumber, '127.0.0.1');
		let text = '';
		const finish = (closed) => {
			clearTimeout(timer);
			socket.destroy();
			done({ text, closed });
		};
		const timer = setTimeout(() => finish(false), ms);
		socket.setEncoding('latin1');
		socket.on('data', (data) => (text += data));
		socket.on('end', () => finish(true));
		socket.on('error', (error) => (error.code === 'ECONNRESET' ? finish(true) : failed(error)));
		socket.on('connect', async () => {
			for (const part of [parts].flat()) {
				socket.write(part, 'latin1');
				await new Promise((next) => setTimeout(next, 20));
			}
			if (halfClose) socket.end();
		});
	});
}

// The content of a process's file in /proc; empty when the process has ended, which may happen at any time.
export function ofProcess(pid, file) {
	try {
		return readFileSync(`/proc/${pid}/${file}`, 'latin1');
	} catch (error) {
		if (['ENOENT', 'ESRCH'].includes(error.code)) return '';
		throw error;
	}
}

// Process ids of the children of a process.
export const childrenOf = (pid) =>
	ofProcess(pid, `task/${pid}/children`).trim().split(/\s+/).filter(Boolean).map(Number);

// Process ids of all descendants of a process.
export const descendantsOf = (pid) => childrenOf(pid).flatMap((child) => [child, ...descendantsOf(child)]);

// The name of a process's program; empty when it has ended.
const programOf = (pid) => basename(ofProcess(pid, 'cmdline').split('\0')[0]);

// Process ids of a function's handlers, children of the runner or of a bootstrap.
export const handlersOf = (runner, name) => childrenOf(runner.pid)
	.flatMap((pid) => (programOf(pid) === 'bootstrap' ? childrenOf(pid) : [pid]))
	.filter((pid) => programOf(pid) === name);

export const isAlive = (pid) => !['', 'Z'].includes(ofProcess(pid, 'stat').replace(/^.*\) /s, '').slice(0, 1));

// Waits until handlers of tests/support have begun this many slow events ("sleep", "nap").
export const untilBegun = (runner, what, times = 1) =>
	until(() => runner.output.err.split(`the ${what} begins`).length > times);

export async function until(condition, ms = 20000) {
	const end = Date.now() + ms;
	for (;;) {
		const value = await condition();
		if (value) return value;
		if (Date.now() > end) throw new Error(`not within ${ms} ms: ${condition}`);
		await new Promise((next) => setTimeout(next, 20));
	}
}
