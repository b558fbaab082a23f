// The peer of the analysis: mailauth verifies one message again and again, SPF, DKIM and DMARC only,
// and asks the given DNS server for each anew.
//
//   node analysis-peer.mjs MESSAGE DNS-SERVER IP HELO MAIL-FROM RUNS
//
// Prints the CPU of this process for a message, in microseconds, once it has warmed up.
import { readFileSync } from 'node:fs';
import { Resolver } from 'node:dns/promises';
import { createRequire } from 'node:module';

const require = createRequire(import.meta.url);
const { dkimVerify } = require('mailauth/lib/dkim/verify');
const { dmarc } = require('mailauth/lib/dmarc');
const { spf } = require('mailauth/lib/spf');

const [file, server, ip, helo, mailFrom, runs] = process.argv.slice(2);
const message = readFileSync(file);
const dns = new Resolver();
dns.setServers([server]);

const resolver = (name, type) => dns.resolve(name, type);

// As mailauth's own authenticate() puts them together, which would load BIMI and ARC as well.
async function verify() {
	const signed = await dkimVerify(message, { resolver, sender: mailFrom });
	const sent = await spf({ ip, helo, sender: mailFrom, mta: 'mx.example', resolver });
	const passed = signed.results.filter(({ status }) => status.result === 'pass');
	const judged = await dmarc({ headerFrom: signed.headerFrom, spfDomains: [sent.domain],
		dkimDomains: passed.map(({ id, signingDomain, status: { aligned } }) => ({ id, domain: signingDomain, aligned })),
		resolver });
	if (sent.status.result !== 'pass' || passed.length !== 1 || judged.status.result !== 'pass')
		throw new Error(`mailauth found: ${sent.status.result}, ${passed.length} signatures, ${judged.status.result}`);
}

async function repeat(count) {
	for (let i = 0; i < count; i++) await verify();
}

await repeat(runs);
const before = process.cpuUsage();
await repeat(runs);
const { user, system } = process.cpuUsage(before);
console.log((user + system) / runs);
