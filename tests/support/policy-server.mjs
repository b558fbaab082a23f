// Policy hosts of all kinds, correct and hostile, behind one port of loopback: the server name in
// the client's TLS greeting selects the host.
//
//     const server = await startPolicyServer({ address: '127.0.0.1' });
//     server.host('mta-sts.example.com', { certificate, policy: 'version: STSv1\n…' });
//     server.connections            // requested server names, in order; '' for none
//     await server.stop();
//
// A host is { certificate } and one of
//     policy     the text that it serves, as text/plain with status 200 unless status, type or headers differ
//     respond    a function (request, response) that answers
//     silent     'connect': it sends nothing; 'request': it sends nothing after the TLS handshake
//     alert      the number of the TLS alert that it sends instead of a handshake
import https from 'node:https';
import net from 'node:net';
import tls from 'node:tls';

const FATAL_ALERT = (number) => Buffer.from([0x15, 3, 3, 0, 2, 2, number]);

// The server name of a ClientHello (RFC 6066 section 3), '' without one.
function serverName(hello) {
	let at = 5 + 4 + 2 + 32;
	at += 1 + hello[at]; // session id
	at += 2 + hello.readUInt16BE(at); // cipher suites
	at += 1 + hello[at]; // compression
	const end = at + 2 + hello.readUInt16BE(at);
	for (at += 2; at + 4 <= end; at += 4 + hello.readUInt16BE(at + 2))
		if (hello.readUInt16BE(at) === 0)
			return hello.toString('latin1', at + 9, at + 9 + hello.readUInt16BE(at + 7));
	return '';
}

function answer(host, request, response) {
	const { policy, status = 200, type = 'text/plain', headers = {}, respond, silent } = host;
	if (silent) return;
	if (respond) {
		respond(request, response);
		return;
	}
	response.writeHead(status, { ...(type ? { 'content-type': type } : {}), ...headers });
	response.end(policy ?? '');
}

export async function startPolicyServer({ address = '127.0.0.1', port = 0 } = {}) {
	const hosts = new Map();
	const connections = [];
	const sockets = new Set();
	const secure = https.createServer({
		SNICallback: (name, done) => done(null, hosts.get(name)?.context),
	}, (request, response) => {
		const host = hosts.get(request.headers.host);
		if (host && request.url === '/.well-known/mta-sts.txt') answer(host, request, response);
		else response.writeHead(404, { 'content-type': 'text/plain' }).end();
	});
	secure.on('tlsClientError', () => {});
	secure.keepAliveTimeout = 1;

	const greet = (socket, hello) => {
		const name = serverName(hello);
		const host = hosts.get(name);
		connections.push(name);
		if (host?.silent === 'connect') {
			socket.resume();
			return;
		}
		if (host?.alert) {
			socket.end(FATAL_ALERT(host.alert));
			return;
		}
		socket.unshift(hello);
		secure.emit('connection', socket);
	};
	const front = net.createServer((socket) => {
		sockets.add(socket);
		socket.on('close', () => sockets.delete(socket));
		socket.on('error', () => {});
		socket.once('data', (hello) => {
			socket.pause();
			greet(socket, hello);
		});
	});
	await new Promise((done, failed) => front.once('error', failed).listen(port, address, 4096, done));

	return {
		port: front.address().port,
		connections,
		host(name, { certificate, ...behavior }) {
			hosts.set(name, { ...behavior, context: certificate && tls.createSecureContext(certificate) });
		},
		async stop() {
			for (const socket of sockets) socket.destroy();
			await new Promise((done) => front.close(done));
		},
	};
}

export const policyText = ({ mode = 'testing', mx = [], maxAge = 604800 } = {}) =>
	['version: STSv1', `mode: ${mode}`, ...mx.map((pattern) => `mx: ${pattern}`), `max_age: ${maxAge}`, ''].join('\n');
