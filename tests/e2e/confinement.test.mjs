// The confinement of the processes that read untrusted octets: seen from outside, in /proc, while
// they work, with the default configuration.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, readdirSync, readlinkSync } from 'node:fs';
import { basename, join } from 'node:path';
import { after, before, describe, test } from 'node:test';

import { request } from './support/api.mjs';
import { startDns } from './support/dns.mjs';
import { newKey, sendMail, sign } from './support/mail.mjs';
import { aggregate, gzipMail } from './support/reports.mjs';
import { BUILD, childrenOf, handlersOf, firstToken, isAlive, ofProcess, startRunner, until } from './support/runner.mjs';
import { createSession, untilCompleted } from './support/tester.mjs';

const SENDERS = 180000; // records of a report just below the size limit; reading them takes at least a tenth of a second
// processor time, in hundredths of a second, after which a child must have begun to read its message
const BUSY_TICKS = 2;
const KEY_MS = 2000; // the time that the name server takes to answer with the DKIM key

const MESSAGE = 'From: a@slow.example\r\nSubject: hello\r\nDate: Mon, 1 Jan 2024 00:00:00 +0000\r\n\r\nHello.\r\n';
const LIMITS = {
	'Max open files': '0', 'Max processes': '0', 'Max file size': '0', 'Max core file size': '0', 'Max locked memory': '0',
	'Max address space': '268435456', 'Max cpu time': '10', 'Max stack size': '1048576',
};

// Whether the kernel was told to use huge pages for all code that begins at the boundary of a huge page; true
// if the kernel has no huge pages.
function codeIsInHugePages(pid) {
	const code = readFileSync(`/proc/${pid}/smaps`, 'utf8').split(/^(?=[0-9a-f]+-[0-9a-f]+ )/m)
		.filter((mapping) => /^[0-9a-f]*[02468ace]00000-[0-9a-f]+ r-xp [^[]*$/.test(mapping.split('\n', 1)[0]));
	return code.every((mapping) => /^VmFlags:.* hg\b/m.test(mapping)) || !existsSync('/sys/kernel/mm/transparent_hugepage');
}

const linkOf = (pid, file) => {
	try {
		return readlinkSync(`/proc/${pid}/${file}`);
	} catch {
		return ''; // the process has ended
	}
};

function describeProcess(pid) {
	const status = readFileSync(`/proc/${pid}/status`, 'utf8');
	const limits = readFileSync(`/proc/${pid}/limits`, 'utf8');
	const field = (name) => new RegExp(`^${name}:\\s+(\\d+)$`, 'm').exec(status)[1];
	return {
		seccomp: field('Seccomp'),
		noNewPrivileges: field('NoNewPrivs'),
		environment: readFileSync(`/proc/${pid}/environ`, 'utf8'),
		descriptors: readdirSync(`/proc/${pid}/fd`).length,
		codeIsInHugePages: codeIsInHugePages(pid),
		limits: Object.fromEntries(Object.keys(LIMITS).map((name) =>
			[name, new RegExp(`^${name}\\s+(\\w+)\\s+(\\w+)`, 'm').exec(limits).slice(1).join(' ')])),
	};
}

// Whether the process is a child that works on a message. It has a message open as descriptor 4, other than
// that of the probe which a starting helper forks. And its start is over: it has a filter, which is installed
// last, or it waits for an answer, or it has worked for a while.
function isAtWork(pid) {
	const [state, ...fields] = ofProcess(pid, 'stat').replace(/^.*\) /s, '').split(' ');
	const ticks = Number(fields[10]) + Number(fields[11]);
	const hasFilter = /^Seccomp:\s+2$/m.test(ofProcess(pid, 'status'));
	return /^\/(?!memfd:probe)/.test(linkOf(pid, 'fd/4')) && (hasFilter || state === 'S' || ticks >= BUSY_TICKS);
}

// Finds the child of this helper that works for this function, stops it during its work, and
// returns its state from /proc.
async function lookAtReader(runner, name, helper) {
	const child = await until(() => handlersOf(runner, name).flatMap(childrenOf)
		.filter((pid) => basename(linkOf(pid, 'exe')) === helper).flatMap(childrenOf).find(isAtWork));
	process.kill(child, 'SIGSTOP');
	try {
		assert.ok(isAlive(child), 'the child ended before it could be examined');
		return describeProcess(child);
	} finally {
		process.kill(child, 'SIGCONT');
	}
}

describe('with the default configuration', { skip: process.getuid() !== 0 && 'only root may look into confined processes' }, () => {
	let dns;
	let runner;

	before(async () => {
		dns = await startDns([`s1._domainkey.slow.example TXT !delay=${KEY_MS} 300 "v=DKIM1; p="`]);
		runner = await startRunner({ env: { EDS_DNS_SERVERS: dns.address } });
	});
	after(async () => {
		await runner?.stop();
		await dns?.stop();
	});

	const confined = {
		seccomp: '2', noNewPrivileges: '1', environment: '', descriptors: 2, codeIsInHugePages: true,
		limits: Object.fromEntries(Object.entries(LIMITS).map(([name, value]) => [name, `${value} ${value}`])),
	};

	test('the process that verifies a message has a filter, no new privileges and no resources', async () => {
		const session = await createSession(runner);
		const message = await sign(MESSAGE, { domain: 'slow.example', selector: 's1', key: newKey() });
		await sendMail(runner.smtpPort, { from: 'a@slow.example', to: session.email, message });
		assert.deepEqual(await lookAtReader(runner, 'tester-analyze', 'eds-verifier'), confined);
		await untilCompleted(runner, session.testId);
	});

	test('the process that reads a report has a filter, no new privileges and no resources', async () => {
		const token = firstToken(runner);
		const domain = (await request(`${runner.baseUrl}/api/v1/domains`, {
			method: 'POST', body: '{"name":"example.com"}',
			headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
		})).json().data;
		const records = Array.from({ length: SENDERS }, (_, i) => ({ ip: `10.${i >> 16}.${(i >> 8) & 255}.${i & 255}` }));
		const end = Math.floor(Date.now() / 1000);
		const report = gzipMail(aggregate({ id: 'large', domain: 'example.com', begin: end - 86400, end, records }));
		await sendMail(runner.smtpPort, { from: 'noreply@receiver.example', to: domain.reportAddress, message: report });
		assert.deepEqual(await lookAtReader(runner, 'reports-ingest', 'eds-report-reader'), confined);
	});
});

test('the sandbox is proven below more processes than it tries to reach', () => {
	const below = (count, command) => count === 0 ? command : ['sh', '-c', '"$@"; exit $?', 'sh', ...below(count - 1, command)];
	const [program, ...args] = below(300, [join(BUILD, 'libexec/eds-verifier'), '--prove']);
	const { status, stdout } = spawnSync(program, args, { encoding: 'utf8' });
	assert.equal(status, 0);
	assert.match(stdout, /^filter\n( {2}.* refused\n)+$/);
});
