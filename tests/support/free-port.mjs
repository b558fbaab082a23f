// A port of 127.0.0.1 for a server that cannot choose a free one itself. It is below the ports that
// the system gives to clients, so that no client takes it before the server does.
import { randomInt } from 'node:crypto';
import dgram from 'node:dgram';
import { readFileSync } from 'node:fs';
import net from 'node:net';

const LOWEST = 10000;
const TRIES = 100;
const CLAIMS = '127.255.255.1'; // no server of a test listens at this address

const highest = () => Number(readFileSync('/proc/sys/net/ipv4/ip_local_port_range', 'utf8').split(/\s/)[0]);

const isFreeForTcp = (port) => new Promise((done) => {
	const server = net.createServer().once('error', () => done(false));
	server.listen(port, '127.0.0.1', () => server.close(() => done(true)));
});

const isFreeForUdp = (port) => new Promise((done) => {
	const socket = dgram.createSocket('udp4').once('error', () => done(false));
	socket.bind(port, '127.0.0.1', () => socket.close(() => done(true)));
});

// Claims the port for this process until it ends. Stories that run at the same time look for ports, too, and a
// port that was given out has no listener until its server has started, or while the server starts again.
const claim = (port) => new Promise((done) => {
	const socket = dgram.createSocket('udp4').once('error', () => done(false));
	socket.bind(port, CLAIMS, () => {
		socket.unref();
		done(true);
	});
});

// Returns a port that is free for TCP and for UDP.
export async function freePort() {
	for (let i = 0; i < TRIES; i++) {
		const port = randomInt(LOWEST, highest());
		if (await claim(port) && await isFreeForTcp(port) && await isFreeForUdp(port)) return port;
	}
	throw new Error('no port is free');
}
