// A public instance: it names the contact of its operator, and it can block networks that abuse it.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';

import { request } from './support/api.mjs';
import { openSmtp } from './support/mail.mjs';
import { startRunner } from './support/runner.mjs';
import { createSession } from './support/tester.mjs';

const NOWHERE = '127.0.0.1:9'; // nothing answers at this address, so every DNS question fails at once
const DAY_MS = 86400 * 1000;

const titleOf = (page) => /<a class="brand"[^>]*>.*<span>(.*?)<\/span><\/a>/.exec(page)[1];

describe('an instance whose operator is named', () => {
	let runner;
	before(async () => (runner = await startRunner({ env: {
		EDS_TITLE: 'Prüfstelle von Example', EDS_BASE_URL: 'https://eds.example.com', EDS_CONTACT: 'abuse&co?@example.com',
		EDS_IMPRINT_URL: 'https://example.com/imprint?language=en&x=1', EDS_PRIVACY_URL: 'https://example.com/privacy',
	} })));
	after(() => runner?.stop());

	test('has its name in the head of its page, and links to contact, imprint and privacy notice at the foot', async () => {
		const { status, text, headers } = await request(`${runner.baseUrl}/`);
		assert.equal(status, 200);
		assert.equal(titleOf(text), 'Prüfstelle von Example');
		const foot = /<footer[^>]*>(.*)<\/footer>/.exec(text)[1];
		assert.deepEqual([...foot.matchAll(/<a href="([^"]*)">([^<]*)<\/a>/g)].map(([, href, words]) => [words, href]), [
			['API documentation', '/docs'],
			['Contact', 'mailto:abuse%26co%3F@example.com'],
			['Imprint', 'https://example.com/imprint?language=en&amp;x=1'],
			['Privacy', 'https://example.com/privacy'],
		]);
		const again = await request(`${runner.baseUrl}/`, { headers: { 'If-None-Match': headers.etag } });
		assert.equal(again.status, 304);
	});

	test('says in security.txt whom to contact about a vulnerability, valid for half a year', async () => {
		const { status, text, headers } = await request(`${runner.baseUrl}/.well-known/security.txt`);
		assert.equal(status, 200);
		assert.equal(headers['content-type'], 'text/plain; charset=utf-8');
		const [, expires] = /^Expires: (.*)$/m.exec(text);
		assert.equal(text, `Contact: mailto:abuse%26co%3F@example.com\nExpires: ${expires}\nPreferred-Languages: en\n`
			+ 'Canonical: https://eds.example.com/.well-known/security.txt\n');
		assert.match(expires, /^\d{4}-\d\d-\d\dT00:00:00Z$/);
		const days = (Date.parse(expires) - Date.now()) / DAY_MS;
		assert.ok(days > 178 && days <= 180, `${days} days`);
	});
});

test('without a named operator there is no security.txt, and only the API is linked at the foot of the page', async () => {
	const runner = await startRunner({});
	try {
		const { status, json } = await request(`${runner.baseUrl}/.well-known/security.txt`);
		assert.deepEqual([status, json().code], [404, 'asset-not-found']);
		const { text } = await request(`${runner.baseUrl}/`);
		assert.equal(titleOf(text), 'eds');
		assert.equal(/<footer.*<\/footer>/.exec(text)[0].match(/<a /g).length, 1);
	} finally {
		await runner.stop();
	}
});

describe('a network that is blocked', () => {
	let runner;
	let testId;
	before(async () => {
		runner = await startRunner({ env: { EDS_DNS_SERVERS: NOWHERE, EDS_TRUSTED_PROXIES: '127.0.0.1', EDS_SMTP_TRUSTED: '127.0.0.1',
			EDS_BLOCKED_NETWORKS: '203.0.113.0/24, 2001:db8:bad::/48' } });
		({ testId } = await createSession(runner));
	});
	after(() => runner?.stop());

	const ask = (client, method, path, body) => request(`${runner.baseUrl}${path}`, {
		method, body, headers: { 'X-Forwarded-For': client, ...(body && { 'Content-Type': 'message/rfc822' }) } });
	const guests = [
		['cannot make a test address', 'POST', '/api/inbound-tester/sessions', 201],
		['cannot upload a message', 'POST', (id) => `/api/inbound-tester/sessions/${id}/message?clientIp=192.0.2.1`, 202, 'Subject: x\r\n\r\nx\r\n'],
		['cannot have a message analyzed again', 'POST', '/api/inbound-tester/sessions/none/reanalyze', 404],
		['cannot have a domain checked', 'GET', '/api/v1/check?domain=example.com', 200],
		['cannot post a TLS report', 'POST', '/tls-reports/none', 415, 'x'],
	];
	for (const [title, method, path, otherwise, body] of guests)
		test(title, async () => {
			const at = typeof path === 'string' ? path : path(testId);
			for (const client of ['203.0.113.7', '2001:db8:bad:1::2', '::ffff:203.0.113.7']) {
				const { status, json } = await ask(client, method, at, body);
				assert.deepEqual([status, json().code], [403, 'client-blocked'], client);
			}
			assert.equal((await ask('203.0.114.7', method, at, body)).status, otherwise);
		});

	test('cannot send mail, and its first message is refused', async () => {
		for (const [client, reply] of [['203.0.113.7', /^554 5\.7\.1 mail from your network is not accepted here/],
			['IPV6:2001:db8:bad:1::2', /^554 5\.7\.1 /], ['203.0.114.7', /^250 /]]) {
			const smtp = await openSmtp(runner.smtpPort);
			await smtp.say('EHLO proxy');
			assert.match(await smtp.say(`XCLIENT ADDR=${client} HELO=mail.example`), /^220 /);
			await smtp.say('EHLO mail.example');
			assert.match(await smtp.say('MAIL FROM:<a@mail.example>'), reply, client);
			await smtp.say('QUIT');
		}
	});

	test('can still see the page and results', async () => {
		assert.equal((await ask('203.0.113.7', 'GET', '/')).status, 200);
		assert.equal((await ask('203.0.113.7', 'GET', `/api/inbound-tester/sessions/${testId}`)).status, 200);
	});
});
