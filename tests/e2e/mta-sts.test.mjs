// MTA-STS of a domain from the start to the removal, as its owner sees it: with a real name server, a
// real policy host that orders certificates, and the clock.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';

import { request } from './support/api.mjs';
import { freePort } from '../support/free-port.mjs';
import { fetchPolicy, startCaddy } from './support/caddy.mjs';
import { startNsd } from './support/nsd.mjs';
import { startRunner, until } from './support/runner.mjs';
import { admin } from './support/store.mjs';

const NEXT_MINUTE_MS = 100000; // the time limit includes one more run, for a busy machine
const NAME = 'example.com';
const MX = [`${NAME}. MX 10 mx1.${NAME}.`, `${NAME}. MX 20 mx2.mail.example.net.`,
	`mx1.${NAME}. A 127.0.0.1`, 'mx2.mail.example.net. A 127.0.0.1'];
const PATTERNS = [`mx1.${NAME}`, '*.mail.example.net'];
const HOST = ['policy.example.org. A 127.0.0.1'];

let nsd;
let runner;
let front;
let headers;

async function call(method, path, body) {
	const answer = await request(`${runner.baseUrl}/api/v1/domains${path}`, {
		method,
		headers: { ...headers, ...(body ? { 'content-type': 'application/json' } : {}) },
		body: body && JSON.stringify(body),
	});
	return { status: answer.status, ...answer.json() };
}

const show = async (id) => (await call('GET', `/${id}/mta-sts`)).data;
const checkNow = async (id) => (await call('POST', `/${id}/mta-sts/check`)).data.observed;
const codes = (findings) => findings.map(({ code }) => code);

async function change(id, fields) {
	const { status, data } = await call('PATCH', `/${id}/mta-sts`, fields);
	assert.equal(status, 200);
	return data;
}

// The records that the configuration says to publish, as lines of a zone.
const expected = ({ expectedRecords }) => expectedRecords.map(({ name, type, value }) =>
	`${name}. ${type} ${type === 'TXT' ? `"${value}"` : value}`);

before(async () => {
	const [http, ops, policies] = [await freePort(), await freePort(), await freePort()];
	nsd = await startNsd([]);
	front = await startCaddy({ httpPort: http, opsUrl: `http://127.0.0.1:${ops}` }, { port: policies });
	runner = await startRunner({ env: {
		EDS_HTTP_LISTEN: `127.0.0.1:${http}`,
		EDS_OPS_LISTEN: `127.0.0.1:${ops}`,
		EDS_POLICY_HOST: 'policy.example.org',
		EDS_DNS_SERVERS: nsd.address,
		EDS_CA_FILE: front.caFile,
		EDS_ALLOW_PRIVATE_ADDRESSES: '1',
		EDS_POLICY_FETCH_PORT: String(policies),
		EDS_STARTTLS_PORT: String(await freePort()),
	} });
	admin(runner, { action: 'create-account', name: 'owner', plan: 'paid' });
	const { token } = admin(runner, { action: 'create-token', account: 'owner', name: 'test', expiresAt: null });
	headers = { authorization: `Bearer ${token}` };
});

after(async () => {
	await runner?.stop();
	await front?.stop();
	await nsd?.stop();
});

describe('MTA-STS of a domain', () => {
	let id;
	let first;

	test('begins switched off, in testing, never checked', async () => {
		id = (await call('POST', '', { name: NAME })).data.id;
		first = await show(id);
		assert.equal(first.enabled, false);
		assert.equal(first.mode, 'testing');
		assert.equal(first.observed, null);
		await assert.rejects(fetchPolicy(front, `mta-sts.${NAME}`), /SSL alert number 80/);
	});

	test('is not enforced without a pattern', async () => {
		const { status, code } = await call('PATCH', `/${id}/mta-sts`, { mode: 'enforce' });
		assert.deepEqual({ status, code }, { status: 400, code: 'mx-patterns-missing' });
	});

	test('is fetched and in sync within a minute after it is switched on and published', async () => {
		const config = await change(id, { enabled: true, mxPatterns: PATTERNS });
		assert.notEqual(config.policyId, first.policyId);
		await nsd.publish([...HOST, ...MX, ...expected(config)]);
		const { observed } = await until(async () => {
			const shown = await show(id);
			return shown.observed?.policyFetched && shown;
		}, NEXT_MINUTE_MS);
		assert.equal(observed.dnsId, config.policyId);
		assert.equal(observed.policyIdInSync, true);
		assert.equal(observed.policyMode, 'testing');
		assert.deepEqual(observed.errors, []);
		assert.equal(observed.valid, true);
	});

	test('is out of sync from the moment it is enforced, which is no error', async () => {
		const before = await show(id);
		const config = await change(id, { mode: 'enforce' });
		assert.notEqual(config.policyId, before.policyId);
		assert.equal(config.observed.policyIdInSync, false);
		const observed = await checkNow(id);
		assert.equal(observed.dnsId, before.policyId);
		assert.equal(observed.policyMode, 'enforce');
		assert.equal(observed.policyIdInSync, false);
		assert.deepEqual(observed.errors, []);
	});

	test('is in sync again when the record is republished', async () => {
		const config = await show(id);
		await nsd.publish([...HOST, ...MX, ...expected(config)]);
		const observed = await checkNow(id);
		assert.equal(observed.dnsId, config.policyId);
		assert.equal(observed.policyIdInSync, true);
		assert.equal(observed.valid, true);
	});

	test('is not changed by an update with the values that it has already', async () => {
		const { policyId, updatedAt, observed } = await show(id);
		const again = await change(id, { mode: 'enforce', mxPatterns: PATTERNS, enabled: true });
		assert.deepEqual({ policyId: again.policyId, updatedAt: again.updatedAt, observed: again.observed },
			{ policyId, updatedAt, observed });
	});

	test('ends when it is switched off, with or without a certificate', async () => {
		assert.equal((await fetchPolicy(front, `mta-sts.${NAME}`)).status, 200);
		await change(id, { enabled: false });
		assert.equal((await fetchPolicy(front, `mta-sts.${NAME}`)).status, 404);
		const observed = await checkNow(id);
		assert.equal(observed.policyFetched, false);
		assert.equal(observed.valid, false);
	});

	test('is deleted with the domain', async () => {
		await change(id, { enabled: true });
		assert.equal((await fetchPolicy(front, `mta-sts.${NAME}`)).status, 200);
		await call('DELETE', `/${id}`);
		assert.equal((await fetchPolicy(front, `mta-sts.${NAME}`)).status, 404);
	});
});

describe('a wildcard', () => {
	test('does not cover a host two labels below it, which under enforce is an error', async () => {
		const { id } = (await call('POST', '', { name: 'google.example' })).data;
		const config = await change(id, { enabled: true, mode: 'enforce', mxPatterns: ['*.l.google.com'] });
		await nsd.publish([...HOST, ...expected(config), 'google.example. MX 1 aspmx.l.google.com.',
			'google.example. MX 5 alt1.aspmx.l.google.com.', 'aspmx.l.google.com. A 127.0.0.1',
			'alt1.aspmx.l.google.com. A 127.0.0.1']);
		const observed = await checkNow(id);
		assert.equal(observed.valid, false);
		assert.deepEqual(codes(observed.errors), ['mx-uncovered']);
		assert.match(observed.errors[0].message, /alt1\.aspmx\.l\.google\.com/);
		assert.doesNotMatch(observed.errors[0].message, /(^|[^.])aspmx\.l\.google\.com/);
	});
});

describe('names of two accounts', () => {
	test('are served as configured by the account that DNS proves', async () => {
		const name = 'contested.example';
		const { id } = (await call('POST', '', { name })).data;
		const ours = await change(id, { enabled: true, mxPatterns: ['mx.contested.example'] });
		admin(runner, { action: 'create-account', name: 'rival', plan: 'paid' });
		const { token } = admin(runner, { action: 'create-token', account: 'rival', name: 'test', expiresAt: null });
		const owner = headers;
		headers = { authorization: `Bearer ${token}` };
		const theirId = (await call('POST', '', { name })).data.id;
		const theirs = await change(theirId, { enabled: true, maxAge: 86400, mxPatterns: ['mx.rival.example'] });
		assert.equal((await request(`${runner.baseUrl}/.well-known/mta-sts.txt`,
			{ headers: { host: `mta-sts.${name}` } })).status, 404);

		await nsd.publish([...HOST, ...expected(ours)]);
		await checkNow(theirId); // a check by either account records that the TXT record proves the other account
		assert.equal((await fetchPolicy(front, `mta-sts.${name}`)).text, ours.policyContent);
		await nsd.publish([...HOST, ...expected(theirs)]);
		headers = owner;
		await checkNow(id);
		assert.equal((await fetchPolicy(front, `mta-sts.${name}`)).text, theirs.policyContent);
	});
});

describe('changes at the same time', () => {
	test('lose no field, and each makes its own policy', async () => {
		const { id } = (await call('POST', '', { name: 'busy.example' })).data;
		const ids = new Set([(await show(id)).policyId]);
		for (let round = 0; round < 10; round++) {
			const wanted = { enabled: round % 2 === 0, maxAge: 100000 + round, hosted: round % 2 !== 0,
				mxPatterns: [`mx${round}.example.com`] };
			const answers = await Promise.all(Object.entries(wanted).map(([field, value]) =>
				change(id, { [field]: value })));
			const held = await show(id);
			for (const [field, value] of Object.entries(wanted)) assert.deepEqual(held[field], value, field);
			for (const { policyId } of [...answers, held]) ids.add(policyId);
		}
		// only changes of maxAge and of mxPatterns gave a new policy id, because only these are in the policy
		assert.equal(ids.size, 1 + 2 * 10);
	});
});
