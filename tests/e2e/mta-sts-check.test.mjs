// The check of MTA-STS setups against all kinds of policy hosts and mail servers: correct,
// misconfigured and hostile ones. Each gets its finding within limited time and delays no other.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';

import { makeAuthority } from '../support/authority.mjs';
import { startMailServer } from '../support/mail-server.mjs';
import { policyText, startPolicyServer } from '../support/policy-server.mjs';
import { codes, startWorld, txtOf } from './support/mta-sts.mjs';
import { until } from './support/runner.mjs';

const LONGEST_CHECK_MS = 28000; // DNS and one fetch that hangs take 20 s; two fetches one after the other would take 30 s
const FETCH_MS = 15000;
const LEASE_MS = 120000;

const mx = (name) => `mx.${name}`;
const good = (name) => policyText({ mx: [mx(name)] });

let authority;
let policies;
let world;
const domains = new Map();
const lines = new Map();

const publishAll = () => world.publish([...lines.values()].flat());

// Adds a domain that is correct except for the given faults. host: the behavior of its policy host
// (policy-server.mjs); dns: lines that replace its txt, host or mx records.
async function add(name, { host, certificate, dns = {}, fields = {} } = {}) {
	const domain = await world.add(name, { mxPatterns: [mx(name)], ...fields });
	const at = { txt: txtOf(domain), host: [`mta-sts.${name} A 300 127.0.0.1`], mx: [`${name} MX 300 10 ${mx(name)}`], ...dns };
	domains.set(name, domain);
	lines.set(name, [...at.txt, ...at.host, ...at.mx]);
	policies.host(`mta-sts.${name}`, {
		certificate: certificate ?? authority.issue([`mta-sts.${name}`]), policy: good(name), ...host });
	return domain;
}

const observed = async (name) => (await world.show(domains.get(name))).observed;

before(async () => {
	authority = makeAuthority();
	policies = await startPolicyServer();
	world = await startWorld({ env: {
		EDS_CA_FILE: authority.file,
		EDS_ALLOW_PRIVATE_ADDRESSES: '1',
		EDS_POLICY_FETCH_PORT: String(policies.port),
		EDS_STARTTLS_PORT: '1',
	} });
});

after(async () => {
	await world?.stop();
	await policies?.stop();
	authority?.remove();
});

describe('the check of a policy host', () => {
	const text = (body) => ({ host: { policy: body } });
	const cases = {
		'good.test': [{}, []],
		'own-host.test': [{ fields: { hosted: false } }, []],
		'own-host-differs.test': [{ fields: { hosted: false, maxAge: 86400 } }, ['policy-max-age-differs']],
		'parameters.test': [{ host: { type: 'TEXT/Plain; charset=UTF-8; x=1' } }, []],
		'wildcard.test': [{ certificate: () => authority.issue(['*.wildcard.test']) }, []],
		'blank.test': [text(`${good('blank.test')}\n`), []],
		'full.test': [text(`${good('full.test')}note: ${'a'.repeat(65536 - good('full.test').length - 7)}\n`), []],
		'over.test': [text(`${good('over.test')}note: ${'a'.repeat(65537 - good('over.test').length - 7)}\n`), ['policy-too-large']],
		'endless.test': [{ host: { respond: (request, response) => {
			response.writeHead(200, { 'content-type': 'text/plain' });
			const more = () => { while (response.write('x'.repeat(8192))); response.once('drain', more); };
			more();
		} } }, ['policy-too-large']],
		'announced.test': [{ host: { headers: { 'content-length': '100000000' } } }, ['policy-too-large']],
		'header.test': [{ host: { headers: Object.fromEntries(Array.from({ length: 40 }, (_, i) => [`x-${i}`, 'y'.repeat(500)])) } },
			['fetch-protocol']],
		'html.test': [{ host: { type: 'text/html' } }, ['fetch-media-type']],
		'no-type.test': [{ host: { type: null } }, ['fetch-media-type']],
		'texts.test': [{ host: { type: 'text/plainer' } }, ['fetch-media-type']],
		'redirect.test': [{ host: { status: 301, headers: { location: 'https://mta-sts.good.test/.well-known/mta-sts.txt' } } }, ['fetch-redirect']],
		'missing.test': [{ host: { status: 404 } }, ['fetch-status']],
		'broken.test': [{ host: { status: 500 } }, ['fetch-status']],
		'gzip.test': [{ host: { headers: { 'content-encoding': 'gzip' } } }, ['fetch-encoding']],
		'expired.test': [{ certificate: () => authority.issue(['mta-sts.expired.test'], { expired: true }) }, ['fetch-certificate-time']],
		'misnamed.test': [{ certificate: () => authority.issue(['www.misnamed.test']) }, ['fetch-certificate-name']],
		'common-name.test': [{ certificate: () => authority.issue(['mta-sts.common-name.test'], { commonName: true }) }, ['fetch-certificate-name']],
		'self.test': [{ certificate: () => authority.issue(['mta-sts.self.test'], { selfSigned: true }) }, ['fetch-certificate-untrusted']],
		'none.test': [{ host: { alert: 80 } }, ['fetch-tls-refused']],
		'unknown-name.test': [{ host: { alert: 112 } }, ['fetch-tls-refused']],
		'no-cipher.test': [{ host: { alert: 40 } }, ['fetch-tls']],
		'silent.test': [{ host: { silent: 'connect' } }, ['fetch-timeout']],
		'slow.test': [{ host: { silent: 'request' } }, ['fetch-timeout']],
		'drip.test': [{ host: { respond: (request, response) => {
			response.writeHead(200, { 'content-type': 'text/plain' });
			const timer = setInterval(() => response.write('x'), 1000);
			response.on('close', () => clearInterval(timer));
		} } }, ['fetch-timeout']],
		'cut.test': [{ host: { respond: (request, response) => {
			response.writeHead(200, { 'content-type': 'text/plain', 'content-length': '500' });
			response.write('version: STSv1\n', () => response.destroy());
		} } }, ['fetch-unreachable']],
		'refused.test': [{ dns: { host: ['mta-sts.refused.test A 300 127.0.0.99'] } }, ['fetch-refused']],
		'second.test': [{ dns: { host: ['mta-sts.second.test A 300 127.0.0.99', 'mta-sts.second.test A 300 127.0.0.1'] } }, []],
		'gone.test': [{ dns: { host: [] } }, ['host-missing']],
		'dangling.test': [{ dns: { host: ['mta-sts.dangling.test CNAME 300 gone.provider.test'] } }, ['host-alias-dangling']],
		'empty.test': [{ dns: { host: ['mta-sts.empty.test TXT 300 "x"'] } }, ['host-no-address']],
		'servfail.test': [{ dns: { host: ['mta-sts.servfail.test !servfail'] } }, ['host-temporary']],
		'lost.test': [{ dns: { txt: ['_mta-sts.lost.test !drop'] } }, ['txt-temporary']],
		'no-txt.test': [{ dns: { txt: [] } }, ['txt-missing']],
		'two-txt.test': [{ dns: { txt: ['_mta-sts.two-txt.test TXT 300 "v=STSv1; id=a"', '_mta-sts.two-txt.test TXT 300 "v=STSv1; id=b"'] } }, ['txt-several']],
		'quoted.test': [{ dns: { txt: ['_mta-sts.quoted.test TXT 300 "V=STSV1; id=a"'] } }, ['txt-version']],
		'bad-id.test': [{ dns: { txt: ['_mta-sts.bad-id.test TXT 300 "v=STSv1; id=a-b"'] } }, ['txt-id-invalid']],
		'mode.test': [text(policyText({ mode: 'enforce', mx: ['mx.mode.test'] })), ['policy-mode-differs']],
		'age.test': [text(policyText({ mx: ['mx.age.test'], maxAge: 86400 })), ['policy-max-age-differs']],
		'patterns.test': [text(policyText({ mx: ['*.patterns.test'] })), ['policy-mx-differs']],
		'syntax.test': [text('<html>not found</html>\n'), ['policy-syntax', 'policy-version', 'policy-mode', 'policy-max-age', 'policy-mx-missing']],
		'uncovered.test': [{ fields: { mode: 'enforce' }, host: { policy: policyText({ mode: 'enforce', mx: ['mx.uncovered.test'] }) },
			dns: { mx: ['uncovered.test MX 300 10 mx.uncovered.test', 'uncovered.test MX 300 20 mx2.uncovered.test'] } }, ['mx-uncovered']],
	};
	let began;

	before(async () => {
		for (const [name, [{ certificate, ...made }]] of Object.entries(cases))
			await add(name, { ...made, certificate: certificate?.() });
		publishAll();
		began = Date.now();
		assert.deepEqual(await world.check(), { checked: Object.keys(cases).length, failed: 0 });
	});

	test('ends in limited time, whatever hosts do', () => {
		const took = Date.now() - began;
		assert.ok(took < LONGEST_CHECK_MS, `${took} ms`);
		assert.ok(took > FETCH_MS, 'some of these hosts should hang until the time limit');
	});

	for (const [name, [, expected]] of Object.entries(cases))
		test(`finds ${expected.join(', ') || 'nothing wrong'} at ${name}`, async () => {
			const seen = await observed(name);
			assert.deepEqual(codes(seen.errors), expected, JSON.stringify(seen.errors));
			assert.equal(seen.valid, expected.length === 0);
			const fetched = expected.every((code) => /^(policy-(?!too-large)|mx-|txt-)/.test(code));
			assert.equal(seen.policyFetched, fetched);
			assert.equal(seen.policyIdInSync, !expected.some((code) => code.startsWith('txt-')));
		});

	test('distinguishes a host that accepts no connection from one that does not answer', async () => {
		const said = async (name) => (await observed(name)).errors[0].message;
		assert.equal(await said('silent.test'), 'The policy host did not accept a connection in time.');
		assert.equal(await said('slow.test'), 'The policy host did not send the whole policy file in time.');
	});

	test('does not follow a redirect', () => {
		assert.equal(policies.connections.filter((name) => name === 'mta-sts.good.test').length, 1);
	});

	test('tries again after TLS alert 80, which means that there is no certificate yet', () => {
		assert.ok(policies.connections.filter((name) => name === 'mta-sts.none.test').length > 1);
	});

	test('shows the content of the fetched policy', async () => {
		assert.equal((await observed('good.test')).policyMode, 'testing');
		assert.equal((await observed('mode.test')).policyMode, 'enforce');
	});

	test('keeps earlier results while DNS fails temporarily', async () => {
		world.publish(['_mta-sts.good.test !servfail']);
		world.sql("UPDATE mta_sts SET leased_until_ms = 0, due_at_ms = 1 WHERE name = 'good.test'");
		assert.deepEqual(await world.check(), { checked: 0, failed: 1 });
		assert.equal((await observed('good.test')).valid, true);
		const due = Number(world.sql("SELECT due_at_ms FROM mta_sts WHERE name = 'good.test'")) - Date.now();
		assert.ok(due > 0 && due <= 60000, `due in ${due} ms`);
	});

	test('finds later changes when a check is requested', async () => {
		publishAll();
		policies.host('mta-sts.good.test', { certificate: authority.issue(['mta-sts.good.test']), status: 404 });
		const shown = await world.checkNow(domains.get('good.test'));
		assert.deepEqual(codes(shown.observed.errors), ['fetch-status']);
		assert.equal(shown.observed.policyFetched, false);
	});
});

// Adds domains whose policy hosts count the concurrent fetches.
function counted(names) {
	const seen = { now: 0, most: 0 };
	const certificate = authority.issue(names.map((name) => `mta-sts.${name}`));
	for (const name of names)
		policies.host(`mta-sts.${name}`, {
			certificate,
			respond: (request, response) => {
				seen.most = Math.max(seen.most, ++seen.now);
				setTimeout(() => {
					seen.now--;
					response.writeHead(200, { 'content-type': 'text/plain' }).end(policyText({ mx: ['mx.test'] }));
				}, 50);
			},
		});
	return seen;
}

describe('policies hosted here', () => {
	const names = Array.from({ length: 10 }, (_, i) => `h${i}.hosted.test`);
	const zone = [];

	before(async () => {
		world.sql('UPDATE mta_sts SET due_at_ms = 4000000000000');
		for (const name of names) {
			const domain = await world.add(name, { mxPatterns: ['mx.test'] });
			zone.push(...txtOf(domain), `mta-sts.${name} CNAME 300 policy.test`, `${name} MX 300 0 .`);
		}
		world.publish([...zone, 'policy.test A 300 127.0.0.1']);
	});

	test('are fetched one after another the first time, when certificates are ordered', async () => {
		const seen = counted(names);
		assert.deepEqual(await world.check(), { checked: names.length, failed: 0 });
		assert.equal(seen.most, 1);
		assert.equal(Number(world.sql("SELECT count(*) FROM mta_sts WHERE valid = 1 AND name LIKE '%.hosted.test'")), names.length);
	});

	test('are fetched together from then on', async () => {
		const seen = counted(names);
		world.sql("UPDATE mta_sts SET leased_until_ms = 0, due_at_ms = 1 WHERE name LIKE '%.hosted.test'");
		assert.deepEqual(await world.check(), { checked: names.length, failed: 0 });
		assert.ok(seen.most > 1, `${seen.most} at once`);
	});
});

describe('the certificates that a run saw', () => {
	const DAY_S = 24 * 3600;
	const days = (seconds) => Math.round(seconds / DAY_S);
	const HOSTED = { first: 'first.ends.test', second: 'second.ends.test', brief: 'brief.ends.test' };
	const ELSEWHERE = 'elsewhere.ends.test'; // a domain that is hosted here, but whose CNAME leads to another host
	const certify = (name, more) => {
		const host = `mta-sts.${name}`;
		policies.host(host, { certificate: authority.issue([host], more), policy: policyText({ mx: ['mx.test'] }) });
	};

	before(async () => {
		world.sql('UPDATE mta_sts SET due_at_ms = 4000000000000');
		const zone = ['policy.test A 300 127.0.0.1', 'other.test A 300 127.0.0.1'];
		for (const name of [...Object.values(HOSTED), ELSEWHERE]) {
			const domain = await world.add(name, { mxPatterns: ['mx.test'] });
			zone.push(...txtOf(domain), `mta-sts.${name} CNAME 300 ${name === ELSEWHERE ? 'other' : 'policy'}.test`, `${name} MX 300 0 .`);
		}
		world.publish(zone);
		certify(HOSTED.first, { days: 90, ago: 60 });
		certify(HOSTED.second, { days: 90, ago: 30 });
		certify(HOSTED.brief, { days: 6, ago: 1 });
		certify(ELSEWHERE, { days: 90, ago: 89 });
	});
	const checkAll = async () => {
		world.sql("UPDATE mta_sts SET leased_until_ms = 0, due_at_ms = 1 WHERE name LIKE '%.ends.test'");
		assert.deepEqual(await world.check(), { checked: 4, failed: 0 });
		return world.certificates;
	};

	test('say how long the first of the policies hosted here holds, and that none is overdue', async () => {
		const { policyCertificatesEnding, policyCertificateSeconds, mailCertificateSeconds } = await checkAll();
		assert.deepEqual([policyCertificatesEnding, days(policyCertificateSeconds), mailCertificateSeconds], [0, 5, undefined]);
	});

	test('count those that were not renewed: with 14 days left, or in the last third of a short life', async () => {
		certify(HOSTED.first, { days: 90, ago: 80 });
		assert.equal((await checkAll()).policyCertificatesEnding, 1);
		certify(HOSTED.brief, { days: 6, ago: 5 });
		const { policyCertificatesEnding, policyCertificateSeconds } = await checkAll();
		assert.deepEqual([policyCertificatesEnding, days(policyCertificateSeconds)], [2, 1]);
	});

	test('count one that has ended, with no time left', async () => {
		certify(HOSTED.second, { expired: true });
		const { policyCertificatesEnding, policyCertificateSeconds } = await checkAll();
		assert.deepEqual([policyCertificatesEnding, policyCertificateSeconds], [3, 0]);
	});

	test('are no longer counted once they are renewed', async () => {
		for (const name of Object.values(HOSTED)) certify(name, { days: 90 });
		const { policyCertificatesEnding, policyCertificateSeconds } = await checkAll();
		assert.deepEqual([policyCertificatesEnding, days(policyCertificateSeconds)], [0, 90]);
	});
});

describe('checks of several processes', () => {
	const NAMES = Array.from({ length: 250 }, (_, i) => `d${i}.shared.test`);

	before(async () => {
		for (const name of NAMES) await world.add(name, { mxPatterns: ['mx.test'] });
		world.sql("UPDATE mta_sts SET leased_until_ms = 0, due_at_ms = CASE WHEN name LIKE '%.shared.test' THEN 1 ELSE 4000000000000 END");
		world.publish([]);
	});

	test('share the domains that are due, and look at each once', async () => {
		const answers = await Promise.all([world.check(), world.check()]);
		assert.equal(answers[0].checked + answers[1].checked, NAMES.length);
		// a question whose answer is late is asked again
		const asked = new Set(world.dns.queries().filter((query) => query.startsWith('_mta-sts.')));
		assert.equal(asked.size, NAMES.length);
	});

	test('take over the domains of a killed process once its lease ends', async () => {
		world.sql("UPDATE mta_sts SET leased_until_ms = 0, due_at_ms = 1 WHERE name LIKE '%.shared.test'");
		world.publish(['* !drop']);
		const { child, answer } = world.startCheck();
		const failed = assert.rejects(answer);
		await until(() => world.dns.queries().length > 0);
		child.kill('SIGKILL');
		await failed;
		const leased = world.sql("SELECT name FROM mta_sts WHERE leased_until_ms > 0 AND name LIKE '%.shared.test'").split('\n');
		world.publish([]);
		assert.deepEqual(await world.check(), { checked: NAMES.length - leased.length, failed: 0 });
		assert.deepEqual(await world.check(), { checked: 0, failed: 0 });
		world.sql(`UPDATE mta_sts SET leased_until_ms = leased_until_ms - ${LEASE_MS} WHERE name IN ('${leased.join("','")}')`);
		assert.deepEqual(await world.check(), { checked: leased.length, failed: 0 });
	});
});
