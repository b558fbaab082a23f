// A real rspamd (Debian's): one worker on a free port, with its own rules, DNS from the named server,
// and no other server to ask. It ends with the test.
import { spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { freePort } from '../../support/free-port.mjs';

const START_MS = 120000; // rspamd first compiles its expressions, and prepares the rules at the first message
const LOOK_MS = 100;

// The reason why there is no rspamd, or false: the form of node:test's skip.
export const withoutRspamd = () =>
	(spawnSync('rspamd', ['--version']).status === 0 ? false : 'rspamd is not installed (make deps-test)');

// Debian's usual configuration, overridden by ours through its priority.
const config = (port) => `
.include "$CONFDIR/common.conf"
options {
	.include "$CONFDIR/options.inc"
	.include(priority=10) "$DBDIR/options.inc"
}
logging { type = "console"; level = "info"; }
worker "normal" {
	bind_socket = "127.0.0.1:${port}";
	count = 1;
	.include "$CONFDIR/worker-normal.inc"
}
`;

// The real list of 10,000 suffixes would add twenty seconds to the start.
const options = (folder, dns) => `
pidfile = "${folder}/rspamd.pid";
url_tld = "${folder}/suffixes";
disable_hyperscan = true;
dns { nameserver = "${dns}"; timeout = 1s; retransmits = 1; }
`;

async function untilItAnswers(url, child) {
	for (const end = Date.now() + START_MS; Date.now() < end && child.exitCode === null;) {
		const answer = await fetch(`${url}/checkv2`, { method: 'POST', body: 'Subject: first\r\n\r\nx\r\n' }).catch(() => null);
		if (answer?.ok) return true;
		await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
	}
	return false;
}

// dns: "127.0.0.1:5353". Gives { url, stop }.
export async function startRspamd({ dns }) {
	const folder = mkdtempSync(join(tmpdir(), 'rspamd-'));
	const port = await freePort();
	writeFileSync(join(folder, 'rspamd.conf'), config(port));
	writeFileSync(join(folder, 'options.inc'), options(folder, dns));
	writeFileSync(join(folder, 'suffixes'), 'com\nexample\n');
	const variables = ['DBDIR', 'RUNDIR', 'LOGDIR', 'LOCAL_CONFDIR'].map((name) => `--var=${name}=${folder}`);
	const child = spawn('rspamd', ['-f', '-i', '-c', join(folder, 'rspamd.conf'), ...variables],
		{ stdio: ['ignore', 'pipe', 'pipe'] });
	let said = '';
	for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8').on('data', (text) => (said += text));
	const ended = new Promise((resolve) => child.once('close', resolve));
	const stop = async () => {
		const timer = setTimeout(() => child.kill('SIGKILL'), 10000);
		child.kill('SIGTERM');
		await ended;
		clearTimeout(timer);
		rmSync(folder, { recursive: true, force: true });
	};
	const url = `http://127.0.0.1:${port}`;
	if (await untilItAnswers(url, child)) return { url, stop, said: () => said };
	await stop();
	throw new Error(`rspamd does not answer:\n${said.slice(-4000)}`);
}
