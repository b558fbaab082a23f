// A real name server (nsd) that answers for the whole of DNS: what its zone does not name does not
// exist. Loopback, a free port, ended with the test.
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import dgram from 'node:dgram';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const HEAD = [
	'$ORIGIN .',
	'$TTL 300',
	'@ SOA ns.invalid. hostmaster.invalid. 1 3600 600 86400 60',
	'@ NS ns.invalid.',
];

// TXT data in strings of at most 255 octets.
export function txt(text) {
	const strings = text.match(/.{1,255}/gs) ?? [''];
	return strings.map((part) => `"${part.replace(/(["\\])/g, '\\$1')}"`).join(' ');
}

function freePort() {
	return new Promise((resolve, reject) => {
		const socket = dgram.createSocket('udp4');
		socket.once('error', reject);
		socket.bind(0, '127.0.0.1', () => {
			const { port } = socket.address();
			socket.close(() => resolve(port));
		});
	});
}

function config(folder, port) {
	return `server:
	ip-address: 127.0.0.1
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
zone:
	name: "."
	zonefile: "zone"
`;
}

function question(port) {
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
		socket.send(query, port, '127.0.0.1');
	});
}

async function untilItAnswers(child, port, errors) {
	for (let tries = 0; tries < 100; tries++) {
		if (child.exitCode !== null) throw new Error(`nsd did not start: ${errors()}`);
		if (await question(port)) return;
	}
	throw new Error(`nsd does not answer: ${errors()}`);
}

// records: lines of a zone file, names absolute. Returns { address, stop }.
export async function startNsd(records) {
	const folder = mkdtempSync(join(tmpdir(), 'eds-nsd-'));
	const port = await freePort();
	let output = '';
	writeFileSync(join(folder, 'zone'), [...HEAD, ...records, ''].join('\n'));
	writeFileSync(join(folder, 'nsd.conf'), config(folder, port));
	const child = spawn('/usr/sbin/nsd', ['-d', '-c', join(folder, 'nsd.conf')], {
		stdio: ['ignore', 'pipe', 'pipe'],
	});
	child.stdout.on('data', (data) => (output += data));
	child.stderr.on('data', (data) => (output += data));
	await untilItAnswers(child, port, () => output);
	return {
		address: `127.0.0.1:${port}`,
		async stop() {
			if (child.exitCode === null) {
				child.kill('SIGTERM');
				await new Promise((resolve) => child.once('exit', resolve));
			}
			rmSync(folder, { recursive: true, force: true });
		},
	};
}
