// A proxy on loopback in front of a server, whose network can be cut: then no data passes in either
// direction and no connection ends, as with a pulled cable. After mend() the earlier connections are gone.
import net from 'node:net';

// to: the options of net.connect(). Returns { port, cut, mend, close }.
export async function startCutProxy(to) {
	const sockets = new Set();
	let isCut = false;
	const keep = (socket) => {
		sockets.add(socket);
		socket.on('error', () => {}).on('close', () => sockets.delete(socket));
		if (isCut) socket.pause();
	};
	const server = net.createServer((client) => {
		keep(client);
		if (isCut) return;
		const inner = net.connect(to);
		keep(inner);
		client.pipe(inner).pipe(client);
		client.on('close', () => inner.destroy());
		inner.on('close', () => client.destroy());
	});
	const dropAll = () => {
		for (const socket of sockets) socket.destroy();
	};
	await new Promise((done) => server.listen(0, '127.0.0.1', done));
	return {
		port: server.address().port,
		cut() {
			isCut = true;
			for (const socket of sockets) {
				socket.unpipe();
				socket.pause();
			}
		},
		mend() {
			isCut = false;
			dropAll();
		},
		close: () => new Promise((done) => {
			server.close(done);
			dropAll();
		}),
	};
}
