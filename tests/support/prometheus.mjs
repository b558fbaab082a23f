// Debian's Prometheus and its blackbox exporter, unpacked but not installed, because Prometheus' package would take the
// port of our service at the next boot.
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
		throw new Error(`promtool ${args.join(' ')}\n${error.stdout ?? error.message}${error.stderr ?? ''}`);
	}
}

// A program that is ready when its address answers: { address, stop }. It is started with args(address).
async function start(name, args, path) {
	const address = `127.0.0.1:${await freePort()}`;
	const child = spawn(join(PROGRAMS, name), args(address), { stdio: ['ignore', 'ignore', 'pipe'] });
	let output = '';
	child.once('error', ({ message }) => (output += message));
	child.stderr.setEncoding('utf8').on('data', (text) => (output += text));
	const ended = new Promise((done) => child.once('close', done));
	const stop = async () => {
		if (child.exitCode === null && child.signalCode === null) child.kill('SIGTERM');
		await ended;
	};
	const isReady = () => fetch(`http://${address}${path}`).then(({ ok }) => ok, () => false);
	for (const end = Date.now() + START_SECONDS * 1000; !(await isReady()); await pause(100))
		if (Date.now() > end || child.exitCode !== null) {
			await stop();
			throw new Error(`${name} does not start (make deps-test unpacks it)\n${output}`);
		}
	return { address, stop };
}

// Calls begin(folder) with a new folder, which is removed when the program that it starts is stopped.
async function withFolder(begin) {
	const folder = mkdtempSync(join(tmpdir(), 'eds-prometheus-'));
	const remove = () => rmSync(folder, { recursive: true, force: true });
	const started = await begin(folder).catch((error) => {
		remove();
		throw error;
	});
	return { ...started, stop: () => started.stop().finally(remove) };
}

// targets: the addresses that it scrapes each second as the job eds; or jobs: its scrape_configs. rules: the text of a
// rule file. Returns { alerts, evaluated, value, stop }: alerts() gives the names of the firing alerts, evaluated() waits
// until all rules have been evaluated again, value(expression) gives the value of the only series of this expression, as
// text, or undefined.
export async function startPrometheus({ targets, jobs = [{ job_name: 'eds', static_configs: [{ targets }] }], rules }) {
	const { address, stop } = await withFolder((folder) => {
		writeFileSync(join(folder, 'rules.yml'), rules);
		writeFileSync(join(folder, 'prometheus.yml'), JSON.stringify({
			global: { scrape_interval: '1s', evaluation_interval: '1s' },
			rule_files: ['rules.yml'],
			scrape_configs: jobs,
		}));
		return start('prometheus', (own) => [`--config.file=${join(folder, 'prometheus.yml')}`,
			`--storage.tsdb.path=${join(folder, 'data')}`, `--web.listen-address=${own}`], '/-/ready');
	});
	const get = async (path) => (await (await fetch(`http://${address}/api/v1/${path}`)).json()).data;
	const alerts = async () => (await get('alerts')).alerts
		.filter(({ state }) => state === 'firing').map(({ labels }) => labels.alertname);
	const evaluated = async () => {
		const from = Date.now();
		const isNewer = ({ lastEvaluation }) => Date.parse(lastEvaluation) > from;
		while (!(await get('rules')).groups.every(isNewer)) await pause(100);
	};
	const value = async (expression) => (await get(`query?query=${encodeURIComponent(expression)}`)).result[0]?.value[1];
	return { alerts, evaluated, value, stop };
}

// Starts a blackbox exporter with the text of its configuration: { address, stop }.
export const startExporter = (config) => withFolder((folder) => {
	writeFileSync(join(folder, 'blackbox.yml'), config);
	return start('prometheus-blackbox-exporter',
		(own) => [`--config.file=${join(folder, 'blackbox.yml')}`, `--web.listen-address=${own}`], '/-/healthy');
});
