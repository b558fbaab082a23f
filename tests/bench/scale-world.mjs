// The outside servers of the domains in the measurement of scale: a name server, and, for the tenth of the
// domains that have MTA-STS switched on, policy hosts and a mail server (scale-hosts.mjs).
import { spawn } from 'node:child_process';
import { generateKeyPairSync } from 'node:crypto';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

import { startDns } from '../e2e/support/dns.mjs';
import { reporterRecords } from '../e2e/support/reports.mjs';
import { build } from './measure.mjs';
import { MAIL_HOST, POLICY_HOST, nameOf, policyIdOf, switchedOn } from './scale-names.mjs';

const HOSTS = fileURLToPath(new URL('scale-hosts.mjs', import.meta.url));

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

async function startHosts(count) {
	const child = spawn(process.execPath, [HOSTS, String(count)], { stdio: ['pipe', 'pipe', 'inherit'] });
	const ended = once(child, 'exit');
	const line = await Promise.race([once(createInterface(child.stdout), 'line').then(([text]) => text),
		ended.then(() => Promise.reject(new Error('scale-hosts.mjs ended')))]);
	return {
		env: JSON.parse(line),
		async stop() {
			child.stdin.end();
			await ended;
		},
	};
}

// { env: the settings that lead a service to it, stop() }
export async function startWorld(count) {
	const hosts = await startHosts(count);
	const dns = await startDns(zone(count), { build });
	return {
		env: { ...hosts.env, EDS_DNS_SERVERS: dns.address, EDS_POLICY_HOST: POLICY_HOST, EDS_ALLOW_PRIVATE_ADDRESSES: '1' },
		async stop() {
			await dns.stop();
			await hosts.stop();
		},
	};
}
