// What the domains of the measurement of scale meet outside: a name server, and, for the tenth of them
// with MTA-STS switched on, policy hosts over HTTPS and a mail server with STARTTLS.
import https from 'node:https';
import { generateKeyPairSync } from 'node:crypto';
import tls from 'node:tls';

import { startDns } from '../e2e/support/dns.mjs';
import { reporterRecords } from '../e2e/support/reports.mjs';
import { makeAuthority } from '../support/authority.mjs';
import { startMailServer } from '../support/mail-server.mjs';
import { policyText } from '../support/policy-server.mjs';
import { build } from './measure.mjs';

const MAIL_HOST = 'mx.host';
const POLICY_HOST = 'policy.host';
const NAMES = 100; // of policy hosts in a certificate
const FIRST_ID = 0xa00000;

// Whether the i-th domain, from 1, has MTA-STS switched on.
export const isOn = (i) => i % 10 === 1;
export const nameOf = (i) => `d${i}.${isOn(i) ? 'on' : 'live'}`;
const policyIdOf = (i) => `20260131235959k3f7q2m9xw4d${(FIRST_ID + i).toString(16)}`;
// The same three in SQL.
export const sqlIsOn = 'i % 10 = 1';
export const sqlName = `'d' || i || CASE WHEN ${sqlIsOn} THEN '.on' ELSE '.live' END`;
export const sqlPolicyId = `'20260131235959k3f7q2m9xw4d' || to_hex(${FIRST_ID} + i)`;
export const MX_PATTERN = MAIL_HOST;

const switchedOn = (count) => Array.from({ length: count }, (_, i) => i + 1).filter(isOn);

function zone(count) {
	const key = generateKeyPairSync('rsa', { modulusLength: 2048 }).publicKey.export({ type: 'spki', format: 'der' }).toString('base64');
	const text = `v=DKIM1; k=rsa; p=${key}`;
	return [`*.live TXT 300 "${text.slice(0, 250)}" "${text.slice(250)}"`, 'live SOA 300 ns.live h.live 1 3600 600 86400 60',
		'gone SOA 300 ns.gone h.gone 1 3600 600 86400 60', 'on SOA 300 ns.on h.on 1 3600 600 86400 60',
		`${MAIL_HOST} A 300 127.0.0.1`, `${POLICY_HOST} A 300 127.0.0.1`,
		...reporterRecords.map((line) => line.replace('. TXT ', ' TXT 300 ')),
		...switchedOn(count).flatMap((i) => [`_mta-sts.${nameOf(i)} TXT 300 "v=STSv1; id=${policyIdOf(i)}"`,
			`mta-sts.${nameOf(i)} CNAME 300 ${POLICY_HOST}`, `${nameOf(i)} MX 300 10 ${MAIL_HOST}`])];
}

// The contexts of TLS, one for so many names, by the number of the first.
function contexts(authority, count) {
	const all = switchedOn(count);
	const blocks = Array.from({ length: Math.ceil(all.length / NAMES) }, (_, i) => all.slice(i * NAMES, (i + 1) * NAMES));
	return blocks.map((block) => tls.createSecureContext(authority.issue(block.map((i) => `mta-sts.${nameOf(i)}`))));
}

async function startPolicyHosts(authority, count) {
	const made = contexts(authority, count);
	const contextOf = (name) => made[Math.floor((Number(/^mta-sts\.d(\d+)\.on$/.exec(name)?.[1]) - 1) / 10 / NAMES)];
	const text = policyText({ mx: [MX_PATTERN] });
	const server = https.createServer({ SNICallback: (name, done) => done(null, contextOf(name)) },
		(request, response) => response.writeHead(200, { 'content-type': 'text/plain' }).end(text));
	server.on('tlsClientError', () => {});
	server.keepAliveTimeout = 1;
	await new Promise((done, failed) => server.once('error', failed).listen(0, '127.0.0.1', 4096, done));
	return server;
}

// { env: the settings that lead a service to it, stop() }
export async function startWorld(count) {
	const authority = makeAuthority();
	const policies = await startPolicyHosts(authority, count);
	const mail = await startMailServer({ address: '127.0.0.1', certificate: authority.issue([MAIL_HOST]) });
	const dns = await startDns(zone(count), { build });
	return {
		env: { EDS_DNS_SERVERS: dns.address, EDS_POLICY_HOST: POLICY_HOST, EDS_ALLOW_PRIVATE_ADDRESSES: '1', EDS_CA_FILE: authority.file,
			EDS_POLICY_FETCH_PORT: String(policies.address().port), EDS_STARTTLS_PORT: String(mail.port) },
		async stop() {
			await dns.stop();
			await mail.stop();
			policies.closeAllConnections();
			await new Promise((done) => policies.close(done));
			authority.remove();
		},
	};
}
