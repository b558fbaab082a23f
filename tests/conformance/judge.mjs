// An independent judge: on generated messages, records and zones, our verdict must be that of
// mailauth or of python3-dkim and python3-spf. If those two agree, our verdict must agree with them,
// with the exceptions below. SEED=N generates other cases; CASE=ID shows one; VERDICT is the command
// that gives our verdict.
import { spawn } from 'node:child_process';
import { createRequire } from 'node:module';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

import { dkimCases } from './judge/dkim.mjs';
import { dmarcCases } from './judge/dmarc.mjs';
import { spfCases } from './judge/spf.mjs';
import { resolverOf } from './judge/zone.mjs';

const require = createRequire(new URL('../', import.meta.url));
const { dkimVerify } = require('mailauth/lib/dkim/verify');
const { dmarc } = require('mailauth/lib/dmarc');
const { spf } = require('mailauth/lib/spf');

const SEED = process.env.SEED ?? '9989';
const COUNTS = { dkim: 700, spf: 500, dmarc: 300 };

const signsSignatures = (message) => /[\s;]h\s*=[^;]*dkim-signature/i.test(Buffer.from(message, 'base64').toString('latin1'));

// Cases in which both other implementations are wrong, with the sentence of the RFC that shows it.
const EXCEPTIONS = [
	{
		rule: 'RFC 6376 section 3.5, l=: "This value MUST NOT be larger than the actual number of octets in the canonicalized message body."',
		covers: ({ task, why }) => task.do === 'dkim' && why.includes('body-too-short'),
	},
	{
		rule: 'RFC 6376 section 3.5, h=: "The field MUST NOT include the DKIM-Signature header field that is being created or verified but may include others."',
		covers: ({ task, own, alone }) => task.do === 'dkim' && alone.every((name) => own[name] === 'pass') && signsSignatures(task.message),
	},
	{
		// Both tree walks found the same record and failed above it, so both domains have the same
		// organizational domain.
		rule: 'RFC 9989 section 4.10.2: "in alignment, meaning that they have either the same Organizational Domain (relaxed alignment) or that they\'re identical (strict alignment)"',
		covers: ({ task, own, foreign }) => task.do === 'dmarc' && own.dmarc.startsWith('pass') && foreign[0].dmarc === 'temperror',
	},
];

// A program that answers each line of input with a line of output.
function answerer([command, ...args]) {
	const child = spawn(command, args, { stdio: ['pipe', 'pipe', 'inherit'] });
	const waiting = [];
	const fail = (why) => waiting.splice(0).forEach(({ reject }) => reject(new Error(`${command} ${why}`)));
	child.stdin.on('error', () => {});
	child.on('error', (error) => fail(error.message));
	const ended = new Promise((done) => child.on('close', (code, signal) => {
		fail(`ended with ${signal ?? code}`);
		done(signal ?? code);
	}));
	createInterface({ input: child.stdout }).on('line', (line) => waiting.shift().resolve(JSON.parse(line)));
	return {
		ask: (task) => new Promise((resolve, reject) => {
			waiting.push({ resolve, reject });
			child.stdin.write(JSON.stringify(task) + '\n');
		}),
		// Ends the program; resolves to how it ended.
		end: () => {
			child.stdin.end();
			return ended;
		},
	};
}

const mailauth = {
	async dkim({ message, zone, now }) {
		const { results } = await dkimVerify(Buffer.from(message, 'base64'), {
			resolver: resolverOf(zone),
			curTime: new Date(now * 1000),
			minBitLength: 1024,
			strict: true,
		});
		return { passed: results.filter((r) => r.status.result === 'pass').map((r) => r.selector) };
	},
	async spf({ client, helo, mailFrom, zone }) {
		const { status } = await spf({ ip: client, helo, sender: mailFrom, resolver: resolverOf(zone), strict: true });
		return { result: status.result };
	},
	async dmarc({ from, spf: sender, dkim, zone }) {
		const response = await dmarc({
			headerFrom: from,
			spfDomains: [sender].flat().filter(Boolean).map((domain) => ({ domain })),
			dkimDomains: dkim.map((domain) => ({ domain })),
			resolver: resolverOf(zone),
			strict: true,
		});
		return { result: response.status.result, policy: response.policy ?? '' };
	},
};

// Splits an answer into verdicts that are compared separately: { name: verdict }.
const verdicts = {
	dkim: ({ passed }, { zone }) => Object.fromEntries(zone.map(([name]) => name.split('.')[0])
		.map((selector) => [selector, passed.includes(selector) ? 'pass' : 'no pass'])),
	spf: ({ result }) => ({ spf: result }),
	dmarc: ({ result, policy }) => ({ dmarc: ['pass', 'fail'].includes(result) ? `${result} ${policy}` : result }),
};

async function judge(item, ours, python) {
	const { task } = item;
	const read = verdicts[task.do];
	const [our, ...others] = await Promise.all([
		ours.ask(task),
		mailauth[task.do](task),
		...(task.do === 'dmarc' ? [] : [python.ask(task)]),
	]);
	const own = read(our, task);
	const foreign = others.map((answer) => read(answer, task));
	const alone = Object.keys(own).filter((name) => foreign.every((other) => other[name] !== own[name]));
	const split = Object.keys(own).some((name) => foreign.some((other) => other[name] !== own[name]));
	const judged = { ...item, why: our.why, own, foreign, alone, split };
	judged.exception = alone.length > 0 ? EXCEPTIONS.find(({ covers }) => covers(judged)) : undefined;
	return judged;
}

const shown = (own) => Object.entries(own).map(([name, verdict]) => `${name} ${verdict}`).join(', ');

function report(kind, judged) {
	const failed = judged.filter(({ alone, exception }) => alone.length > 0 && !exception);
	for (const { id, about, own, foreign, why } of failed)
		console.log(`${id}: ${about}\n\tours: ${shown(own)} (${why})\n\tothers: ${foreign.map(shown).join(' / ')}`);
	for (const { rule, judges } of EXCEPTIONS.map(({ rule }) => ({ rule, judges: judged.filter((j) => j.exception?.rule === rule) })))
		if (judges.length > 0) console.log(`judge ${kind}: ${judges.length} as an exception: ${rule}`);
	console.log(`judge ${kind}: ${failed.length} of ${judged.length} against both others; ` +
		`these differ on ${judged.filter(({ split }) => split).length}`);
	return { passed: judged.length - failed.length, failed: failed.length };
}

function show({ task, own, foreign, why }) {
	if (task.message) console.log(Buffer.from(task.message, 'base64').toString('latin1'));
	console.log(JSON.stringify({ ...task, message: undefined }, null, 1), shown(own), why, foreign.map(shown));
}

async function main() {
	const python = answerer(['/usr/bin/python3', fileURLToPath(new URL('judge/judge.py', import.meta.url))]);
	const ours = answerer((process.env.VERDICT ?? 'build/tests/conformance/verdict').split(' '));
	const cases = {
		dkim: await dkimCases(SEED, COUNTS.dkim, python.ask),
		spf: spfCases(SEED, COUNTS.spf),
		dmarc: dmarcCases(SEED, COUNTS.dmarc),
	};
	const total = { passed: 0, failed: 0 };
	console.log(`judge: SEED=${SEED}`);
	for (const [kind, items] of Object.entries(cases)) {
		const judged = await Promise.all(items.map((item) => judge(item, ours, python)));
		judged.filter(({ id }) => id === process.env.CASE).forEach(show);
		const { passed, failed } = report(kind, judged);
		total.passed += passed;
		total.failed += failed;
	}
	for (const program of [python, ours]) {
		const how = await program.end();
		if (how === 0) continue;
		console.log(`judge: a program ended with ${how}`);
		total.failed++;
	}
	console.log(`judge: ${total.passed} passed, ${total.failed} failed`);
	process.exitCode = total.failed > 0 ? 1 : 0;
}

await main();
