// A proxy between a resolver and a name server, over UDP and TCP, that treats questions as a test says.
import { createSocket } from 'node:dgram';
import { connect, createServer } from 'node:net';

import { freePort } from '../../support/free-port.mjs';

const HEADER = 12;
const TRUNCATED = 0x0200;
const ANSWER = 0x8000;
const KEPT = 0x7910; // the flags of a question that its answer repeats
const FORWARD_MS = 5000;

/** Reads a message's question: { name, type, end }. */
export function questionOf(message) {
	const labels = [];
	let at = HEADER;
	for (; message[at] !== 0; at += message[at] + 1) labels.push(message.subarray(at + 1, at + 1 + message[at]).toString('latin1'));
	return { name: labels.join('.').toLowerCase(), type: message.readUInt16BE(at + 1), end: at + 5 };
}

/** The question as an answer without records, with these flags added; TC makes a resolver ask again
 * over TCP. */
export function truncated(message) {
	const reply = Buffer.from(message.subarray(0, questionOf(message).end));
	reply.writeUInt16BE(ANSWER | TRUNCATED | (message.readUInt16BE(2) & KEPT), 2);
	reply.fill(0, 6, HEADER);
	return reply;
}

const framed = (message) => {
	const length = Buffer.alloc(2);
	length.writeUInt16BE(message.length);
	return Buffer.concat([length, message]);
};

/** The question without EDNS, and so without the request for signatures, like that of a resolver
 * that does not know DNSSEC. */
export function withoutSignatures(message) {
	const plain = Buffer.from(message.subarray(0, questionOf(message).end));
	plain.fill(0, 10, HEADER);
	return plain;
}

/** An answer to the question with SERVFAIL, or without records (code 0). */
export function refused(message, code = 2) {
	const reply = Buffer.from(message.subarray(0, questionOf(message).end));
	reply.writeUInt16BE(ANSWER | 0x0080 | code | (message.readUInt16BE(2) & KEPT), 2);
	reply.fill(0, 6, HEADER);
	return reply;
}

function forward(message, port, take, sockets) {
	const onward = createSocket('udp4');
	const close = () => sockets.delete(onward) && onward.close();
	sockets.add(onward);
	onward.on('message', (answer) => {
		take(answer);
		close();
	}).on('error', close);
	onward.send(message, port, '127.0.0.1');
	setTimeout(close, FORWARD_MS).unref();
}

function relay(client, port, rule) {
	const onward = connect(port, '127.0.0.1');
	let bytes = Buffer.alloc(0);
	for (const side of [client, onward]) side.on('error', () => {}).on('close', () => [client, onward].forEach((each) => each.destroy()));
	onward.on('data', (answer) => client.write(answer));
	client.on('data', (data) => {
		bytes = Buffer.concat([bytes, data]);
		while (bytes.length > 2 && bytes.length >= 2 + bytes.readUInt16BE(0)) {
			const message = bytes.subarray(2, 2 + bytes.readUInt16BE(0));
			bytes = bytes.subarray(2 + message.length);
			const { reply, send = message } = rule(message, questionOf(message), true) ?? {};
			if (reply) client.write(reply.length > HEADER ? framed(reply) : reply);
			else if (reply !== null) onward.write(framed(send));
		}
	});
	return [client, onward];
}

/**
 * rule(message, { name, type }, tcp) decides about a question: { reply } answers it (null: with
 * nothing; octets shorter than a header are sent unchanged); { send } sends another question;
 * undefined passes it on.
 */
export async function startBetween(target, rule) {
	const port = Number(/:(\d+)$/.exec(target)[1]);
	const own = await freePort();
	const forwards = new Set();
	const streams = new Set();
	const udp = createSocket('udp4');
	udp.on('message', (message, from) => {
		const { reply, send = message } = rule(message, questionOf(message), false) ?? {};
		if (reply) udp.send(reply, from.port, from.address);
		else if (reply !== null) forward(send, port, (answer) => udp.send(answer, from.port, from.address), forwards);
	});
	await new Promise((done, failed) => udp.once('error', failed).bind(own, '127.0.0.1', done));
	const tcp = createServer((client) => relay(client, port, rule).forEach((stream) => streams.add(stream)));
	await new Promise((done, failed) => tcp.once('error', failed).listen(own, '127.0.0.1', done));
	return {
		address: `127.0.0.1:${own}`,
		async stop() {
			for (const socket of forwards) socket.close();
			forwards.clear();
			for (const stream of streams) stream.destroy();
			udp.close();
			await new Promise((done) => tcp.close(done));
		},
	};
}
