// The mail servers of a domain are asked once a day whether they offer STARTTLS with a certificate
// for their name. The domain's posture shows the result; alerts report early that a certificate
// ends, and that the MTA-STS policy does not cover a server.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';

import { makeAuthority } from '../support/authority.mjs';
import { startMailServer } from '../support/mail-server.mjs';
import { policyText, startPolicyServer } from '../support/policy-server.mjs';
import { request } from './support/api.mjs';
import { startWorld, txtOf } from './support/mta-sts.mjs';

const DAY_MS = 24 * 3600 * 1000;
const NAME = 'example.test';
const HOST = `mta-sts.${NAME}`;
const SERVERS = {
	'good.example.test': { address: '127.0.0.2', names: ['good.example.test'] },
	'plain.example.test': { address: '127.0.0.4' },
	'expired.example.test': { address: '127.0.0.5', names: ['expired.example.test'], expired: true },
	'foreign.example.test': { address: '127.0.0.6', names: ['other.test'] },
	'ending.example.test': { address: '127.0.0.9', names: ['ending.example.test'], days: 90, ago: 80 },
	'brief.example.test': { address: '127.0.0.10', names: ['brief.example.test'], days: 6, ago: 1 },
};

let authority;
let policies;
let world;
let domain;
let token;
const servers = {};

const publish = (...live) => world.publish([...txtOf(domain), `${HOST} A 300 127.0.0.1`,
	`${NAME} NS 300 ns1.${NAME}`, `ns1.${NAME} A 300 127.0.0.1`,
	...live.map((name) => `${NAME} MX 300 10 ${name}`),
	...Object.entries(SERVERS).map(([name, { address }]) => `${name} A 300 ${address}`)]);

// Runs the scheduled check of MTA-STS, and then a check of the posture on request.
async function look() {
	world.makeDue();
	assert.deepEqual(await world.check(), { checked: 1, failed: 0 });
	const path = `/api/v1/domains/${domain.id}/posture/check`;
	const answer = await request(world.runner.baseUrl + path, { method: 'POST', headers: { authorization: `Bearer ${token}` } });
	assert.equal(answer.status, 200, answer.text);
	return answer.json().data.items.find((item) => item.name === 'mx');
}

const findings = (item) => item.findings.map(({ code, message }) => [code, message]);
const events = () => world.sql('SELECT body FROM outbox').split('\n').filter(Boolean)
	.map((body) => JSON.parse(body)).map(({ type, data }) => [type, data.subject]).sort();
const forgetEvents = () => world.sql('DELETE FROM outbox');

before(async () => {
	authority = makeAuthority();
	policies = await startPolicyServer();
	let port;
	for (const [name, { address, names, ...more }] of Object.entries(SERVERS)) {
		servers[name] = await startMailServer({ address, port, certificate: names && authority.issue(names, more) });
		port = servers[name].port;
	}
	world = await startWorld({ env: {
		EDS_CA_FILE: authority.file,
		EDS_ALLOW_PRIVATE_ADDRESSES: '1',
		EDS_POLICY_FETCH_PORT: String(policies.port),
		EDS_STARTTLS_PORT: String(port),
	} });
	token = world.token;
	domain = await world.add(NAME, { mxPatterns: ['*.example.test'], hosted: false });
	policies.host(HOST, { certificate: authority.issue([HOST]), policy: policyText({ mx: ['*.example.test'] }) });
	world.sql(`INSERT INTO alerts (id, account_id, url, secret, events, created_at_ms)
		SELECT 'all', account_id, 'https://hooks.example/', 'whsec_x', -1 - 32, 1 FROM domains`);
});

after(async () => {
	await world?.stop();
	for (const server of Object.values(servers)) await server.stop();
	await policies?.stop();
	authority?.remove();
});

describe('the posture of a domain', () => {
	test('shows for each mail server whether it offers TLS with a valid certificate, and until when', async () => {
		publish('good.example.test', 'plain.example.test', 'expired.example.test', 'foreign.example.test');
		const item = await look();
		assert.equal(item.state, 'warning');
		assert.deepEqual(findings(item).sort(), [
			['mx-starttls', 'Mail to expired.example.test cannot be sent over TLS with a valid certificate: The server\'s certificate has expired.'],
			['mx-starttls', 'Mail to foreign.example.test cannot be sent over TLS with a valid certificate: The server\'s certificate does not name the server.'],
			['mx-starttls', 'Mail to plain.example.test cannot be sent over TLS with a valid certificate: The server does not offer STARTTLS.'],
		]);
		const of = (host) => item.details.exchanges.find((exchange) => exchange.host === host);
		const good = of('good.example.test');
		assert.deepEqual([good.starttls, good.starttlsReason], ['yes', null]);
		const left = Date.parse(good.certificateUntil) - Date.now();
		assert.ok(left > 19 * DAY_MS && left < 21 * DAY_MS, good.certificateUntil);
		assert.ok(Math.abs(Date.now() - Date.parse(good.starttlsCheckedAt)) < DAY_MS / 24);
		assert.deepEqual([of('plain.example.test').starttls, of('plain.example.test').certificateUntil], ['no', null]);
		assert.ok(Date.parse(of('expired.example.test').certificateUntil) < Date.now());
	});

	test('shows certificates even while MTA-STS is off, and asks each server once a day', async () => {
		await world.change(domain, { enabled: false });
		publish('good.example.test');
		const asked = servers['good.example.test'].connections;
		const item = await look();
		assert.deepEqual([item.state, item.details.exchanges[0].starttls], ['ok', 'yes']);
		assert.equal(servers['good.example.test'].connections, asked);
		await world.change(domain, { enabled: true });
	});

	test('warns of a certificate that ends soon, but not of a fresh one that is valid for a few days', async () => {
		publish('ending.example.test', 'brief.example.test');
		const item = await look();
		assert.deepEqual(item.findings.map(({ code }) => code), ['mx-certificate-ends']);
		assert.match(item.findings[0].message, /^The certificate of the mail server ending\.example\.test ends at 20\d\d-/);
		assert.equal(Math.round(world.certificates.mailCertificateSeconds * 1000 / DAY_MS), 5, 'the first of both to end');
	});

	test('shows no certificates to a request without an account', async () => {
		const asked = Object.values(servers).map(({ connections }) => connections);
		const answer = await request(`${world.runner.baseUrl}/api/v1/check?domain=${NAME}`);
		assert.equal(answer.status, 200, answer.text);
		const mx = answer.json().data.items.find(({ name }) => name === 'mx');
		assert.deepEqual(Object.keys(mx.details.exchanges[0]).sort(), ['addresses', 'alias', 'host', 'preference']);
		assert.deepEqual(Object.values(servers).map(({ connections }) => connections), asked);
	});
});

describe('alerts', () => {
	test('report a certificate that ends soon once, and its renewal', async () => {
		forgetEvents();
		world.sql('DELETE FROM alert_troubles');
		publish('good.example.test');
		await look();
		forgetEvents();
		publish('good.example.test', 'ending.example.test');
		await look();
		await look();
		assert.deepEqual(events(), [['certificate-expiring', 'certificate ending.example.test']]);

		forgetEvents();
		const { address } = SERVERS['ending.example.test'];
		const { port } = servers['ending.example.test'];
		await servers['ending.example.test'].stop();
		servers['ending.example.test'] = await startMailServer({ address, port, certificate: authority.issue(['ending.example.test']) });
		await world.checkNow(domain);
		await world.checkNow(domain);
		assert.deepEqual(events(), [['certificate-renewed', 'certificate ending.example.test']]);
	});

	test('report the certificate of the policy host too', async () => {
		forgetEvents();
		policies.host(HOST, { certificate: authority.issue([HOST], { days: 90, ago: 80 }), policy: policyText({ mx: ['*.example.test'] }) });
		await look();
		await look();
		assert.deepEqual(events(), [['certificate-expiring', `certificate ${HOST}`]]);
	});

	test('report a mail server that the policy does not cover once, and when it is covered', async () => {
		forgetEvents();
		SERVERS['mx.elsewhere.test'] = { address: '127.0.0.2' };
		publish('good.example.test', 'mx.elsewhere.test');
		await look();
		await look();
		assert.deepEqual(events(), [['mta-sts-broken', 'mta-sts'], ['mx-uncovered', 'mx-cover']]);
		forgetEvents();
		publish('good.example.test');
		await look();
		await look();
		assert.deepEqual(events(), [['mta-sts-recovered', 'mta-sts'], ['mx-covered', 'mx-cover']]);
	});
});
