// A mail server that knows enough of SMTP to be asked for STARTTLS, on an address of loopback.
//
//     const mx = await startMailServer({ address: '127.0.0.2', port, certificate });
//     mx.connections                // number of connections
//     mx.most                       // the most at once
//     await mx.stop();
//
// Without a certificate it does not offer STARTTLS. Options: greeting is another first line; silent makes it
// send nothing; pauseMs is a pause before the first line.
import net from 'node:net';
import tls from 'node:tls';

function speak(socket, certificate, secured = false) {
	let input = '';
	socket.on('error', () => {});
	socket.on('data', (data) => {
		input += data;
		for (let end; (end = input.indexOf('\r\n')) >= 0; input = input.slice(end + 2)) {
			const verb = input.slice(0, end).split(' ')[0].toUpperCase();
			if (verb === 'EHLO') {
				socket.write(`250-mx\r\n${certificate && !secured ? '250-STARTTLS\r\n' : ''}250 8BITMIME\r\n`);
			} else if (verb === 'STARTTLS' && certificate) {
				socket.removeAllListeners('data');
				socket.write('220 go on\r\n');
				const secureContext = tls.createSecureContext(certificate);
				speak(new tls.TLSSocket(socket, { isServer: true, secureContext }), certificate, true);
				return;
			} else if (verb === 'QUIT') {
				socket.end('221 bye\r\n');
			} else {
				socket.write('502 no\r\n');
			}
		}
	});
}

export async function startMailServer({ address, port, certificate, greeting = '220 mx ready', silent = false, pauseMs = 0 }) {
	const sockets = new Set();
	const state = { connections: 0, most: 0 };
	const server = net.createServer((socket) => {
		state.connections++;
		sockets.add(socket);
		state.most = Math.max(state.most, sockets.size);
		socket.on('error', () => {});
		socket.on('close', () => sockets.delete(socket));
		if (silent) return;
		setTimeout(() => {
			socket.write(`${greeting}\r\n`);
			speak(socket, certificate);
		}, pauseMs);
	});
	await new Promise((done, failed) => server.once('error', failed).listen(port ?? 0, address, done));
	state.port = server.address().port;
	state.stop = async () => {
		for (const socket of sockets) socket.destroy();
		await new Promise((done) => server.close(done));
	};
	return state;
}
