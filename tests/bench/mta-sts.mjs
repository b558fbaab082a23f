// MTA-STS: the check of many domains whose policies a local Caddy serves, each with a certificate of
// its own, DNS by a local nsd, on SQLite. The first check warms the certificates one by one; the later
// ones show the work of one hour of a service, in turns with the same files fetched by curl. Also measures the
// answer with a policy.
import { spawn, execFileSync } from 'node:child_process';
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { freePort } from '../support/free-port.mjs';
import { startNsd } from '../e2e/support/nsd.mjs';
import { until } from '../e2e/support/runner.mjs';
import { policyText } from '../support/policy-server.mjs';
import { Place, heading, http, mb, middle, ms, row, runMeasured, runScheduled, times, us } from './measure.mjs';

const DOMAINS = 1000;
const PAIRS = 5;
const START_MS = 10000;
const PATTERN = 'mx.example';
const ID = '20260131235959';

const nameOf = (i) => `d${i}.example`;

function records() {
	const lines = ['policy.test. A 127.0.0.1'];
	for (let i = 0; i < DOMAINS; i++)
		lines.push(`mta-sts.${nameOf(i)}. CNAME policy.test.`, `_mta-sts.${nameOf(i)}. TXT "v=STSv1; id=${ID}"`,
			`${nameOf(i)}. MX 0 .`);
	return lines;
}

const sql = (place, text) => execFileSync('sqlite3', ['-bail', 'var/eds.db'],
	{ cwd: place.folder, input: text, encoding: 'utf8' }).trim();

function fill(place) {
	const lines = ['BEGIN;', "INSERT INTO accounts (id, name, plan, created_at_ms) VALUES ('a', 'bench', 'paid', 1);"];
	for (let i = 0; i < DOMAINS; i++)
		lines.push('INSERT INTO domains (id, account_id, name, created_at_ms) VALUES ' +
			`('${nameOf(i)}', 'a', '${nameOf(i)}', 1);`,
		'INSERT INTO mta_sts (domain_id, name, enabled, hosted, mx_patterns, policy_id, updated_at_ms, due_at_ms, ' +
			`changed_at_ms) VALUES ('${nameOf(i)}', '${nameOf(i)}', 1, 1, '${PATTERN}', '${ID}', 1, ${i}, 1);`);
	sql(place, [...lines, 'COMMIT;'].join('\n'));
}

// Caddy answers by itself, without the service, so that only the check is measured.
async function startPolicies(folder) {
	const port = await freePort();
	const root = join(folder, 'caddy/pki/authorities/local/root.crt');
	const body = policyText({ mx: [PATTERN] });
	writeFileSync(join(folder, 'Caddyfile'), `{
	admin off
	skip_install_trust
	auto_https disable_redirects
	default_bind 127.0.0.1
	https_port ${port}
	storage file_system ${folder}/caddy
	log {
		level ERROR
	}
}
https:// {
	tls {
		on_demand
		issuer internal
	}
	header Content-Type text/plain
	respond \`${body}\`
}
`);
	const child = spawn('setpriv', ['--pdeathsig=KILL', 'caddy', 'run', '--config', join(folder, 'Caddyfile')],
		{ env: { PATH: process.env.PATH, HOME: folder }, stdio: 'ignore' });
	const ended = new Promise((done) => child.once('close', done));
	await until(() => existsSync(root), START_MS);
	return {
		port,
		root,
		async stop() {
			child.kill('SIGTERM');
			await ended;
		},
	};
}

async function check(place) {
	const { answer, seconds, cpu, kb } = await runScheduled(place, 'mta-sts-check');
	const valid = Number(sql(place, 'SELECT count(*) FROM mta_sts WHERE valid = 1'));
	if (answer.checked !== DOMAINS || valid !== DOMAINS)
		throw new Error(`${JSON.stringify(answer)}, ${valid} valid: ` +
			sql(place, 'SELECT errors FROM mta_sts WHERE valid = 0 LIMIT 1'));
	return { rate: DOMAINS / seconds, cpuUs: cpu / DOMAINS * 1e6, kb };
}

function showCheck({ rate, cpuUs, kb }, title) {
	row(`check of ${DOMAINS} domains, ${title}`, `${Math.round(rate)}/s`, '900/s', 'wall-clock time; Caddy and nsd on the same machine');
	row('  its CPU', us(cpuUs), '800 us', 'a domain');
	row('  its memory', mb(kb), '64 MB', 'peak of the process');
}

// For comparison: curl fetches the same policies, without DNS, without the rest of the check and without a database.
async function fetchByPeer(place, { port, root }) {
	const urls = Array.from({ length: DOMAINS }, (_, i) =>
		`url = https://mta-sts.${nameOf(i)}/.well-known/mta-sts.txt\noutput = /dev/null`);
	writeFileSync(join(place.folder, 'urls'), urls.join('\n'));
	const { seconds, cpu } = await runMeasured(place, ['curl', '--no-progress-meter', '-Z', '--parallel-max', '300', '--http1.1',
		'--cacert', root, '--connect-to', `::127.0.0.1:${port}`, '-K', 'urls']);
	return { rate: DOMAINS / seconds, cpuUs: cpu / DOMAINS * 1e6 };
}

async function measurePairs(place, policies) {
	const pairs = [];
	for (let i = 0; i < PAIRS; i++) {
		sql(place, 'UPDATE mta_sts SET leased_until_ms = 0, due_at_ms = rowid;');
		const own = await check(place);
		const peer = await fetchByPeer(place, policies);
		pairs.push({ own, peer, ratio: own.rate / peer.rate });
	}
	const ratios = pairs.map(({ ratio }) => ratio);
	const { own, peer, ratio } = middle(pairs, (pair) => pair.ratio);
	showCheck(own, 'warm');
	row('the fetches alone, by curl -Z', `${Math.round(peer.rate)}/s`, '', `${us(peer.cpuUs)} CPU each`);
	row('ratio to curl -Z', times(ratio), '1.3', `of ${PAIRS} pairs the lowest ${times(Math.min(...ratios))}, the highest ${times(Math.max(...ratios))}; ` +
		`of CPU ${times(middle(pairs.map((pair) => pair.own.cpuUs / pair.peer.cpuUs), Number))}`);
}

async function measurePolicy(place) {
	const event = http('GET', '/.well-known/mta-sts.txt', {});
	event.headers.host = `mta-sts.${nameOf(0)}`;
	const got = await place.measure('mta-sts-policy', event, { stream: 5000 });
	row('answer of a policy', ms(got.streamCpuUs), '', 'CPU of a kept process');
}

export async function mtaSts() {
	const nsd = await startNsd(records());
	const place = new Place({ EDS_DNS_SERVERS: nsd.address, EDS_POLICY_HOST: 'policy.test', EDS_ALLOW_PRIVATE_ADDRESSES: '1',
		EDS_TIMEOUT_MS: '60000' });
	const policies = await startPolicies(place.folder);
	Object.assign(place.env, { EDS_CA_FILE: policies.root, EDS_POLICY_FETCH_PORT: String(policies.port) });
	heading('MTA-STS');
	try {
		fill(place);
		showCheck(await check(place), 'certificates being made');
		await measurePairs(place, policies);
		await measurePolicy(place);
	} finally {
		await policies.stop();
		await nsd.stop();
		place.remove();
	}
}
