// The page and the API behind TLS, from Caddy as infra/caddy/Caddyfile sets it up with SITE=on, over
// HTTP/1.1 and HTTP/2, also with hostile clients.
import assert from 'node:assert/strict';
import http2 from 'node:http2';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';

import { freePort } from '../support/free-port.mjs';
import { fetchPolicy, startCaddy } from './support/caddy.mjs';
import { startRunner, until } from './support/runner.mjs';

const SITE = 'eds.example.com';
const STREAMS = 2000;
const RESETS = 20000;
const PATIENCE_MS = 10000;

describe('the front of page and API', () => {
	let runner;
	let front;
	let port;
	let folder;
	const start = () => startRunner({ folder, env: {
		EDS_HTTP_LISTEN: `127.0.0.1:${port}`,
		EDS_TRUSTED_PROXIES: '127.0.0.1',
		EDS_BLOCKED_NETWORKS: '192.0.2.0/24',
		EDS_TESTER_SESSIONS_PER_HOUR: '0',
		EDS_DNS_SERVERS: '127.0.0.1:9',
	} });
	const get = (path, options = {}) => fetchPolicy(front, SITE, { path, ...options });

	before(async () => {
		port = await freePort();
		folder = mkdtempSync(join(tmpdir(), 'eds-site-'));
		runner = await start();
		front = await startCaddy(runner, { env: { SITE: 'on', SITE_HOST: SITE } });
		// waits until Caddy has made its certificate, which it does at its start
		await until(() => get('/').then(() => true, () => false));
	});
	after(async () => {
		await front?.stop();
		await runner?.stop();
		if (folder) rmSync(folder, { recursive: true, force: true });
	});

	async function connect() {
		const client = http2.connect(`https://127.0.0.1:${front.port}`, { servername: SITE, ca: await front.ca() });
		client.on('error', () => {});
		await new Promise((done) => client.once('remoteSettings', done));
		return client;
	}
	const ask = (client, path, headers = {}) => new Promise((done, failed) => {
		const stream = client.request({ ':path': path, ':authority': SITE, ...headers });
		let status;
		let text = '';
		stream.on('response', (fields) => (status = fields[':status']));
		stream.setEncoding('utf8').on('data', (part) => (text += part));
		stream.on('error', failed).on('close', () => done({ status, text }));
		stream.end();
	});

	test('serves the page with a certificate for its name, and demands TLS from then on', async () => {
		const { status, headers, text, certificate } = await get('/');
		assert.equal(status, 200);
		assert.match(text, /<title>/);
		assert.equal(certificate.subjectaltname, `DNS:${SITE}`);
		assert.equal(headers['strict-transport-security'], 'max-age=31536000');
	});

	test('passes the API on, over HTTP/2 too', async () => {
		const client = await connect();
		const { status, text } = await ask(client, '/api/inbound-tester/sessions', { ':method': 'POST' });
		assert.equal(status, 201);
		const { testId } = JSON.parse(text);
		assert.equal((await get(`/api/inbound-tester/sessions/${testId}`)).status, 200);
		client.close();
	});

	test('does not expose the operations port, and serves nothing under another name', async () => {
		for (const path of ['/metrics', '/healthz', '/readyz', '/certificate-ask?domain=mta-sts.example.com'])
			assert.equal((await get(path)).status, 404, path);
		assert.equal((await get('/', { headers: { host: 'other.example.com' } })).status, 404);
	});

	test('does not believe a client\'s claim of another address', async () => {
		const { status } = await get('/api/v1/check?domain=example.com', { headers: { 'x-forwarded-for': '192.0.2.1' } });
		assert.equal(status, 200); // 192.0.2.1 is blocked and would get 403
	});

	test('gives a connection of HTTP/2 a bounded number of streams, and answers each of those that wait', async () => {
		const client = await connect();
		assert.ok(client.remoteSettings.maxConcurrentStreams <= 250, `${client.remoteSettings.maxConcurrentStreams}`);
		const answers = await Promise.all(Array.from({ length: STREAMS }, () => ask(client, '/robots.txt')));
		assert.deepEqual([...new Set(answers.map(({ status }) => status))], [200]);
		client.close();
	});

	test('serves other clients while one opens streams and resets them at once', async () => {
		const hostile = await connect();
		let over = false;
		const flood = (async () => {
			for (let sent = 0; sent < RESETS && !hostile.destroyed && !over; sent++) {
				hostile.request({ ':path': '/robots.txt', ':authority': SITE }).on('error', () => {}).close(http2.constants.NGHTTP2_CANCEL);
				if (sent % 100 === 0) await new Promise((next) => setImmediate(next));
			}
		})();
		for (let i = 0; i < 20; i++) {
			const began = Date.now();
			assert.equal((await get('/robots.txt')).status, 200);
			assert.ok(Date.now() - began < PATIENCE_MS, `${Date.now() - began} ms`);
		}
		over = true;
		await flood;
		hostile.destroy();
		assert.equal((await get('/')).status, 200);
	});

	test('waits while the runner restarts, so that no request is lost', async () => {
		await runner.stop();
		const asked = Promise.all(Array.from({ length: 20 }, () => get('/robots.txt')));
		runner = await start();
		assert.deepEqual([...new Set((await asked).map(({ status }) => status))], [200]);
	});
});
