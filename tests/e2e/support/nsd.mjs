// A real name server (nsd) that answers for all of DNS: a name that is not in its zone does not
// exist. It listens on loopback, on a free port, and ends with the test.
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import dgram from 'node:dgram';
import { Resolver } from 'node:dns/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { freePort } from '../../support/free-port.mjs';

const WAIT_MS = 20000;
const HEAD = [
	'$ORIGIN .',
	'$TTL 300',
	'@ SOA ns.invalid. hostmaster.invalid. 1 3600 600 86400 60',
	'@ NS ns.invalid.',
	// the test entries of the blocklists in senders.mjs (RFC 5782 section 5)
	...['combined', 'relay', 'reputation', 'reported'].map((list) => `2.0.0.127.${list}.lists.example. A 127.0.0.2`),
];

// The data of a TXT record, divided into strings of at most 255 octets.
export function txt(text) {
	const strings = text.match(/.{1,255}/gs) ?? [''];
	return strings.map((part) => `"${part.replace(/(["\\])/g, '\\$1')}"`).join(' ');
}

const config = (folder, host, port, zones) => `server:
	ip-address: ${host}
	port: ${port}
	username: ""
	zonesdir: "${folder}"
	database: ""
	pidfile: ""
	xfrdfile: "${folder}/xfrd.state"
	zonelistfile: "${folder}/zone.list"
	xfrdir: "${folder}"
	server-count: 1
	hide-version: yes
	rrl-ratelimit: 0
remote-control:
	control-enable: no
${zones.map(([name, file]) => `zone:\n\tname: "${name}"\n\tzonefile: "${file}"\n`).join('')}`;

function question(host, port) {
	const query = Buffer.from('beef01000001000000000000' + '00' + '0006' + '0001', 'hex');
	return new Promise((resolve) => {
		const socket = dgram.createSocket('udp4');
		const done = (answered) => {
			clearTimeout(timer);
			socket.close();
			resolve(answered);
		};
		const timer = setTimeout(() => done(false), 100);
		socket.once('message', () => done(true));
		socket.once('error', () => done(false));
		socket.send(query, port, host);
	});
}

async function untilItAnswers(child, host, port, errors) {
	const end = Date.now() + WAIT_MS;
	while (Date.now() < end) {
		if (child.exitCode !== null) throw new Error(`nsd did not start: ${errors()}`);
		if (await question(host, port)) return;
	}
	throw new Error(`nsd does not answer: ${errors()}`);
}

// A record that identifies the version of the zone; its TTL is 0, because the resolvers of some node
// versions cache answers.
const VERSION = 'version.invalid.';
const IN_A_ROW = 4;

const writeZone = (folder, records, version) =>
	writeFileSync(join(folder, 'zone'), [...HEAD, `${VERSION} 0 TXT "${version}"`, ...records, ''].join('\n'));

// Waits until the server answers several times in a row with this version, because while it reloads the zone
// its previous process may also answer.
async function untilItHas(version, port) {
	const resolver = new Resolver({ timeout: 200, tries: 1 });
	resolver.setServers([`127.0.0.1:${port}`]);
	const end = Date.now() + WAIT_MS;
	for (let times = 0; Date.now() < end;) {
		const found = await resolver.resolveTxt(VERSION).catch(() => []);
		times = found[0]?.[0] === String(version) ? times + 1 : 0;
		if (times === IN_A_ROW) return;
		await new Promise((next) => setTimeout(next, 20));
	}
	throw new Error('nsd does not read its zone again');
}

/**
 * A server of zones [name, file] with their files in the folder; a zone without a file answers
 * SERVFAIL. stop() also removes the folder. host is an address of loopback.
 */
export async function serveZones(folder, zones, { host = '127.0.0.1', port = null } = {}) {
	port ??= await freePort();
	let output = '';
	writeFileSync(join(folder, 'nsd.conf'), config(folder, host, port, zones));
	const child = spawn('setpriv', ['--pdeathsig=KILL', '/usr/sbin/nsd', '-d', '-c', join(folder, 'nsd.conf')],
		{ stdio: ['ignore', 'pipe', 'pipe'] });
	child.stdout.on('data', (data) => (output += data));
	child.stderr.on('data', (data) => (output += data));
	await untilItAnswers(child, host, port, () => output);
	return {
		address: `${host}:${port}`,
		port,
		readAgain: () => child.kill('SIGHUP'),
		async stop() {
			if (child.exitCode === null && child.signalCode === null) {
				child.kill('SIGTERM');
				const timer = setTimeout(() => child.kill('SIGKILL'), WAIT_MS);
				await new Promise((resolve) => child.once('exit', resolve));
				clearTimeout(timer);
			}
			rmSync(folder, { recursive: true, force: true });
		},
	};
}

// records: lines of a zone file, names absolute. dead: zones that answer SERVFAIL. Returns { address, publish, stop }: publish(records) replaces
// the records, and resolves when the server answers with the new ones.
export async function startNsd(records, { dead = [] } = {}) {
	const folder = mkdtempSync(join(tmpdir(), 'eds-nsd-'));
	let version = 1;
	writeZone(folder, records, version);
	const server = await serveZones(folder, [['.', 'zone'], ...dead.map((name) => [name, 'none'])]);
	return {
		address: server.address,
		stop: server.stop,
		async publish(others) {
			writeZone(folder, others, ++version);
			// nsd compares the time of a zone file in whole seconds, so each version gets a later second
			const later = new Date(Date.now() + version * 1000);
			utimesSync(join(folder, 'zone'), later, later);
			server.readAgain();
			await untilItHas(version, server.port);
		},
	};
}
