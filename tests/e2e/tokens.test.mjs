// Tokens that an account makes itself: for a pipeline that may only read, for one domain, for one
// day; and the requests that each of them may not make.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';

import { request } from './support/api.mjs';
import { firstToken, startRunner } from './support/runner.mjs';
import { admin } from './support/store.mjs';

const HOUR_MS = 3600000;

let runner;
let owner; // the token that the runner made at its first start
let mine;
let other;

function call(token, method, path, body) {
	const headers = { authorization: `Bearer ${token}` };
	if (body) headers['content-type'] = 'application/json';
	return request(`${runner.baseUrl}/api/v1${path}`, { method, headers, body: body ? JSON.stringify(body) : undefined });
}

async function done(token, method, path, body) {
	const answer = await call(token, method, path, body);
	assert.ok(answer.status < 300, answer.text);
	return answer.json().data;
}

async function refused(status, code, token, method, path, body) {
	const answer = await call(token, method, path, body);
	assert.equal(answer.status, status, `${method} ${path}: ${answer.text}`);
	assert.equal(answer.json().code, code);
}

const make = (body, by = owner) => done(by, 'POST', '/tokens', body);
const inHours = (hours) => new Date(Date.now() + hours * HOUR_MS).toISOString().replace(/\.\d+/, '');

before(async () => {
	runner = await startRunner();
	owner = firstToken(runner);
	mine = await done(owner, 'POST', '/domains', { name: 'mine.example' });
	other = await done(owner, 'POST', '/domains', { name: 'other.example' });
});
after(() => runner?.stop());

describe('a token made over the API', () => {
	test('is shown once, and listed without itself, with when it was used', async () => {
		const made = await make({ name: 'laptop', access: 'full' });
		assert.match(made.token, /^eds_[0-9A-Za-z]{36}$/);
		assert.deepEqual([made.name, made.access, made.domains, made.expiresAt, made.lastUsedAt, made.current],
			['laptop', 'full', null, null, null, false]);
		await done(made.token, 'GET', '/domains');
		const answer = await call(made.token, 'GET', '/tokens');
		assert.equal(answer.headers['cache-control'], 'no-store');
		assert.doesNotMatch(answer.text, /eds_/);
		const { token, ...shown } = made;
		const { lastUsedAt, ...listed } = answer.json().data.find(({ tokenId }) => tokenId === made.tokenId);
		assert.deepEqual({ ...listed, lastUsedAt: null }, { ...shown, current: true });
		assert.ok(Math.abs(Date.parse(lastUsedAt) - Date.now()) < HOUR_MS, lastUsedAt);
		assert.equal(answer.json().data.filter(({ current }) => current).length, 1);
		assert.doesNotMatch(runner.output.err, new RegExp(token));
	});

	test('is refused as soon as it is deleted, even by itself', async () => {
		const made = await make({ name: 'gone', access: 'full' });
		assert.deepEqual(await done(made.token, 'DELETE', `/tokens/${made.tokenId.toUpperCase()}`), { tokenId: made.tokenId, deleted: true });
		await refused(401, 'token-invalid', made.token, 'GET', '/domains');
		await refused(404, 'token-not-found', owner, 'DELETE', `/tokens/${made.tokenId}`);
	});

	test('is refused once it has expired', async () => {
		const soon = new Date(Date.now() + 4000).toISOString().replace(/\.\d+/, '');
		const made = await make({ name: 'short', expiresAt: soon });
		for (;;) {
			const { status } = await call(made.token, 'GET', '/domains');
			if (status === 401) break;
			assert.equal(status, 200);
			await new Promise((resolve) => setTimeout(resolve, 100));
		}
		assert.ok(Date.now() >= Date.parse(soon));
		await refused(401, 'token-invalid', made.token, 'GET', '/domains');
	});

	test('of another account is treated as missing', async () => {
		admin(runner, { action: 'create-account', name: 'bob', plan: 'free' });
		const { token, id } = admin(runner, { action: 'create-token', account: 'bob', name: 'test', expiresAt: null });
		assert.deepEqual((await done(token, 'GET', '/tokens')).map(({ tokenId }) => tokenId), [id]);
		const made = await make({ name: 'alone' });
		await refused(404, 'token-not-found', token, 'DELETE', `/tokens/${made.tokenId}`);
		await done(made.token, 'GET', '/domains');
		await refused(400, 'field-invalid', token, 'POST', '/tokens', { name: 'x', domains: [mine.id] });
	});
});

describe('a token that may only read', () => {
	let reader;
	before(async () => { reader = (await make({ name: 'monitoring' })).token; });

	test('reads everything', async () => {
		for (const path of ['/domains', `/domains/${mine.id}`, `/domains/${mine.id}/dkim/selectors`, `/domains/${mine.id}/mta-sts`,
			`/domains/${mine.id}/posture`, `/domains/${mine.id}/reports`, '/alerts', '/tokens'])
			for (const method of ['GET', 'HEAD']) assert.equal((await call(reader, method, path)).status, 200, `${method} ${path}`);
	});

	test('changes nothing', async () => {
		const before = await done(owner, 'GET', `/domains/${mine.id}/mta-sts`);
		for (const [method, path, body] of [
			['POST', '/domains', { name: 'new.example' }],
			['DELETE', `/domains/${mine.id}`],
			['POST', `/domains/${mine.id}/dkim/selectors`, { selector: 's1' }],
			['POST', `/domains/${mine.id}/posture/check`],
			['POST', `/domains/${mine.id}/mta-sts/check`],
			['PATCH', `/domains/${mine.id}/mta-sts`, { enabled: true }],
			['POST', `/domains/${mine.id}/alerts`, { url: 'https://hooks.example.com/' }],
			['POST', '/alerts', { url: 'https://hooks.example.com/' }],
			['POST', '/tokens', { name: 'more' }],
			['DELETE', '/tokens/none'],
			['DELETE', '/domains/none'],
		])
			await refused(403, 'token-read-only', reader, method, path, body);
		assert.deepEqual(await done(owner, 'GET', `/domains/${mine.id}/mta-sts`), before);
		assert.equal((await done(owner, 'GET', '/domains')).length, 2);
	});
});

describe('a token of one domain', () => {
	let narrow;
	before(async () => { narrow = (await make({ name: 'ci', access: 'full', domains: [mine.id] })).token; });

	test('sees and changes that domain, and no other', async () => {
		assert.deepEqual((await done(narrow, 'GET', '/domains')).map(({ name }) => name), ['mine.example']);
		await done(narrow, 'PATCH', `/domains/${mine.id}/mta-sts`, { maxAge: 100000 });
		await refused(404, 'domain-not-found', narrow, 'GET', `/domains/${other.id}`);
		await refused(404, 'domain-not-found', narrow, 'DELETE', `/domains/${other.id}`);
		await done(owner, 'GET', `/domains/${other.id}`);
	});

	test('cannot act for the whole account', async () => {
		for (const [method, path, body] of [
			['POST', '/domains', { name: 'new.example' }],
			['GET', '/alerts'], ['POST', '/alerts', { url: 'https://hooks.example.com/' }],
			['GET', '/tokens'], ['POST', '/tokens', { name: 'all', access: 'full' }], ['DELETE', '/tokens/none'],
		])
			await refused(403, 'token-domains', narrow, method, path, body);
	});
});

test('a token that expires makes none that is valid for longer', async () => {
	const day = (await make({ name: 'a day', access: 'full', expiresAt: inHours(24) })).token;
	await refused(403, 'token-outlives', day, 'POST', '/tokens', { name: 'for ever', access: 'full' });
	await refused(403, 'token-outlives', day, 'POST', '/tokens', { name: 'longer', expiresAt: inHours(25) });
	const hour = await make({ name: 'an hour', access: 'full', expiresAt: inHours(1) }, day);
	await done(hour.token, 'GET', '/tokens');
});

test('a wrong request is refused with its field', async () => {
	for (const [field, body] of [
		['name', {}], ['name', { name: '' }], ['name', { name: 'a\nb' }], ['name', { name: 'x'.repeat(101) }], ['name', { name: 7 }],
		['access', { name: 'a', access: 'write' }], ['access', { name: 'a', access: null }],
		['expiresAt', { name: 'a', expiresAt: 'tomorrow' }], ['expiresAt', { name: 'a', expiresAt: '2020-01-01T00:00:00Z' }],
		['domains', { name: 'a', domains: [] }], ['domains', { name: 'a', domains: 'all' }],
		['domains[0]', { name: 'a', domains: [7] }], ['domains[1]', { name: 'a', domains: [mine.id, mine.id] }],
		['domains[1]', { name: 'a', domains: [mine.id, 'none'] }],
	]) {
		const answer = await call(owner, 'POST', '/tokens', body);
		assert.equal(answer.status, 400, JSON.stringify(body));
		assert.equal(answer.json().errors[0].field, field, JSON.stringify(body));
	}
	await refused(400, 'field-unknown', owner, 'POST', '/tokens', { name: 'a', scope: 'all' });
});
