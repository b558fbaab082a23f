// The page and port 25 as Prometheus sees them from outside, through the blackbox exporter with the files of
// infra/monitoring: before a real Caddy and a real Postfix.
import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { parse, stringify } from 'yaml';

import { startExporter, startPrometheus } from '../support/prometheus.mjs';
import { startCaddy } from './support/caddy.mjs';
import { receiving, startPostfix } from './support/postfix.mjs';
import { request, startRunner, until } from './support/runner.mjs';

const SUITE_MS = 300000;
const ALARM_MS = 60000;
const EVERY = { scrape_interval: '3s', scrape_timeout: '3s' };
const FRONTS = ['EdsPageAway', 'EdsMailFrontAway', 'EdsProbesAway'];
const file = (name) => readFileSync(`infra/monitoring/${name}`, 'utf8');
const asRoot = process.getuid() === 0;

// The jobs of prometheus.yml with the targets of this test, asked every few seconds.
function jobsOf({ ops, exporter, page, mail }) {
	const targets = { eds: ops, 'eds-page': page, 'eds-mail': mail };
	return parse(file('prometheus.yml')).scrape_configs.map((job) => ({ ...job, ...EVERY,
		static_configs: [{ targets: [targets[job.job_name]] }],
		...(job.relabel_configs && { relabel_configs: job.relabel_configs.map((rule) => (rule.replacement ? { ...rule, replacement: exporter } : rule)) }) }));
}

describe('page and mail server, watched from outside', { timeout: SUITE_MS, skip: !asRoot && 'Postfix needs root' }, () => {
	let kept;
	let runner;
	let caddy;
	let postfix;
	let exporter;
	let prometheus;
	const startFront = (port) => startCaddy(runner, { port, kept, env: { SITE: 'on', SITE_HOST: 'localhost' } });
	const raised = (name) => until(async () => (await prometheus.alerts()).includes(name), ALARM_MS);
	const over = (name) => until(async () => !(await prometheus.alerts()).includes(name), ALARM_MS);
	const seen = (job) => prometheus.value(`probe_success{job="${job}"}`);
	const noneOf = async (names) => assert.deepEqual((await prometheus.alerts()).filter((name) => names.includes(name)), []);

	before(async () => {
		kept = mkdtempSync(join(tmpdir(), 'eds-fronts-'));
		runner = await startRunner({ bootstrap: false });
		caddy = await startFront();
		postfix = await startPostfix(receiving(runner.smtpPort));
		const { modules } = parse(file('blackbox.yml').replace('@tester.example.com', '@tester.localhost'));
		modules['eds-page'].http.tls_config = { ca_file: caddy.caFile };
		modules.unknown = parse(file('blackbox.yml')).modules['eds-mail'];
		exporter = await startExporter(stringify({ modules }));
		prometheus = await startPrometheus({
			jobs: jobsOf({ ops: new URL(runner.opsUrl).host, exporter: exporter.address, page: `https://localhost:${caddy.port}/`,
				mail: `127.0.0.1:${postfix.port}` }),
			// without `for`, an alarm fires at once and not only after minutes
			rules: file('alarms.yml').replaceAll(/^ +for: .*\n/gm, ''),
		});
	});
	after(async () => {
		await prometheus?.stop();
		await exporter?.stop();
		await postfix?.stop();
		await caddy?.stop();
		await runner?.stop();
		if (kept) rmSync(kept, { recursive: true, force: true });
	});

	test('raise no alarm while both answer', async () => {
		for (const job of ['eds-page', 'eds-mail']) await until(async () => (await seen(job)) === '1', ALARM_MS);
		await prometheus.evaluated();
		for (const name of FRONTS) await over(name);
	});

	test('tell that Postfix refuses the mail of a domain of which it does not know', async () => {
		const success = async (module) => /^probe_success (.*)$/m.exec(
			(await request(`http://${exporter.address}/probe?module=${module}&target=127.0.0.1:${postfix.port}`)).text)[1];
		assert.equal(await success('eds-mail'), '1');
		assert.equal(await success('unknown'), '0');
	});

	test('tell when the certificates end, and raise no alarm about such as are valid for days or hours', async () => {
		const ends = async (job) => Number(await prometheus.value(`probe_ssl_earliest_cert_expiry{job="${job}"} - time()`));
		// Caddy makes certificates for 12 hours here, and Postfix has one for two days
		assert.ok(await ends('eds-page') > 11 * 3600 && await ends('eds-page') <= 12 * 3600);
		assert.ok(await ends('eds-mail') > 47 * 3600 && await ends('eds-mail') <= 48 * 3600);
		await noneOf(['EdsFrontCertificateEnds']);
	});

	test('tell that the page is away while Caddy is down, and that it is back', async () => {
		const { port } = caddy;
		await caddy.stop('SIGKILL');
		await raised('EdsPageAway');
		await noneOf(['EdsMailFrontAway', 'EdsProbesAway', 'EdsDown']);
		caddy = await startFront(port);
		await over('EdsPageAway');
	});

	test('tell that no mail arrives while Postfix is down', async () => {
		await postfix.stop();
		postfix = undefined;
		await raised('EdsMailFrontAway');
		await noneOf(['EdsPageAway', 'EdsProbesAway']);
	});

	test('tell the cause alone while eds is down behind its fronts', async () => {
		await runner.stop();
		await raised('EdsDown');
		await until(async () => (await seen('eds-page')) === '0', ALARM_MS);
		await prometheus.evaluated();
		await over('EdsPageAway');
	});

	test('tell that nobody looks while the exporter is down', async () => {
		await exporter.stop();
		await raised('EdsProbesAway');
	});
});
