// A second opinion beside the result: a real rspamd is asked, and no program in its place can damage or
// delay a result.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import net from 'node:net';
import { after, before, describe, test } from 'node:test';

import { sendMail } from './support/mail.mjs';
import { startNsd } from './support/nsd.mjs';
import { startRspamd, withoutRspamd } from './support/rspamd.mjs';
import { request } from './support/api.mjs';
import { document, resolve } from './support/openapi.mjs';
import { startRunner } from './support/runner.mjs';
import { LISTS, Sender } from './support/senders.mjs';
import { createSession, untilCompleted } from './support/tester.mjs';

const SETTINGS = {
	...LISTS,
	EDS_TESTER_DOMAIN: 'tester.example',
	EDS_SMTP_TRUSTED: '127.0.0.1',
	EDS_ALLOW_PRIVATE_ADDRESSES: '1',
	EDS_TESTER_SESSIONS_PER_HOUR: '0',
};
const BOUND_MS = 3000; // the longest time that eds waits for rspamd
const SLACK_MS = 12000; // extra time for a loaded machine

async function deliver(runner, sender, message) {
	const session = await createSession(runner);
	const began = Date.now();
	await sendMail(runner.smtpPort, { ip: sender.ip, helo: sender.helo, from: sender.mailFrom, to: session.email, message });
	const completed = await untilCompleted(runner, session.testId);
	return { ...completed, ms: Date.now() - began };
}

// Checks the rest of the result, which must not depend on the second opinion.
function assertGood({ spamScore, verdict, results }) {
	assert.equal(spamScore, -1.3);
	assert.equal(verdict, 'ham');
	assert.equal(results.outlook.state, 'good');
}

describe('a second opinion of a server', () => {
	const sender = new Sender('opinion');
	let nsd;
	let runner;
	let server;
	let behave; // what the false rspamd does with a connection and with each request
	let heard = '';
	const sockets = new Set();

	const answer = (body, head = 'HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n') => (socket) =>
		socket.end(`${head}Content-Length: ${Buffer.byteLength(body)}\r\nConnection: close\r\n\r\n${body}`);

	before(async () => {
		nsd = await startNsd(sender.records());
		server = net.createServer((socket) => {
			let text = '';
			sockets.add(socket);
			socket.on('error', () => {}).on('close', () => sockets.delete(socket));
			socket.setEncoding('latin1').on('data', (data) => {
				text += data;
				const [, head, body] = /^([^]*?)\r\n\r\n([^]*)$/.exec(text) ?? [];
				if (head === undefined || body.length < Number(/content-length: (\d+)/i.exec(head)?.[1])) return;
				heard = text;
				text = '';
				behave(socket);
			});
		});
		server.listen(0, '127.0.0.1');
		await once(server, 'listening');
		runner = await startRunner({ env: { ...SETTINGS, EDS_DNS_SERVERS: nsd.address,
			EDS_RSPAMD: `http://127.0.0.1:${server.address().port}/` } });
	});
	after(async () => {
		await runner?.stop();
		for (const socket of sockets) socket.destroy();
		server?.close();
		await nsd?.stop();
	});

	test('is asked with the envelope and the message, and its answer is shown beside ours', async () => {
		behave = answer(JSON.stringify({ score: 16.25, required_score: 15, action: 'reject',
			symbols: { WORST: { score: 16, description: '<b>bad</b>' }, R_SPF_ALLOW: { score: -0.2 } } }));
		const message = await sender.signed({ Subject: 'An opinion' });
		const session = await deliver(runner, sender, message);
		assertGood(session);
		assert.deepEqual(session.results.secondOpinion, { by: 'rspamd', state: 'given', reason: null, score: 16.25,
			required: 15, action: 'reject', otherSymbols: 0, symbols: [
				{ name: 'WORST', score: 16, description: '<b>bad</b>' },
				{ name: 'R_SPF_ALLOW', score: -0.2, description: null }] });
		const [head, body] = [heard.slice(0, heard.indexOf('\r\n\r\n')), heard.slice(heard.indexOf('\r\n\r\n') + 4)];
		assert.match(head, /^POST \/checkv2 HTTP\/1\.1\r\n/);
		for (const line of [`IP: ${sender.ip}`, `Hostname: ${sender.host}`, `Helo: ${sender.helo}`, `From: ${sender.mailFrom}`, `Rcpt: ${session.email}`])
			assert.ok(head.split('\r\n').includes(line), line);
		assert.ok(body.endsWith(message));
	});

	test('on a message of a megabyte is asked with the whole message', async () => {
		behave = answer(JSON.stringify({ score: 0, required_score: 15, action: 'no action', symbols: {} }));
		const message = await sender.signed({}, `${'a line of a large message\r\n'.repeat(40000)}`);
		const { results } = await deliver(runner, sender, message);
		assert.equal(results.secondOpinion.state, 'given');
		assert.ok(heard.endsWith(message));
	});

	test('is asked and shown again when the message is analyzed again', async () => {
		behave = answer(JSON.stringify({ score: 1, required_score: 15, action: 'no action', symbols: {} }));
		const { testId } = await deliver(runner, sender, await sender.signed());
		behave = answer(JSON.stringify({ score: 2, required_score: 15, action: 'no action', symbols: {} }));
		const path = `/api/inbound-tester/sessions/${testId}/reanalyze`;
		const again = await (await request(`${runner.baseUrl}${path}`, { method: 'POST' })).json();
		assert.equal(again.results.secondOpinion.score, 2);
	});

	const wrong = [
		['answers with a page', answer('<html>'), /no sense/],
		['answers with an error', answer('{"error": "busy"}', 'HTTP/1.1 500 Oops\r\n'), /status 500/],
		['redirects', answer('', 'HTTP/1.1 302 Found\r\nLocation: http://127.0.0.1:9/\r\n'), /status 302/],
		['answers with megabytes', answer(`{"a":"${'x'.repeat(3000000)}"}`), /sent an answer longer than its limit/],
		['answers with thousands of header fields',
			answer('{}', `HTTP/1.1 200 OK\r\n${'X-Field: value\r\n'.repeat(5000)}`), /HTTP/],
		['nests its answer deeply', answer('['.repeat(100000)), /no sense/],
		['hangs up', (socket) => socket.destroy(), /HTTP/],
		['speaks another protocol', (socket) => socket.end('220 mail.example ESMTP\r\n'), /HTTP/],
	];
	for (const [what, how, reason] of wrong)
		test(`that ${what} is unknown, with the reason`, async () => {
			behave = how;
			const session = await deliver(runner, sender, await sender.signed());
			assertGood(session);
			assert.equal(session.results.secondOpinion.state, 'unknown');
			assert.equal(session.results.secondOpinion.score, null);
			assert.match(session.results.secondOpinion.reason, reason);
		});

	const slow = [
		['is silent', () => {}],
		['sends an octet now and then', (socket) => {
			socket.write('HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n');
			const timer = setInterval(() => socket.write('x'), 200);
			socket.on('close', () => clearInterval(timer));
		}],
	];
	for (const [what, how] of slow)
		test(`that ${what} is not waited for longer than three seconds`, async () => {
			behave = how;
			const session = await deliver(runner, sender, await sender.signed());
			assertGood(session);
			assert.match(session.results.secondOpinion.reason, /did not answer within 3 seconds/);
			assert.ok(session.ms >= BOUND_MS / 2 && session.ms < BOUND_MS + SLACK_MS, `${session.ms} ms`);
		});

	test('that is away is unknown at once', async () => {
		server.close();
		for (const socket of sockets) socket.destroy();
		const session = await deliver(runner, sender, await sender.signed());
		assertGood(session);
		assert.match(session.results.secondOpinion.reason, /cannot be reached/);
	});
});

describe('a second opinion', { skip: withoutRspamd() }, () => {
	const sender = new Sender('seconded');
	const poor = new Sender('poor', { spf: null, key: null, dmarc: null, ptr: null });
	let nsd;
	let rspamd;
	let runner;

	before(async () => {
		nsd = await startNsd([...sender.records(), ...poor.records()]);
		rspamd = await startRspamd({ dns: nsd.address });
		runner = await startRunner({ env: { ...SETTINGS, EDS_DNS_SERVERS: nsd.address, EDS_RSPAMD: rspamd.url } });
	});
	after(async () => {
		await runner?.stop();
		await rspamd?.stop();
		await nsd?.stop();
	});

	const symbolsOf = ({ results: { secondOpinion } }) => secondOpinion.symbols.map(({ name }) => name);

	test('of a real rspamd agrees about a good message', async () => {
		const session = await deliver(runner, sender, await sender.signed());
		assertGood(session);
		const { state, required, action } = session.results.secondOpinion;
		assert.equal(state, 'given', JSON.stringify(session.results.secondOpinion));
		assert.equal(required, 15);
		assert.equal(action, 'no action');
		for (const name of ['R_SPF_ALLOW', 'R_DKIM_ALLOW', 'DMARC_POLICY_ALLOW'])
			assert.ok(symbolsOf(session).includes(name), `${name}: ${symbolsOf(session)}`);
	});

	test('of a real rspamd finds what a bad message lacks', async () => {
		const session = await deliver(runner, poor, poor.message({ 'Message-ID': null }));
		for (const name of ['MISSING_MID', 'RDNS_NONE', 'R_SPF_NA'])
			assert.ok(symbolsOf(session).includes(name), `${name}: ${symbolsOf(session)}`);
		assert.ok(session.results.secondOpinion.score > 0);
		assert.equal(session.spamScore, 3); // the score is the same as without an rspamd
	});
});

// Lists the members of a schema that the value lacks. If a schema allows null or an object, the object's
// members are examined.
function missing(schema, value, place = 'results') {
	const { anyOf, items, properties = {} } = resolve(schema);
	if (value === null || value === undefined) return [];
	if (anyOf) return missing(anyOf.find(({ type }) => type !== 'null'), value, place);
	if (items) return value.flatMap((item, i) => missing(items, item, `${place}[${i}]`));
	return Object.entries(properties).flatMap(([name, own]) =>
		(name in value ? missing(own, value[name], `${place}.${name}`) : [`${place}.${name}`]));
}

describe('without a setting', () => {
	test('no server is asked, and the result says so', async () => {
		const sender = new Sender('alone');
		const nsd = await startNsd(sender.records());
		const runner = await startRunner({ env: { ...SETTINGS, EDS_DNS_SERVERS: nsd.address } });
		try {
			const session = await deliver(runner, sender, await sender.signed());
			assertGood(session);
			assert.equal(session.results.secondOpinion, null);
			// A result of this release has every field in openapi.yaml (api.mjs checks that it
			// has no other), except the evidence of advice, which only one kind of advice has.
			const absent = missing(document.components.schemas.Results, session.results);
			assert.deepEqual(absent.filter((name) => !/advice\[\d+\]\.evidence$/.test(name)), []);
		} finally {
			await runner.stop();
			await nsd.stop();
		}
	});
});
