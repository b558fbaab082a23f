// The command eds, as people and pipelines use it: the built program against the service. eds-hostile has the tests
// against a hostile service.
import assert from 'node:assert/strict';
import { execFileSync, spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';

import { freePort } from '../support/free-port.mjs';
import { sendMail } from './support/mail.mjs';
import { startNsd } from './support/nsd.mjs';
import { aggregate, gzipMail, reporterRecords, signedByReporter, tlsReport, zip } from './support/reports.mjs';
import { BUILD, firstToken, startRunner, until } from './support/runner.mjs';
import { LISTS, Sender, txtRecord } from './support/senders.mjs';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const DAY_S = 86400;
const NO_CONTROL = /^[^\x00-\x09\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]*$/;

const good = new Sender('good');
const NEVER_PUBLIC = '192.88.99.1'; // RFC 7526
const bad = new Sender('bad', { ptr: null, spf: 'v=spf1 ip4:203.0.113.7 -all' });
const RECORDS = [
	'right.example. MX 10 mx.right.example.',
	'mx.right.example. A 192.0.2.25',
	txtRecord('right.example', 'v=spf1 mx -all'),
	txtRecord('_dmarc.right.example', 'v=DMARC1; p=reject; rua=mailto:d@right.example'),
	txtRecord('_smtp._tls.right.example', 'v=TLSRPTv1; rua=mailto:t@right.example'),
	'wrong.example. MX 10 gone.wrong.example.',
	txtRecord('wrong.example', 'v=spf1 -all'),
	txtRecord('wrong.example', 'v=spf1 ~all'),
	txtRecord('_dmarc.harm.example', 'v=DMARC1; p=reject; rua=mailto:\\027[2J@harm.example'),
	...good.records(), ...bad.records(), ...reporterRecords,
];

let folder;
let dns;
let runner;
let token;

// Starts the command; returns { child, out, err, ended }.
function start(args, env = {}) {
	const child = spawn(join(BUILD, 'eds'), args, { cwd: folder,
		env: { PATH: process.env.PATH, ...(runner && { EDS_URL: runner.baseUrl }), ...env }, stdio: ['pipe', 'pipe', 'pipe'] });
	const run = { child, out: '', err: '' };
	child.stdout.setEncoding('utf8').on('data', (data) => (run.out += data));
	child.stderr.setEncoding('utf8').on('data', (data) => (run.err += data));
	run.ended = new Promise((done) => child.once('close', (status, signal) =>
		done({ status: status ?? signal, out: run.out, err: run.err })));
	return run;
}

function eds(args, { env, input = '' } = {}) {
	const run = start(args, env);
	run.child.stdin.on('error', () => {}); // writing fails if the command has ended already
	run.child.stdin.end(input);
	return run.ended;
}

// Runs the command on a terminal, and types the reply when it asks. Returns { status, out }, where out is the
// text on the terminal.
function onTerminal(command, reply) {
	const child = spawn('script', ['-qec', `${join(BUILD, 'eds')} ${command}`, '/dev/null'], { cwd: folder,
		env: { PATH: process.env.PATH, EDS_URL: runner.baseUrl, EDS_TOKEN: token }, stdio: ['pipe', 'pipe', 'inherit'] });
	let out = '';
	child.stdin.on('error', () => {});
	child.stdout.setEncoding('utf8').on('data', (data) => {
		out += data;
		if (data.includes('[y/N]')) child.stdin.write(reply);
	});
	return new Promise((ended) => child.once('close', (status) => ended({ status, out: out.replaceAll('\r', '') })));
}

const mine = (...args) => eds(args, { env: { EDS_TOKEN: token } });

async function done(...args) {
	const { status, out, err } = await mine(...args);
	assert.equal(status, 0, err);
	return out;
}

// Waits for the first line that `eds test` prints on standard output: the address.
async function addressOf(run) {
	await until(() => run.out.includes('\n') || run.child.exitCode !== null);
	return run.out.split('\n')[0];
}

before(async () => {
	folder = mkdtempSync(join(tmpdir(), 'eds-command-'));
	dns = await startNsd(RECORDS);
	runner = await startRunner({ env: { ...LISTS, EDS_DNS_SERVERS: dns.address, EDS_SMTP_TRUSTED: '127.0.0.1',
		EDS_ALLOW_PRIVATE_ADDRESSES: '1', EDS_TESTER_SESSIONS_PER_HOUR: '0',
		EDS_ALERT_RELAY: `smtp://127.0.0.1:${await freePort()}`, EDS_ALERT_FROM: 'alerts@eds.example' } });
	token = firstToken(runner);
});
after(async () => {
	await runner?.stop();
	await dns?.stop();
	rmSync(folder, { recursive: true, force: true });
});

test('a selector and a policy without an answer of DNS are undecided, not wrong', async () => {
	const alone = await startRunner({ env: { EDS_DNS_SERVERS: '127.0.0.1:1' } });
	const env = { EDS_URL: alone.baseUrl, EDS_TOKEN: firstToken(alone) };
	try {
		await eds(['domains', 'add', 'a.example'], { env });
		const { status, out } = await eds(['selectors', 'add', 'a.example', 's1'], { env });
		assert.equal(status, 4);
		assert.match(out, /^s1: unknown, key -\n {2}This service cannot reach its DNS resolver now/);
		await eds(['mta-sts', 'set', 'a.example', '--enabled', 'yes', '--mx', 'mx.a.example'], { env });
		assert.equal((await eds(['mta-sts', 'check', 'a.example'], { env })).status, 4);
	} finally {
		await alone.stop();
	}
});

describe('eds check', () => {
	test('shows the records of a domain, errors first, and exits with 0 without an error', async () => {
		const { status, out, err } = await eds(['check', 'right.example']);
		assert.equal(status, 0, err);
		assert.match(out, /^right\.example: warning\n\nSUBJECT +STATE +RECORD\nmta-sts +warning +-\n/);
		assert.match(out, /^spf +ok +v=spf1 mx -all$/m);
		assert.match(out, /^mta-sts, warning\n {2}right\.example has no MTA-STS/m);
	});

	test('with --strict exits with 1 on a warning', async () => {
		assert.equal((await eds(['check', 'right.example', '--strict'])).status, 1);
	});

	test('of a domain with an error exits with 1', async () => {
		const { status, out } = await eds(['check', 'wrong.example']);
		assert.equal(status, 1);
		assert.match(out, /^wrong\.example: error\n/);
	});

	test('with --json prints the answer of the service as it is, with the same exit status', async () => {
		const { status, out } = await eds(['check', '--json', 'wrong.example']);
		assert.equal(status, 1);
		assert.equal(JSON.parse(out).data.state, 'error');
	});

	test('of text that is not a domain exits with 2 and the sentence of the service', async () => {
		const { status, out, err } = await eds(['check', 'single']);
		assert.equal(status, 2);
		assert.equal(out, '');
		assert.match(err, /^eds: domain must be a mail domain like example\.com.*\(400, name-invalid\)$/m);
	});

	test('prints no control character from DNS', async () => {
		const { out } = await eds(['check', 'harm.example']);
		assert.match(out, /harm\.example/);
		assert.match(out, NO_CONTROL);
	});
});

describe('eds test', () => {
	test('prints an address, waits for a message to it, and exits with 0 when that is good', async () => {
		const run = start(['test', '--timeout', '60']);
		const address = await addressOf(run);
		assert.match(address, /^[a-z2-7]{26}@tester\.localhost$/);
		await sendMail(runner.smtpPort, { ip: good.ip, helo: good.helo, from: good.mailFrom, to: address, message: await good.signed() });
		const { status, out, err } = await run.ended;
		assert.equal(status, 0, out + err);
		assert.match(out, /^ham, -1\.3 points; outlook: good$/m);
		assert.match(out, /^POINTS {2}RULE\n {2}-0\.2 {2}SPF_PASS\n {2}-0\.5 {2}DKIM_VALID\n/m);
		assert.match(err, /send a message to this address; eds test [a-z2-7]{26} can also show the result later/);

		const later = await eds(['test', address.split('@')[0]]);
		assert.equal(later.status, 0);
		assert.match(later.out, /^ham, -1\.3 points/m);
	});

	test('exits with 1 when the message would be refused, with reasons and records', async () => {
		const run = start(['test', '--timeout', '60']);
		const address = await addressOf(run);
		await sendMail(runner.smtpPort, { ip: bad.ip, helo: bad.helo, from: bad.mailFrom, to: address, message: bad.message() });
		const { status, out } = await run.ended;
		assert.equal(status, 1);
		assert.match(out, /^high_spam, 10\.0 points; outlook: refused$/m);
		assert.match(out, /^ {2}\+6\.0 {2}SPF_FAIL$/m);
		assert.match(out, /^what to do\n/m);
		assert.match(out, new RegExp(`^ {4}bad\\.example TXT v=spf1 ip4:${bad.ip} ip4:203\\.0\\.113\\.7 -all$`, 'm'));
	});

	test('with --json prints only the answer on standard output', async () => {
		writeFileSync(join(folder, 'good.eml'), await good.signed());
		const { status, out, err } = await eds(['test', '--json', '--send-from', 'good.eml', '--client-ip', good.ip,
			'--helo', good.helo, '--mail-from', good.mailFrom]);
		assert.equal(status, 0, err);
		assert.equal(JSON.parse(out).verdict, 'ham');
		assert.match(err, /^eds: the address is [a-z2-7]{26}@tester\.localhost$/m);
	});

	test('sends a message of standard input over SMTP, with the line ends of mail', async () => {
		const message = (await good.signed({}, 'One\r\n.\r\n..two\r\n')).replaceAll('\r\n', '\n');
		const { status, out, err } = await eds(['test', '--send-from', '-', '--smtp', `127.0.0.1:${runner.smtpPort}`,
			'--mail-from', good.mailFrom, '--helo', good.helo], { input: message });
		assert.equal(status, 1, out + err); // SPF does not authorize 127.0.0.1 for the domain
		assert.match(out, /SPF_FAIL/);
		assert.match(out, /DKIM_VALID/); // a valid signature shows that no octet has changed on the way
		assert.doesNotMatch(out, /TLS/); // no finding about TLS, because STARTTLS was used
	});

	const handed = (ip, ...more) => eds(['test', '--send-from', 'good.eml', '--client-ip', ip, '--helo', good.helo,
		'--mail-from', good.mailFrom, ...more]);

	test('with --below decides by the score instead of the verdict', async () => {
		writeFileSync(join(folder, 'good.eml'), await good.signed());
		assert.equal((await handed(good.ip, '--below', '3')).status, 0);
		assert.equal((await handed(good.ip, '--below', '-100')).status, 1);
	});

	test('with --below exits with 1 when providers would refuse the message, whatever its score', async () => {
		const { status, out } = await handed(bad.ip, '--below', '100');
		assert.match(out, /; outlook: refused$/m);
		assert.equal(status, 1);
	});

	test('with --below exits with 4 when nothing could be judged, though the score is below', async () => {
		const { status, out } = await handed(NEVER_PUBLIC, '--below', '3');
		assert.match(out, /^ham, .* points; outlook: undecided$/m);
		assert.equal(status, 4);
		assert.equal((await handed(NEVER_PUBLIC, '--below', '-100')).status, 1);
	});

	test('names a file that cannot be read, with the reason', async () => {
		const { status, err } = await eds(['test', '--send-from', 'nofile.eml']);
		assert.equal(status, 64);
		assert.equal(err, 'eds: nofile.eml cannot be read: No such file or directory\n');
	});

	test('exits with 4 when no message comes in time', async () => {
		const { status, err } = await eds(['test', '--timeout', '1']);
		assert.equal(status, 4);
		assert.match(err, /no result yet; eds test [a-z2-7]{26} keeps waiting/);
	});

	test('of an unknown address exits with 2', async () => {
		const { status, err } = await eds(['test', 'a'.repeat(26)]);
		assert.equal(status, 2);
		assert.match(err, /\(404, session-not-found\)/);
	});

	test('says when the SMTP server cannot be reached', async () => {
		const { status, err } = await eds(['test', '--send-from', 'good.eml', '--smtp', `127.0.0.1:${await freePort()}`]);
		assert.equal(status, 3);
		assert.match(err, /the message was not accepted/);
	});
});

describe('the domains of an account', () => {
	test('are added, listed, shown, checked and removed by their name', async () => {
		assert.match(await done('domains', 'add', 'right.example'),
			/^domain +right\.example\nid +[0-9a-f-]{36}\nreports to +[0-9a-f-]{36}@reports\.localhost\n\nTo receive reports, publish\n {2}_dmarc\.right\.example TXT v=DMARC1; p=none; rua=mailto:\S+\n {4}The DNS of this domain has not been checked yet\. Publish this record only if\n {4}there is no DMARC record; if there is one, keep its policy/);
		assert.match(await done('domains'), /^DOMAIN +STATE +ADDED +ID\nright\.example +(not checked yet|warning) +\d{4}-\d\d-\d\d \d\d:\d\d +[0-9a-f-]{36}\n$/);
		assert.match(await done('domains', 'show', 'Right.Example'), /^domain +right\.example\n/);
		assert.match(await done('domains', 'check', 'right.example'), /^right\.example: warning\n/);
		const looked = await done('domains', 'show', 'right.example');
		assert.match(looked, /\n\nTo receive reports, publish\n {2}_dmarc\.right\.example TXT v=DMARC1; p=reject; rua=/);
		assert.doesNotMatch(looked, /has not been checked yet/);
		assert.equal(await done('domains', 'history', 'right.example'), 'none\n');
		await done('domains', 'add', 'gone.example');
		assert.equal(await done('domains', 'remove', 'gone.example', '--yes'), 'removed gone.example\n');
		assert.doesNotMatch(await done('domains', 'list'), /gone\.example/);
	});

	test('are shown and not removed without --yes where nobody can be asked, even when given by id', async () => {
		const [, id] = /^id +(\S+)$/m.exec(await done('domains', 'add', 'kept.example'));
		for (const domain of ['kept.example', id]) {
			const { status, out, err } = await mine('domains', 'remove', domain);
			assert.equal(status, 2);
			assert.equal(out, '');
			assert.equal(err, 'eds domains remove: there is no terminal to ask on; with --yes this command deletes kept.example and all its data\n');
		}
		assert.match(await done('domains', 'list'), /^kept\.example /m);
		assert.equal(await done('domains', 'remove', id, '--yes'), 'removed kept.example\n');
	});

	test('are removed on a terminal when the user says yes, and only then', async () => {
		await done('domains', 'add', 'asked.example');
		for (const reply of ['\n', 'n\n', 'yess\n', '\x04']) {
			const { status, out } = await onTerminal('domains remove asked.example', reply);
			assert.match(out, /^Delete asked\.example and all its data\? \[y\/N\] /m);
			assert.match(out, /^eds domains remove: not confirmed; nothing was changed$/m);
			assert.equal(status, 2);
		}
		assert.match(await done('domains', 'list'), /^asked\.example /m);
		for (const reply of ['y\n', 'Yes\n']) {
			const { status, out } = await onTerminal('domains remove asked.example', reply);
			assert.equal(status, 0);
			assert.match(out, /^removed asked\.example$/m);
			assert.doesNotMatch(await done('domains', 'list'), /asked\.example/);
			await done('domains', 'add', 'asked.example');
		}
		await done('domains', 'remove', 'asked.example', '--yes');
	});

	test('come in pages, with the command for the next page', async () => {
		for (const name of ['a.example', 'b.example']) await done('domains', 'add', name);
		const { status, out, err } = await mine('domains', 'list', '--limit', '1');
		assert.equal(status, 0);
		assert.match(out, /^a\.example/m);
		assert.doesNotMatch(out, /b\.example/);
		const [, cursor] = /^eds: there is more: --cursor (\S+)$/m.exec(err);
		assert.match(await done('domains', 'list', '--cursor', cursor), /^b\.example/m);
	});

	test('are searched, narrowed to a state and put in order, in pages as well', async () => {
		const first = (out) => out.split('\n').slice(1, -1).map((line) => line.split(' ')[0]);
		assert.deepEqual(first(await done('domains', 'list', '--search', 'RIGHT')), ['right.example']);
		assert.deepEqual(first(await done('domains', 'list', '--search', 'a.ex', '--state', 'ok')), []);
		assert.deepEqual(first(await done('domains', '--sort', '-name')), ['right.example', 'b.example', 'a.example']);
		const { out, err } = await mine('domains', 'list', '--sort=createdAt', '--limit=1');
		assert.deepEqual(first(out), ['right.example']);
		const [, cursor] = /^eds: there is more: --cursor (\S+)$/m.exec(err);
		assert.deepEqual(first(await done('domains', 'list', '--sort', 'createdAt', '--cursor', cursor)), ['a.example', 'b.example']);
		const refused = await mine('domains', 'list', '--state', 'good');
		assert.equal(refused.status, 2);
		assert.match(refused.err, /^eds: state= must be one of ok, warning, error and unknown/m);
	});

	test('have selectors', async () => {
		const missing = await mine('selectors', 'add', 'right.example', 'none');
		assert.equal(missing.status, 1);
		assert.match(missing.out, /^none: not valid, key -\n {2}The name of the key does not exist in DNS/);
		await done('domains', 'add', 'good.example');
		assert.equal(await done('selectors', 'add', 'good.example', 's1'), 's1: valid, key rsa 2048\n');
		assert.match(await done('selectors', 'list', 'good.example'),
			/^SELECTOR +VALID +KEY +STATE +PASSED +FAILED +CHECKED +FINDINGS\ns1 +yes +rsa 2048 +\S+ +0 +0 +\S+ \S+ +-\n$/);
		assert.match(await done('selectors', 'list', 'good.example', '--search', 'S', '--state', 'unused', '--sort', '-selector'), /^s1 /m);
		assert.doesNotMatch(await done('selectors', 'list', 'good.example', '--state=invalid'), /^s1 /m);
		assert.equal(await done('selectors', 'check', 'good.example', 's1'), 's1: valid, key rsa 2048\n');
		assert.match(await done('selectors', 'history', 'good.example', 's1'), /^CHANGED +VALID +KEY +NEW KEY +FINDINGS\n.* yes +rsa 2048/);
		assert.equal(await done('selectors', 'remove', 'good.example', 's1'), 'removed s1\n');
		assert.equal(await done('selectors', 'list', 'good.example'), 'none\n');
	});

	test('have MTA-STS, which is set and shown', async () => {
		const set = await done('mta-sts', 'set', 'right.example', '--enabled', 'yes', '--mx', 'mx.right.example', '--mx', '*.right.example', '--max-age', '86400');
		assert.match(set, /^enabled +yes\nmode +testing\nmx +mx\.right\.example, \*\.right\.example\nmax age +86400\n/);
		assert.match(await done('mta-sts', 'show', 'right.example'), /^ {2}_mta-sts\.right\.example TXT v=STSv1; id=\w+$/m);
		const checked = await mine('mta-sts', 'check', 'right.example');
		assert.equal(checked.status, 1);
		assert.match(checked.out, /^valid +no$/m);
		const wrong = await mine('mta-sts', 'set', 'right.example', '--mode', 'strict');
		assert.equal(wrong.status, 2);
		assert.match(wrong.err, /^eds: {3}mode: /m);
	});

	test('get a warning with mode enforce when their setup was not seen to work', async () => {
		const set = (...more) => mine('mta-sts', 'set', 'b.example', ...more);
		const off = await set('--mode', 'enforce', '--mx', 'mx.b.example');
		assert.equal(off.status, 0);
		assert.equal(off.err, 'eds: enforce is set, but MTA-STS is off; eds mta-sts set b.example --enabled yes switches it on\n');
		// Of a domain whose MTA-STS is off this is the last check for a day. It is from before the change, by a
		// second, since times are given in seconds.
		await mine('mta-sts', 'check', 'b.example');
		const checkedAt = Math.floor(Date.now() / 1000);
		await until(() => Math.floor(Date.now() / 1000) > checkedAt);
		const unseen = await set('--enabled', 'yes');
		assert.equal(unseen.status, 0);
		assert.equal(unseen.err, 'eds: enforce is set, but the setup has not been checked since the change; run eds mta-sts check b.example\n');
		await mine('mta-sts', 'check', 'b.example');
		const failing = await set('--mode', 'enforce');
		assert.equal(failing.status, 0);
		assert.match(failing.err, /^eds: enforce is set, but these checks fail: There is no _mta-sts TXT record/);
		const testing = await set('--mode', 'testing');
		assert.equal(testing.err, '');
		assert.match(testing.out, /The last check found errors; correct them first\./);
		assert.doesNotMatch(testing.out, /observed\./);
	});

	test('need nothing published while MTA-STS is off', async () => {
		const checked = await mine('mta-sts', 'check', 'a.example');
		assert.equal(checked.status, 1);
		const out = await done('mta-sts', 'show', 'a.example');
		assert.match(out, /^enabled +no$/m);
		assert.match(out, /^MTA-STS is off; nothing needs to be published\.$/m);
		assert.doesNotMatch(out, /^valid|publish it|Records to publish/m);
	});

	test('have reports', async () => {
		const { reportAddress } = JSON.parse(await done('domains', 'show', 'right.example', '--json')).data;
		const begin = Math.floor(Date.now() / 1000 / DAY_S - 1) * DAY_S;
		const report = aggregate({ org: 'Receiver\u202egro', id: 'r1', domain: 'right.example', begin, end: begin + DAY_S - 1,
			records: [{ ip: '192.0.2.25', count: 7 }, { ip: '203.0.113.9', count: 2, dkim: 'fail', spf: 'fail' }] });
		await sendMail(runner.smtpPort, { ip: '192.0.2.99', from: 'noreply@receiver.example', to: reportAddress,
			message: await signedByReporter(gzipMail(report)) });
		await until(async () => (await done('reports', 'list', 'right.example')) !== 'none\n');
		const list = await done('reports', 'list', 'right.example');
		assert.match(list, /^RECEIVED +FROM +KIND +STATE +MAIL +PASSED +FAILED +COUNTS +ID\n\S+ \S+ +Receiver\ufffdgro +dmarc +read +9 +7 +2 +yes +[0-9a-f-]{36}\n$/);
		assert.equal(await done('reports', 'list', 'right.example', '--reporter', 'Receiver.Example', '--result=failed'), list);
		assert.doesNotMatch(await done('reports', 'list', 'right.example', '--to', '2026-01-31'), /dmarc/);
		const id = list.trim().split(/\s+/).at(-1);
		assert.match(await done('reports', 'show', 'right.example', id), /^203\.0\.113\.9 +2 +fail +fail +failed/m);
		assert.match(await done('reports', 'show', 'right.example', id),
			/^reporter +receiver\.example, verified: SPF none, DKIM pass, DMARC pass\ncame by +mail\nperiod +\S+ 00:00 to \S+ 23:59\npolicy +none\nsubdomains +-\n/m);
		assert.match(await done('reports', 'sums', 'right.example'), /^KEY +MAIL +PASSED +FORWARDED +FAILED +FIRST DAY +LAST DAY\n\d{4}-\d\d-\d\d +9 +7 +0 +2 /);
		assert.match(await done('reports', 'sums', 'right.example', '--by=source'), /^192\.0\.2\.25 +7 +7 /m);
		assert.match(await done('reports', 'sources', 'right.example', '--result', 'failed'), /^203\.0\.113\.9 /m);
		assert.match(await done('reports', 'reporters', 'right.example'), /^receiver\.example +verified /m);
	});

	test('show what failed in a report about TLS, and why it does not count', async () => {
		const { id } = JSON.parse(await done('domains', 'show', 'a.example', '--json')).data;
		const answer = await fetch(`${runner.baseUrl}/tls-reports/${id}`, { method: 'POST', headers: { 'content-type': 'application/tlsrpt+json' },
			body: tlsReport({ id: 't1', domain: 'a.example', successful: 90, failures: [{ type: 'certificate-expired', sessions: 4, mx: 'mx.a.example' }] }) });
		assert.equal(answer.status, 201);
		const shown = await done('reports', 'show', 'a.example', (await done('reports', 'list', 'a.example')).trim().split(/\s+/).at(-1));
		assert.match(shown, /^sessions +94\nsuccessful +90\nfailed +4\ncounts +no\nreporter +receiver\.example, unverified\ncame by +https\n/m);
		assert.match(shown, /\n\nFAILURE +SESSIONS +MAIL SERVER +SENDER +REASON\ncertificate-expired +4 +mx\.a\.example +- +-\n$/);
	});

	test('show why a report was refused', async () => {
		const { reportAddress } = JSON.parse(await done('domains', 'show', 'good.example', '--json')).data;
		const begin = Math.floor(Date.now() / 1000 / DAY_S - 1) * DAY_S;
		const report = aggregate({ id: 'r2', domain: 'other.example', begin, end: begin + DAY_S - 1, records: [{ ip: '192.0.2.25' }] });
		await sendMail(runner.smtpPort, { ip: '192.0.2.99', from: 'noreply@receiver.example', to: reportAddress,
			message: await signedByReporter(gzipMail(report)) });
		await until(async () => (await done('reports', 'list', 'good.example')) !== 'none\n');
		const list = await done('reports', 'list', 'good.example');
		assert.match(list, / refused +0 +0 +0 +no +[0-9a-f-]{36}\n$/);
		assert.match(await done('reports', 'show', 'good.example', list.trim().split(/\s+/).at(-1)),
			/^reason +The report is about other\.example, not about good\.example\.$/m);
	});

	test('have tokens, which are made, listed and revoked', async () => {
		const made = (await done('tokens', 'create', 'ci', '--access', 'read')).trim();
		assert.match(made, /^eds_\w+$/);
		writeFileSync(join(folder, 'token'), `${made}\n`, { mode: 0o600 });
		assert.equal((await eds(['domains', 'list', '--token-file', 'token'])).status, 0);
		const refused = await eds(['domains', 'add', 'new.example', '--token-file', 'token']);
		assert.equal(refused.status, 2);
		assert.match(refused.err, /\(403, token-read-only\)/);
		const id = (await done('tokens')).split('\n').find((line) => line.startsWith('ci ')).split(/\s+/).at(-1);
		const kept = await mine('tokens', 'revoke', id);
		assert.equal(kept.status, 2);
		assert.equal(kept.err, 'eds tokens revoke: there is no terminal to ask on; with --yes this command revokes the token ci\n');
		assert.equal(await done('tokens', 'revoke', id, '--yes'), 'revoked ci\n');
		const again = await mine('tokens', 'revoke', id, '--yes');
		assert.equal(again.status, 2);
		assert.match(again.err, /^eds: the account has no token /);
		assert.match(await done('tokens', 'log', '--limit', '2'), /^WHEN .*\n.*deleteToken +- +ci *\n.*createToken +- +ci *\n$/);
		assert.equal((await eds(['domains', 'list', '--token-file', 'token'])).status, 2);
	});

	test('can be used by any other API request, too', async () => {
		assert.deepEqual(JSON.parse(await done('api', 'GET', '/api/v1/alerts')), { data: [] });
	});
});

describe('files with reports', () => {
	const begin = Math.floor(Date.now() / 1000 / DAY_S - 1) * DAY_S;
	const day = new Date(begin * 1000).toISOString().slice(0, 10);
	const report = (id, domain = 'files.example') => aggregate({ org: 'Receiver', id, domain, begin, end: begin + DAY_S - 1,
		records: [{ ip: '192.0.2.25' }] });

	before(async () => {
		await done('domains', 'add', 'files.example');
		writeFileSync(join(folder, 'one.xml'), report('f1'));
		writeFileSync(join(folder, 'two.xml.gz'), gzipSync(report('f2')));
		writeFileSync(join(folder, 'other.xml'), report('f3', 'other.example'));
	});

	test('are uploaded together, each with its outcome, and count once', async () => {
		assert.equal(await done('reports', 'upload', 'files.example', 'one.xml', 'two.xml.gz'),
			`one.xml: accepted, dmarc of Receiver from ${day} 00:00\ntwo.xml.gz: accepted, dmarc of Receiver from ${day} 00:00\n2 accepted, 0 duplicate, 0 refused\n`);
		assert.equal(await done('reports', 'upload', 'files.example', 'one.xml'),
			`one.xml: duplicate, dmarc of Receiver from ${day} 00:00\n0 accepted, 1 duplicate, 0 refused\n`);
		writeFileSync(join(folder, 'all.zip'), zip({ 'f5.xml': report('f5'), 'all.zip': report('f6') }));
		assert.equal(await done('reports', 'upload', 'files.example', 'all.zip'),
			`all.zip (f5.xml): accepted, dmarc of Receiver from ${day} 00:00\nall.zip: accepted, dmarc of Receiver from ${day} 00:00\n2 accepted, 0 duplicate, 0 refused\n`);
		const piped = await eds(['reports', 'upload', 'files.example', '-'], { env: { EDS_TOKEN: token }, input: report('f4') });
		assert.equal(piped.status, 0);
		assert.match(piped.out, /^-: accepted, /);
	});

	test('exit with 1 when a report is refused, and the others are still accepted', async () => {
		writeFileSync(join(folder, 'five.xml'), report('f7'));
		const { status, out } = await mine('reports', 'upload', 'files.example', 'other.xml', 'five.xml');
		assert.equal(status, 1);
		assert.equal(out, 'other.xml: refused: The report is about other.example, not about files.example.\n' +
			`five.xml: accepted, dmarc of Receiver from ${day} 00:00\n1 accepted, 0 duplicate, 1 refused\n`);
	});

	test('exit with 64 when a file cannot be read, and the others are still accepted', async () => {
		const { status, out, err } = await mine('reports', 'upload', 'files.example', 'nofile.xml', 'one.xml');
		assert.equal(status, 64);
		assert.equal(err, 'eds: nofile.xml cannot be read: No such file or directory\n');
		assert.match(out, /^0 accepted, 1 duplicate, 0 refused$/m);
	});

	test('give one line of JSON each with --json, even for a refused file', async () => {
		writeFileSync(join(folder, 'large.xml'), Buffer.alloc(11 * 1024 * 1024, ' '));
		const { status, out, err } = await mine('reports', 'upload', 'files.example', 'large.xml', 'one.xml', '--json');
		assert.equal(status, 2);
		assert.match(err, /^eds: large\.xml was not accepted\neds: .*\(413, body-too-large\)$/m);
		const [large, one, ...more] = out.trim().split('\n').map((line) => JSON.parse(line));
		assert.equal(large.path, 'large.xml');
		assert.equal(large.problem.code, 'body-too-large');
		assert.equal(one.path, 'one.xml');
		assert.equal(one.data[0].outcome, 'duplicate');
		assert.deepEqual(more, []);
	});

	test('give one line of JSON each with --json, even for an unreadable file', async () => {
		const { status, out, err } = await mine('reports', 'upload', 'files.example', 'nofile.xml', 'one.xml', '--json');
		assert.equal(status, 64);
		assert.equal(err, 'eds: nofile.xml cannot be read: No such file or directory\n');
		const [missing, one, ...more] = out.trim().split('\n').map((line) => JSON.parse(line));
		assert.deepEqual(missing, { path: 'nofile.xml', problem: { detail: 'nofile.xml cannot be read: No such file or directory' } });
		assert.equal(one.path, 'one.xml');
		assert.equal(one.data[0].outcome, 'duplicate');
		assert.deepEqual(more, []);
	});

	test('are sent no further when the account does not have the domain', async () => {
		const { status, out, err } = await mine('reports', 'upload', 'nobody.example', 'one.xml', 'two.xml.gz');
		assert.equal(status, 2);
		assert.equal(out, '');
		assert.match(err, /^eds: the account has no domain nobody\.example; [^\n]*\n$/);
		assert.match((await mine('reports', 'upload', 'files.example')).err, /^eds reports upload: FILE is missing\nusage: eds reports upload DOMAIN FILE\.\.\. /);
	});
});

describe('rows of reports', () => {
	const REPORTS = 450; // reports that take three pages
	const begin = Math.floor(Date.now() / 1000 / DAY_S - 1) * DAY_S;
	const report = (i) => aggregate({ org: 'Receiver\u202egro', id: `e${i}`, domain: 'export.example', begin, end: begin + DAY_S - 1,
		records: [{ ip: `192.0.2.${i % 250}`, count: i + 1 }, { ip: `2001:db8::${(i + 1).toString(16)}`, dkim: 'fail', spf: 'fail' }] });
	const lines = (text) => text.trimEnd().split(/\r?\n/);

	before(async () => {
		await done('domains', 'add', 'export.example');
		const names = Array.from({ length: REPORTS }, (_, i) => `e${i}.xml`);
		names.forEach((name, i) => writeFileSync(join(folder, name), report(i)));
		for (let from = 0; from < REPORTS; from += 150) {
			execFileSync('tar', ['cf', 'e.tar', ...names.slice(from, from + 150)], { cwd: folder });
			await done('reports', 'upload', 'export.example', 'e.tar');
		}
	});

	test('come as one file, with one line of columns', async () => {
		const [columns, ...rows] = lines(await done('reports', 'export', 'export.example'));
		assert.match(columns, /^"reportId","begin","end","reporter",/);
		assert.equal(rows.length, 2 * REPORTS);
		assert.equal(new Set(rows).size, 2 * REPORTS);
		assert.ok(rows.every((row) => row.includes('"Receiver\u202egro"')), 'a file has every character of a report');
	});

	test('come as lines of JSON, filtered by the options', async () => {
		const rows = lines(await done('reports', 'export', 'export.example', '--format', 'jsonl', '--result=failed')).map((line) => JSON.parse(line));
		assert.equal(new Set(rows.map(({ source }) => source)).size, REPORTS);
		assert.equal((await done('reports', 'export', 'export.example', '--format', 'jsonl', '--to', '2026-01-31')), '');
		const source = lines(await done('reports', 'export', 'export.example', '--source', '192.0.2.249', '--from', new Date(begin * 1000).toISOString().slice(0, 10)));
		assert.equal(source.length, 1 + 1);
	});

	test('are summed with --by', async () => {
		const [columns, ...sums] = lines(await done('reports', 'export', 'export.example', '--by', 'source'));
		assert.equal(columns, '"key","messages","passed","forwarded","failed","firstDay","lastDay"');
		assert.equal(sums.length, 250 + REPORTS);
		assert.equal(lines(await done('reports', 'export', 'export.example', '--by=day')).length, 2);
	});

	test('have no control characters on a terminal', async () => {
		const { status, out } = await onTerminal('reports export export.example');
		assert.equal(status, 0);
		assert.match(out, /"Receiver\ufffdgro"/);
		assert.match(out, NO_CONTROL);
	});

	test('are refused with --json, in an unknown format, and for a domain that the account does not have', async () => {
		const json = await mine('reports', 'export', 'export.example', '--json');
		assert.equal(json.status, 64);
		assert.match(json.err, /^eds reports export: --json is of no use here; --format jsonl prints a line of JSON for each row\nusage: /);
		const xml = await mine('reports', 'export', 'export.example', '--format', 'xml');
		assert.deepEqual(xml, { status: 2, out: '', err: 'eds: format= must be csv or jsonl (400, format-invalid)\n' });
		assert.equal((await mine('reports', 'export', 'nobody.example')).status, 2);
	});

	test('that cannot be written exit with 3', async () => {
		const { status, err } = await new Promise((ended) => {
			const child = spawn('bash', ['-c', `"${join(BUILD, 'eds')}" reports export export.example > /dev/full`],
				{ env: { PATH: process.env.PATH, EDS_URL: runner.baseUrl, EDS_TOKEN: token }, stdio: ['ignore', 'ignore', 'pipe'] });
			let text = '';
			child.stderr.setEncoding('utf8').on('data', (data) => (text += data));
			child.once('close', (code) => ended({ status: code, err: text }));
		});
		assert.equal(status, 3);
		assert.equal(err, 'eds: the file cannot be written, and is not complete: No space left on device\n');
	});
});

describe('alerts', () => {
	const idIn = (out) => /^id +([a-z2-7]{26})$/m.exec(out)[1];

	test('are added for a webhook, whose secret is shown once, listed, and removed with --yes', async () => {
		assert.equal(await done('alerts'), 'none\n');
		const added = await done('alerts', 'add', 'https://hooks.example.com/eds', '--event', 'dmarc-weakened', '--event=key-changed');
		assert.match(added, /^receiver +https:\/\/hooks\.example\.com\/eds\nid +[a-z2-7]{26}\nsecret +whsec_\S+\n\nRequests are signed with the secret \(Standard Webhooks\); it cannot be shown again\.\n$/);
		assert.match(await done('alerts', 'list'),
			/^RECEIVER +STATE +EVENTS +WEEKLY +ADDED +WHY OFF +ID\nhttps:\/\/hooks\.example\.com\/eds +on +2 +no +\S+ \S+ +- +[a-z2-7]{26}\n$/);
		const id = idIn(added);
		const kept = await mine('alerts', 'remove', id);
		assert.equal(kept.status, 2);
		assert.equal(kept.err, 'eds alerts remove: there is no terminal to ask on; with --yes this command removes the alert to https://hooks.example.com/eds\n');
		assert.equal(await done('alerts', 'remove', id, '--yes'), 'removed the alert to https://hooks.example.com/eds\n');
		assert.equal(await done('alerts', 'list'), 'none\n');
		assert.match((await mine('alerts', 'remove', id, '--yes')).err, /\(404, alert-not-found\)/);
	});

	test('are removed on a terminal when the user says yes, and only then', async () => {
		const id = idIn(await done('alerts', 'add', 'https://hooks.example.com/eds'));
		const refused = await onTerminal(`alerts remove ${id}`, 'n\n');
		assert.match(refused.out, /^Send https:\/\/hooks\.example\.com\/eds no more alerts\? \[y\/N\] /m);
		assert.equal(refused.status, 2);
		assert.equal((await onTerminal(`alerts remove ${id}`, 'y\n')).status, 0);
		assert.equal(await done('alerts'), 'none\n');
	});

	test('are added for a mail address, which must confirm first and may get a weekly summary', async () => {
		const added = await done('alerts', 'add', 'ops@example.com', '--weekly-summary');
		assert.match(added, /^receiver +ops@example\.com\nid +[a-z2-7]{26}\n\nA mail with a link is on its way to ops@example\.com; alerts come once the link is followed\.\n$/);
		assert.match(await done('alerts', 'list'), /^ops@example\.com +waits for confirmation +16 +yes +/m);
		const early = await mine('alerts', 'test', idIn(added));
		assert.equal(early.status, 2);
		assert.match(early.err, /\(409, alert-not-confirmed\)/);
		await done('alerts', 'remove', idIn(added), '--yes');
	});

	test('of one domain are listed separately from those of the account', async () => {
		const added = await done('alerts', 'add', 'https://hooks.example.com/one', '--domain', 'right.example');
		assert.equal(await done('alerts', 'list'), 'none\n');
		assert.match(await done('alerts', 'list', '--domain', 'right.example'), /^https:\/\/hooks\.example\.com\/one +on +16 /m);
		assert.equal((await mine('alerts', 'list', '--domain', 'nobody.example')).status, 2);
		assert.equal(await done('alerts', 'remove', idIn(added), '--domain', 'right.example', '--yes'), 'removed the alert to https://hooks.example.com/one\n');
	});

	test('can be tested, and their deliveries are listed', async () => {
		const id = idIn(await done('alerts', 'add', 'https://hooks.example.com/eds', '--domain', 'right.example'));
		const of = ['--domain', 'right.example'];
		assert.equal(await done('alerts', 'deliveries', id, ...of), 'none\n');
		assert.equal(await done('alerts', 'test', id, ...of),
			`The test is on its way; eds alerts deliveries ${id} --domain right.example shows whether it arrived.\n`);
		assert.match(await done('alerts', 'deliveries', id, ...of),
			/^CREATED +EVENT +STATE +TRIES +LAST TRIED +NEXT TRY +STATUS +REASON +ID\n\S+ \S+ +test +(waiting|failed) +\d+ /);
		const json = JSON.parse(await done('alerts', 'deliveries', id, ...of, '--json'));
		assert.equal(json.data[0].type, 'test');
		await done('alerts', 'remove', id, ...of, '--yes');
	});

	test('that are wrong are refused with the allowed values', async () => {
		const nowhere = await mine('alerts', 'add', 'http://hooks.example.com/');
		assert.equal(nowhere.status, 64);
		assert.match(nowhere.err, /^eds alerts add: RECEIVER must be a mail address or begin with https:\/\/\nusage: /);
		const unknown = await mine('alerts', 'add', 'ops@example.com', '--event', 'everything');
		assert.equal(unknown.status, 2);
		assert.match(unknown.err, /^eds: {3}events: must be an array of selector-broken, /m);
	});
});

describe('errors:', () => {
	test('a wrong token exits with 2, and with --json the problem is on standard output', async () => {
		const { status, out, err } = await eds(['domains', 'list', '--json'], { env: { EDS_TOKEN: 'eds_wrong' } });
		assert.equal(status, 2);
		assert.equal(JSON.parse(out).code, 'token-invalid');
		assert.match(err, /^eds: the token is unknown, expired or revoked \(401, token-invalid\)$/m);
	});

	test('a missing token exits with 2 and a sentence that says where the token is read from', async () => {
		for (const env of [{}, { EDS_TOKEN: '' }, { EDS_TOKEN: 'a\r\nX-Other: b' }]) {
			const { status, err } = await eds(['domains'], { env });
			assert.equal(status, 2);
			assert.match(err, /domains list needs an API token: set EDS_TOKEN or give --token-file FILE/);
		}
		assert.match((await eds(['domains', '--token-file', 'nowhere'])).err, /nowhere has no token: No such file/);
	});

	test('a domain that the account does not have exits with 2', async () => {
		const { status, err } = await mine('selectors', 'list', 'nobody.example');
		assert.equal(status, 2);
		assert.match(err, /the account has no domain nobody\.example/);
	});

	test('an unreachable service exits with 3', async () => {
		const url = `http://127.0.0.1:${await freePort()}`;
		const { status, err } = await eds(['check', 'example.com', '--url', url]);
		assert.equal(status, 3);
		assert.match(err, new RegExp(`^eds: the service at ${url} does not answer: `));
	});
});

describe('the help', () => {
	// Names of all commands, as eds --help lists them.
	const names = async () => [...(await done('--help')).matchAll(/^ {2}([a-z-]+(?: [a-z]+)?)(?: [A-Z[].*?)? {2,}[A-Z]/gm)].map(([, name]) => name);

	test('exists for every command, with its options and exit statuses', async () => {
		const all = await names();
		assert.equal(all.length, 34);
		for (const name of all) {
			const out = await done(...name.split(' '), '--help');
			assert.match(out, new RegExp(`^usage: eds ${name}\\b`));
			assert.match(out, /^ {2}--json /m);
			assert.match(out, /^ {2}64 {2}/m);
		}
		assert.match(await done('selectors', '--help'), /^usage: eds selectors ACTION/);
		assert.equal(await done('help'), await done('--help'));
	});

	test('agrees with the man page, and completion knows every command and option', async () => {
		const page = readFileSync(join(ROOT, 'local/eds/eds.1'), 'utf8').replaceAll('\\-', '-');
		const completion = readFileSync(join(ROOT, 'local/eds/completion.bash'), 'utf8');
		for (const name of await names()) {
			assert.ok(new RegExp(`eds ${name}\\b`).test(page), `the man page has eds ${name}`);
			for (const word of name.split(' ')) assert.match(completion, new RegExp(`[ '(]${word}[ ')]`));
			const options = [...(await done(...name.split(' '), '--help')).matchAll(/^ {2}(--[a-z-]+)/gm)].map(([, option]) => option);
			for (const option of options) {
				assert.ok(page.includes(option), `the man page has ${option}`);
				assert.ok(completion.includes(option), `completion has ${option}`);
			}
		}
	});

	test('agrees with the completion in bash', async () => {
		const complete = (...words) => new Promise((doneWith) => {
			const shell = spawn('bash', ['-c', `source ${ROOT}/local/eds/completion.bash; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _eds; printf '%s ' "\${COMPREPLY[@]}"`, 'bash', ...words],
				{ env: { PATH: `${BUILD}:${process.env.PATH}`, EDS_URL: runner.baseUrl, EDS_TOKEN: token } });
			let out = '';
			shell.stdout.setEncoding('utf8').on('data', (data) => (out += data));
			shell.once('close', () => doneWith(out.trim()));
		});
		assert.equal(await complete('eds', 'dom'), 'domains');
		assert.equal(await complete('eds', 'selectors', 're'), 'remove');
		assert.equal(await complete('eds', 'selectors', 'list', 'right'), 'right.example');
		assert.equal(await complete('eds', 'check', 'a.example', '--str'), '--strict');
		assert.equal(await complete('eds', 'alerts', 'list', '--domain', 'right'), 'right.example');
		assert.equal(await complete('eds', 'alerts', 'add', 'ops@example.com', '--event', 'dmarc'), 'dmarc-weakened');
		assert.equal(await complete('eds', 'reports', 'upload', 'right.example', `${ROOT}READ`), `${ROOT}README.md`);
	});

	test('shows the release', async () => {
		assert.match(await done('--version'), /^eds \d+\.\d+\.\d+\n$/);
	});
});
