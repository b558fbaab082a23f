// The peer of the analysis: mailauth verifies one message again and again. It asks the given DNS server anew for
// each message, and has several messages in flight, which is its fastest mode.
//
//   node analysis-peer.mjs MESSAGE DNS-SERVER IP HELO MAIL-FROM RUNS IN-FLIGHT [LIST…]
//
// Without lists it does SPF, DKIM and DMARC. With lists it does the same work as an analysis: reverse name and
// its confirmation, the exchanges of the sender and their addresses, each list, by the same resolver, and a
// result that is durable before the next message: appended to a file and synced, which is less than any database
// does.
//
// Prints the CPU of this process for a message, in microseconds, once it has warmed up.
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { Resolver } from 'node:dns/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const require = createRequire(import.meta.url);
const { dkimVerify } = require('mailauth/lib/dkim/verify');
const { dmarc } = require('mailauth/lib/dmarc');
const { spf } = require('mailauth/lib/spf');

const [file, server, ip, helo, mailFrom, runs, inFlight, ...lists] = process.argv.slice(2);
const message = readFileSync(file);
const dns = new Resolver();
dns.setServers([server]);

const resolver = (name, type) => dns.resolve(name, type);

// The same calls as mailauth's own authenticate(), which would also load BIMI and ARC.
async function verify() {
	const signed = await dkimVerify(message, { resolver, sender: mailFrom });
	const sent = await spf({ ip, helo, sender: mailFrom, mta: 'mx.example', resolver });
	const passed = signed.results.filter(({ status }) => status.result === 'pass');
	const judged = await dmarc({ headerFrom: signed.headerFrom, spfDomains: [sent.domain],
		dkimDomains: passed.map(({ id, signingDomain, status: { aligned } }) => ({ id, domain: signingDomain, aligned })),
		resolver });
	if (sent.status.result !== 'pass' || passed.length !== 1 || judged.status.result !== 'pass')
		throw new Error(`mailauth found: ${sent.status.result}, ${passed.length} signatures, ${judged.status.result}`);
	return [sent.status.result, judged.status.result];
}

const orNone = (answer) => answer.catch(() => []);

async function reverseName() {
	const names = await orNone(dns.reverse(ip));
	const addresses = await Promise.all(names.map((name) => orNone(dns.resolve(name, 'A'))));
	return names.filter((_, i) => addresses[i].includes(ip));
}

async function exchanges() {
	const found = await orNone(dns.resolve(mailFrom.slice(mailFrom.indexOf('@') + 1), 'MX'));
	return Promise.all(found.map(({ exchange }) => orNone(dns.resolve(exchange, 'A'))));
}

const listed = (list) => orNone(dns.resolve(`${ip.split('.').reverse().join('.')}.${list}`, 'A'));

async function analyze(store) {
	const result = await Promise.all([verify(), reverseName(), exchanges(), ...lists.map(listed)]);
	if (result[1].length !== 1 || result[2].flat().length === 0) throw new Error('the sender has no reverse name or exchange');
	await store.write(`${JSON.stringify(result)}\n`);
	await store.datasync();
}

async function repeat(count, work) {
	let left = count;
	const worker = async () => {
		while (left-- > 0) await work();
	};
	await Promise.all(Array.from({ length: Number(inFlight) }, worker));
}

const folder = mkdtempSync(join(tmpdir(), 'eds-bench-'));
const store = await open(join(folder, 'results'), 'a');
const work = lists.length > 0 ? () => analyze(store) : verify;
try {
	await repeat(Number(runs), work);
	const before = process.cpuUsage();
	await repeat(Number(runs), work);
	const { user, system } = process.cpuUsage(before);
	console.log((user + system) / runs);
} finally {
	await store.close();
	rmSync(folder, { recursive: true, force: true });
}
