// Debian's Prometheus, unpacked but not installed, because its package would take the port of our service at
// the next boot.
import { execFileSync, spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

import { freePort } from './free-port.mjs';

const PROGRAMS = fileURLToPath(new URL('../../build/prometheus/usr/bin/', import.meta.url));
const START_SECONDS = 30;

const pause = (ms) => new Promise((next) => setTimeout(next, ms));

// Runs promtool and returns its output; throws an error with the output when promtool finds a fault.
export function promtool(...args) {
	try {
		return execFileSync(join(PROGRAMS, 'promtool'), args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });
	} catch (error) {
		throw new Error(`promtool ${args.join(' ')}\n${error.stdout}${error.stderr}`);
	}
}

// targets: the addresses that it scrapes each second as the job eds. rules: the text of a rule file. Returns {
// alerts, stop }: alerts() gives the names of the firing alerts.
export async function startPrometheus({ targets, rules }) {
	const folder = mkdtempSync(join(tmpdir(), 'eds-prometheus-'));
	const port = await freePort();
	const address = `127.0.0.1:${port}`;
	const alerts = async () => (await (await fetch(`http://${address}/api/v1/alerts`)).json()).data.alerts
		.filter(({ state }) => state === 'firing').map(({ labels }) => labels.alertname);
	writeFileSync(join(folder, 'rules.yml'), rules);
	writeFileSync(join(folder, 'prometheus.yml'), JSON.stringify({
		global: { scrape_interval: '1s', evaluation_interval: '1s' },
		rule_files: ['rules.yml'],
		scrape_configs: [{ job_name: 'eds', static_configs: [{ targets }] }],
	}));
	const child = spawn(join(PROGRAMS, 'prometheus'), [`--config.file=${join(folder, 'prometheus.yml')}`,
		`--storage.tsdb.path=${join(folder, 'data')}`, `--web.listen-address=${address}`], { stdio: ['ignore', 'ignore', 'pipe'] });
	let output = '';
	child.stderr.setEncoding('utf8').on('data', (text) => (output += text));
	const ended = new Promise((done) => child.once('close', done));
	const stop = async () => {
		if (child.exitCode === null && child.signalCode === null) child.kill('SIGTERM');
		await ended;
		rmSync(folder, { recursive: true, force: true });
	};
	const isReady = () => fetch(`http://${address}/-/ready`).then(({ ok }) => ok, () => false);
	for (const end = Date.now() + START_SECONDS * 1000; !(await isReady()); await pause(100))
		if (Date.now() > end || child.exitCode !== null) {
			await stop();
			throw new Error(`Prometheus does not start\n${output}`);
		}
	return { alerts, stop };
}
