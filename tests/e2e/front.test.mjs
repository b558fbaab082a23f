// The policy host's front on AWS: the template's own script sets up the machine of
// infra/aws/template.json, and a real Caddy there forwards requests to the packaged functions;
// support/api-gateway.mjs takes the place of the API between them.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import https from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';

import { findPostgres, startPostgres } from '../support/postgres.mjs';
import { request } from './support/api.mjs';
import { startApiGateway } from './support/api-gateway.mjs';
import { fetchPolicy, startCaddy } from './support/caddy.mjs';
import { startNsd, txt } from './support/nsd.mjs';
import { canIsolate, packageFile, startPackage } from './support/package.mjs';
import { firstToken, startRunner } from './support/runner.mjs';
import { startSecrets } from './support/secrets.mjs';
import { resolve } from './support/template.mjs';

const template = JSON.parse(readFileSync('infra/aws/template.json', 'utf8'));
const FRONT = '192.0.2.80';
const USER_DATA_BYTES_MAX = 16384;
const FOLDERS = { '/etc/caddy': 'caddy', '/etc/systemd/system': 'system', '/var/lib/caddy': 'storage' };
// Replaces programs that would change this machine. Each replacement records its arguments, and fails the
// first time, as the real programs do while the new machine has no address.
const RECORDER = '#!/bin/sh\necho "${0##*/} $*" >> "$RECORD"\n[ -e "$0.failed" ] || { : > "$0.failed"; exit 1; }\n';
const REFUSED = /SSL alert number 80/; // the TLS alert internal_error, which Caddy sends when there is no certificate

const cannotStand = () => {
	if (!['mta-sts-policy', 'mta-sts-certificate-ask'].every((name) => existsSync(packageFile(name)))) return 'make package was not run';
	if (!canIsolate()) return 'on this machine a test cannot have its own view of system files';
	return findPostgres() ? false : 'PostgreSQL is not installed';
};

// Runs the set-up script of the machine with empty folders in place of the system's. Returns { folder, record }.
function setUp(script) {
	const folder = mkdtempSync(join(tmpdir(), 'eds-front-'));
	const path = (name) => join(folder, name);
	for (const name of ['bin', ...Object.values(FOLDERS)]) mkdirSync(path(name));
	for (const name of ['apt-get', 'mount', 'systemctl', 'sleep']) {
		writeFileSync(path(`bin/${name}`), RECORDER);
		chmodSync(path(`bin/${name}`), 0o755);
	}
	for (const name of ['systemctl', 'sleep']) writeFileSync(path(`bin/${name}.failed`), '');
	for (const name of ['fstab', 'record']) writeFileSync(path(name), '');
	writeFileSync(path('setup'), script);
	chmodSync(path('setup'), 0o755);
	const binds = [...Object.entries(FOLDERS), ['/etc/fstab', 'fstab']].map(([at, name]) => `mkdir -p ${at} && mount --bind ${path(name)} ${at}`);
	binds[binds.length - 1] = `mount --bind ${path('fstab')} /etc/fstab`;
	execFileSync('unshare', ['--mount', '--propagation', 'private', 'sh', '-c',
		`${binds.join(' && ')} && PATH=${path('bin')}:$PATH RECORD=${path('record')} exec ${path('setup')}`], { stdio: 'pipe' });
	return { folder, record: readFileSync(path('record'), 'utf8').trim().split('\n') };
}

describe('the front of the template for AWS', { skip: cannotStand(), timeout: 300000 }, () => {
	const running = new Map();
	let database;
	let secrets;
	let nsd;
	let names;
	let runner;
	let gateway;
	let machine;
	let front;
	let script;
	let headers;

	// Runs the function with this logical id in the template, from its zip, with the template's settings.
	async function invoke(id, event) {
		const { Handler, Environment: { Variables } } = resolve(template.Resources[id].Properties, names);
		if (!running.has(id))
			running.set(id, startPackage(Handler, { env: { ...Variables, ...secrets.env }, shared: /host=([^&]+)/.exec(database.url)[1] }));
		return (await (await running.get(id)).invoke(event)).json();
	}
	async function call(method, path, body) {
		const answer = await request(`${runner.baseUrl}/api/v1/domains${path}`, { method, headers, body: JSON.stringify(body) });
		assert.ok(answer.status < 300, answer.text);
		return answer.json().data;
	}
	// A domain with MTA-STS switched on and its TXT record published: no policy is served before a check has
	// seen that record.
	async function addDomain(name) {
		const { id } = await call('POST', '', { name });
		const { expectedRecords } = await call('PATCH', `/${id}/mta-sts`, { enabled: true, mxPatterns: ['mx.example.com'] });
		const record = expectedRecords.find(({ type }) => type === 'TXT');
		await nsd.publish([`${record.name}. TXT ${txt(record.value)}`]);
		return { id, ...await call('POST', `/${id}/mta-sts/check`) };
	}

	before(async () => {
		database = await startPostgres();
		secrets = await startSecrets();
		nsd = await startNsd([]);
		gateway = await startApiGateway({ template, sourceIp: FRONT, invoke });
		names = {
			HasFront: true, FrontAddress: FRONT, TrustedProxies: '', 'Api.ApiEndpoint': gateway.endpoint,
			'FrontFilesTarget.IpAddress': '192.0.2.7', BaseUrl: 'https://eds.example', TesterDomain: 'tester.example',
			ReportDomain: 'reports.example', PolicyHost: 'policy.example',
			DatabaseSecret: secrets.put('database', { url: database.url.replace(/host=[^&]+/, 'host=/shared') }), DnsServers: '127.0.0.1:1',
			Mail: 'eds-test-mail', RelayList: '', ReputationList: '', ReportedList: '', SessionsPerHour: 60, TrustedRelays: '', Rspamd: '', LogLevel: 'info',
		};
		runner = await startRunner({ env: { EDS_DATABASE_URL: database.url, EDS_DNS_SERVERS: nsd.address } });
		headers = { authorization: `Bearer ${firstToken(runner)}`, 'content-type': 'application/json' };
		script = resolve(template.Resources.FrontTemplate.Properties.LaunchTemplateData.UserData['Fn::Base64'], names);
		machine = setUp(script);
		const settings = readFileSync(join(machine.folder, 'system/caddy.service.d/eds.conf'), 'utf8').matchAll(/^Environment=(\w+)=(.*)$/gm);
		front = await startCaddy({}, {
			config: join(machine.folder, 'caddy/Caddyfile'),
			env: { ...Object.fromEntries([...settings].map(([, name, value]) => [name, value])), SSL_CERT_FILE: gateway.caFile },
		});
	});
	after(async () => {
		await front?.stop();
		if (machine) rmSync(machine.folder, { recursive: true, force: true });
		for (const each of running.values()) await (await each).stop();
		await runner?.stop();
		await gateway?.stop();
		await nsd?.stop();
		await secrets?.close();
		await database?.stop();
	});

	test('is set up by a script that fits into user data and tries again until it has everything', () => {
		assert.ok(Buffer.byteLength(script) < USER_DATA_BYTES_MAX);
		const done = machine.record.filter((line) => !line.startsWith('sleep'));
		assert.deepEqual(done, ['apt-get update', 'apt-get update',
			'apt-get install -y --no-install-recommends caddy nfs-common unattended-upgrades',
			'mount /var/lib/caddy/eds', 'mount /var/lib/caddy/eds', 'systemctl daemon-reload', 'systemctl restart caddy']);
	});

	test('keeps its certificates in the file system that outlives it', () => {
		assert.equal(readFileSync(join(machine.folder, 'fstab'), 'utf8').split(' ').slice(0, 3).join(' '), '192.0.2.7:/ /var/lib/caddy/eds nfs4');
		const caddy = Number(execFileSync('id', ['-u', 'caddy'], { encoding: 'utf8' }));
		assert.equal(statSync(join(machine.folder, 'storage/eds')).uid, caddy);
		assert.equal(template.Resources.FrontFiles.DeletionPolicy, 'Retain');
	});

	test('serves the policy of a domain with a certificate for its name', async () => {
		const { policyContent } = await addDomain('served.example');
		const { status, text, certificate } = await fetchPolicy(front, 'mta-sts.served.example');
		assert.equal(status, 200);
		assert.equal(text, policyContent);
		assert.equal(certificate.subjectaltname, 'DNS:mta-sts.served.example');
	});

	test('has no certificate for a domain that is switched off or unknown', async () => {
		const { id } = await addDomain('off.example');
		await call('PATCH', `/${id}/mta-sts`, { enabled: false });
		for (const host of ['mta-sts.off.example', 'mta-sts.unknown.example'])
			await assert.rejects(fetchPolicy(front, host), REFUSED, host);
	});

	test('is the only proxy whose forwarded host is believed', async () => {
		const direct = () => new Promise((done, failed) => https.get(`${gateway.endpoint}/.well-known/mta-sts.txt`,
			{ ca: readFileSync(gateway.caFile), headers: { host: 'localhost', 'x-forwarded-host': 'mta-sts.served.example' } },
			(res) => res.resume().on('end', () => done(res.statusCode))).on('error', failed));
		assert.equal(await direct(), 200);
		gateway.sourceIp = '192.0.2.81';
		assert.equal(await direct(), 404);
		gateway.sourceIp = FRONT;
	});
});
