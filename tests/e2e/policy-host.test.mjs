// Policies as sending servers fetch them: over HTTPS, from Caddy as infra/caddy/Caddyfile sets it up,
// with certificates that are ordered at the first request, and only for names that eds confirms.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { after, before, describe, test } from 'node:test';

import { request } from './support/api.mjs';
import { freePort } from '../support/free-port.mjs';
import { fetchPolicy, startCaddy, startPebble } from './support/caddy.mjs';
import { startNsd } from './support/nsd.mjs';
import { BUILD, request as send, startRunner, until } from './support/runner.mjs';
import { admin, environment, sql } from './support/store.mjs';

// certificate orders are throttled: a certificate that one check does not get exists at the
// check one or two minutes later
const WARM_MS = 220000;
const REFUSED = /SSL alert number 80/; // the TLS alert internal_error, which Caddy sends when there is no certificate

// The API for an account of the runner: { add(name), change(id, fields), check(id), drop(id) }. add() also
// checks the domain once, because no policy is served before a check has seen the TXT record.
function newOwner(runner, name) {
	admin(runner, { action: 'create-account', name, plan: 'paid' });
	const { token } = admin(runner, { action: 'create-token', account: name, name, expiresAt: null });
	const call = async (method, path, body) => {
		const answer = await request(`${runner.baseUrl}/api/v1/domains${path}`, {
			method,
			headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
			body: JSON.stringify(body),
		});
		assert.ok(answer.status < 300, answer.text);
		return answer.json().data;
	};
	const change = (id, fields) => call('PATCH', `/${id}/mta-sts`, fields);
	const check = (id) => call('POST', `/${id}/mta-sts/check`);
	return {
		change,
		check,
		drop: (id) => call('DELETE', `/${id}`),
		async add(domain, fields = { enabled: true, mxPatterns: ['mx.example.com'] }) {
			const { id } = await call('POST', '', { name: domain });
			await change(id, fields);
			return { id, ...await check(id) };
		},
	};
}

describe('the policy host', () => {
	let runner;
	let front;
	let owner;
	let shown;
	let nsd;

	before(async () => {
		nsd = await startNsd([]);
		runner = await startRunner({ env: { EDS_DNS_SERVERS: nsd.address, EDS_TRUSTED_PROXIES: '127.0.0.1' } });
		owner = newOwner(runner, 'owner');
		shown = await owner.add('example.com');
		front = await startCaddy(runner);
	});
	after(async () => {
		await front?.stop();
		await runner?.stop();
		await nsd?.stop();
	});

	test('serves the policy of a domain with a certificate for its name', async () => {
		const { status, headers, text, certificate } = await fetchPolicy(front, 'mta-sts.example.com');
		assert.equal(status, 200);
		assert.equal(headers['content-type'], 'text/plain');
		assert.equal(headers['cache-control'], 'no-cache');
		assert.equal(text, shown.policyContent);
		assert.equal(certificate.subjectaltname, 'DNS:mta-sts.example.com');
	});

	test('serves a changed policy at once', async () => {
		const changed = await owner.change(shown.id, { mode: 'enforce', mxPatterns: ['*.example.net', 'mx.example.com'] });
		assert.equal((await fetchPolicy(front, 'mta-sts.example.com')).text, changed.policyContent);
	});

	test('refuses the handshake for a domain that is not switched on', async () => {
		await owner.add('off.example', { enabled: false });
		await assert.rejects(fetchPolicy(front, 'mta-sts.off.example'), REFUSED);
	});

	test('refuses it for a domain hosted elsewhere, an unknown one, the domain itself and no name', async () => {
		await owner.add('elsewhere.example', { enabled: true, hosted: false });
		for (const sni of ['mta-sts.elsewhere.example', 'mta-sts.unknown.example', 'example.com',
			'www.mta-sts.example.com', ''])
			await assert.rejects(fetchPolicy(front, 'mta-sts.example.com', { sni }), REFUSED, sni);
	});

	test('serves a domain after it is switched on from the next check on, even if it was refused before', async () => {
		const { id } = await owner.add('later.example', { enabled: false });
		await assert.rejects(fetchPolicy(front, 'mta-sts.later.example'), REFUSED);
		const { policyContent } = await owner.change(id, { enabled: true });
		await owner.check(id);
		assert.equal((await fetchPolicy(front, 'mta-sts.later.example')).text, policyContent);
	});

	test('no longer serves a domain once it is switched off, even with a certificate', async () => {
		const { id } = await owner.add('leaves.example');
		assert.equal((await fetchPolicy(front, 'mta-sts.leaves.example')).status, 200);
		await owner.change(id, { enabled: false });
		const { status, headers } = await fetchPolicy(front, 'mta-sts.leaves.example');
		assert.equal(status, 404);
		assert.equal(headers['cache-control'], 'no-store');
	});

	test('serves nothing but policies', async () => {
		for (const path of ['/', '/api/v1/domains', '/.well-known/', '/.well-known/mta-sts.txt/x', '/metrics',
			'/certificate-ask?domain=mta-sts.example.com', '/.well-known/../api/inbound-tester/sessions'])
			assert.equal((await fetchPolicy(front, 'mta-sts.example.com', { path })).status, 404, path);
	});

	test('asks eds at a port that is not public', async () => {
		const question = '/certificate-ask?domain=mta-sts.example.com';
		assert.equal((await send(`${runner.opsUrl}${question}`)).status, 200);
		assert.equal((await send(`${runner.baseUrl}${question}`)).status, 404);
		assert.equal((await send(`${runner.opsUrl}${question}`, { method: 'POST' })).status, 405);
		assert.equal((await send(`${runner.opsUrl}/.well-known/mta-sts.txt`)).status, 404);
	});

	test('does not believe a forwarded host from a client', async () => {
		await owner.add('other.example', { enabled: false });
		const host = 'mta-sts.example.com';
		const headers = { 'x-forwarded-host': host, forwarded: `host=${host}` };
		assert.equal((await fetchPolicy(front, 'mta-sts.other.example', { sni: host, headers })).status, 404);
		headers['x-forwarded-host'] = 'mta-sts.other.example';
		assert.equal((await fetchPolicy(front, host, { headers })).status, 200);
	});

	test('keeps the names of two accounts apart by what DNS proves', async () => {
		const rival = newOwner(runner, 'rival');
		await owner.add('contested.example');
		assert.equal((await fetchPolicy(front, 'mta-sts.contested.example')).status, 200);
		await rival.add('contested.example', { enabled: true, maxAge: 86400 });
		assert.equal((await fetchPolicy(front, 'mta-sts.contested.example')).status, 404);
	});

	test('does not serve a new account for a name whose last owner left its records behind', async () => {
		const rival = newOwner(runner, 'taker');
		const ask = async () => (await send(`${runner.opsUrl}/certificate-ask?domain=mta-sts.left.example`)).status;
		const txt = ({ expectedRecords }) => expectedRecords.filter(({ type }) => type === 'TXT')
			.map(({ name, value }) => `${name}. TXT "${value}"`);
		const left = await owner.add('left.example');
		await nsd.publish(txt(left));
		await owner.check(left.id);
		assert.equal((await fetchPolicy(front, 'mta-sts.left.example')).text, left.policyContent);
		await owner.drop(left.id);
		const theirs = await rival.add('left.example',
			{ enabled: true, mode: 'enforce', mxPatterns: ['mx.rival.example'] });
		const { status, text } = await fetchPolicy(front, 'mta-sts.left.example');
		assert.equal(status, 404);
		assert.doesNotMatch(text, /rival/);
		assert.equal(await ask(), 404);
		assert.deepEqual(theirs.advice.items.filter(({ code }) => code === 'name-held').map(({ record }) => record.value),
			[`v=STSv1; id=${theirs.policyId}`]);
		await nsd.publish(txt(theirs));
		await rival.check(theirs.id);
		assert.equal((await fetchPolicy(front, 'mta-sts.left.example')).text, theirs.policyContent);
		assert.equal(await ask(), 200);
	});

	test('serves a deleted and recreated domain, even of its earlier owner, only once the record says so', async () => {
		const { id } = await owner.add('again.example');
		const { policyId } = await owner.check(id);
		await nsd.publish([`_mta-sts.again.example. TXT "v=STSv1; id=${policyId}"`]);
		await owner.check(id);
		await owner.drop(id);
		const again = await owner.add('again.example');
		assert.equal((await send(`${runner.opsUrl}/certificate-ask?domain=mta-sts.again.example`)).status, 404);
		await nsd.publish([]);
		await owner.check(again.id);
		assert.equal((await send(`${runner.opsUrl}/certificate-ask?domain=mta-sts.again.example`)).status, 200);
	});

	test('gives out no certificate while eds is away', async () => {
		await owner.add('away.example');
		await runner.stop();
		await assert.rejects(fetchPolicy(front, 'mta-sts.away.example'), REFUSED);
	});
});

describe('certificates from an ACME authority', () => {
	const names = Array.from({ length: 5 }, (_, i) => `d${i}.example`);
	const many = Array.from({ length: 12 }, (_, i) => `many${i}.example`);
	let folder;
	let settings;
	let nsd;
	let pebble;
	let runner;
	let front;
	let owner;

	before(async () => {
		const port = await freePort();
		folder = mkdtempSync(join(tmpdir(), 'eds-acme-'));
		nsd = await startNsd([...[...names, ...many, 'off.example'].map((name) => `mta-sts.${name}. CNAME policy.example.org.`),
			'policy.example.org. A 127.0.0.1']);
		pebble = await startPebble({ dns: nsd.address, challengePort: port });
		writeFileSync(join(folder, 'issuer.pem'), await pebble.issuer());
		settings = { EDS_POLICY_HOST: 'policy.example.org', EDS_DNS_SERVERS: nsd.address,
			EDS_CA_FILE: join(folder, 'issuer.pem'), EDS_POLICY_FETCH_PORT: String(port), EDS_ALLOW_PRIVATE_ADDRESSES: '1' };
		runner = await startRunner({ env: settings });
		owner = newOwner(runner, 'owner');
		front = await startCaddy(runner, { acme: pebble, port });
	});
	after(async () => {
		await front?.stop();
		await runner?.stop();
		await pebble?.stop();
		await nsd?.stop();
		if (folder) rmSync(folder, { recursive: true });
	});

	// Runs the scheduled check now.
	async function check() {
		const running = promisify(execFile)(join(BUILD, 'functions/mta-sts-check'), [],
			{ cwd: runner.folder, env: environment(runner, { ...settings, EDS_TIMEOUT_MS: '60000' }) });
		running.child.stdin.end(JSON.stringify({ version: '0', id: 'check', 'detail-type': 'Scheduled Event',
			source: 'aws.events', time: new Date().toISOString(), resources: [], detail: {} }));
		return JSON.parse((await running).stdout);
	}

	test('are ordered at the first handshake and hold for the policy host of the domain', async () => {
		const { policyContent } = await owner.add(names[0]);
		const { status, text, certificate } = await fetchPolicy(front, `mta-sts.${names[0]}`);
		assert.equal(status, 200);
		assert.equal(text, policyContent);
		assert.equal(certificate.subjectaltname, `DNS:mta-sts.${names[0]}`);
		assert.match(certificate.issuer.CN, /Pebble/);
	});

	test('exist for each of several domains that come one after another', async () => {
		for (const name of names.slice(1)) {
			await owner.add(name);
			assert.equal((await fetchPolicy(front, `mta-sts.${name}`)).status, 200, name);
		}
	});

	test('are not ordered for a domain that is not switched on', async () => {
		await owner.add('off.example', { enabled: false });
		await assert.rejects(fetchPolicy(front, 'mta-sts.off.example'), REFUSED);
		assert.ok(!pebble.output.text.includes('off.example'));
	});

	test('exist within a minute for many domains that were switched on at once', async () => {
		await Promise.all(many.map((name) => owner.add(name)));
		await check();
		// waits, because jobs of the runner may have claimed a part of the domains
		await until(() => sql(runner, "SELECT count(*) FROM mta_sts WHERE policy_fetched = 1 AND name LIKE 'many%'") === '12',
			WARM_MS);
		for (const name of many) assert.equal((await fetchPolicy(front, `mta-sts.${name}`)).status, 200, name);
	});
});

describe('other certificate authorities', () => {
	const KEY = 'account-1';
	const HMAC = Buffer.from('a secret of thirty-two octets ...').toString('base64url');
	let nsd;
	let pebble;
	let runner;
	let owner;
	let port;
	const withFront = async (env, tell) => {
		const front = await startCaddy(runner, { acme: pebble, port, env });
		try {
			await tell(front);
		} finally {
			await front.stop();
		}
	};

	before(async () => {
		port = await freePort();
		nsd = await startNsd(['bound', 'unbound', 'second'].map((name) => `mta-sts.${name}.example. A 127.0.0.1`));
		pebble = await startPebble({ dns: nsd.address, challengePort: port, keys: { [KEY]: HMAC } });
		runner = await startRunner({ env: { EDS_DNS_SERVERS: nsd.address, EDS_ALLOW_PRIVATE_ADDRESSES: '1' } });
		owner = newOwner(runner, 'owner');
		for (const name of ['bound', 'unbound', 'second']) await owner.add(`${name}.example`);
	});
	after(async () => {
		await runner?.stop();
		await pebble?.stop();
		await nsd?.stop();
	});

	test('create an account with an external account key, and none without it', async () => {
		await withFront({}, (front) => assert.rejects(fetchPolicy(front, 'mta-sts.unbound.example')));
		await withFront({ POLICY_EAB: 'given', POLICY_EAB_KEY: KEY, POLICY_EAB_HMAC: HMAC }, async (front) => {
			const { status, certificate } = await fetchPolicy(front, 'mta-sts.bound.example');
			assert.equal(status, 200);
			assert.match(certificate.issuer.CN, /Pebble/);
		});
	});

	test('issue a certificate when the first of two cannot be reached', () =>
		withFront({
			POLICY_ACME_DIRECTORY: 'https://localhost:1/dir', POLICY_SECOND: 'acme', POLICY_SECOND_DIRECTORY: pebble.directory,
			POLICY_SECOND_EAB: 'given-second', POLICY_SECOND_EAB_KEY: KEY, POLICY_SECOND_EAB_HMAC: HMAC,
		}, async (front) => {
			const { status, certificate } = await fetchPolicy(front, 'mta-sts.second.example');
			assert.equal(status, 200);
			assert.match(certificate.issuer.CN, /Pebble/);
		}));
});
