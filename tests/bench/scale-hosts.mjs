// The policy hosts and the mail server of the measurement of scale, in a process of their own: the
// measurement is too busy at times to answer a handshake.
//
//     node tests/bench/scale-hosts.mjs DOMAINS
//
// Prints the settings that lead a service to them, as JSON, and ends with its standard input.
import https from 'node:https';
import tls from 'node:tls';

import { makeAuthority } from '../support/authority.mjs';
import { startMailServer } from '../support/mail-server.mjs';
import { policyText } from '../support/policy-server.mjs';
import { MAIL_HOST, nameOf, switchedOn } from './scale-names.mjs';

const NAMES = 100; // number of policy host names in one certificate

// TLS contexts, one for each block of NAMES names, in the order of the names.
function contexts(authority, count) {
	const all = switchedOn(count);
	const blocks = Array.from({ length: Math.ceil(all.length / NAMES) }, (_, i) => all.slice(i * NAMES, (i + 1) * NAMES));
	return blocks.map((block) => tls.createSecureContext(authority.issue(block.map((i) => `mta-sts.${nameOf(i)}`))));
}

async function startPolicyHosts(authority, count) {
	const made = contexts(authority, count);
	const contextOf = (name) => made[Math.floor((Number(/^mta-sts\.d(\d+)\.on$/.exec(name)?.[1]) - 1) / 10 / NAMES)];
	const text = policyText({ mx: [MAIL_HOST] });
	const server = https.createServer({ SNICallback: (name, done) => done(null, contextOf(name)) },
		(request, response) => response.writeHead(200, { 'content-type': 'text/plain' }).end(text));
	server.on('tlsClientError', () => {});
	server.keepAliveTimeout = 1;
	await new Promise((done, failed) => server.once('error', failed).listen(0, '127.0.0.1', 4096, done));
	return server.address().port;
}

const authority = makeAuthority();
process.once('exit', () => authority.remove());
process.stdin.resume().once('end', () => process.exit());
const policies = await startPolicyHosts(authority, Number(process.argv[2]));
const mail = await startMailServer({ address: '127.0.0.1', certificate: authority.issue([MAIL_HOST]) });
console.log(JSON.stringify({ EDS_CA_FILE: authority.file, EDS_POLICY_FETCH_PORT: String(policies), EDS_STARTTLS_PORT: String(mail.port) }));
