import { once } from 'node:events';
import https from 'node:https';
import tls from 'node:tls';

// Receivers behind one port of loopback, distinguished by their host names.
export async function startReceivers(authority) {
	const receivers = new Map();
	const sockets = new Set();
	const server = https.createServer({ SNICallback: (name, done) => done(null, receivers.get(name)?.context) },
		(incoming, response) => {
			const receiver = receivers.get(incoming.headers.host);
			const parts = [];
			incoming.on('data', (part) => parts.push(part)).on('end', () => {
				const got = { path: incoming.url, method: incoming.method, headers: incoming.headers, body: Buffer.concat(parts).toString() };
				receiver.got.push(got);
				receiver.answer(response, got);
			});
		});
	server.on('tlsClientError', () => {});
	server.on('connection', (socket) => {
		sockets.add(socket);
		socket.on('error', () => {}).on('close', () => sockets.delete(socket));
	});
	server.listen(0, '127.0.0.1');
	await once(server, 'listening');
	return {
		port: server.address().port,
		// answer: a status, or a function that handles the response.
		add(name, answer = 200, certificate = authority.issue([name])) {
			const receiver = { name, got: [], context: tls.createSecureContext(certificate) };
			receiver.answers = (given) => {
				receiver.answer = typeof given === 'number' ? (response) => response.writeHead(given).end('thanks') : given;
			};
			receiver.answers(answer);
			receivers.set(name, receiver);
			return receiver;
		},
		async stop() {
			for (const socket of sockets) socket.destroy();
			await new Promise((done) => server.close(done));
		},
	};
}
