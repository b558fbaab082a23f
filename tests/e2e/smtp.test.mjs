// Mail over SMTP: from the socket to the function that gets the event, on the real runner.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { chmodSync, existsSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import net from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import tls from 'node:tls';
import { promisify } from 'node:util';

import { storedIds } from './support/mail-store.mjs';
import { BUILD, exchange, startRunner, testFunctions, until } from './support/runner.mjs';

const run = promisify(execFile);
const DOMAIN = 'tester.localhost';
const CLOSED_MS = 20000; // time limit for the server to close a connection

// A function in JavaScript that follows the runtime's protocol, for single and kept runs.
const program = (body) => `#!/usr/bin/env node
import fs from 'node:fs';
import readline from 'node:readline';
import { storedMessage } from '${new URL('support/mail-store.mjs', import.meta.url)}';
const state = {};
async function answer(event) { ${body} }
if (!process.argv.includes('--kept')) {
	console.log(JSON.stringify(await answer(JSON.parse(fs.readFileSync(0)))));
} else {
	for await (const line of readline.createInterface({ input: process.stdin })) {
		const [, tag, json] = /^(#\\d+\\+? )?(.*)$/.exec(line);
		process.stdout.write((tag ?? '') + JSON.stringify(await answer(JSON.parse(json))) + '\\n');
	}
	process.exit(0);
}
`;

const ACCEPT = `
	const [local, domain] = event.recipient.split('@');
	if (domain !== '${DOMAIN}') return { accept: false, reason: 'no mail is received for this domain' };
	if (local === 'error') return { errorType: 'Temporary', errorMessage: 'the store does not answer' };
	if (local === 'crash') process.exit(3);
	if (local === 'stray') return { accept: true, function: 'mail-accept' };
	if (local.startsWith('no')) return { accept: false };
	return { accept: true, function: local.startsWith('other') ? 'other' : 'keep' };`;
const KEEP = (file) => `
	const mail = event.Records[0].ses.mail;
	const stored = await storedMessage({ folder: '.', storeEnv: process.env }, mail.messageId);
	if (stored === undefined) throw new Error(mail.messageId + ' is not in the mail store');
	fs.appendFileSync('${file}', '\\n' + JSON.stringify({ event, stored }) + '\\n');
	const wanted = /^X-Fail: (\\d+)/m.exec(stored);
	state[mail.messageId] = (state[mail.messageId] ?? 0) + 1;
	if (wanted && state[mail.messageId] <= Number(wanted[1])) return { errorType: 'Temporary', errorMessage: 'not now' };
	return {};`;

function mailFunctions() {
	const functions = testFunctions({
		'mail-accept': { memoryMb: 0 },
		keep: { mail: true, memoryMb: 0 },
		other: { mail: true, memoryMb: 0 },
	});
	for (const [name, body] of [['mail-accept', ACCEPT], ['keep', KEEP('keep.jsonl')], ['other', KEEP('other.jsonl')]]) {
		// A package.json beside the programs makes node treat them as modules, because their names
		// have no extension.
		writeFileSync(join(functions.folder, name), program(body));
		chmodSync(join(functions.folder, name), 0o755);
	}
	writeFileSync(join(functions.folder, 'package.json'), '{"type":"module"}');
	return functions;
}

class Smtp {
	static async open(port) {
		const client = new Smtp();
		client.attach(net.connect(port, '127.0.0.1'));
		client.greeting = await client.reply();
		return client;
	}
	attach(socket) {
		this.socket = socket;
		this.text = '';
		this.closed = false;
		socket.setEncoding('latin1');
		const wake = () => this.wake?.();
		socket.on('data', (data) => { this.text += data; wake(); });
		socket.on('close', () => { this.closed = true; wake(); });
		socket.on('error', () => {});
	}
	async reply() {
		for (;;) {
			const match = /^(?:\d{3}-.*\r\n)*\d{3} .*\r\n/.exec(this.text);
			if (match) {
				this.text = this.text.slice(match[0].length);
				return match[0];
			}
			if (this.closed) return '';
			await new Promise((done) => (this.wake = done));
		}
	}
	say(line) {
		this.socket.write(`${line}\r\n`, 'latin1');
		return this.reply();
	}
	async startTls() {
		assert.match(await this.say('STARTTLS'), /^220 /);
		const plain = this.socket;
		plain.removeAllListeners('data');
		const socket = tls.connect({ socket: plain, rejectUnauthorized: false });
		await new Promise((done, failed) => socket.once('secureConnect', done).once('error', failed));
		this.attach(socket);
		return socket;
	}
	async begin(to, from = 'a@example.com') {
		await this.say('EHLO client.example');
		assert.match(await this.say(`MAIL FROM:<${from}>`), /^250 /);
		for (const address of [to].flat()) assert.match(await this.say(`RCPT TO:<${address}>`), /^250 /);
		assert.match(await this.say('DATA'), /^354 /);
	}
	async deliver(to, text = 'Subject: x\r\n\r\nhello') {
		await this.begin(to);
		return this.say(`${text}\r\n.`);
	}
	close() {
		this.socket.destroy();
	}
}

function received(runner, file = 'keep.jsonl') {
	const path = join(runner.folder, file);
	if (!existsSync(path)) return [];
	// Ignores an incomplete line: its handler was killed while it wrote the line.
	return readFileSync(path, 'utf8').split('\n').filter((line) => line.endsWith('}')).flatMap((line) => {
		try {
			return [JSON.parse(line)];
		} catch {
			return [];
		}
	});
}

// The received messages with one subject.
const ofSubject = (runner, subject, file) =>
	received(runner, file).filter(({ event }) => event.Records[0].ses.mail.commonHeaders.subject === subject);

describe('receiving mail:', () => {
	let functions;
	let runner;

	before(async () => {
		functions = mailFunctions();
		runner = await startRunner({ functions: functions.folder, env: { EDS_SMTP_TRUSTED: '' } });
	});
	after(async () => {
		await runner.stop();
		functions.remove();
	});

	test('a message reaches its function with envelope, headers and our Received field on top', async () => {
		const client = await Smtp.open(runner.smtpPort);
		assert.match(client.greeting, /^220 tester\.localhost ESMTP/);
		const reply = await client.deliver([`One@${DOMAIN}`, `two@${DOMAIN}`], 'Subject: whole\r\nFrom: A <a@example.com>\r\n\r\n..stuffed\r\nbody');
		const id = /^250 2\.0\.0 accepted as (\S+)/.exec(reply)[1];
		const [{ event, stored }] = await until(() => ofSubject(runner, 'whole').length && ofSubject(runner, 'whole'));
		const { ses, envelope, eventSource } = event.Records[0];
		assert.equal(eventSource, 'aws:ses');
		assert.equal(ses.mail.messageId, id);
		assert.equal(ses.mail.source, 'a@example.com');
		assert.deepEqual(ses.receipt.recipients, [`one@${DOMAIN}`, `two@${DOMAIN}`]);
		assert.equal(ses.receipt.spfVerdict.status, 'GRAY');
		assert.deepEqual(envelope, { mailFrom: 'a@example.com', clientIp: '127.0.0.1', helo: 'client.example', tls: 'none' });
		assert.match(stored, new RegExp(`^Received: from client\\.example \\(unknown \\[127\\.0\\.0\\.1\\]\\)\\r\\n\\tby tester\\.localhost with ESMTP id ${id};\\r\\n\\t\\w{3}, \\d+ \\w{3} \\d{4} \\d\\d:\\d\\d:\\d\\d \\+0000\\r\\nSubject: whole\\r\\n`));
		assert.ok(stored.endsWith('\r\n\r\n.stuffed\r\nbody\r\n'));
		assert.equal(ofSubject(runner, 'whole').length, 1);
		client.close();
	});

	test('each function gets its own message with its own recipients', async () => {
		const client = await Smtp.open(runner.smtpPort);
		assert.match(await client.deliver([`a@${DOMAIN}`, `other1@${DOMAIN}`, `b@${DOMAIN}`], 'Subject: split\r\n'), /^250 /);
		const [kept] = await until(() => ofSubject(runner, 'split').length && ofSubject(runner, 'split'));
		const [other] = await until(() => ofSubject(runner, 'split', 'other.jsonl').length && ofSubject(runner, 'split', 'other.jsonl'));
		assert.deepEqual(kept.event.Records[0].ses.receipt.recipients, [`a@${DOMAIN}`, `b@${DOMAIN}`]);
		assert.deepEqual(other.event.Records[0].ses.mail.destination, [`other1@${DOMAIN}`]);
		assert.notEqual(kept.event.Records[0].ses.mail.messageId, other.event.Records[0].ses.mail.messageId);
		client.close();
	});

	for (const [address, reply] of [
		['no@tester.localhost', '550 5.1.1'],
		['a@elsewhere.example', '550 5.1.1 no mail is received for this domain'],
		['error@tester.localhost', '451 4.3.0'],
		['crash@tester.localhost', '451 4.3.0'],
		['stray@tester.localhost', '451 4.3.0'],
		['a%b@tester.localhost', '550'],
		['b!a@tester.localhost', '550'],
		['@relay.example:a@tester.localhost', '550'],
		['"a"@tester.localhost', '550'],
		['\xc3\xa4@tester.localhost', '553'],
	]) {
		test(`RCPT TO:<${address}> is answered ${reply}`, async () => {
			const client = await Smtp.open(runner.smtpPort);
			await client.say('EHLO c');
			await client.say('MAIL FROM:<>');
			assert.ok((await client.say(`RCPT TO:<${address}>`)).startsWith(reply));
			assert.match(await client.say('NOOP'), /^250 /);
			client.close();
		});
	}

	test('a declared size over the limit is refused before the message is sent', async () => {
		const client = await Smtp.open(runner.smtpPort);
		await client.say('EHLO c');
		assert.match(await client.say('MAIL FROM:<a@example.com> SIZE=15728641'), /^552 5\.3\.4/);
		client.close();
	});

	test('a message over the limit is refused and the session lives on', async () => {
		const client = await Smtp.open(runner.smtpPort);
		await client.begin(`a@${DOMAIN}`);
		const line = `${'x'.repeat(1022)}\r\n`;
		for (let i = 0; i < 15 * 1024 + 1; i++) client.socket.write(line);
		assert.match(await client.say('.'), /^552 5\.3\.4/);
		assert.match(await client.say('NOOP'), /^250 /);
		client.close();
	});

	test('a smuggled end of message stores nothing', async () => {
		const count = received(runner).length;
		const client = await Smtp.open(runner.smtpPort);
		await client.begin(`a@${DOMAIN}`);
		client.socket.write('Subject: outer\r\n\r\nx\n.\r\nMAIL FROM:<evil@example.com>\r\nRCPT TO:<a@tester.localhost>\r\nDATA\r\nSubject: inner\r\n');
		assert.match(await client.say('.'), /^550 5\.6\.0/);
		assert.match(await client.deliver(`a@${DOMAIN}`, 'Subject: behind the smuggler\r\n'), /^250 /);
		await until(() => received(runner).length > count);
		assert.equal(ofSubject(runner, 'outer').length + ofSubject(runner, 'inner').length, 0);
		client.close();
	});

	test('a group of commands is answered in order', async () => {
		const client = await Smtp.open(runner.smtpPort);
		await client.say('EHLO c');
		client.socket.write(`MAIL FROM:<>\r\nRCPT TO:<no@${DOMAIN}>\r\nRCPT TO:<a@${DOMAIN}>\r\nDATA\r\n`);
		for (const code of ['250', '550', '250', '354']) assert.equal((await client.reply()).slice(0, 3), code);
		assert.match(await client.say('Subject: group\r\n.'), /^250 /);
		client.close();
	});

	test('mail comes in over TLS, with a certificate that stays', async () => {
		const client = await Smtp.open(runner.smtpPort);
		assert.match(await client.say('EHLO plain.example'), /250-STARTTLS\r\n/);
		const socket = await client.startTls();
		const { fingerprint256 } = socket.getPeerCertificate();
		// the server has forgotten the EHLO from before STARTTLS
		assert.match(await client.say('MAIL FROM:<>'), /^503 /);
		assert.doesNotMatch(await client.say('EHLO c'), /STARTTLS/);
		assert.match(await client.deliver(`a@${DOMAIN}`, 'Subject: secret\r\n'), /^250 /);
		const [{ event, stored }] = await until(() => ofSubject(runner, 'secret').length && ofSubject(runner, 'secret'));
		assert.match(event.Records[0].envelope.tls, /^TLSv1\.3 TLS_/);
		assert.match(stored, / with ESMTPS id /);
		client.close();
		const again = await Smtp.open(runner.smtpPort);
		await again.say('EHLO c');
		assert.equal((await again.startTls()).getPeerCertificate().fingerprint256, fingerprint256);
		again.close();
	});

	test('commands injected behind STARTTLS drop the connection', async () => {
		const { text, closed } = await exchange(runner.smtpPort, ['EHLO c\r\n', `STARTTLS\r\nMAIL FROM:<evil@example.com>\r\n`], { ms: CLOSED_MS });
		assert.ok(closed);
		assert.doesNotMatch(text, /\n220 2\.0\.0/);
	});

	test('a client that fails the handshake is disconnected, and others are served', async () => {
		const client = await Smtp.open(runner.smtpPort);
		await client.say('EHLO c');
		await client.say('STARTTLS');
		client.socket.write('this is no handshake\r\n');
		await until(() => client.closed);
		const next = await Smtp.open(runner.smtpPort);
		assert.match(await next.say('NOOP'), /^250 /);
		next.close();
	});

	test('XCLIENT from a peer that is not trusted changes nothing', async () => {
		const client = await Smtp.open(runner.smtpPort);
		assert.doesNotMatch(await client.say('EHLO c'), /XCLIENT|XFORWARD/);
		assert.match(await client.say('XCLIENT ADDR=192.0.2.1'), /^550 /);
		client.close();
	});

	test('twenty errors end the session', async () => {
		const { text, closed } = await exchange(runner.smtpPort, ['WHAT\r\n'.repeat(30)], { ms: CLOSED_MS });
		assert.ok(closed);
		assert.equal(text.match(/^500 /gm).length, 20);
		assert.match(text, /421 4\.7\.0 .*\r\n$/);
	});

	test('an address has 50 connections at most', async () => {
		const clients = [];
		for (let i = 0; i < 50; i++) clients.push(await Smtp.open(runner.smtpPort));
		assert.ok(clients.every((client) => client.greeting.startsWith('220 ')));
		assert.match((await Smtp.open(runner.smtpPort)).greeting, /^421 4\.3\.2/);
		clients.forEach((client) => client.close());
		await until(async () => {
			const client = await Smtp.open(runner.smtpPort);
			client.close();
			return client.greeting.startsWith('220 ');
		});
	});

	test('an event that fails is sent again after a pause', async () => {
		const client = await Smtp.open(runner.smtpPort);
		assert.match(await client.deliver(`a@${DOMAIN}`, 'Subject: again\r\nX-Fail: 1\r\n'), /^250 /);
		const tries = await until(() => ofSubject(runner, 'again').length === 2 && ofSubject(runner, 'again'));
		assert.equal(tries[0].event.Records[0].ses.mail.messageId, tries[1].event.Records[0].ses.mail.messageId);
		client.close();
	});

	test('mail whose event fails three times is put aside with the reason', async () => {
		const client = await Smtp.open(runner.smtpPort);
		const reply = await client.deliver(`a@${DOMAIN}`, 'Subject: never\r\nX-Fail: 9\r\n');
		const id = /accepted as (\S+)/.exec(reply)[1];
		const failed = join(runner.folder, 'var/mail.spool/failed', id);
		await until(() => existsSync(`${failed}.json`) && readFileSync(`${failed}.json`, 'utf8').endsWith('}\n'));
		const report = JSON.parse(readFileSync(`${failed}.json`));
		assert.equal(report.reason, 'Temporary: not now');
		assert.equal(report.function, 'keep');
		assert.deepEqual(report.recipients, [`a@${DOMAIN}`]);
		assert.match(readFileSync(`${failed}.eml`, 'latin1'), /^Received: from client\.example [^]*Subject: never\r\n/);
		assert.equal(ofSubject(runner, 'never').length, 3);
		await until(async () => !(await storedIds(runner)).includes(id));
		client.close();
	});

	test('curl and swaks can deliver mail', async () => {
		const file = join(runner.folder, 'curl.eml');
		writeFileSync(file, 'Subject: from curl\r\n\r\nhello\r\n');
		await run('curl', ['-sS', '-k', '--ssl-reqd', `smtp://127.0.0.1:${runner.smtpPort}`, '--mail-from', 'me@example.com', '--mail-rcpt', `a@${DOMAIN}`, '-T', file]);
		await run('swaks', ['--server', `127.0.0.1:${runner.smtpPort}`, '--to', `a@${DOMAIN}`, '--from', 'me@example.com', '--ehlo', 'swaks.example', '--header', 'Subject: from swaks', '--pipeline']);
		await until(() => ofSubject(runner, 'from curl').length && ofSubject(runner, 'from swaks').length);
		assert.match(ofSubject(runner, 'from curl')[0].event.Records[0].envelope.tls, /^TLS/);
	});

	test('runner deliver delivers a file while the server runs, and says why when it cannot', async () => {
		const deliver = (...more) => run(join(BUILD, 'runner'), ['deliver', '--functions', functions.folder, ...more], { cwd: runner.folder });
		const file = join(runner.folder, 'unix.eml');
		writeFileSync(file, 'Subject: by hand\n\nline\nlast');
		const { stdout } = await deliver(file, '--to', `A@${DOMAIN}`, '--from', 'me@example.com', '--client-ip', '2001:db8::5', '--helo', 'hand.example');
		assert.match(stdout, /^delivered to keep as \S+: \{\}/);
		const [{ event, stored }] = ofSubject(runner, 'by hand');
		assert.match(stored, /^Received: from hand\.example \(unknown \[IPv6:2001:db8::5\]\)/);
		assert.ok(stored.endsWith('Subject: by hand\r\n\r\nline\r\nlast\r\n'));
		assert.deepEqual(event.Records[0].envelope, { mailFrom: 'me@example.com', clientIp: '2001:db8::5', helo: 'hand.example', tls: null });
		await assert.rejects(deliver(file, '--to', `no@${DOMAIN}`), (error) => error.code === 1 && /no@tester\.localhost is refused/.test(error.stderr));
		await assert.rejects(deliver(join(runner.folder, 'none.eml'), '--to', `a@${DOMAIN}`), (error) => error.code === 1 && /cannot be read/.test(error.stderr));
		await assert.rejects(deliver(file, '--to', `a@${DOMAIN}`, '--client-ip', 'x'), (error) => error.code === 1 && /not an IP address/.test(error.stderr));
		await assert.rejects(deliver(file), (error) => error.code === 64);
	});
});

describe('behind a trusted proxy', () => {
	test('XCLIENT and XFORWARD name the client that the function gets', async () => {
		const functions = mailFunctions();
		const runner = await startRunner({ functions: functions.folder, env: { EDS_SMTP_TRUSTED: '127.0.0.0/8' } });
		try {
			const client = await Smtp.open(runner.smtpPort);
			assert.match(await client.say('EHLO proxy'), /250-XCLIENT [^]*250-XFORWARD /);
			assert.match(await client.say('XFORWARD ADDR=198.51.100.1 HELO=forwarded.example'), /^250 /);
			await client.say('MAIL FROM:<>');
			await client.say(`RCPT TO:<a@${DOMAIN}>`);
			await client.say('DATA');
			assert.match(await client.say('Subject: forwarded\r\n.'), /^250 /);
			assert.match(await client.say('XCLIENT ADDR=IPV6:2001:db8::9 HELO=named.example'), /^220 /);
			assert.match(await client.deliver(`a@${DOMAIN}`, 'Subject: named\r\n'), /^250 /);
			await until(() => received(runner).length === 2);
			const forwarded = ofSubject(runner, 'forwarded')[0];
			assert.deepEqual(forwarded.event.Records[0].envelope, { mailFrom: '', clientIp: '198.51.100.1', helo: 'forwarded.example', tls: null });
			const named = ofSubject(runner, 'named')[0];
			assert.match(named.stored, /^Received: from named\.example \(unknown \[IPv6:2001:db8::9\]\)/);
			client.close();
		} finally {
			await runner.stop();
			functions.remove();
		}
	});
});

describe('stopping and starting', () => {
	// Sends messages until the runner dies; returns the acknowledged subjects.
	async function sendUntilKilled(runner, prefix, acknowledged) {
		const client = await Smtp.open(runner.smtpPort).catch(() => null);
		for (let i = 0; client && !client.closed; i++) {
			const subject = `${prefix}-${i}`;
			try {
				await client.begin(`a@${DOMAIN}`);
			} catch {
				return;
			}
			if ((await client.say(`Subject: ${subject}\r\n\r\n${'x'.repeat(4000)}\r\n.`)).startsWith('250 ')) acknowledged.push(subject);
		}
	}

	test('a killed runner delivers acknowledged mail after its restart', async () => {
		const folder = mkdtempSync(join(tmpdir(), 'eds-smtp-'));
		const functions = mailFunctions();
		const acknowledged = [];
		const first = await startRunner({ functions: functions.folder, folder });
		const senders = [1, 2, 3, 4].map((n) => sendUntilKilled(first, `s${n}`, acknowledged));
		await until(() => acknowledged.length > 100, 20000);
		first.child.kill('SIGKILL');
		await first.ended;
		await Promise.all(senders);
		const second = await startRunner({ functions: functions.folder, folder });
		try {
			const times = () => {
				const counts = new Map();
				for (const { event } of received(second)) {
					const { subject } = event.Records[0].ses.mail.commonHeaders;
					counts.set(subject, (counts.get(subject) ?? 0) + 1);
				}
				return counts;
			};
			await until(() => {
				const counts = times();
				return acknowledged.every((subject) => counts.has(subject));
			});
			// Only the messages that handlers were processing when the runner
			// died may have been sent twice.
			const twice = [...times()].filter(([, count]) => count > 1);
			assert.ok(twice.length <= 8, `${twice.length} were delivered twice`);
			assert.ok(twice.every(([, count]) => count === 2));
			assert.deepEqual(readdirSync(join(folder, 'var/mail.spool')).filter((name) => name.endsWith('.mail')).length <= 2, true);
		} finally {
			assert.equal((await second.stop()).code, 0);
			functions.remove();
			rmSync(folder, { recursive: true, force: true });
		}
	});

	test('mail acknowledged while its function is stuck is delivered once after a restart', async () => {
		const folder = mkdtempSync(join(tmpdir(), 'eds-smtp-'));
		const functions = mailFunctions();
		const keep = readFileSync(join(functions.folder, 'keep'));
		writeFileSync(join(functions.folder, 'keep'), '#!/bin/sh\nexec sleep 60\n');
		const first = await startRunner({ functions: functions.folder, folder });
		const client = await Smtp.open(first.smtpPort);
		for (let i = 0; i < 30; i++) assert.match(await client.deliver(`a@${DOMAIN}`, `Subject: stuck-${i}\r\n`), /^250 /);
		first.child.kill('SIGKILL');
		await first.ended;
		client.close();
		writeFileSync(join(functions.folder, 'keep'), keep);
		const second = await startRunner({ functions: functions.folder, folder });
		try {
			await until(() => received(second).length >= 30);
			const subjects = received(second).map(({ event }) => event.Records[0].ses.mail.commonHeaders.subject);
			assert.deepEqual(subjects.sort(), Array.from({ length: 30 }, (_, i) => `stuck-${i}`).sort());
		} finally {
			await second.stop();
			functions.remove();
			rmSync(folder, { recursive: true, force: true });
		}
	});

	test('SIGTERM lets a message under way end and closes idle sessions with 421', async () => {
		const functions = mailFunctions();
		const runner = await startRunner({ functions: functions.folder });
		const idle = await Smtp.open(runner.smtpPort);
		const busy = await Smtp.open(runner.smtpPort);
		await busy.begin(`a@${DOMAIN}`);
		const stopped = runner.stop();
		assert.match(await idle.reply(), /^421 4\.3\.2/);
		assert.match(await busy.say('Subject: last\r\n.'), /^250 /);
		assert.match(await busy.reply(), /^421 4\.3\.2/);
		idle.close();
		busy.close();
		const { code, seconds } = await stopped;
		assert.equal(code, 0);
		assert.ok(seconds < 20);
		functions.remove();
	});

	test('a second runner on the same spool reports this and ends', async () => {
		const functions = mailFunctions();
		const runner = await startRunner({ functions: functions.folder });
		try {
			await assert.rejects(startRunner({ functions: functions.folder, folder: runner.folder }), /another runner uses the spool/);
		} finally {
			await runner.stop();
			functions.remove();
		}
	});
});
