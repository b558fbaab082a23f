// Rules that all operations of the API follow: they refuse unknown query parameters and name the one that
// was probably meant; a shown object has a version, and a client can ask that a change applies only to
// that version; a repeated request creates an object only once; a body with a Content-Encoding is refused;
// a long answer without secrets is compressed for clients that ask for it.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { rmSync } from 'node:fs';
import http from 'node:http';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { gunzipSync } from 'node:zlib';

import { request } from './support/api.mjs';
import { functionsWithoutSchedule } from './support/functions.mjs';
import { breaches, operations } from './support/openapi.mjs';
import { BUILD, firstToken, startRunner } from './support/runner.mjs';
import { environment, sql } from './support/store.mjs';

let functions;
let runner;
let token;

const api = operations.filter(({ path }) => path.startsWith('/api/'));

function call(method, path, { headers = {}, body } = {}) {
	const type = body === undefined ? {} : { 'content-type': 'application/json' };
	return request(`${runner.baseUrl}${path}`, { method,
		headers: { authorization: `Bearer ${token}`, ...type, ...headers },
		body: body === undefined ? undefined : JSON.stringify(body) });
}

before(async () => {
	// without jobs, which check new and changed domains at the next full minute, and so change their versions
	functions = functionsWithoutSchedule();
	runner = await startRunner({ functions, env: { EDS_REPORT_DOMAIN: 'reports.manners.example' } });
	token = firstToken(runner);
});

after(async () => {
	await runner?.stop();
	if (functions) rmSync(functions, { recursive: true });
});

describe('a body with a Content-Encoding', () => {
	const bodies = {
		'/api/v1/domains': { name: 'coded.example' },
		'/api/v1/alerts': { url: 'https://hooks.example/coded' },
		'/api/v1/tokens': { name: 'coded', access: 'read' },
		'/api/inbound-tester/sessions': {},
	};

	for (const [path, body] of Object.entries(bodies))
		test(`is refused at ${path}, and changes nothing`, async () => {
			const count = () => sql(runner, 'SELECT (SELECT count(*) FROM domains), (SELECT count(*) FROM alerts), (SELECT count(*) FROM tokens)');
			const before = count();
			const answer = await call('POST', path, { body, headers: { 'content-encoding': 'gzip' } });
			assert.deepEqual([answer.status, answer.json().code, answer.headers['accept-encoding']],
				[415, 'content-coding-unsupported', 'identity']);
			assert.deepEqual(breaches('POST', path, answer), []);
			assert.equal(count(), before);
		});
});

describe('a query parameter that an operation does not have', () => {
	const filled = (path) => path.replaceAll(/\{\w+\}/g, 'x');
	const names = ({ parameters }) => parameters.filter((one) => one.in === 'query').map(({ name }) => name);
	// "limits"
	const slip = (name) => `${name}s`;

	async function refused(method, path, field) {
		const answer = await call(method, path, { body: method === 'GET' ? undefined : {} });
		assert.equal(answer.status, 400, `${method} ${path}: ${answer.text}`);
		const { code, errors } = answer.json();
		assert.equal(code, 'query-unknown', `${method} ${path}: ${answer.text}`);
		assert.equal(errors[0].field, field, `${method} ${path}`);
		return errors[0].detail;
	}

	test('is refused by each operation of the API', async () => {
		assert.ok(api.length > 40);
		for (const operation of api) {
			const detail = await refused(operation.method, `${filled(operation.path)}?zzzzzzzzzzzzz=1`, 'zzzzzzzzzzzzz');
			const own = names(operation);
			assert.match(detail, own.length === 0 ? /^this operation has no query parameters$/
				: new RegExp(`; there are ${own.join(', ')}$`), `${operation.method} ${operation.path}`);
		}
	});

	test('is answered with the intended name, for each documented parameter', async () => {
		for (const operation of api)
			for (const name of names(operation)) {
				const odd = slip(name);
				assert.match(await refused(operation.method, `${filled(operation.path)}?${odd}=1`, odd),
					new RegExp(`; did you mean ${name}\\?$`));
			}
	});

	test('prevents a change even if the rest of the request is valid', async () => {
		const answer = await call('POST', '/api/v1/domains?dryRun=true', { body: { name: 'never.example' } });
		assert.equal(answer.status, 400);
		assert.deepEqual((await call('GET', '/api/v1/domains')).json().data, []);
	});

	test('is also refused when it is escaped, empty, without a value or repeated', async () => {
		for (const [query, field] of [['%6cimti=1', 'limti'], ['=1', ''], ['limti', 'limti'], ['limti=1&limti=2', 'limti'],
			['a%00b=1', undefined], ["'%20OR%201=1", "' OR 1"], ['%3Cscript%3E=1', '<script>'], [`${'l'.repeat(9000)}=1`, '']]) {
			const answer = await call('GET', `/api/v1/domains?${query}`);
			assert.equal(answer.status, 400, query);
			if (field !== undefined) assert.equal(answer.json().errors[0].field, field);
			assert.ok(answer.text.length < 1000);
		}
	});

	test('is allowed in links to pages and from other services, which may add their own', async () => {
		for (const path of ['/?utm_source=mail', '/openapi.yaml?v=1', '/robots.txt?x'])
			assert.equal((await request(`${runner.baseUrl}${path}`)).status, 200, path);
	});
});

describe('an ETag', () => {
	const v1 = (method, path, more) => call(method, `/api/v1${path}`, more);
	const ifMatch = (tag) => ({ headers: { 'if-match': tag } });
	const TAG = /^"[0-9a-f]{16}(\.[0-9a-f]{16})?"$/;
	let id;

	async function refused(status, code, method, path, more) {
		const answer = await v1(method, path, more);
		assert.equal(answer.status, status, answer.text);
		assert.equal(answer.json().code, code);
	}

	async function done(method, path, more) {
		const answer = await v1(method, path, more);
		assert.ok(answer.status < 300, answer.text);
		assert.match(answer.headers.etag ?? '""', method === 'DELETE' ? /^""$/ : TAG);
		return { tag: answer.headers.etag, ...answer.json().data };
	}

	const tagOf = async (path) => (await v1('GET', path)).headers.etag;

	before(async () => {
		({ id } = await done('POST', '/domains', { body: { name: 'versions.example' } }));
	});

	test('of anything that can be read gives 304 without a body when it is current', async () => {
		const paths = ['', '/dkim/selectors', '/mta-sts', '/posture', '/posture/history', '/reports', '/report-sums?by=day',
			'/sources', '/reporters', '/alerts'].map((rest) => `/domains/${id}${rest}`).concat('/domains', '/alerts', '/tokens');
		await done('POST', `/domains/${id}/posture/check`);
		for (const path of paths) {
			const tag = await tagOf(path);
			assert.match(tag, TAG);
			for (const list of [tag, `W/${tag}`, `"x", ${tag}`, `"a,b" ,, ${tag},`, '*', tag.replace(/"$/, '-gzip"')]) {
				const answer = await v1('GET', path, { headers: { 'if-none-match': list } });
				assert.deepEqual([answer.status, answer.text], [304, ''], `${path} ${list}`);
				assert.equal(answer.headers['content-type'], undefined);
			}
			for (const list of [tag.slice(0, -1), tag.slice(1), `"x${tag}`, `${tag} ${tag}`, '', '"', 'W/', '"0123456789abcdef"'])
				assert.equal((await v1('GET', path, { headers: { 'if-none-match': list } })).status, 200, `${path} ${list}`);
		}
	});

	test('of the MTA-STS configuration lets one of two people change it, and makes the other read it again', async () => {
		const path = `/domains/${id}/mta-sts`;
		const tag = await tagOf(path);
		const mine = await done('PATCH', path, { ...ifMatch(tag), body: { maxAge: 86400 } });
		await refused(412, 'version-changed', 'PATCH', path, { ...ifMatch(tag), body: { maxAge: 90000 } });
		assert.equal((await done('GET', path)).maxAge, 86400);
		assert.notEqual(mine.tag, tag);
		const later = await done('PATCH', path, { ...ifMatch(`"0123456789abcdef", ${await tagOf(path)}`), body: { maxAge: 90000 } });
		assert.equal(later.maxAge, 90000);
		assert.equal((await done('PATCH', path, { ...ifMatch('*'), body: { maxAge: 86400 } })).maxAge, 86400);
	});

	test('lets only one of many simultaneous changes through', async () => {
		const { alertId, tag } = await done('POST', '/alerts', { body: { url: 'https://hooks.example.com/0' } });
		const answers = await Promise.all(Array.from({ length: 12 }, (_, i) =>
			v1('PATCH', `/alerts/${alertId}`, { ...ifMatch(tag), body: { url: `https://hooks.example.com/${i + 1}` } })));
		assert.deepEqual(answers.map(({ status }) => status).sort(), [200, ...Array(11).fill(412)]);
		const winner = answers.find(({ status }) => status === 200);
		const now = await done('GET', `/alerts/${alertId}`);
		assert.deepEqual([now.url, now.tag], [winner.json().data.url, winner.headers.etag]);
		await refused(412, 'version-changed', 'DELETE', `/alerts/${alertId}`, ifMatch(tag));
		await done('DELETE', `/alerts/${alertId}`, ifMatch(now.tag));
		await refused(404, 'alert-not-found', 'DELETE', `/alerts/${alertId}`, ifMatch(now.tag));
	});

	test('comes with a new selector, token or domain', async () => {
		const selector = await done('POST', `/domains/${id}/dkim/selectors`, { body: { selector: 's1' } });
		await refused(412, 'version-changed', 'DELETE', `/domains/${id}/dkim/selectors/s1`, ifMatch('"0123456789abcdef"'));
		await done('DELETE', `/domains/${id}/dkim/selectors/s1`, ifMatch(selector.tag));
		const made = await done('POST', '/tokens', { body: { name: 'ci' } });
		await refused(412, 'version-changed', 'DELETE', `/tokens/${made.tokenId}`, ifMatch('"0123456789abcdef"'));
		await done('DELETE', `/tokens/${made.tokenId}`, ifMatch(made.tag));
		const second = await done('POST', '/domains', { body: { name: 'second.example' } });
		await refused(412, 'version-changed', 'DELETE', `/domains/${second.id}`, ifMatch('"0123456789abcdef"'));
		await done('DELETE', `/domains/${second.id}`, ifMatch(await tagOf(`/domains/${second.id}`)));
	});

	test('that is weak or of another form changes nothing', async () => {
		const path = `/domains/${id}/mta-sts`;
		const tag = await tagOf(path);
		const body = { maxAge: 100000 };
		for (const list of [`W/${tag}`, '"0123456789abcdef"', '"\xff"', '"a,b", "c"'])
			await refused(412, 'version-changed', 'PATCH', path, { ...ifMatch(list), body });
		for (const list of ['', '"', tag.slice(1), tag.slice(0, -1), `${tag} ${tag}`, '* *', `*, ${tag}`, `w/${tag}`, `${tag};q=1`,
			'"a b"', '"'.repeat(9000)])
			await refused(400, 'if-match-invalid', 'PATCH', path, { ...ifMatch(list), body });
		const many = `${'"0123456789abcdef", '.repeat(700)}`;
		await refused(412, 'version-changed', 'PATCH', path, { ...ifMatch(many), body });
		assert.equal(await tagOf(path), tag);
		await done('PATCH', path, { ...ifMatch(many.slice(0, 9000) + tag), body });
	});
});

describe('a request with an Idempotency-Key', () => {
	const DAY_MS = 24 * 3600 * 1000;
	let serial = 0;
	const newKey = () => `"key ${++serial}"`;
	const post = (path, key, body, more = {}) => call('POST', `/api/v1${path}`, { headers: { 'idempotency-key': key, ...more }, body });
	const list = async (path) => (await call('GET', `/api/v1${path}`)).json().data;
	const told = ({ status, text, headers }) => [status, text, headers.etag, headers.location, headers['content-type'], headers['cache-control']];

	async function made(path, key, body, more) {
		const answer = await post(path, key, body, more);
		assert.equal(answer.status, 201, answer.text);
		return answer;
	}

	async function refused(status, code, path, key, body) {
		const answer = await post(path, key, body);
		assert.deepEqual([answer.status, answer.json().code], [status, code], answer.text);
		return answer;
	}

	test('creates a domain, a selector, an alert and a token once, and gets the first answer again', async () => {
		const first = await made('/domains', '"of the domain"', { name: 'once.example' });
		const { id } = first.json().data;
		const asked = [['/domains', { name: 'once.example' }, '"of the domain"'],
			[`/domains/${id}/dkim/selectors`, { selector: 's1' }], [`/domains/${id}/alerts`, { url: 'https://hooks.example.com/once' }],
			['/alerts', { url: 'https://hooks.example.com/once' }], ['/tokens', { name: 'once' }]];
		for (const [path, body, key = newKey()] of asked) {
			const answer = await made(path, key, body);
			const count = (await list(path)).length;
			for (let again = 0; again < 3; again++) assert.deepEqual(told(await post(path, key, body)), told(answer), path);
			assert.equal((await list(path)).length, count, path);
		}
		const entries = (await list('/audit-log')).filter((entry) => [entry.domain, entry.subject].includes('once.example'));
		assert.deepEqual(entries.map(({ action }) => action).sort(), ['createDomain', 'createDomainAlert', 'registerSelector']);
	});

	test('shows a secret again with key and token, and the database does not contain it in clear text', async () => {
		const key = newKey();
		const answer = await made('/tokens', key, { name: 'shown again', access: 'full' });
		const { token: secret } = answer.json().data;
		assert.equal((await post('/tokens', key, { name: 'shown again', access: 'full' })).json().data.token, secret);
		const alert = await made('/alerts', newKey(), { url: 'https://hooks.example.com/secret' });
		const rows = sql(runner, 'SELECT * FROM once_answers');
		assert.ok(rows.length > 1000);
		for (const text of [secret, alert.json().data.secret, 'whsec_', 'eds_', token, 'key '])
			assert.ok(!rows.includes(text), text);
		for (const text of [secret, 'hooks.example.com'])
			assert.ok(!rows.includes(Buffer.from(text).toString('base64').slice(0, 12)), text);
	});

	test('is another request with another token', async () => {
		const { token: other } = (await made('/tokens', newKey(), { name: 'other', access: 'full' })).json().data;
		const key = newKey();
		const body = { url: 'https://hooks.example.com/two' };
		const mine = await made('/alerts', key, body);
		const theirs = await made('/alerts', key, body, { authorization: `Bearer ${other}` });
		assert.notEqual(mine.json().data.alertId, theirs.json().data.alertId);
	});

	test('with the key of another request is refused, and changes nothing', async () => {
		const key = newKey();
		await made('/domains', key, { name: 'reused.example' });
		await refused(422, 'idempotency-key-reused', '/domains', key, { name: 'reused2.example' });
		await refused(422, 'idempotency-key-reused', '/tokens', key, { name: 'reused.example' });
		assert.ok(!(await list('/domains')).some(({ name }) => name === 'reused2.example'));
	});

	test('makes one object when it is sent many times at once', async () => {
		const key = newKey();
		const body = { url: 'https://hooks.example.com/at-once' };
		const answers = await Promise.all(Array.from({ length: 12 }, () => post('/alerts', key, body)));
		const first = answers.find(({ status }) => status === 201);
		for (const answer of answers) {
			if (answer.status === 201) assert.equal(answer.text, first.text);
			else assert.deepEqual([answer.status, answer.json().code, answer.headers['retry-after']], [409, 'idempotency-key-busy', '1']);
		}
		assert.equal((await list('/alerts')).filter(({ url }) => url === body.url).length, 1);
		assert.equal((await post('/alerts', key, body)).text, first.text);
	});

	test('that is malformed is refused, and makes nothing', async () => {
		for (const key of ['', 'unquoted', '"', '""', '"a', 'a"', '"a"b', '"a", "b"', '"a";q=1', '"a\\b"', '"\t"', '"\xe9"', ':YQ==:', `"${'k'.repeat(256)}"`])
			await refused(400, 'idempotency-key-invalid', '/domains', key, { name: 'odd-key.example' });
		assert.ok(!(await list('/domains')).some(({ name }) => name === 'odd-key.example'));
		await made('/domains', `"${'k'.repeat(255)}"`, { name: 'long-key.example' });
		await made('/domains', ' "with \\" and \\\\" ', { name: 'quoted-key.example' });
	});

	test('that failed before can be tried again', async () => {
		const key = newKey();
		const { id } = (await made('/domains', newKey(), { name: 'again.example' })).json().data;
		await refused(409, 'domain-exists', '/domains', key, { name: 'again.example' });
		await call('DELETE', `/api/v1/domains/${id}`);
		await refused(400, 'field-unknown', '/domains', key, { name: 'again.example', x: 1 });
		await made('/domains', key, { name: 'again.example' });
	});

	test('whose process was killed is busy until its claim ends, and then succeeds', async () => {
		const key = newKey();
		const body = { url: 'https://hooks.example.com/killed' };
		const { alertId } = (await made('/alerts', key, body)).json().data;
		const { status } = await call('DELETE', `/api/v1/alerts/${alertId}`);
		assert.equal(status, 200);
		const unanswered = (untilMs) => sql(runner, `UPDATE once_answers SET answer = NULL, until_ms = ${untilMs}
			WHERE at_ms = (SELECT max(at_ms) FROM once_answers)`);
		unanswered(Date.now() + 60000);
		await refused(409, 'idempotency-key-busy', '/alerts', key, body);
		unanswered(Date.now() - 1);
		assert.notEqual((await made('/alerts', key, body)).json().data.alertId, alertId);
	});

	test('is forgotten after a day', async () => {
		const key = newKey();
		await made('/domains', key, { name: 'yesterday.example' });
		sql(runner, `UPDATE once_answers SET at_ms = at_ms - ${DAY_MS - 60000}`);
		await refused(422, 'idempotency-key-reused', '/domains', key, { name: 'today.example' });
		sql(runner, `UPDATE once_answers SET at_ms = at_ms - 60000`);
		await made('/domains', key, { name: 'today.example' });
		execFileSync(join(BUILD, 'functions/reports-expire'), [], { cwd: runner.folder, env: environment(runner), input: JSON.stringify({
			version: '0', id: '1', 'detail-type': 'Scheduled Event', source: 'aws.events', time: '2026-11-20T12:00:00Z', resources: [], detail: {} }) });
		assert.equal(sql(runner, 'SELECT count(*) FROM once_answers'), '1');
	});
});

describe('a long answer', () => {
	// Returns the octets of the answer as they arrive. A list of values for a header is sent
	// as one field for each value.
	function get(path, headers = {}, method = 'GET') {
		return new Promise((done, failed) => {
			const asked = http.request(`${runner.baseUrl}${path}`, { method, headers: { authorization: `Bearer ${token}`, ...headers } }, (res) => {
				const parts = [];
				res.on('data', (part) => parts.push(part));
				res.on('end', () => done({ status: res.statusCode, headers: res.headers, bytes: Buffer.concat(parts) }));
			});
			asked.on('error', failed);
			asked.end();
		});
	}
	const GZIP = { 'accept-encoding': 'gzip, deflate, br' };
	const LIST = '/api/v1/domains?limit=2';

	before(async () => {
		for (const name of ['long1.example', 'long2.example']) await call('POST', '/api/v1/domains', { body: { name } });
		for (let i = 0; i < 12; i++) await call('POST', '/api/v1/tokens', { body: { name: `long ${i}` } });
		for (let i = 0; i < 8; i++) await call('POST', '/api/v1/alerts', { body: { url: `https://hooks.example.com/${'x'.repeat(200)}/${i}` } });
	});

	// Requests the list plain and packed.
	const both = async (path, headers) => [await get(path), await get(path, headers)];

	test('is compressed on request, and has the same content', async () => {
		for (const asked of ['gzip', 'gzip, deflate, br', 'x-gzip;q=0.5', '*', 'identity;q=0, GZIP']) {
			const [plain, packed] = await both(LIST, { 'accept-encoding': asked });
			assert.equal(packed.headers['content-encoding'], 'gzip', asked);
			assert.equal(gunzipSync(packed.bytes).toString(), plain.bytes.toString());
			assert.equal(Number(packed.headers['content-length']), packed.bytes.length);
			assert.ok(packed.bytes.length < plain.bytes.length / 2, `${packed.bytes.length} of ${plain.bytes.length}`);
			assert.equal(packed.headers['content-type'], 'application/json');
			assert.equal(plain.headers['content-encoding'], undefined);
			assert.deepEqual([plain.headers.vary, packed.headers.vary], ['Accept-Encoding', 'Accept-Encoding']);
		}
	});

	test('is not compressed without a valid Accept-Encoding for gzip', async () => {
		for (const asked of ['', 'identity', 'gzip;q=0', 'br', 'gzip;q=x', '*;q=0', 'gzippy', 'gzip;q=0.0000', ['gzip', 'gzip'], ['gzip', 'br'],
			`${'a,'.repeat(6000)}b`]) {
			const answer = await get(LIST, { 'accept-encoding': asked });
			assert.equal(answer.status, 200);
			assert.equal(answer.headers['content-encoding'], undefined, String(asked).slice(0, 100));
			JSON.parse(answer.bytes);
		}
	});

	test('to HEAD has the length that GET would have', async () => {
		const [plain, packed] = await both(LIST, GZIP);
		const head = await get(LIST, GZIP, 'HEAD');
		assert.equal(head.bytes.length, 0);
		assert.equal(head.headers['content-encoding'], 'gzip');
		assert.equal(head.headers['content-length'], packed.headers['content-length']);
		assert.notEqual(plain.headers['content-length'], packed.headers['content-length']);
	});

	test('has another ETag when compressed, which names the same version', async () => {
		const [plain, packed] = await both(LIST, GZIP);
		assert.equal(packed.headers.etag, plain.headers.etag.replace(/"$/, '-gzip"'));
		const known = await get(LIST, { ...GZIP, 'if-none-match': packed.headers.etag });
		assert.deepEqual([known.status, known.headers.etag, known.bytes.length], [304, packed.headers.etag, 0]);
		const made = await call('POST', '/api/v1/alerts', { body: { url: 'https://hooks.example.com/packed' } });
		const { alertId } = made.json().data;
		const tag = made.headers.etag.replace(/"$/, '-gzip"');
		assert.equal((await call('DELETE', `/api/v1/alerts/${alertId}`, { headers: { 'if-match': tag } })).status, 200);
	});

	test('with secrets, or of a few octets, or of a failure is never compressed', async () => {
		for (const path of ['/api/v1/tokens', '/api/v1/alerts']) {
			const answer = await get(path, GZIP);
			assert.ok(answer.bytes.length > 2000, path);
			assert.deepEqual([answer.headers['content-encoding'], answer.headers.vary], [undefined, undefined]);
		}
		const { headers } = await call('POST', '/api/v1/tokens', { headers: GZIP, body: { name: 'secret' } });
		assert.equal(headers['content-encoding'], undefined);
		const { testId } = (await request(`${runner.baseUrl}/api/inbound-tester/sessions`, { method: 'POST', headers: GZIP })).json();
		for (const path of [`/api/inbound-tester/sessions/${testId}`, '/api/v1/domains?limit=0'])
			assert.equal((await get(path, GZIP)).headers['content-encoding'], undefined, path);
	});
});
