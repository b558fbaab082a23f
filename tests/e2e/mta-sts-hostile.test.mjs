// Attacks by means of the check of MTA-STS setups: making it connect to forbidden addresses, and
// delaying it. A library preloaded into the function records where its packets go.
import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';

import { makeAuthority } from '../support/authority.mjs';
import { startMailServer } from '../support/mail-server.mjs';
import { policyText, startPolicyServer } from '../support/policy-server.mjs';
import { request } from './support/api.mjs';
import { codes, startWorld, txtOf } from './support/mta-sts.mjs';
import { BUILD, until } from './support/runner.mjs';

// An address of each range of the IANA special-purpose registries, and addresses that embed IPv4
// addresses of them.
const FORBIDDEN = ['0.0.0.0', '0.1.2.3', '10.1.2.3', '100.64.0.1', '100.127.255.255', '127.0.0.1', '127.8.8.8',
	'169.254.169.254', '172.16.0.1', '172.31.255.255', '192.0.0.1', '192.0.0.170', '192.0.2.1', '192.88.99.1',
	'192.168.1.1', '198.18.0.1', '198.19.255.255', '198.51.100.1', '203.0.113.1', '224.0.0.1', '239.255.255.255',
	'240.0.0.1', '255.255.255.255', '::', '::1', '::ffff:127.0.0.1', '::ffff:169.254.169.254', '::127.0.0.1',
	'64:ff9b::7f00:1', '64:ff9b::a9fe:a9fe', '64:ff9b:1::1', '100::1', '2001::1', '2001:2::1', '2001:10::1',
	'2001:db8::1', '2002:7f00:1::1', '2002:c0a8:101::', '3fff::1', '5f00::1', 'fc00::1', 'fd12:3456::1', 'fe80::1',
	'fec0::1', 'ff02::1'];
const HANGING = 500;
const WELL = 60;
const WELL_MS = 20000; // if the fetches ran a hundred at a time, those that hang would take 25 s
const ALL_MS = 24000;

const ANSWERING = 500;
const MB = 1024 * 1024;
const { memoryMb } = JSON.parse(readFileSync(join(BUILD, 'functions/manifest.json'))).functions['mta-sts-check'];
const noLimit = BUILD.includes('asan') && 'a sanitizer takes more memory than a limit allows';

const recordOf = (name, address) => `${name} ${address.includes(':') ? 'AAAA' : 'A'} 300 ${address}`;

// Records where one check connects to. Returns { env, targets() }: targets() lists each as "address port",
// without the resolver.
function watch(world, folder, name) {
	const log = join(folder, name);
	const resolver = world.dns.address.replace(':', ' ');
	return {
		env: { LD_PRELOAD: join(BUILD, 'tests/support/connect-shim.so'), EDS_TEST_CONNECT_LOG: log },
		targets() {
			const all = existsSync(log) ? readFileSync(log, 'utf8').trim().split('\n') : [];
			assert.ok(all.includes(resolver), 'the library saw nothing');
			return all.filter((target) => target !== resolver);
		},
	};
}

let folder;
before(() => (folder = mkdtempSync(join(tmpdir(), 'eds-packets-'))));
after(() => rmSync(folder, { recursive: true, force: true }));

describe('an address that must not be connected to', () => {
	let world;
	const domains = [];

	before(async () => {
		world = await startWorld({ env: { EDS_POLICY_FETCH_PORT: '1', EDS_STARTTLS_PORT: '1' } });
		const lines = [];
		for (const [i, address] of FORBIDDEN.entries()) {
			const name = `d${i}.test`;
			const domain = await world.add(name, { mxPatterns: [`mx.${name}`] });
			domains.push({ ...domain, address });
			lines.push(...txtOf(domain), recordOf(`mta-sts.${name}`, address), recordOf(`mx.${name}`, address),
				`${name} MX 300 10 mx.${name}`);
		}
		world.publish(lines);
	});
	after(() => world?.stop());

	test('gets no packet, for each of the special ranges', async () => {
		const { env, targets } = watch(world, folder, 'forbidden');
		assert.deepEqual(await world.check(env), { checked: FORBIDDEN.length, failed: 0 });
		assert.deepEqual(targets(), []);
		for (const domain of domains) {
			const { observed, advice } = await world.show(domain);
			assert.deepEqual(codes(observed.errors), ['host-address-forbidden'], domain.address);
			assert.ok(codes(advice.items).includes('starttls-missing'), domain.address);
		}
	});
});

describe('a name whose addresses change', () => {
	let authority;
	let policies;
	let trap;
	let world;
	let domain;
	const name = 'rebind.test';
	const host = `mta-sts.${name}`;

	before(async () => {
		authority = makeAuthority();
		policies = await startPolicyServer();
		trap = await startMailServer({ address: '127.0.0.66', port: policies.port });
		world = await startWorld({ env: {
			EDS_CA_FILE: authority.file,
			EDS_ALLOW_PRIVATE_ADDRESSES: '1',
			EDS_POLICY_FETCH_PORT: String(policies.port),
			EDS_STARTTLS_PORT: '1',
		} });
		domain = await world.add(name, { mxPatterns: [`mx.${name}`] });
	});
	after(async () => {
		await world?.stop();
		await trap?.stop();
		await policies?.stop();
		authority?.remove();
	});

	const publish = (...addresses) => world.publish([...txtOf(domain), ...addresses.map((address) => recordOf(host, address)),
		`${name} MX 300 0 .`]);

	test('is connected to at the address that was vetted, even at a second try', async () => {
		const { env, targets } = watch(world, folder, 'rebound');
		policies.host(host, { alert: 80 });
		publish('127.0.0.1');
		const running = world.startCheck(env);
		await until(() => policies.connections.length > 0);
		const asked = world.dns.queries().filter((query) => query === `${host} A`).length;
		publish('127.0.0.66'); // from now on DNS gives another address
		policies.host(host, { certificate: authority.issue([host]), policy: policyText({ mx: [`mx.${name}`] }) });
		assert.deepEqual(await running.answer, { checked: 1, failed: 0, policyCertificatesEnding: 0 });
		assert.equal(asked, 1);
		assert.deepEqual(world.dns.queries(), []);
		assert.equal(policies.connections.length, 2);
		assert.equal((await world.show(domain)).observed.valid, true);
		assert.equal(trap.connections, 0);
		assert.deepEqual(targets(), Array(2).fill(`127.0.0.1 ${policies.port}`));
	});

	test('that also has a forbidden address is connected to only at the others', async () => {
		const { env, targets } = watch(world, folder, 'mixed');
		publish('169.254.169.254', '127.0.0.1', 'fe80::1', '0.0.0.0');
		world.makeDue();
		assert.deepEqual(await world.check(env), { checked: 1, failed: 0 });
		assert.equal((await world.show(domain)).observed.valid, true);
		assert.deepEqual(targets(), [`127.0.0.1 ${policies.port}`]);
	});

	test('is connected to at its new address at the next check, which shows that the tests above notice a connection', async () => {
		publish('127.0.0.66');
		world.makeDue();
		assert.deepEqual(await world.check(), { checked: 1, failed: 0 });
		assert.deepEqual(codes((await world.show(domain)).observed.errors), ['fetch-tls']);
		assert.ok(trap.connections > 0);
	});
});

describe('mail servers of many names at one address', () => {
	const DOMAINS = 20;
	const NAMES = 20; // of mail servers of each domain
	const HOUR = 1024;
	const LEFT = 256; // of the hour, when other processes have used the rest of it
	const AT_ONCE = 4;
	const victims = {};
	let authority;
	let world;

	before(async () => {
		authority = makeAuthority();
		victims.own = await startMailServer({ address: '127.0.0.71', certificate: authority.issue(['victim.test']), pauseMs: 20 });
		const { port } = victims.own;
		victims.shared = await startMailServer({ address: '127.0.0.72', port, certificate: authority.issue(['*.pool.test']), pauseMs: 300 });
		victims.plain = await startMailServer({ address: '127.0.0.73', port, pauseMs: 300 });
		world = await startWorld({ env: { EDS_CA_FILE: authority.file, EDS_ALLOW_PRIVATE_ADDRESSES: '1', EDS_POLICY_FETCH_PORT: '1',
			EDS_STARTTLS_PORT: String(port) } });
		world.sql(`INSERT INTO account_uses (account_id, kind, began_at_ms, used) SELECT id, 'probe 127.0.0.71', ${Date.now()}, ${HOUR - LEFT}
			FROM accounts WHERE name = 'owner'`);
	});
	after(async () => {
		await world?.stop();
		for (const victim of Object.values(victims)) await victim.stop();
		authority?.remove();
	});

	// Checks domains that name NAMES mail servers each, all at this address. Returns the number of
	// servers for each state and reason.
	const check = async (zone, address) => {
		const names = Array.from({ length: DOMAINS }, (_, i) => `d${i}.${zone}`);
		const servers = names.flatMap((name, i) => Array.from({ length: NAMES }, (__, j) => [name, `mx${i * NAMES + j}.${zone}`]));
		for (const name of names) await world.add(name, { mxPatterns: [`*.${zone}`] });
		world.publish([...servers.map(([name, host]) => `${name} MX 300 10 ${host}`), ...servers.map(([, host]) => recordOf(host, address))]);
		await world.check();
		const seen = JSON.parse(`[${world.sql(`SELECT evidence FROM mta_sts WHERE name LIKE '%.${zone}'`).split('\n').join()}]`).flatMap(({ mx }) => mx);
		return seen.reduce((counts, { starttls, reason }) => ({ ...counts, [`${starttls} ${reason}`]: (counts[`${starttls} ${reason}`] ?? 0) + 1 }), {});
	};

	test('connect to it four at a time, and for an account a number of times an hour over all processes', async () => {
		assert.deepEqual(await check('hostile.test', '127.0.0.71'), { 'no The server\'s certificate does not name the server.': LEFT,
			'unknown The account has used up the hour\'s connections to the server\'s address.': DOMAINS * NAMES - LEFT });
		assert.equal(victims.own.connections, LEFT);
		assert.ok(victims.own.most <= 2 * AT_ONCE, `${victims.own.most} at once, those that are being closed included`);
	});

	test('are known from few connections when its certificate names them all', async () => {
		assert.deepEqual(await check('pool.test', '127.0.0.72'), { 'yes ': DOMAINS * NAMES });
		assert.ok(victims.shared.connections <= 3 * AT_ONCE, `${victims.shared.connections} connections`);
	});

	test('are known from few connections when it offers no STARTTLS', async () => {
		assert.deepEqual(await check('plain.test', '127.0.0.73'), { 'no The server does not offer STARTTLS.': DOMAINS * NAMES });
		assert.ok(victims.plain.connections <= 3 * AT_ONCE, `${victims.plain.connections} connections`);
	});
});

// Of loopback, another for each number.
const ownAddress = (i) => `127.1.${i >> 8}.${i & 0xff}`;

describe(`${HANGING} policy hosts that hang`, () => {
	let authority;
	let policies;
	let world;

	before(async () => {
		authority = makeAuthority();
		policies = await startPolicyServer({ address: '0.0.0.0' });
		world = await startWorld({ env: {
			EDS_CA_FILE: authority.file,
			EDS_ALLOW_PRIVATE_ADDRESSES: '1',
			EDS_POLICY_FETCH_PORT: String(policies.port),
			EDS_STARTTLS_PORT: '1',
		} });
		const certificate = authority.issue(Array.from({ length: WELL }, (_, i) => `mta-sts.d${i}.well.test`));
		const lines = [];
		for (let i = 0; i < HANGING; i++) {
			lines.push(`mta-sts.d${i}.hang.test A 300 ${ownAddress(i)}`);
			policies.host(`mta-sts.d${i}.hang.test`, { silent: 'connect' });
			await world.add(`d${i}.hang.test`);
		}
		for (let i = 0; i < WELL; i++) {
			const name = `d${i}.well.test`;
			const domain = await world.add(name, { mxPatterns: ['mx.well.test'] });
			lines.push(...txtOf(domain), `mta-sts.${name} A 300 127.0.0.1`, `${name} MX 300 0 .`);
			policies.host(`mta-sts.${name}`, { certificate, policy: policyText({ mx: ['mx.well.test'] }) });
		}
		world.publish(lines);
		world.sql("UPDATE mta_sts SET leased_until_ms = 0, due_at_ms = CASE WHEN name LIKE '%.hang.test' THEN 1 ELSE 2 END");
	});
	after(async () => {
		await world?.stop();
		await policies?.stop();
		authority?.remove();
	});

	test('delay no other domain, and each domain gets its finding', async () => {
		const began = Date.now();
		const running = world.startCheck();
		const count = (where) => Number(world.sql(`SELECT count(*) FROM mta_sts WHERE ${where}`));
		// asks rarely, because the policy hosts in this process stop while it queries the database
		await until(async () => {
			await new Promise((next) => setTimeout(next, 500));
			return count('valid = 1') === WELL;
		}, WELL_MS);
		assert.deepEqual(await running.answer, { checked: HANGING + WELL, failed: 0, policyCertificatesEnding: 0 });
		assert.ok(Date.now() - began < ALL_MS, `${Date.now() - began} ms`);
		assert.equal(count("errors LIKE '%\"fetch-timeout\"%'"), HANGING);
	});
});

describe('policies of many names at one address', () => {
	const NAMES = 200;
	const HOUR = 4096;
	const ALONE = 64;
	const SHARE = 64;
	const AT_ONCE = 4;
	const VICTIM = '127.0.0.81';
	const victim = { connections: 0, now: 0, most: 0 };
	let authority;
	let policies;
	let world;
	const domains = [];
	const respond = (request, response) => {
		victim.connections++;
		victim.most = Math.max(victim.most, ++victim.now);
		setTimeout(() => {
			victim.now--;
			response.writeHead(404).end();
		}, 20);
	};

	before(async () => {
		authority = makeAuthority();
		policies = await startPolicyServer({ address: VICTIM });
		world = await startWorld({ env: { EDS_CA_FILE: authority.file, EDS_ALLOW_PRIVATE_ADDRESSES: '1',
			EDS_POLICY_FETCH_PORT: String(policies.port), EDS_STARTTLS_PORT: '1' } });
		const hosts = Array.from({ length: NAMES }, (_, i) => `mta-sts.d${i}.many.test`);
		const certificate = authority.issue(hosts);
		for (let i = 0; i < NAMES; i++) {
			policies.host(hosts[i], { certificate, respond });
			domains.push(await world.add(`d${i}.many.test`));
		}
		world.publish(hosts.flatMap((host, i) => [recordOf(host, VICTIM), `d${i}.many.test MX 300 0 .`]));
		// other processes have used up the hour, but for this
		world.sql(`INSERT INTO account_uses (account_id, kind, began_at_ms, used) SELECT account_id, 'policy ${VICTIM}', ${Date.now()},
			${HOUR - ALONE - SHARE} FROM domains LIMIT 1`);
	});
	after(async () => {
		await world?.stop();
		await policies?.stop();
		authority?.remove();
	});

	test('are fetched four at a time, and for an account a number of times an hour over all processes', async () => {
		assert.deepEqual(await world.check(), { checked: ALONE + SHARE, failed: NAMES - ALONE - SHARE });
		assert.equal(victim.connections, ALONE + SHARE);
		assert.ok(victim.most <= AT_ONCE, `${victim.most} at once`);
	});

	test('that were not fetched are not checked yet, and are due within the hour', async () => {
		const shown = await Promise.all(domains.map(world.show));
		assert.equal(shown.filter(({ observed }) => observed === null).length, NAMES - ALONE - SHARE);
		const [count, first, last] = world.sql('SELECT count(*), min(due_at_ms), max(due_at_ms) FROM mta_sts WHERE checked_at_ms = 0').split('|').map(Number);
		assert.equal(count, NAMES - ALONE - SHARE);
		assert.ok(first > Date.now() + 10 * 60_000 && last < Date.now() + 61 * 60_000 && last - first > 60_000, `${first} to ${last}`);
	});

	test('keep their earlier result when they are not fetched again', async () => {
		const began = Date.now();
		world.makeDue();
		assert.equal((await world.check()).checked, ALONE); // what a new process fetches before it takes a share
		assert.equal(victim.connections, 2 * ALONE + SHARE);
		const results = world.sql(`SELECT CASE WHEN checked_at_ms = 0 THEN 'none' WHEN checked_at_ms >= ${began} THEN 'new' ELSE 'old' END, errors
			FROM mta_sts`).split('\n').map((line) => line.split('|'));
		assert.equal(results.filter(([age]) => age === 'new').length, ALONE);
		assert.ok(results.filter(([age]) => age === 'old').length >= SHARE);
		for (const [age, errors] of results)
			if (age !== 'none') assert.deepEqual(codes(JSON.parse(errors)).filter((code) => code.startsWith('fetch-')), ['fetch-status']);
	});

	test('are refused to a user who asks for more checks, with the time to wait', async () => {
		const check = () => request(`${world.runner.baseUrl}/api/v1/domains/${domains[1].id}/mta-sts/check`,
			{ method: 'POST', headers: { authorization: `Bearer ${world.token}` } });
		let answer;
		for (let i = 0; i < 5 * ALONE && answer?.status !== 429; i++) answer = await check();
		assert.equal(answer.status, 429);
		assert.equal(answer.json().code, 'too-many-checks');
		assert.match(answer.json().detail, /from the same address/);
		assert.ok(Number(answer.headers['retry-after']) > 10 * 60);
	});
});

describe('zones that name our policy host as their alias, but give another address', () => {
	const LIARS = 40;
	const HANGING_AT = '127.0.0.82';
	let authority;
	let policies;
	let world;

	before(async () => {
		authority = makeAuthority();
		policies = await startPolicyServer({ address: '0.0.0.0' });
		world = await startWorld({ env: { EDS_CA_FILE: authority.file, EDS_ALLOW_PRIVATE_ADDRESSES: '1',
			EDS_POLICY_FETCH_PORT: String(policies.port), EDS_STARTTLS_PORT: '1' } });
		const lines = ['policy.test A 300 127.0.0.1'];
		const publish = async (name, more, behavior) => {
			const domain = await world.add(name, { mxPatterns: ['mx.test'] });
			lines.push(...txtOf(domain), `mta-sts.${name} CNAME 0 policy.test`, `${name} MX 300 0 .`, ...more);
			policies.host(`mta-sts.${name}`, behavior);
		};
		for (let i = 0; i < LIARS; i++)
			await publish(`d${i}.liar.test`, [recordOf(`mta-sts.d${i}.liar.test`, HANGING_AT)], { silent: 'connect' });
		await publish('honest.test', [], { certificate: authority.issue(['mta-sts.honest.test']), policy: policyText({ mx: ['mx.test'] }) });
		world.publish(lines);
		world.sql("UPDATE mta_sts SET leased_until_ms = 0, due_at_ms = CASE WHEN name = 'honest.test' THEN 2 ELSE 1 END");
	});
	after(async () => {
		await world?.stop();
		await policies?.stop();
		authority?.remove();
	});

	test('do not delay the first fetch of a policy that is hosted here', async () => {
		const { child, answer } = world.startCheck();
		const ended = answer.catch(() => {});
		await until(() => world.sql("SELECT valid FROM mta_sts WHERE name = 'honest.test'") === '1', 15_000);
		child.kill('SIGKILL');
		await ended;
	});
});

describe(`${ANSWERING} policy hosts that send as much as allowed without ending`, { skip: noLimit }, () => {
	let authority;
	let policies;
	let world;
	const domains = [];
	const hosts = Array.from({ length: ANSWERING }, (_, i) => `mta-sts.d${i}.long.test`);

	// The policy and the header are nearly as long as the check reads: 64 KiB of policy, 16 KiB of
	// header.
	const respond = (request, response) => {
		response.writeHead(200, { 'content-type': 'text/plain',
			...Object.fromEntries(Array.from({ length: 7 }, (_, i) => [`x-${i}`, 'y'.repeat(2000)])) });
		response.write(`version: STSv1\r\n${'mx: mail.long.test\r\n'.repeat(3200)}`);
	};

	before(async () => {
		authority = makeAuthority();
		policies = await startPolicyServer({ address: '0.0.0.0' });
		world = await startWorld({ env: {
			EDS_CA_FILE: authority.file,
			EDS_ALLOW_PRIVATE_ADDRESSES: '1',
			EDS_POLICY_FETCH_PORT: String(policies.port),
			EDS_STARTTLS_PORT: '1',
		} });
		const certificate = authority.issue(hosts);
		const foreign = authority.issue(Array.from({ length: 40 }, (_, i) => `${'x'.repeat(50)}${i}.long.test`)).cert;
		for (const host of hosts) policies.host(host, { certificate: { ...certificate, cert: certificate.cert + foreign.repeat(6) }, respond });
		policies.host(hosts[0], { certificate: { ...certificate, cert: certificate.cert + foreign.repeat(25) }, respond });
		for (let i = 0; i < ANSWERING; i++) domains.push(await world.add(`d${i}.long.test`));
		world.publish(hosts.map((host, i) => recordOf(host, ownAddress(i))));
	});
	after(async () => {
		await world?.stop();
		await policies?.stop();
		authority?.remove();
	});

	test(`fit in the ${memoryMb} MB of the check, each domain gets its finding, and certificates over 32 KB are refused`, async () => {
		const running = world.startCheck({}, ['prlimit', `--data=${memoryMb * MB}`]);
		assert.equal((await running.answer).checked, ANSWERING);
		const count = (where) => Number(world.sql(`SELECT count(*) FROM mta_sts WHERE ${where}`));
		assert.equal(count("errors LIKE '%\"fetch-timeout\"%'"), ANSWERING - 1);
		assert.ok(codes((await world.show(domains[0])).observed.errors).includes('fetch-tls'));
	});
});
