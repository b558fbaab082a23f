// DNSSEC of the domains of an account and of their mail servers, against zones that are really signed.
import assert from 'node:assert/strict';
import { execFileSync, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { copyFileSync, mkdirSync, mkdtempSync, readlinkSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';

import { asCloud, canBeCloud } from './support/cloud.mjs';
import { refused, startBetween, truncated, withoutSignatures } from './support/dns-between.mjs';
import { functionsWithoutSchedule } from './support/functions.mjs';
import { breaches } from './support/openapi.mjs';
import { BUILD, descendantsOf, firstToken, isAlive, request, startRunner, until } from './support/runner.mjs';
import { startSignedZones } from './support/signed-zones.mjs';
import { environment } from './support/store.mjs';

const TOP = 'signed.example';
const TLSA = `_25._tcp.mx TLSA 3 1 1 ${'ab'.repeat(32)}`;
const MAIL = ['@ MX 10 mx', 'mx A 127.0.0.25', '@ TXT "v=spf1 mx -all"'];
const KEYS = 110; // number of DNSKEY records of 4096 bits: nearly as many as a DNS message can hold
// domains below quiet, each with the maximum number of mail servers that are checked
const QUIET = ['one', 'two', 'three'];
const HOSTS = Array.from({ length: 10 }, (_, i) => `mx${i}`);
const largeKey = () => `@ DNSKEY 256 3 8 ${Buffer.concat([Buffer.from([3, 1, 0, 1]), randomBytes(512)]).toString('base64')}`;
const ZONES = {
	good: { kind: 'good', records: [...MAIL, TLSA] },
	late: { kind: 'expired', records: MAIL },
	swapped: { kind: 'foreign', records: MAIL },
	dropped: { kind: 'dropped', records: MAIL },
	plain: { kind: 'plain', records: [...MAIL, TLSA] },
	large: { kind: 'good', records: [...MAIL, ...Array.from({ length: KEYS }, largeKey)] },
	failing: { kind: 'good', records: MAIL },
	orphan: { kind: 'good', records: MAIL },
	mute: { kind: 'good', records: MAIL },
	cut: { kind: 'good', records: MAIL },
	wrong: { kind: 'good', records: [...MAIL, TLSA] },
	calm: { kind: 'good', records: MAIL },
	quiet: { kind: 'good', records: QUIET.flatMap((label) => HOSTS.flatMap((host) => [`${label} MX 10 ${host}.${label}`, `${host}.${label} A 127.0.0.26`])) },
	...Object.fromEntries(['stopped', 'killed', 'missing', 'unanchored', 'stripped', 'after'].map((name) => [name, { kind: 'good', records: MAIL }])),
	hosted: { kind: 'plain', records: [`@ MX 10 mx.good.${TOP}.`] },
	mixed: { kind: 'good', records: [`@ MX 10 mx.plain.${TOP}.`, `@ MX 20 mx.late.${TOP}.`, `@ MX 30 mx.good.${TOP}.`] },
};

const [DS, DNSKEY, TLSA_TYPE] = [43, 48, 52];
// Questions with DNSSEC (the DO flag) about names below quiet get no answer; other questions do.
const wantsSignatures = (message) => message.readUInt16BE(10) > 0 && (message.at(-4) & 0x80) !== 0;
const keptFrom = (message, name) => name.endsWith(`.quiet.${TOP}`) && wantsSignatures(message) ? { reply: null } : undefined;
// The misbehavior of the resolver, by the first label of the name and the type of the question.
const RULES = {
	failing: { [DNSKEY]: (message) => ({ reply: refused(message) }) },
	orphan: { [DS]: (message) => ({ reply: refused(message) }) },
	mute: { [DNSKEY]: () => ({ reply: null }) },
	// the reply announces 65535 octets, and one comes
	cut: { [DNSKEY]: (message, tcp) => ({ reply: tcp ? Buffer.from('ffff00', 'hex') : truncated(message) }) },
	_25: { [TLSA_TYPE]: (message, tcp, name) => name.includes('.wrong.') ? { send: withoutSignatures(message) } : undefined },
};

const asRoot = { skip: process.getuid() !== 0 && 'root alone finds the program that validates' };
const noCloud = canBeCloud() ? false : 'this machine lets no test refuse calls';

let zones;
let resolver;
let functions;
let runner;

before(async () => {
	zones = await startSignedZones(TOP, ZONES);
	resolver = await startBetween(zones.address, (message, { name, type }, tcp) =>
		keptFrom(message, name) ?? RULES[name.split('.')[0]]?.[type]?.(message, tcp, name));
	functions = functionsWithoutSchedule();
	runner = await startRunner({ functions, env: settings() });
});
after(async () => {
	await runner?.stop();
	await resolver?.stop();
	await zones?.stop();
	if (functions) rmSync(functions, { recursive: true });
});

const settings = (more = {}) =>
	({ EDS_DNS_SERVERS: resolver.address, EDS_DNSSEC_ANCHORS: zones.anchors, EDS_ALLOW_PRIVATE_ADDRESSES: '1', ...more });

async function call(method, path, body, of = runner) {
	const answer = await request(`${of.baseUrl}/api/v1${path}`, { method, body: body && JSON.stringify(body),
		headers: { authorization: `Bearer ${firstToken(of)}`, ...(body ? { 'content-type': 'application/json' } : {}) } });
	assert.deepEqual(breaches(method, `/api/v1${path}`, answer), []);
	return answer.json().data;
}

async function idOf(label, of) {
	const name = `${label}.${TOP}`;
	const known = (await call('GET', '/domains', undefined, of)).find((domain) => domain.name === name);
	return (known ?? await call('POST', '/domains', { name }, of)).id;
}

async function look(label, of) {
	const id = await idOf(label, of);
	const { items } = await call('POST', `/domains/${id}/posture/check`, undefined, of);
	return Object.fromEntries(items.map((item) => [item.name, item]));
}

const codesOf = (item) => item.findings.map(({ code }) => code);
const validators = ({ pid: of } = runner) => descendantsOf(of).filter((pid) => {
	try {
		return readlinkSync(`/proc/${pid}/exe`).endsWith('eds-validator');
	} catch {
		return false;
	}
});

describe('a domain', () => {
	test('whose zone is signed is shown as signed, and so are its TLSA records', async () => {
		const { dnssec, dane } = await look('good');
		assert.deepEqual([dnssec.state, dnssec.record, dnssec.findings],
			['ok', `good.${TOP} signed\nmx.good.${TOP} signed`, []]);
		assert.deepEqual([dane.state, dane.findings], ['ok', []]);
	});

	test('whose signatures have expired gets an error with the reason', async () => {
		const { dnssec } = await look('late');
		assert.equal(dnssec.state, 'error');
		assert.deepEqual(codesOf(dnssec), ['dnssec-bogus', 'dnssec-mx-bogus']);
		assert.match(dnssec.findings[0].message, /^The DNSSEC signatures of late\.signed\.example are not valid \(.*signature expired\)/);
		assert.doesNotMatch(dnssec.findings[0].message, /127\.0\.0\.1/);
	});

	test('whose parent zone names another key gets an error', async () => {
		const { dnssec } = await look('swapped');
		assert.deepEqual(codesOf(dnssec), ['dnssec-bogus', 'dnssec-mx-bogus']);
	});

	test('that is no longer signed although the parent zone says so gets an error', async () => {
		const { dnssec } = await look('dropped');
		assert.equal(dnssec.state, 'error');
		assert.deepEqual(codesOf(dnssec), ['dnssec-bogus', 'dnssec-mx-bogus']);
	});

	test('with as many keys as an answer can hold is validated like any other', async () => {
		const { dnssec } = await look('large');
		assert.deepEqual([dnssec.state, dnssec.findings], ['ok', []]);
	});

	for (const [label, what] of [['failing', 'its resolver fails to give'], ['orphan', 'the zone above fails to name'], ['mute', 'nobody gives'], ['cut', 'never come whole']])
		test(`whose keys ${what} is unknown and not called wrongly signed, at the first and at a later check`, async () => {
			for (let i = 0; i < 2; i++) {
				const { dnssec } = await look(label);
				assert.deepEqual([dnssec.state, dnssec.record], ['unknown', null]);
				assert.deepEqual(codesOf(dnssec), ['dnssec-unanswered', 'dnssec-unanswered']);
				assert.equal(dnssec.findings[0].message, `Whether ${label}.${TOP} is signed with DNSSEC could not be found out in time.`);
			}
		});

	test('is validated while the name servers of other domains are silent', async () => {
		for (const label of QUIET) {
			const { dnssec } = await look(`${label}.quiet`);
			assert.equal(dnssec.state, 'unknown');
		}
		const { dnssec } = await look('calm');
		assert.deepEqual([dnssec.state, dnssec.record], ['ok', `calm.${TOP} signed\nmx.calm.${TOP} signed`]);
	});

	test('that is not signed works, but its TLSA records count for nothing', async () => {
		const { dnssec, dane } = await look('plain');
		assert.deepEqual([dnssec.state, dnssec.record], ['ok', `plain.${TOP} not signed\nmx.plain.${TOP} not signed`]);
		assert.deepEqual(codesOf(dnssec), ['dnssec-unsigned', 'dnssec-mx-unsigned']);
		assert.equal(dane.state, 'warning');
		assert.deepEqual(codesOf(dane), ['dane-unsigned']);
	});

	test('that is not signed gets the finding that its provider\'s signed TLSA records do not protect its mail', async () => {
		const { dane } = await look('hosted');
		assert.equal(dane.state, 'ok');
		assert.deepEqual(codesOf(dane), ['dane-domain-unsigned']);
	});

	test('whose TLSA records alone come without signatures gets a finding that says what senders do then', async () => {
		const { dnssec, dane } = await look('wrong');
		assert.equal(dnssec.state, 'ok');
		assert.equal(dane.state, 'error');
		assert.deepEqual(codesOf(dane), ['dane-bogus']);
	});

	test('and each of its mail servers are judged separately', async () => {
		const { dnssec } = await look('mixed');
		assert.equal(dnssec.record, [`mixed.${TOP} signed`, `mx.plain.${TOP} not signed`, `mx.late.${TOP} signed wrongly`,
			`mx.good.${TOP} signed`].join('\n'));
		assert.deepEqual(codesOf(dnssec), ['dnssec-mx-bogus', 'dnssec-mx-unsigned']);
	});
});

describe('the program that validates', () => {
	test('has no open file of the service but its socket, no settings, and cannot gain privileges', asRoot, async () => {
		await until(() => validators().length > 0);
		for (const pid of validators()) {
			assert.equal(execFileSync('cat', [`/proc/${pid}/environ`], { encoding: 'utf8' }), '');
			const status = execFileSync('cat', [`/proc/${pid}/status`], { encoding: 'utf8' });
			assert.match(status, /^Seccomp:\t2$/m);
			assert.match(status, /^NoNewPrivs:\t1$/m);
			const open = execFileSync('ls', ['-l', `/proc/${pid}/fd`], { encoding: 'utf8' });
			for (const [, target] of open.matchAll(/-> (\S+)/g))
				assert.match(target, /^(\/|socket:\[\d+\]|anon_inode:\[eventpoll\]|pipe:\[\d+\]|anon_inode:\[eventfd\])$/);
		}
	});

	test('makes only the DNSSEC part unknown, in time, when it hangs', asRoot, async () => {
		for (const pid of validators()) process.kill(pid, 'SIGSTOP');
		const { dnssec, mx, spf } = await look('stopped');
		for (const pid of validators()) process.kill(pid, 'SIGCONT');
		assert.deepEqual([dnssec.state, codesOf(dnssec)[0]], ['unknown', 'dnssec-unanswered']);
		assert.deepEqual([mx.state, spf.state], ['ok', 'ok']);
	});

	test('makes only the DNSSEC part unknown when it dies during a question', asRoot, async () => {
		const id = await idOf('killed');
		for (const pid of validators()) process.kill(pid, 'SIGSTOP');
		const check = call('POST', `/domains/${id}/posture/check`);
		// time for the question to reach the validator; it may also die before that
		await new Promise((done) => setTimeout(done, 500));
		for (const pid of validators()) process.kill(pid, 'SIGKILL');
		const { state, items } = await check;
		const dnssec = items.find(({ name }) => name === 'dnssec');
		assert.deepEqual([dnssec.state, codesOf(dnssec)], ['unknown', ['dnssec-not-validated']]);
		// the state follows from other findings; unknown DNSSEC does not change it
		assert.equal(state, 'warning');
	});

	test('is started again, and meanwhile the earlier result stays', async () => {
		const id = await idOf('good');
		const { items } = await call('POST', `/domains/${id}/posture/check`);
		assert.equal(items.find(({ name }) => name === 'dnssec').state, 'ok');
		await until(async () => {
			const { checkedAt, items: seen } = await call('POST', `/domains/${id}/posture/check`);
			return seen.find(({ name }) => name === 'dnssec').checkedAt === checkedAt;
		}, 60000);
	});
});

// Runs a program without blocking this process, because the resolver runs in this process.
async function run(program, input, env, cloud) {
	const child = spawn(...(cloud ? asCloud(program, [], cloud) : [program, []]),
		{ cwd: runner.folder, env: environment(runner, env), timeout: 60000, killSignal: 'SIGKILL' });
	const output = { stdout: '', stderr: '' };
	for (const name of Object.keys(output)) child[name].setEncoding('utf8').on('data', (text) => (output[name] += text));
	child.stdin.end(input);
	await new Promise((done) => child.once('close', done));
	return output;
}

// Runs posture-check-now without the runner, from a separate folder, with additional settings.
async function lookFrom(label, more, { withHelper = true, cloud } = {}) {
	const folder = mkdtempSync(join(tmpdir(), 'eds-dnssec-'));
	const event = { version: '2.0', routeKey: 'POST /api/v1/domains/{id}/posture/check', rawPath: '/', rawQueryString: '',
		headers: { authorization: `Bearer ${firstToken(runner)}` }, pathParameters: { id: await idOf(label) },
		requestContext: { http: { method: 'POST', path: '/', sourceIp: '192.0.2.1' }, requestId: 'r' }, isBase64Encoded: false };
	mkdirSync(join(folder, 'functions'));
	mkdirSync(join(folder, 'libexec'));
	copyFileSync(join(BUILD, 'functions/posture-check-now'), join(folder, 'functions/posture-check-now'));
	if (withHelper) copyFileSync(join(BUILD, 'libexec/eds-validator'), join(folder, 'libexec/eds-validator'));
	try {
		const { stdout, stderr } = await run(join(folder, 'functions/posture-check-now'), JSON.stringify(event), settings(more), cloud);
		const { statusCode, body } = JSON.parse(stdout);
		assert.equal(statusCode, 200, body);
		const { data } = JSON.parse(body);
		return { state: data.state, dnssec: data.items.find(({ name }) => name === 'dnssec'), stderr };
	} finally {
		rmSync(folder, { recursive: true, force: true });
	}
}

test('a killed runner leaves no validator behind', { skip: noCloud }, async () => {
	for (const cloud of [undefined, {}]) {
		// This test does not use bootstrap, because bootstrap outlives its runner where the kernel
		// does not report the end of a parent process.
		const killed = await startRunner({ cloud, bootstrap: false, env: settings() });
		let pids;
		try {
			await look('after', killed);
			pids = validators(killed);
			assert.notEqual(pids.length, 0);
		} finally {
			await killed.stop('SIGKILL');
		}
		await until(() => !pids.some(isAlive));
	}
});

describe('the service works', () => {
	test('where the program that validates is not installed: DNSSEC is unknown, and the log says why', async () => {
		const { state, dnssec, stderr } = await lookFrom('missing', {}, { withHelper: false });
		assert.deepEqual([state, dnssec.state, codesOf(dnssec)], ['warning', 'unknown', ['dnssec-not-validated']]);
		assert.match(stderr, /"DNSSEC is not validated: eds-validator does not start, as \/\S+\/libexec\/eds-validator cannot be executed: No such file or directory"/);
	});

	test('as a user other than root, whom limits bind, on a kernel that refuses a filter', { skip: noCloud }, async () => {
		const cloud = await startRunner({ cloud: {}, env: settings() });
		try {
			const { dnssec } = await look('after', cloud);
			assert.deepEqual([dnssec.state, dnssec.findings], ['ok', []]);
		} finally {
			assert.equal((await cloud.stop()).code, 0);
		}
	});

	test('as root on such a kernel: as without the program', { skip: noCloud }, async () => {
		const { dnssec, stderr } = await lookFrom('after', {}, { cloud: { user: 0 } });
		assert.deepEqual([dnssec.state, codesOf(dnssec)], ['unknown', ['dnssec-not-validated']]);
		assert.match(stderr, /could not be confined/);
	});

	test('without a file of trust anchors: the keys of the real root count, which this resolver does not have', async () => {
		const { state, dnssec } = await lookFrom('unanchored', { EDS_DNSSEC_ANCHORS: '' });
		assert.deepEqual([state, dnssec.state, codesOf(dnssec)], ['warning', 'unknown', ['dnssec-not-handed-on']]);
	});

	test('with a damaged file of trust anchors: DNSSEC is unknown, and the log says why', async () => {
		const damaged = `${zones.anchors}.damaged`;
		writeFileSync(damaged, `; the keys of a zone\n${TOP}. DS 12345 8 2 damaged\n`);
		const { state, dnssec, stderr } = await lookFrom('unanchored', { EDS_DNSSEC_ANCHORS: damaged });
		assert.deepEqual([state, dnssec.state, codesOf(dnssec)], ['warning', 'unknown', ['dnssec-not-validated']]);
		assert.match(stderr, /"DNSSEC is not validated: eds-validator does not start, as it did not accept EDS_DNSSEC_ANCHORS /);
	});

	test('behind a resolver that passes on no signatures: nothing is called wrongly signed', async () => {
		const stripping = await startBetween(zones.address, (message) => ({ send: withoutSignatures(message) }));
		try {
			const { state, dnssec } = await lookFrom('stripped', { EDS_DNS_SERVERS: stripping.address });
			assert.deepEqual([state, dnssec.state, codesOf(dnssec)], ['warning', 'unknown', ['dnssec-not-handed-on']]);
		} finally {
			await stripping.stop();
		}
	});
});

test('a check without an account validates nothing, and says so beside TLSA records', async () => {
	const answer = await request(`${runner.baseUrl}/api/v1/check?domain=good.${TOP}`);
	const { items } = answer.json().data;
	assert.equal(items.find(({ name }) => name === 'dnssec'), undefined);
	assert.deepEqual(codesOf(items.find(({ name }) => name === 'dane')), ['dane-unsigned-unknown']);
});
