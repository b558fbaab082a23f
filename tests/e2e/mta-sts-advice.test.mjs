// The advice of GET on mode enforce, with mail servers that offer STARTTLS correctly, incorrectly or not
// at all.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';

import { makeAuthority } from '../support/authority.mjs';
import { startMailServer } from '../support/mail-server.mjs';
import { policyText, startPolicyServer } from '../support/policy-server.mjs';
import { codes, startWorld, txtOf } from './support/mta-sts.mjs';
import { sql } from './support/store.mjs';

const HOUR_MS = 3600 * 1000;
const CHECKED_MS = 15000; // well before the time limit of a check
const NAME = 'example.test';
const HOST = `mta-sts.${NAME}`;
const POLICY_HOST = 'policy.test'; // the policy host that support/mta-sts.mjs sets
const SERVERS = {
	'mx.example.test': { address: '127.0.0.2', names: ['mx.example.test'] },
	'wild.example.test': { address: '127.0.0.3', names: ['*.example.test'] },
	'plain.example.test': { address: '127.0.0.4' },
	'expired.example.test': { address: '127.0.0.5', names: ['expired.example.test'], expired: true },
	'misnamed.example.test': { address: '127.0.0.6', names: ['other.test'] },
	'closed.example.test': { address: '127.0.0.7', greeting: '554 go away' },
	'away.example.test': { address: '127.0.0.8', absent: true },
};

let authority;
let policies;
let world;
let domain;
const servers = {};

// The records that make mta-sts.DOMAIN an alias of this name.
const aliasOf = (name) => [`${HOST} CNAME 300 ${name}`, `${name} A 300 127.0.0.1`];

// Publishes the zone. live: the names in SERVERS that are the domain's MX; more: further DNS lines; host: the records
// of mta-sts.DOMAIN.
function publish(live, { more = [`_smtp._tls.${NAME} TXT 300 "v=TLSRPTv1; rua=mailto:tls@${NAME}"`], host = aliasOf(POLICY_HOST) } = {}) {
	world.publish([...txtOf(domain), ...host,
		...live.map((name) => `${NAME} MX 300 10 ${name}`),
		...Object.entries(SERVERS).map(([name, { address }]) => `${name} A 300 ${address}`), ...more]);
}

function serve({ mode = 'testing', mx = ['*.example.test'] } = {}) {
	policies.host(HOST, { certificate: authority.issue([HOST]), policy: policyText({ mode, mx }) });
}

const advised = async (live, options) => {
	publish(live, options);
	return (await world.checkNow(domain)).advice;
};
const actions = (advice) => codes(advice.items.filter((item) => item.severity === 'action'));

before(async () => {
	authority = makeAuthority();
	policies = await startPolicyServer();
	let port;
	for (const [name, { address, names, expired, absent, ...more }] of Object.entries(SERVERS)) {
		if (absent) continue;
		const certificate = names && authority.issue(names, { expired });
		servers[name] = await startMailServer({ address, port, certificate, ...more });
		port = servers[name].port;
	}
	world = await startWorld({ env: {
		EDS_CA_FILE: authority.file,
		EDS_ALLOW_PRIVATE_ADDRESSES: '1',
		EDS_POLICY_FETCH_PORT: String(policies.port),
		EDS_STARTTLS_PORT: String(port),
	} });
	domain = await world.add(NAME, { mxPatterns: ['*.example.test'] });
	serve();
});

after(async () => {
	await world?.stop();
	for (const server of Object.values(servers)) await server.stop();
	await policies?.stop();
	authority?.remove();
});

describe('a domain in testing', () => {
	test('is not known to be ready before its first check', () => {
		assert.equal(domain.advice.state, 'unknown');
		assert.equal(domain.advice.readyToEnforce, false);
		assert.deepEqual(codes(domain.advice.items), ['not-checked']);
	});

	test('is ready when every mail server is covered and does STARTTLS with its name', async () => {
		const advice = await advised(['mx.example.test', 'wild.example.test']);
		assert.deepEqual([advice.state, advice.readyToEnforce], ['ready', true]);
		assert.deepEqual(codes(advice.items), ['enforce-ready']);
	});

	test('does not ask mail servers again that did STARTTLS today', async () => {
		const asked = servers['mx.example.test'].connections;
		world.makeDue();
		assert.deepEqual(await world.check(), { checked: 1, failed: 0 });
		assert.equal(servers['mx.example.test'].connections, asked);
		assert.equal((await world.show(domain)).advice.state, 'ready');
	});

	test('is not known to be ready when the last STARTTLS was more than a day ago', async () => {
		const then = Date.now() - 25 * HOUR_MS;
		const evidence = JSON.parse(world.sql('SELECT evidence FROM mta_sts'));
		for (const mx of evidence.mx) mx.checkedAt = then;
		world.sql(`UPDATE mta_sts SET evidence = '${JSON.stringify(evidence)}'`);
		const { advice } = await world.show(domain);
		assert.deepEqual([advice.state, advice.readyToEnforce], ['unknown', false]);
		assert.deepEqual(actions(advice), ['starttls-unknown', 'starttls-unknown']);
		world.makeDue();
		await world.check();
		assert.equal((await world.show(domain)).advice.state, 'ready');
	});

	for (const [name, why] of [['plain.example.test', /does not offer STARTTLS/], ['expired.example.test', /has expired/],
		['misnamed.example.test', /does not name the server/]])
		test(`is not ready with ${name}`, async () => {
			const advice = await advised(['mx.example.test', name]);
			assert.deepEqual([advice.state, advice.readyToEnforce], ['not-ready', false]);
			assert.deepEqual(actions(advice), ['starttls-missing']);
			assert.match(advice.items[0].message, new RegExp(name));
			assert.match(advice.items[0].message, why);
		});

	for (const name of ['closed.example.test', 'away.example.test'])
		test(`is not known to be ready with ${name}, whatever the others do`, async () => {
			const advice = await advised(['mx.example.test', name]);
			assert.deepEqual([advice.state, advice.readyToEnforce], ['unknown', false]);
			assert.deepEqual(actions(advice), ['starttls-unknown']);
		});

	test('gets advice about an MX that is not a host name, and nobody connects there', async () => {
		publish([], { more: [`${NAME} MX 300 10 a\\064b.${NAME}`, `a\\064b.${NAME} A 300 127.0.0.2`] });
		const asked = servers['mx.example.test'].connections;
		const { advice } = await world.checkNow(domain);
		assert.match(advice.items.find(({ code }) => code === 'starttls-missing').message, /not a host name/);
		assert.equal(servers['mx.example.test'].connections, asked);
	});

	test('is checked without a wait when such an MX is the only one', async () => {
		world.publish([`${NAME} MX 300 10 a\\064b.${NAME}`]);
		const began = Date.now();
		await world.checkNow(domain);
		assert.ok(Date.now() - began < CHECKED_MS, `${Date.now() - began} ms`);
	});

	test('gets a finding and advice about a mail server that no pattern covers', async () => {
		publish(['mx.example.test', 'mx.other.test'], { more: ['mx.other.test A 300 127.0.0.2'] });
		const { observed, advice } = await world.checkNow(domain);
		assert.equal(observed.valid, false);
		assert.deepEqual(codes(observed.errors), ['mx-uncovered']);
		assert.match(observed.errors[0].message, /mx\.other\.test .* would not deliver to it under enforce/);
		assert.equal(advice.readyToEnforce, false);
		assert.deepEqual(actions(advice), ['setup-invalid', 'mx-uncovered', 'starttls-missing', 'tlsrpt-missing']);
	});

	test('gets these in the words of the policy, not of the API', async () => {
		const { observed, advice } = await world.checkNow(domain);
		const saying = (list, wanted) => list.find(({ code }) => code === wanted).message;
		assert.equal(saying(advice.items, 'setup-invalid'), 'The last check found errors; correct them first.');
		assert.equal(saying(advice.items, 'mx-uncovered'),
			'The mail server mx.other.test is covered by no pattern: under enforce, senders would not deliver to it. Add it to the MX patterns.');
		assert.match(observed.errors[0].message, /^The mail server mx\.other\.test is covered by no MX pattern: .*; add the server to the MX patterns\.$/);
		const bare = await world.add('bare.test');
		assert.equal(saying((await world.checkNow(bare)).advice.items, 'patterns-missing'),
			'The policy has no MX pattern, so it names no mail server; add one.');
	});

	test('gets advice to have failures reported, with the record', async () => {
		const advice = await advised(['mx.example.test'], { more: [] });
		assert.equal(advice.readyToEnforce, true);
		assert.deepEqual(advice.items[0].record,
			{ name: `_smtp._tls.${NAME}`, type: 'TXT', value: `v=TLSRPTv1; rua=mailto:${domain.id}@reports.localhost` });
		const broken = await advised(['mx.example.test'], { more: [`_smtp._tls.${NAME} TXT 300 "v=TLSRPTv1; rua=me"`] });
		assert.deepEqual(actions(broken), ['tlsrpt-invalid']);
	});

	test('gets advice on where its alias should lead', async () => {
		const advice = await advised(['mx.example.test'], { host: aliasOf('policy.elsewhere.test') });
		assert.deepEqual(actions(advice), ['alias-wrong']);
		assert.deepEqual(advice.items[0].record, { name: HOST, type: 'CNAME', value: `${POLICY_HOST}.` });
	});

	test('gets advice to replace an address of the policy host by the alias, which does not prevent enforce', async () => {
		const advice = await advised(['mx.example.test'], { host: [`${HOST} A 300 127.0.0.1`] });
		assert.deepEqual(actions(advice), ['alias-missing']);
		assert.deepEqual(advice.items[0].record, { name: HOST, type: 'CNAME', value: `${POLICY_HOST}.` });
		assert.equal(advice.readyToEnforce, true);
	});

	test('that accepts no mail gets a finding that says so', async () => {
		const advice = await advised([], { more: [`${NAME} MX 300 0 .`, `_smtp._tls.${NAME} TXT 300 "v=TLSRPTv1; rua=mailto:a@b.test"`] });
		assert.deepEqual(actions(advice), ['mx-null']);
	});

	test('gets advice about the id that is still to be published', async () => {
		publish(['mx.example.test']);
		const changed = await world.change(domain, { maxAge: 86400 });
		const item = changed.advice.items.find(({ code }) => code === 'id-out-of-sync');
		assert.deepEqual(item.record, { name: `_mta-sts.${NAME}`, type: 'TXT', value: `v=STSv1; id=${changed.policyId}` });
		assert.equal(changed.advice.readyToEnforce, false);
		domain = { ...domain, ...await world.change(domain, { maxAge: 604800 }) };
	});
});

describe('a domain under enforce', () => {
	test('has an error for each live mail server that no pattern covers', async () => {
		domain = { ...domain, ...await world.change(domain, { mode: 'enforce', mxPatterns: ['mx.example.test'] }) };
		serve({ mode: 'enforce', mx: ['mx.example.test'] });
		publish(['mx.example.test', 'wild.example.test']);
		const { observed, advice } = await world.checkNow(domain);
		assert.deepEqual(codes(observed.errors), ['mx-uncovered']);
		assert.match(observed.errors[0].message, /wild\.example\.test/);
		assert.equal(observed.valid, false);
		assert.equal(advice.readyToEnforce, false);
	});

	test('gets advice on how to leave it', async () => {
		publish(['mx.example.test']);
		const { observed, advice } = await world.checkNow(domain);
		assert.deepEqual([observed.valid, advice.state], [true, 'ready']);
		assert.deepEqual(codes(advice.items), ['leave-enforce']);
		assert.match(advice.items[0].message, /Stay in that mode until the max_age of the policy has passed/);
	});

	test('gets advice about a max_age that protects little', async () => {
		const { advice } = await world.change(domain, { maxAge: 86400 });
		assert.equal(advice.items.find(({ code }) => code === 'max-age-short').message, 'With a max_age under a week, senders that rarely send mail forget the policy before their next mail; under enforce, set 604800 seconds or more.');
		await world.change(domain, { maxAge: 604800 });
	});

	test('gets advice after leaving to stay in testing until senders have forgotten the policy', async () => {
		const { advice } = await world.change(domain, { mode: 'testing' });
		const item = advice.items.find(({ code }) => code === 'leaving-enforce');
		const until = new Date(/until (\S+Z)/.exec(item.message)[1]).getTime();
		assert.ok(Math.abs(until - Date.now() - 604800 * 1000) < HOUR_MS, item.message);
		const off = await world.change(domain, { enabled: false });
		assert.deepEqual([off.advice.state, codes(off.advice.items)], ['off', ['off-while-enforced']]);
	});

	test('ends MTA-STS by mode none, with advice on how long the record and the policy must stay', async () => {
		await world.change(domain, { enabled: true, mode: 'enforce', maxAge: 604800 });
		const ending = await world.change(domain, { mode: 'none' });
		assert.equal(ending.policyContent, 'version: STSv1\nmode: none\nmax_age: 604800\n');
		domain = { ...domain, ...ending };
		publish(['mx.example.test', 'wild.example.test']);
		serve({ mode: 'none', mx: [] });
		const { observed, advice } = await world.checkNow(domain);
		assert.deepEqual([observed.valid, observed.policyMode, observed.errors, advice.state, advice.readyToEnforce],
			[true, 'none', [], 'leaving', false]);
		assert.deepEqual(codes(advice.items), ['none-held']);
		const until = new Date(/from (\S+Z) on/.exec(advice.items[0].message)[1]).getTime();
		assert.ok(Math.abs(until - Date.now() - 604800 * 1000) < HOUR_MS, advice.items[0].message);
		sql(world.runner, `UPDATE mta_sts SET none_until_ms = ${Date.now() - 1000} WHERE domain_id = '${domain.id}'`);
		const over = await world.checkNow(domain);
		assert.deepEqual(over.advice.items.map(({ code, severity }) => [code, severity]), [['none-over', 'action']]);
		const back = await world.change(domain, { mode: 'testing' });
		assert.equal(back.advice.items.some(({ code }) => code.startsWith('none-')), false);
	});

	test('is warned, when it is switched off while enforced, until when senders hold the policy', async () => {
		await world.change(domain, { enabled: true, mode: 'enforce' });
		const { advice } = await world.change(domain, { enabled: false });
		assert.deepEqual([advice.state, advice.items.map(({ code, severity }) => [code, severity])],
			['off', [['off-while-enforced', 'action']]]);
		assert.match(advice.items[0].message, /^MTA-STS is switched off, but until 20\d\d-\S+ senders may still enforce the policy that they fetched before\. /);
	});
});
