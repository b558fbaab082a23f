// Mail as senders make it: composed, signed by an independent signer, sent over SMTP.
import { createRequire } from 'node:module';
import { generateKeyPairSync } from 'node:crypto';
import net from 'node:net';

const require = createRequire(new URL('../../', import.meta.url));
const { dkimSign } = require('mailauth/lib/dkim/sign');

// { privateKey (PEM), record: the text to publish under the selector }
export function newKey(type = 'rsa', bits = 2048) {
	const options = type === 'rsa' ? { modulusLength: bits } : {};
	const { privateKey, publicKey } = generateKeyPairSync(type, options);
	const der = publicKey.export({ type: 'spki', format: 'der' });
	const p = (type === 'rsa' ? der : der.subarray(-32)).toString('base64');
	return {
		privateKey: privateKey.export({ type: 'pkcs8', format: 'pem' }),
		record: `v=DKIM1; k=${type}; p=${p}`,
	};
}

// Composes a message with CRLF line ends. fields: [[name, value], …], from the top down.
export function compose(fields, body = 'Hello,\r\n\r\nthis is a test.\r\n') {
	return fields.map(([name, value]) => `${name}: ${value}\r\n`).join('') + '\r\n' + body;
}

export async function sign(message, { domain, selector, key, canonicalization, ...more }) {
	const { signatures, errors } = await dkimSign(message, {
		canonicalization: canonicalization ?? 'relaxed/relaxed',
		signTime: new Date(),
		signatureData: [
			{ signingDomain: domain, selector, privateKey: key.privateKey, ...more },
		],
	});
	if (errors?.length) throw errors[0];
	return signatures + message;
}

class Conversation {
	#buffer = '';
	#waiting = [];
	#error = null;

	constructor(socket) {
		this.socket = socket;
		socket.setEncoding('latin1');
		socket.on('data', (data) => {
			this.#buffer += data;
			this.#serve();
		});
		const end = (error) => {
			this.#error = error ?? new Error(`connection closed: ${this.#buffer}`);
			this.#serve();
		};
		socket.on('error', end);
		socket.on('close', () => end());
	}

	#serve() {
		while (this.#waiting.length > 0) {
			const whole = /^(?:\d{3}-[^\n]*\n)*\d{3} [^\n]*\n/.exec(this.#buffer);
			if (whole) {
				this.#buffer = this.#buffer.slice(whole[0].length);
				this.#waiting.shift().resolve(whole[0]);
			} else if (this.#error) {
				this.#waiting.shift().reject(this.#error);
			} else {
				return;
			}
		}
	}

	reply() {
		return new Promise((resolve, reject) => {
			this.#waiting.push({ resolve, reject });
			this.#serve();
		});
	}

	async say(line, wanted) {
		this.socket.write(line + '\r\n', 'latin1');
		const reply = await this.reply();
		if (wanted && !reply.startsWith(wanted)) throw new Error(`${line}: ${reply.trim()}`);
		return reply;
	}
}

export async function openSmtp(port, host = '127.0.0.1') {
	const talk = new Conversation(net.connect(port, host));
	await talk.reply();
	return talk;
}

function xclientAddress(ip) {
	return ip.includes(':') ? `IPV6:${ip}` : ip;
}

// Delivers one message over SMTP. XCLIENT tells the server the client's address and HELO; parameters are added to the
// MAIL command. Returns the reply to the message; throws an error with the reply if a command was refused.
export async function sendMail(port, { ip, helo = 'localhost', from = '', to, message, parameters = '' }) {
	const talk = await openSmtp(port);
	try {
		await talk.say('EHLO tester', '250');
		if (ip) await talk.say(`XCLIENT ADDR=${xclientAddress(ip)} NAME=[UNAVAILABLE]`, '220');
		await talk.say(`EHLO ${helo}`, '250');
		await talk.say(`MAIL FROM:<${from}>${parameters}`, '250');
		for (const recipient of [to].flat()) await talk.say(`RCPT TO:<${recipient}>`, '250');
		await talk.say('DATA', '354');
		talk.socket.write(message.replace(/^\./gm, '..'), 'latin1');
		const reply = await talk.say('.', '250');
		talk.socket.write('QUIT\r\n');
		return reply;
	} finally {
		talk.socket.end();
	}
}
