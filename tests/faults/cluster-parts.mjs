// The parts of a cluster on this machine, each of which can be killed and started again: PostgreSQL
// with a synchronous standby, PgBouncer, an S3 server, runners that take HTTP and SMTP, runners that
// run the jobs, Caddy before them, and proxies on the way to the database and to S3 whose network can
// be cut.
import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

import { startCaddy } from '../e2e/support/caddy.mjs';
import { startDns } from '../e2e/support/dns.mjs';
import { startReceivers } from '../e2e/support/receivers.mjs';
import { childrenOf, descendantsOf, killAll, startRunner } from '../e2e/support/runner.mjs';
import { startS3 } from '../e2e/support/s3.mjs';
import { admin } from '../e2e/support/store.mjs';
import { makeAuthority } from '../support/authority.mjs';
import { startCutProxy } from '../support/cut-proxy.mjs';
import { freePort } from '../support/free-port.mjs';
import { startPgBouncer } from '../support/pgbouncer.mjs';
import { startPostgres, startStandby } from '../support/postgres.mjs';

export const SITE = 'eds.example.com';
const AWAY_MS = 3000; // time for which a killed part stays down
const CUT_MS = 5000;
const SQL_MS = 20000;
const SQL_BYTES_MAX = 16 * 1024 * 1024;
// With this setting committed data survives the crash of the server.
const DURABLE = ['synchronous_commit=on', 'log_min_messages=warning'];

const execute = promisify(execFile);
export const pause = (ms) => new Promise((next) => setTimeout(next, ms));

class Instance {
	constructor(folder, only, env) {
		mkdirSync(folder, { recursive: true });
		Object.assign(this, { folder, only, env });
	}
	async start() {
		const ports = this.ports ??= { http: await freePort(), smtp: await freePort() };
		this.runner = await startRunner({ folder: this.folder, only: this.only, bootstrap: false, cloud: undefined, log: 'file', env: {
			...this.env, EDS_HTTP_LISTEN: `127.0.0.1:${ports.http}`, EDS_SMTP_LISTEN: `127.0.0.1:${ports.smtp}`,
		} });
	}
	async kill(signal = 'SIGKILL') {
		const children = descendantsOf(this.runner.pid);
		const end = await this.runner.stop(signal);
		killAll(children); // the runner is the machine of its handlers, so they end with it
		return end;
	}
}

export class Cluster {
	static async start({ runners, jobs, zone }) {
		const cluster = new Cluster();
		try {
			await cluster.#start({ runners, jobs, zone });
			cluster.token = cluster.#account();
			return cluster;
		} catch (error) {
			await cluster.stop();
			throw error;
		}
	}
	async #start({ runners, jobs, zone }) {
		this.folder = mkdtempSync(join(tmpdir(), 'eds-cluster-'));
		this.authority = makeAuthority();
		this.receivers = await startReceivers(this.authority);
		this.dns = await startDns(zone);
		this.primary = await startPostgres(DURABLE);
		this.standby = await startStandby(this.primary, DURABLE);
		this.bouncer = await startPgBouncer(this.primary, ['default_pool_size = 20', 'query_wait_timeout = 10']);
		this.s3 = await startS3();
		this.toDatabase = await startCutProxy({ path: this.bouncer.socket });
		this.toS3 = await startCutProxy({ port: Number(new URL(this.s3.url).port), host: '127.0.0.1' });
		this.storeEnv = {
			...this.s3.env,
			AWS_ENDPOINT_URL_S3: `http://127.0.0.1:${this.toS3.port}`,
			EDS_DATABASE_URL: `postgresql://eds@127.0.0.1:${this.toDatabase.port}/postgres?sslmode=disable`,
		};
		this.#admin({ action: 'migrate' });
		const env = {
			...this.storeEnv,
			EDS_DNS_SERVERS: this.dns.address, EDS_CA_FILE: this.authority.file, EDS_WEBHOOK_PORT: String(this.receivers.port),
			EDS_SMTP_TRUSTED: '127.0.0.1', EDS_TRUSTED_PROXIES: '127.0.0.1', EDS_ALLOW_PRIVATE_ADDRESSES: '1',
			EDS_TESTER_SESSIONS_PER_HOUR: '0', EDS_QUOTA_PAID: 'domains=0,selectors=0,checks=0', EDS_LOG_LEVEL: 'warning',
			EDS_BASE_URL: `https://${SITE}`,
		};
		const make = (count, name, only) => Array.from({ length: count }, (_, i) => new Instance(join(this.folder, `${name}${i}`), only, env));
		this.takers = make(runners, 'taker', 'http,smtp');
		this.jobs = make(jobs, 'jobs', 'schedule');
		for (const instance of [...this.takers, ...this.jobs]) await instance.start();
		this.frontPort = await freePort();
		await this.#startFront();
	}
	async #startFront() {
		const [first] = this.takers;
		mkdirSync(join(this.folder, 'caddy'), { recursive: true });
		this.front = await startCaddy(first.runner, { port: this.frontPort, kept: join(this.folder, 'caddy'), env: {
			SITE: 'on', SITE_HOST: SITE, POLICY_UPSTREAM: this.takers.map(({ ports }) => `127.0.0.1:${ports.http}`).join(' '),
		} });
	}
	#account() {
		this.#admin({ action: 'create-account', name: 'owner', plan: 'paid' });
		return this.#admin({ action: 'create-token', account: 'owner', name: 'cluster', expiresAt: null }).token;
	}
	// Runs admin. It blocks this process, and with it the proxies.
	#admin(input) {
		return admin({ folder: this.folder, storeEnv: { ...this.storeEnv, EDS_DATABASE_URL: this.bouncer.url } }, input);
	}
	// Runs SQL and returns the rows, each a list of its columns. While the standby is down a change
	// waits, so the call must not block this process.
	async sql(text) {
		const { stdout } = await execute('psql', ['-X', '-q', '-A', '-t', '-v', 'ON_ERROR_STOP=1', this.primary.url, '-c', text],
			{ timeout: SQL_MS, maxBuffer: SQL_BYTES_MAX });
		return stdout.split('\n').filter(Boolean).map((row) => row.split('|'));
	}
	// Replaces a primary that died: promotes the standby, and starts a new standby for it.
	async #failOver() {
		const { primary, standby } = this;
		await primary.halt('SIGQUIT');
		standby.promote();
		this.primary = standby;
		this.bouncer.point(standby);
		this.standby = await startStandby(standby, DURABLE);
		await primary.stop();
	}
	async #cut(proxy) {
		proxy.cut();
		await pause(CUT_MS);
		proxy.mend();
	}
	async #killInstance(instance, signal) {
		await instance.kill(signal);
		await pause(AWAY_MS);
		await instance.start();
	}

	// The faults, in this order: [name, a function that causes the fault].
	faults(next) {
		const any = (list) => list[Math.floor(next() * list.length)];
		const programs = (instance) => childrenOf(instance.runner.pid);
		return [
			['a runner', () => this.#killInstance(any(this.takers))],
			['functions of a runner', () => killAll(programs(any(this.takers)))],
			['readers of mail', () => killAll(this.takers.flatMap(programs).flatMap(descendantsOf))],
			['two instances of the jobs', async () => {
				await Promise.all(this.jobs.slice(0, 2).map((instance) => this.#killInstance(instance)));
				this.jobs.push(...this.jobs.splice(0, 2));
			}],
			['functions of all jobs', () => killAll(this.jobs.flatMap(programs))],
			['the primary: the standby takes over', () => this.#failOver()],
			['PgBouncer', async () => {
				await this.bouncer.halt('SIGKILL');
				await pause(AWAY_MS);
				await this.bouncer.start();
			}],
			['the S3 server', async () => {
				await this.s3.away();
				await pause(AWAY_MS);
				await this.s3.back();
			}],
			['the standby: commits wait', async () => {
				await this.standby.halt('SIGQUIT');
				await pause(AWAY_MS);
				await this.standby.start();
			}],
			['Caddy', async () => {
				await this.front.stop('SIGKILL');
				await this.#startFront();
			}],
			['the network to the database', () => this.#cut(this.toDatabase)],
			['the network to S3', () => this.#cut(this.toS3)],
			['a runner, told to end', () => this.#killInstance(any(this.takers), 'SIGTERM')],
		];
	}
	async stop() {
		await Promise.all([...this.takers ?? [], ...this.jobs ?? []].map((instance) => instance.runner && instance.kill('SIGKILL')));
		for (const part of [this.front, this.bouncer, this.standby, this.primary, this.dns, this.receivers]) await part?.stop();
		for (const part of [this.s3, this.toDatabase, this.toS3]) await part?.close();
		this.authority?.remove();
		if (this.folder) rmSync(this.folder, { recursive: true, force: true });
	}
}
