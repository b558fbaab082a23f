// The HTTP server and the pools behind it, attacked over real sockets.
import assert from 'node:assert/strict';
import { copyFileSync, renameSync, unlinkSync, writeFileSync } from 'node:fs';
import http from 'node:http';
import net from 'node:net';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';

import {
	BUILD, descendantsOf, exchange, isAlive, request, startRunner, testFunctions, until, untilBegun,
} from './support/runner.mjs';

const FUNCTIONS = {
	act: { program: 'handler-http', http: ['GET /act/{name}', 'POST /act/{name}'], timeoutMs: 2000 },
	slow: { program: 'handler-http', http: ['GET /slow/{name}'], timeoutMs: 1000 },
	quick: { program: 'handler-http', http: ['GET /quick/{name}'], timeoutMs: 5000 },
	other: { program: 'handler-http', http: ['DELETE /act/{name}'] },
	raw: { program: 'handler-raw', http: ['GET /raw/{name}'], timeoutMs: 2000 },
	wide: { program: 'handler-length', http: ['POST /wide/{name}'], bodyMb: 10, timeoutMs: 20000, memoryMb: 256 },
	absent: { http: ['GET /absent'] },
	ask: { program: 'handler-http', ops: ['GET /ask/{name}'] },
	any: { program: 'handler-http', http: ['GET /any/{name}'], anyHost: true },
	long: { program: 'handler-http', http: ['GET /long/{name}'], timeoutMs: 60000 },
};

const SLOW_MS = 20000;
const statuses = (text) => [...text.matchAll(/HTTP\/1\.1 (\d+) /g)].map((match) => Number(match[1]));
const head = (...lines) => `${lines.join('\r\n')}\r\n\r\n`;
const GET = head('GET /act/echo HTTP/1.1', 'Host: a');
const LAST = head('GET /act/echo HTTP/1.1', 'Host: a', 'Connection: close');

let functions;
let runner;

before(async () => {
	functions = testFunctions(FUNCTIONS);
	runner = await startRunner({ functions: functions.folder, env: { EDS_BASE_URL: 'http://a' } });
});
after(async () => {
	await runner?.stop();
	functions?.remove();
});

const get = (path, options) => request(runner.baseUrl + path, options);
// The server ends the connection in nearly every story, long before this time limit unless the machine is slow.
const send = (parts, options) => exchange(runner.httpPort, parts, { ms: SLOW_MS, ...options });

function assertProblem(response, status, code) {
	assert.equal(response.status, status);
	assert.equal(response.headers['content-type'], 'application/problem+json');
	const problem = response.json();
	assert.equal(problem.status, status);
	assert.equal(problem.code, code);
	assert.ok(problem.title && problem.detail && problem.type);
}

describe('routes', () => {
	test('a request reaches its function with its event', async () => {
		const response = await get('/act/a%20b?x=1&x=2', {
			method: 'POST', body: 'hello', headers: { 'X-Twice': ['1', '2'], cookie: 'c=1' },
		});
		assert.equal(response.status, 200);
		assert.equal(response.headers['content-type'], 'application/json');
		assert.match(response.headers['x-request-id'], /^[0-9a-f-]{36}$/);
		assert.ok(response.headers.date);
		const event = response.json();
		assert.equal(event.method, 'POST');
		assert.equal(event.path, '/act/a%20b');
		assert.equal(event.params.name, 'a b');
		assert.equal(event.queryParams.x, '1,2');
		assert.equal(event.headers['x-twice'], '1,2');
		assert.equal(event.body, 'hello');
		assert.equal(event.sourceIp, '127.0.0.1');
		assert.equal(event.timeout, '2000');
	});

	test('an unknown path is a 404 problem', async () => {
		assertProblem(await get('/nothing'), 404, 'route-not-found');
	});

	test('a wrong method is a 405 problem that names the right ones', async () => {
		const response = await get('/act/echo', { method: 'PUT' });
		assertProblem(response, 405, 'method-not-allowed');
		assert.equal(response.headers.allow, 'GET, HEAD, POST, DELETE');
	});

	test('an escape that does not decode to UTF-8 is a 400 problem', async () => {
		assertProblem(await get('/act/%00'), 400, 'path-invalid');
		assertProblem(await get('/act/echo?%ff=1'), 400, 'query-invalid');
	});

	test('HEAD gives the head of GET without its body', async () => {
		const whole = await get('/raw/plain');
		const headers = await get('/raw/plain', { method: 'HEAD' });
		assert.equal(headers.status, 200);
		assert.equal(headers.headers['content-length'], whole.headers['content-length']);
		assert.equal(headers.text, '');
		const { text } = await send(
			head('HEAD /raw/plain HTTP/1.1', 'Host: a') + head('HEAD /no HTTP/1.1', 'Host: a', 'Connection: close'));
		assert.deepEqual(statuses(text), [200, 404]);
		assert.ok(!text.includes('{'));
	});

	test('routes of the operations port are served there only', async () => {
		assertProblem(await get('/ask/echo'), 404, 'route-not-found');
		assert.equal((await request(`${runner.opsUrl}/ask/echo`)).status, 200);
		assert.equal((await request(`${runner.opsUrl}/act/echo`)).status, 404);
	});
});

// The attack (DNS rebinding): the name of a foreign web page is pointed to 127.0.0.1, so that the page can
// read answers of the runner.
describe('the host on loopback', () => {
	const ask = (url, host) => request(url, { headers: { host } });

	test('is an address, localhost or the host of EDS_BASE_URL, with any port', async () => {
		for (const host of ['127.0.0.1', '192.0.2.1:1', '[::1]:8080', 'localhost:80', 'LOCALHOST', 'eds.localhost', 'a', 'A.:8080', 'policy.localhost'])
			assert.equal((await ask(`${runner.baseUrl}/act/echo`, host)).status, 200, host);
	});

	test('is refused with any other name, on either port', async () => {
		for (const host of ['rebound.example', 'localhost.example', 'a.example', 'xlocalhost', '127.0.0.1.example', 'b']) {
			assertProblem(await ask(`${runner.baseUrl}/act/echo`, host), 421, 'host-unknown');
			assertProblem(await ask(`${runner.baseUrl}/nothing`, host), 421, 'host-unknown');
			for (const path of ['/events', '/metrics', '/healthz', '/ask/echo'])
				assertProblem(await ask(runner.opsUrl + path, host), 421, 'host-unknown');
		}
		const { text } = await send(head('GET http://rebound.example/act/echo HTTP/1.1', 'Host: a', 'Connection: close'));
		assert.deepEqual(statuses(text), [421]);
	});

	test('may be any name for a function that answers by host', async () => {
		assert.equal((await ask(`${runner.baseUrl}/any/echo`, 'mta-sts.example.com')).status, 200);
	});

	test('may be any name behind a trusted proxy', async () => {
		const other = await startRunner({ functions: functions.folder, env: { EDS_TRUSTED_PROXIES: '127.0.0.1' } });
		try {
			assert.equal((await ask(`${other.baseUrl}/act/echo`, 'www.example.com')).status, 200);
		} finally {
			await other.stop();
		}
	});
});

describe('answers', () => {
	test('a body in base64 is sent as bytes', async () => {
		assert.deepEqual([...(await get('/raw/base64')).bytes], [0x00, 0xff, 0xfe]);
		const picture = await get('/act/binary');
		assert.equal(picture.headers['content-type'], 'image/png');
		assert.equal(picture.bytes.toString('latin1'), '\x89PNG\r\n\x1a\n\x00\xff');
	});

	test('escapes in the answer are decoded', async () => {
		assert.equal((await get('/raw/escapes')).text, 'ä😀\n"\\/');
	});

	test('each cookie has its own field', async () => {
		const response = await get('/raw/cookies');
		assert.equal(response.status, 201);
		assert.deepEqual(response.headers['set-cookie'], ['a=1; Path=/', 'b=2']);
		assert.equal(response.headers['x-number'], '7');
	});

	test('JSON without statusCode is the body of a 200', async () => {
		const response = await get('/raw/plain');
		assert.equal(response.status, 200);
		assert.deepEqual(response.json(), { hello: 'world' });
		assert.deepEqual((await get('/raw/array')).json(), [1, 2]);
	});

	test('204 has neither body nor length', async () => {
		const response = await get('/raw/empty');
		assert.equal(response.status, 204);
		assert.equal(response.headers['content-length'], undefined);
	});

	test('fields that frame the message cannot be set by the function', async () => {
		const response = await get('/raw/framing');
		assert.equal(response.headers['content-length'], '2');
		assert.equal(response.headers['transfer-encoding'], undefined);
		assert.equal(response.headers['x-kept'], 'yes');
		assert.equal(response.text, 'ok');
	});

	test('fields for the host reach no client', async () => {
		const response = await get('/raw/notes');
		assert.deepEqual(Object.keys(response.headers).filter((name) => name.startsWith('eds-')), []);
		assert.equal(response.headers['x-kept'], 'yes');
		assert.equal(response.text, 'ok');
	});

	test('an answer that HTTP cannot carry is a 502 problem', async () => {
		for (const word of ['odd-note', 'garbage', 'split', 'status', 'surrogate', 'not-base64'])
			assertProblem(await get(`/raw/${word}`), 502, 'answer-invalid');
	});

	test('a failure of the function is a 502 problem without its details', async () => {
		const response = await get('/raw/error');
		assertProblem(response, 502, 'function-failed');
		assert.ok(!response.text.includes('secret'));
	});

	test('a problem from the function is passed on unchanged', async () => {
		assertProblem(await get('/act/fail'), 409, 'test-conflict');
	});

	test('a large answer arrives complete, even at a client that reads slowly', async () => {
		const length = 3 * 1024 * 1024;
		assert.equal((await get('/act/large')).bytes.length, length);
		const received = await new Promise((done, failed) => {
			const socket = net.connect(runner.httpPort, '127.0.0.1', () =>
				socket.write(head('GET /act/large HTTP/1.1', 'Host: a', 'Connection: close')));
			let bytes = 0;
			socket.on('data', (data) => {
				bytes += data.length;
				socket.pause();
				setTimeout(() => socket.resume(), 2);
			});
			socket.on('error', failed);
			socket.on('end', () => done(bytes));
		});
		assert.ok(received > length && received < length + 500);
	});
});

describe('connections', () => {
	test('a connection serves many requests', async () => {
		const agent = new http.Agent({ keepAlive: true, maxSockets: 1 });
		let sockets = 0;
		agent.on('free', () => (sockets = Object.values(agent.freeSockets).flat().length));
		for (let i = 0; i < 20; i++) assert.equal((await get('/act/echo', { agent })).status, 200);
		assert.ok(sockets <= 1);
		agent.destroy();
		const { text, closed } = await send([GET, GET, LAST]);
		assert.deepEqual(statuses(text), [200, 200, 200]);
		assert.ok(closed);
	});

	test('requests sent at once are answered in their order', async () => {
		const many = Array.from({ length: 30 }, (_, i) => head(`GET /act/n${i} HTTP/1.1`, 'Host: a')).join('');
		const { text } = await send(many + LAST);
		assert.equal(statuses(text).length, 31);
		const seen = [...text.matchAll(/"path":"\/act\/n(\d+)"/g)].map((match) => Number(match[1]));
		assert.deepEqual(seen, Array.from({ length: 30 }, (_, i) => i));
	});

	test('a refused request in a pipeline does not affect the answers before it', async () => {
		const { text, closed } = await send(`${GET}BROKEN\r\n\r\n${GET}`);
		assert.equal(statuses(text)[0], 200);
		assert.equal(statuses(text).length, 2);
		assert.ok(statuses(text)[1] >= 400);
		assert.ok(closed);
	});

	test('a request may arrive byte by byte', async () => {
		const { text } = await send([...head('GET /act/x HTTP/1.1', 'Host: a', 'Connection: close')]);
		assert.deepEqual(statuses(text), [200]);
	});

	test('bodies arrive however they are cut and coded', async () => {
		const post = (...lines) => head('POST /act/x HTTP/1.1', 'Host: a', ...lines);
		const length = post('Content-Length: 10', 'Connection: close');
		const chunked = post('Transfer-Encoding: chunked', 'Connection: close');
		for (const parts of [
			`${length}0123456789`, [length, '01234', '56789'], [length.slice(0, 30), `${length.slice(30)}012`, '3456789'],
			`${chunked}a\r\n0123456789\r\n0\r\n\r\n`, [chunked, '5\r\n0123', '4\r\n5;x=y\r', '\n56789\r\n0\r\nT: x\r\n', '\r\n'],
		]) {
			const { text } = await send(parts);
			assert.deepEqual(statuses(text), [200]);
			assert.match(text, /"length":10,"body":"0123456789"/);
		}
	});

	test('a request after a chunked body is served', async () => {
		const { text } = await send(head('POST /act/x HTTP/1.1', 'Host: a', 'Transfer-Encoding: chunked') +
			`2\r\nab\r\n0\r\n\r\n${LAST}`);
		assert.deepEqual(statuses(text), [200, 200]);
	});

	test('100 Continue is sent when the body is still to come, and not when it has arrived', async () => {
		const expecting = head('POST /act/x HTTP/1.1', 'Host: a', 'Expect: 100-continue', 'Content-Length: 2', 'Connection: close');
		assert.deepEqual(statuses((await send([expecting, 'ab'])).text), [100, 200]);
		assert.deepEqual(statuses((await send(`${expecting}ab`)).text), [200]);
		const large = expecting.replace('Length: 2', 'Length: 99999');
		assert.deepEqual(statuses((await send(large)).text), [413]);
	});

	test('HTTP/1.0 is served and its connection closed unless it asks', async () => {
		const plain = await send(head('GET /act/echo HTTP/1.0'));
		assert.deepEqual(statuses(plain.text), [200]);
		assert.ok(plain.closed);
		const kept = await send([head('GET /act/echo HTTP/1.0', 'Connection: keep-alive'), head('GET /act/echo HTTP/1.0')]);
		assert.deepEqual(statuses(kept.text), [200, 200]);
		assert.match(kept.text, /^Connection: keep-alive\r$/m);
	});

	test('a client that closes its half still gets its answers', async () => {
		const { text, closed } = await send(GET + GET, { halfClose: true });
		assert.deepEqual(statuses(text), [200, 200]);
		assert.ok(closed);
	});

	test('empty lines before a request are skipped', async () => {
		assert.deepEqual(statuses((await send(`\r\n\r\n${LAST}`)).text), [200]);
	});

	test('a client that sends its head slowly is cut off after ten seconds', { timeout: 60000 }, async () => {
		const began = Date.now();
		const { text, closed } = await new Promise((done) => {
			const socket = net.connect(runner.httpPort, '127.0.0.1');
			let seen = '';
			const timer = setInterval(() => socket.write('X'), 500);
			socket.write('GET /act/echo HTTP/1.1\r\nHost: a\r\nX: ');
			socket.on('data', (data) => (seen += data));
			socket.on('error', () => {});
			socket.on('close', () => {
				clearInterval(timer);
				done({ text: seen, closed: true });
			});
		});
		assert.deepEqual(statuses(text), [408]);
		assert.ok(closed);
		assert.ok(Date.now() - began > 9000 && Date.now() - began < 25000);
	});

	test('connections of one address are limited', async () => {
		const sockets = [];
		let turnedAway = 0;
		const connect = (count) => {
			for (let i = 0; i < count; i++) {
				const socket = net.connect(runner.httpPort, '127.0.0.1');
				socket.on('data', (data) => (turnedAway += statuses(data.toString())[0] === 503));
				socket.on('error', () => {});
				sockets.push(socket);
			}
		};
		connect(256);
		// a connection with a begun request is not idle, so it is not closed for a new one
		for (const socket of sockets) socket.write('GET /act/echo HTTP/1.1\r\n');
		await until(() => sockets.every((socket) => socket.bytesWritten > 0 && socket.writableLength === 0));
		connect(44);
		for (const socket of sockets.slice(256)) socket.write('GET /act/echo HTTP/1.1\r\n');
		await until(() => turnedAway >= 40);
		for (const socket of sockets) socket.destroy();
		await until(async () => (await get('/act/echo').catch(() => ({ status: 0 }))).status === 200);
		assert.ok(turnedAway <= 60);
	});
});

describe('HTTP by the letter', () => {
	test('a target with a host is the same request, and its host counts', async () => {
		const { text } = await send(head('GET http://localhost:81/act/echo?x=1 HTTP/1.1', 'Host: a', 'Connection: close'));
		assert.deepEqual(statuses(text), [200]);
		const event = JSON.parse(text.slice(text.indexOf('{')));
		assert.equal(event.path, '/act/echo');
		assert.equal(event.queryParams.x, '1');
		assert.equal(event.headers.host, 'localhost:81');
	});

	test('a tab after a value is white space', async () => {
		const { text, closed } = await send(head('POST /act/echo HTTP/1.1', 'Host: a', 'Content-Length: 5\t') + 'hello'
			+ head('GET /act/echo HTTP/1.1', 'Host: a', 'Connection: close\t'));
		assert.deepEqual(statuses(text), [200, 200]);
		assert.ok(closed);
	});

	test('extensions and trailers of a chunked body are skipped', async () => {
		const { text } = await send(head('POST /act/echo HTTP/1.1', 'Host: a', 'Transfer-Encoding: chunked', 'Connection: close')
			+ '5 ;a=b;c="d;\\"";e\r\nhello\r\n0\r\nX-Sum: 1\r\n\r\n');
		assert.deepEqual(statuses(text), [200]);
		assert.equal(JSON.parse(text.slice(text.indexOf('{'))).body, 'hello');
	});
});

describe('smuggling', () => {
	const SMUGGLED = head('GET /act/smuggled HTTP/1.1', 'Host: a');
	const post = (...lines) => head('POST /act/first HTTP/1.1', 'Host: a', ...lines) + SMUGGLED;
	const forms = {
		'repeated Content-Length': post('Content-Length: 0', 'Content-Length: 44'),
		'the same Content-Length twice': post('Content-Length: 0', 'Content-Length: 0'),
		'a list of lengths': post('Content-Length: 0, 0'),
		'Content-Length with Transfer-Encoding': post('Content-Length: 44', 'Transfer-Encoding: chunked'),
		'Transfer-Encoding with Content-Length': post('Transfer-Encoding: chunked', 'Content-Length: 44'),
		'an odd coding': post('Transfer-Encoding: xchunked'),
		'a coding before chunked': post('Transfer-Encoding: gzip, chunked'),
		'a space before the colon': post('Transfer-Encoding : chunked'),
		'a folded coding': post('Transfer-Encoding:', ' chunked'),
		'a signed length': post('Content-Length: +0'),
		'a hexadecimal length': post('Content-Length: 0x0'),
		'two Hosts': head('GET /act/first HTTP/1.1', 'Host: a', 'Host: b') + SMUGGLED,
		'no Host': head('GET /act/first HTTP/1.1') + SMUGGLED,
		'an empty Host': head('GET /act/first HTTP/1.1', 'Host:') + SMUGGLED,
		'Host with a space': head('GET /act/first HTTP/1.1', 'Host : a') + SMUGGLED,
		'a bare line feed': `GET /act/first HTTP/1.1\nHost: a\n\n${SMUGGLED}`,
		'a NUL': head('GET /act/first HTTP/1.1', 'Host: a', 'X: \0') + SMUGGLED,
		'a bare CR': head('GET /act/first HTTP/1.1', 'Host: a', 'X: \rContent-Length: 0') + SMUGGLED,
		'a version from elsewhere': head('GET /act/first HTTP/9.9', 'Host: a') + SMUGGLED,
		'a chunk size with 0x': post('Transfer-Encoding: chunked').replace(SMUGGLED, `0x5\r\nhello\r\n0\r\n\r\n${SMUGGLED}`),
		'a chunk longer than its size': post('Transfer-Encoding: chunked').replace(SMUGGLED, `1\r\nhello\r\n0\r\n\r\n${SMUGGLED}`),
		'a chunk extension without a name': post('Transfer-Encoding: chunked').replace(SMUGGLED, `5;\r\nhello\r\n0\r\n\r\n${SMUGGLED}`),
		'a request where a trailer belongs': post('Transfer-Encoding: chunked').replace(SMUGGLED, `0\r\n${SMUGGLED}`),
		'a trailer with a space before its colon': post('Transfer-Encoding: chunked').replace(SMUGGLED, `0\r\nX : y\r\n\r\n${SMUGGLED}`),
		'a folded trailer': post('Transfer-Encoding: chunked').replace(SMUGGLED, `0\r\nX: y\r\n z\r\n\r\n${SMUGGLED}`),
		'a port that is none': head('GET /act/first HTTP/1.1', 'Host: a:1:2') + SMUGGLED,
		'an address that is none': head('GET /act/first HTTP/1.1', 'Host: [zz]') + SMUGGLED,
		'a control first in a value': head('GET /act/first HTTP/1.1', 'Host: a', 'X: \x01b') + SMUGGLED,
		'a chunk line with a bare line feed': post('Transfer-Encoding: chunked').replace(SMUGGLED, `5\nhello\r\n0\r\n\r\n${SMUGGLED}`),
	};
	const other = { 'a coding before chunked': 501, 'a version from elsewhere': 505 };
	for (const [name, bytes] of Object.entries(forms)) {
		test(`${name} is refused, the connection closed, and nothing after it served`, async () => {
			const { text, closed } = await send(bytes);
			assert.deepEqual(statuses(text), [other[name] ?? 400], text);
			assert.match(text, /^Connection: close\r$/m);
			assert.match(text, /application\/problem\+json/);
			assert.ok(!text.includes('smuggled'));
			assert.ok(closed);
		});
	}

	test('a head over 16 KiB is a 431', async () => {
		const { text } = await send(head('GET /act/x HTTP/1.1', 'Host: a', `X: ${'x'.repeat(17000)}`));
		assert.deepEqual(statuses(text), [431]);
	});

	test('a refusal of HEAD has no body either', async () => {
		for (const [status, ...lines] of [[431, 'Host: a', `X: ${'x'.repeat(17000)}`], [400, 'Host: a', 'Host: b'],
			[417, 'Host: a', 'Expect: wonders'], [413, 'Host: a', 'Content-Length: 65537']]) {
			const { text } = await send(head('HEAD /raw/plain HTTP/1.1', ...lines));
			assert.deepEqual(statuses(text), [status]);
			assert.match(text, /^Content-Length: [1-9]/m);
			assert.ok(text.endsWith('\r\n\r\n'), text);
		}
	});

	test('a body over 64 KiB is a 413, announced or not', async () => {
		const body = 'x'.repeat(65537);
		assert.equal((await get('/act/x', { method: 'POST', body: 'x'.repeat(65536) })).json().length, 65536);
		assert.deepEqual(statuses((await send(head('POST /act/x HTTP/1.1', 'Host: a', 'Content-Length: 65537') + body)).text), [413]);
		assert.deepEqual(statuses((await send(
			head('POST /act/x HTTP/1.1', 'Host: a', 'Transfer-Encoding: chunked') + `10001\r\n${body}`)).text), [413]);
	});
});

describe('a function that takes large bodies', () => {
	const MAX = 10 * 1024 * 1024;
	const post = (body, path = '/wide/length') => get(path, { method: 'POST', body });

	test('gets a body of ten megabytes of any octets, and one octet more is a 413', async () => {
		const octets = Buffer.from(Array.from({ length: 65536 }, (_, i) => i & 255));
		const body = Buffer.concat(Array(160).fill(octets));
		assert.equal(body.length, MAX);
		const taken = await post(body);
		assert.equal(taken.status, 200, taken.text.slice(0, 500));
		assert.deepEqual(taken.json(), { length: MAX, sum: body.reduce((sum, octet) => (sum + octet) >>> 0, 0) });
		assertProblem(await post(Buffer.concat([body, Buffer.from('x')])), 413, 'body-too-large');
	});

	test('gets a chunked body, and one that is too large is a 413', async () => {
		const chunk = `10000\r\n${'x'.repeat(65536)}\r\n`;
		const start = head('POST /wide/length HTTP/1.1', 'Host: a', 'Connection: close', 'Transfer-Encoding: chunked');
		const whole = await send(`${start}${chunk.repeat(160)}0\r\n\r\n`, { ms: 30000 });
		assert.deepEqual(statuses(whole.text), [200]);
		assert.ok(whole.text.includes(`"length":${MAX}`), whole.text);
		const over = await send(`${start}${chunk.repeat(160)}1\r\nx\r\n0\r\n\r\n`, { ms: 30000 });
		assert.deepEqual(statuses(over.text), [413]);
	});

	test('does not raise the limit for other functions', async () => {
		assertProblem(await post(Buffer.alloc(65537), '/act/x'), 413, 'body-too-large');
	});

	test('holds no more of one client at once than its share, and still serves the next', async () => {
		const part = 'x'.repeat(MAX - 1);
		const start = head('POST /wide/length HTTP/1.1', 'Host: a', `Content-Length: ${MAX}`);
		const held = [];
		try {
			for (let i = 0; i < 2; i++) held.push(hold(start + part));
			const texts = await Promise.race(held.map(({ said }) => said));
			assert.deepEqual(statuses(texts), [503]);
			assert.equal((await post('x'.repeat(1000))).status, 200, 'a small one is accepted');
		} finally {
			for (const { socket } of held) socket.destroy();
		}
		await until(async () => (await post(Buffer.alloc(MAX))).status === 200, 20000);
	});
});

// Opens a connection that sends this text and then waits. Returns { socket, said }, where said is the first
// text from the server.
function hold(bytes) {
	const socket = net.connect(runner.httpPort, '127.0.0.1');
	socket.on('error', () => {});
	socket.write(bytes, 'latin1');
	const said = new Promise((done) => socket.setEncoding('latin1').once('data', done));
	return { socket, said };
}

describe('handlers', () => {
	const pidOf = async (name = 'act') => (await get(`/${name}/pid`)).json();

	test('a handler serves one event after another', async () => {
		assert.equal(await pidOf(), await pidOf());
	});

	test('a crash is a 502 problem, and the next event is served', async () => {
		assertProblem(await get('/act/crash'), 502, 'function-crashed');
		assert.equal((await get('/act/echo')).status, 200);
		assertProblem(await get('/act/exit'), 502, 'function-crashed');
		assert.equal((await get('/act/echo')).status, 200);
	});

	test('a handler killed while idle costs no event', async () => {
		const pid = await pidOf();
		process.kill(pid, 'SIGKILL');
		await until(() => !isAlive(pid));
		assert.notEqual(await pidOf(), pid);
	});

	test('a handler killed while it works costs only its own event', async () => {
		const pid = await pidOf();
		const lost = get('/act/sleep');
		await untilBegun(runner, 'sleep');
		process.kill(pid, 'SIGKILL');
		assertProblem(await lost, 502, 'function-crashed');
		assert.equal((await get('/act/echo')).status, 200);
	});

	test('a handler killed before it begins its event costs none', async () => {
		const pid = await pidOf();
		process.kill(pid, 'SIGSTOP');
		const next = get('/act/pid');
		// time for the event to get into the pipe of the handler
		await new Promise((done) => setTimeout(done, 200));
		process.kill(pid, 'SIGKILL');
		const { status, text } = await next;
		assert.equal(status, 200, text);
		assert.notEqual(JSON.parse(text), pid);
	});

	test('a handler past its timeout is killed, and the answer is 504', async () => {
		const began = Date.now();
		assertProblem(await get('/slow/sleep'), 504, 'function-timed-out');
		assert.ok(Date.now() - began > 950 && Date.now() - began < 10000);
		assert.equal((await get('/slow/echo')).status, 200);
	});

	test('an answer to another event never reaches a client', async () => {
		assertProblem(await get('/raw/wrong-tag'), 502, 'function-crashed');
		assertProblem(await get('/raw/twice'), 502, 'function-crashed');
		assert.deepEqual((await get('/raw/plain')).json(), { hello: 'world' });
	});

	// Sends so many requests that most of their events wait in the pipes of busy handlers.
	const rush = async (odd) => {
		for (let i = 0; i < 15; i++) await Promise.all(Array.from({ length: 40 }, () => get('/quick/echo')));
		const began = Date.now();
		return Promise.all(Array.from({ length: 60 }, async (_, i) => {
			const { status } = await get(i === 20 ? odd : `/quick/echo?number=${i}`);
			return { status, ms: Date.now() - began };
		}));
	};

	test('a crash among many quick requests costs only its own event', async () => {
		for (let times = 0; times < 5; times++) {
			const answers = await rush('/quick/crash');
			assert.deepEqual(answers.map(({ status }) => status).filter((status) => status !== 200), [502]);
			assert.equal(answers[20].status, 502);
		}
	});

	test('a slow request among many quick ones delays no other', async () => {
		const answers = await rush('/quick/sleep');
		assert.equal(answers[20].status, 504);
		assert.ok(answers[20].ms > 4900);
		for (const [i, { status, ms }] of answers.entries())
			if (i !== 20) assert.ok(status === 200 && ms < 4000, `${i}: ${status} after ${ms} ms`);
	});

	test('each of many quick requests gets its own answer', async () => {
		await rush('/quick/echo');
		const numbers = Array.from({ length: 100 }, (_, i) => i);
		const answers = await Promise.all(numbers.map((i) => get(`/quick/echo?number=${i}`)));
		assert.deepEqual(answers.map((answer) => Number(answer.json().queryParams.number)), numbers);
	});

	test('a function without a program gives 502, and the others still work', async () => {
		assertProblem(await get('/absent'), 502, 'function-crashed');
		assert.equal((await get('/act/echo')).status, 200);
	});

	test('a program replaced on disk is used from the next event on', async () => {
		for (let times = 0; times < 10; times++) {
			const fresh = join(functions.folder, 'slow.new');
			copyFileSync(join(BUILD, 'tests/support/handler-http'), fresh);
			const pid = await pidOf('slow');
			renameSync(fresh, join(functions.folder, 'slow'));
			assert.notEqual(await pidOf('slow'), pid);
			await until(() => !isAlive(pid));
		}
	});

	test('a program that is gone leaves its running handlers in service', async () => {
		const pid = await pidOf('slow');
		unlinkSync(join(functions.folder, 'slow'));
		assert.equal(await pidOf('slow'), pid);
		const fresh = join(functions.folder, 'slow.new');
		copyFileSync(join(BUILD, 'tests/support/handler-http'), fresh);
		renameSync(fresh, join(functions.folder, 'slow'));
	});

	test('handlers grow with the load, to four', async () => {
		await Promise.all(Array.from({ length: 12 }, () => get('/act/pause')));
		const { text } = await request(`${runner.opsUrl}/metrics`);
		assert.match(text, /^eds_handlers\{function="act"\} 4$/m);
	});

	test('when all handlers and the queue are full, 503 says when to try again', { timeout: 30000 }, async () => {
		const waiting = Array.from({ length: 200 }, () => send(head('GET /slow/sleep HTTP/1.1', 'Host: a'), { ms: 13000 }));
		const results = await Promise.all(waiting);
		const all = results.flatMap(({ text }) => statuses(text));
		const busy = results.filter(({ text }) => statuses(text)[0] === 503);
		assert.ok(all.every((status) => status === 503 || status === 504));
		assert.ok(busy.length > 100, `${busy.length} of ${results.length}`);
		assert.ok(busy.every(({ text }) => /^Retry-After: \d+\r$/m.test(text)));
	});
});

describe('operations', () => {
	test('health is reported', async () => {
		const response = await request(`${runner.opsUrl}/healthz`);
		assert.equal(response.status, 200);
		assert.equal(response.json().status, 'ok');
		assert.equal((await request(`${runner.opsUrl}/healthz`, { method: 'POST' })).status, 405);
	});

	test('metrics count requests by function and status', async () => {
		const count = async () => {
			const { text, headers } = await request(`${runner.opsUrl}/metrics`);
			assert.match(headers['content-type'], /^text\/plain; version=0\.0\.4/);
			for (const line of text.trim().split('\n'))
				assert.match(line, /^(# (HELP|TYPE) [a-z_]+ .+|[a-z_]+(\{[^}]*\})? [0-9.]+)$/);
			return Number(/eds_http_requests_total\{function="act",status="409"\} (\d+)/.exec(text)?.[1] ?? 0);
		};
		const earlier = await count();
		await get('/act/fail');
		assert.equal(await count(), earlier + 1);
	});

	test('the log has one JSON line a request, with the route, without parameters and query', async () => {
		const { headers } = await get('/act/parameter?token=hushed');
		const id = headers['x-request-id'];
		await until(() => runner.output.err.includes(id));
		const lines = runner.output.err.trim().split('\n').map((line) => JSON.parse(line));
		const { time, traceId, durationMs, bytes, ...line } = lines.find(({ requestId }) => requestId === id);
		assert.match(traceId, /^[0-9a-f]{32}$/);
		assert.deepEqual(line, { level: 'info', function: 'act', requestId: id, method: 'GET', path: '/act/{name}',
			status: 200, client: '127.0.0.1', message: 'request answered' });
		assert.ok(Math.abs(Date.parse(time) - Date.now()) < 5000 && durationMs > 0 && durationMs < 5000);
		assert.equal(bytes, Number(headers['content-length']));
		assert.ok(!runner.output.err.includes('hushed'));
	});
});

describe('behind proxies of ours', () => {
	const FORWARDED = ['203.0.113.9', '198.51.100.4, 127.0.0.2'];
	const clientLogged = async (proxies) => {
		const own = await startRunner({ functions: functions.folder, env: { EDS_TRUSTED_PROXIES: proxies } });
		const { text } = await exchange(own.httpPort, head('GET /act/echo HTTP/1.1', 'Host: localhost', 'Connection: close',
			...FORWARDED.map((list) => `X-Forwarded-For: ${list}`)), { ms: SLOW_MS });
		assert.match(text, /^HTTP\/1\.1 200 /);
		await own.stop();
		return JSON.parse(own.output.err.split('\n').find((line) => line.includes('request answered'))).client;
	};

	test('the log shows the client that the last proxy saw', async () => {
		assert.equal(await clientLogged('127.0.0.0/8'), '198.51.100.4');
		assert.equal(await clientLogged('127.0.0.1'), '127.0.0.2');
	});

	test('addresses sent by other clients are not believed', async () => {
		assert.equal(await clientLogged('10.0.0.0/8'), '127.0.0.1');
	});
});

describe('start and end', () => {
	const start = (options = {}) => startRunner({ functions: functions.folder, ...options });

	test('SIGTERM lets running requests finish and accepts no new ones', async () => {
		const own = await start();
		await request(`${own.baseUrl}/act/echo`);
		const idle = net.connect(own.httpPort, '127.0.0.1');
		const idleClosed = new Promise((done) => idle.on('close', done));
		idle.resume();
		const running = request(`${own.baseUrl}/act/nap`);
		await untilBegun(own, 'nap');
		const handlers = descendantsOf(own.pid);
		assert.ok(handlers.length > 0);
		const stopping = own.stop();
		assert.equal((await running).status, 200);
		await assert.rejects(request(`${own.baseUrl}/act/echo`));
		const { code, seconds } = await stopping;
		await idleClosed;
		assert.equal(code, 0);
		assert.ok(seconds < 15);
		await until(() => handlers.every((pid) => !isAlive(pid)));
	});

	test('an answer under way at SIGTERM says that the connection closes', async () => {
		const own = await start();
		const socket = exchange(own.httpPort, head('GET /act/nap HTTP/1.1', 'Host: localhost'), { ms: 20000 });
		await untilBegun(own, 'nap');
		const stopping = own.stop();
		const { text, closed } = await socket;
		assert.match(text, /^Connection: close\r$/m);
		assert.ok(closed);
		assert.equal((await stopping).code, 0);
	});

	test('a second signal ends the runner at once', async () => {
		const own = await start();
		// after the first signal alone the runner would wait for this request, for 18 seconds
		const running = request(`${own.baseUrl}/long/sleep`).catch(() => {});
		await untilBegun(own, 'sleep');
		process.kill(own.pid, 'SIGINT');
		await until(() => own.output.err.includes('stopping'));
		const { code, seconds } = await own.stop('SIGINT');
		await running;
		assert.equal(code, 0);
		assert.ok(seconds < 10);
	});

	test('no child outlives a runner that is killed', async () => {
		const own = await start();
		await Promise.all(Array.from({ length: 8 }, () => request(`${own.baseUrl}/act/pause`)));
		const handlers = descendantsOf(own.pid);
		assert.ok(handlers.length >= 4);
		await own.stop('SIGKILL');
		await until(() => handlers.every((pid) => !isAlive(pid)));
	});

	test('an address in use stops the start with a sentence', async () => {
		await assert.rejects(start({ env: { EDS_HTTP_LISTEN: `127.0.0.1:${runner.httpPort}` } }),
			/EDS_HTTP_LISTEN: cannot listen on 127\.0\.0\.1:\d+: Address already in use/);
	});

	test('a wrong configuration stops the start with a sentence', async () => {
		await assert.rejects(start({ env: { EDS_HTTP_LISTEN: 'nowhere' } }), /EDS_HTTP_LISTEN/);
	});

	test('a malformed manifest stops the start with a sentence', async () => {
		const broken = testFunctions({});
		writeFileSync(join(broken.folder, 'manifest.json'), '{"functions":{"a":{}}}');
		await assert.rejects(start({ functions: broken.folder }), /manifest\.json cannot be used: a has no timeoutMs/);
		broken.remove();
	});
});
