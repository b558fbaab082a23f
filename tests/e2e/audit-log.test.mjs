// The audit log: each operation of the API that changes an account writes an entry, together with the
// change and only then.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';

import { request } from './support/api.mjs';
import { startDns } from './support/dns.mjs';
import { breaches, operations } from './support/openapi.mjs';
import { aggregate } from './support/reports.mjs';
import { firstToken, startRunner } from './support/runner.mjs';
import { admin, onPostgres, sql } from './support/store.mjs';

const NAME = 'mine.example';
const REPORTER = 'reporter.example';
const REPORT = aggregate({ id: 'r1', domain: NAME, begin: Math.floor(Date.now() / 1000) - 86400, end: Math.floor(Date.now() / 1000),
	records: [{ ip: '192.0.2.1', count: 1 }] });
const HOOK = 'https://hooks.example/eds';
const OTHER_HOOK = 'https://other-hooks.example/secret';

let dns;
let runner;
let owner;

// Sends a request; a body that is a string is sent as a report in XML, any other as JSON.
async function call(token, method, path, body) {
	const isReport = typeof body === 'string';
	const headers = { authorization: `Bearer ${token}`, ...(body && { 'content-type': isReport ? 'text/xml' : 'application/json' }) };
	const answer = await request(`${runner.baseUrl}/api/v1${path}`, { method, headers, body: isReport ? body : body && JSON.stringify(body) });
	assert.deepEqual(breaches(method, `/api/v1${path.replace(/[?].*/, '')}`, answer), []);
	return answer;
}

async function done(token, method, path, body) {
	const answer = await call(token, method, path, body);
	assert.ok(answer.status < 300, `${method} ${path}: ${answer.text}`);
	return answer.json().data;
}

const log = (query = '', token = owner) => done(token, 'GET', `/audit-log${query}`);

before(async () => {
	dns = await startDns([`${NAME} NS 60 ns.${NAME}`, `ns.${NAME} A 60 1.1.1.2`]);
	runner = await startRunner({ env: { EDS_DNS_SERVERS: dns.address } });
	owner = firstToken(runner);
});
after(async () => {
	await runner?.stop();
	await dns?.stop();
});

// A request for each operation, in an order in which each has the objects that it needs: the path under
// /api/v1, the body, the subject of its entry, and the part of the answer that later requests use.
const alertSteps = (whose, of, domain) => ({
	[`create${whose}Alert`]: [() => of(), { url: HOOK }, domain, 'hooks.example', (data) => (had.alert = data.alertId)],
	[`update${whose}Alert`]: [() => of(`/${had.alert}`), { url: OTHER_HOOK }, domain, 'other-hooks.example'],
	[`test${whose}Alert`]: [() => of(`/${had.alert}/test`), undefined, domain, 'other-hooks.example', settle],
	[`send${whose}AlertDelivery`]: [() => of(`/${had.alert}/deliveries/${had.delivery}/send`), undefined, domain, 'other-hooks.example'],
	[`delete${whose}Alert`]: [() => of(`/${had.alert}`), undefined, domain, 'other-hooks.example'],
});
const had = {};
const ofDomain = (more = '') => `/domains/${had.domain}${more}`;
const settle = () => {
	had.delivery = sql(runner, `SELECT id FROM outbox WHERE origin LIKE '%${had.alert}'`);
	sql(runner, `UPDATE outbox SET state = 'delivered', due_at_ms = 0 WHERE id = '${had.delivery}'`);
};
const ASKED = {
	createDomain: [() => '/domains', { name: NAME }, NAME, null, ({ id }) => (had.domain = id)],
	registerSelector: [() => ofDomain('/dkim/selectors'), { selector: 's1' }, NAME, 's1'],
	checkSelector: [() => ofDomain('/dkim/selectors/s1/check'), undefined, NAME, 's1'],
	deleteSelector: [() => ofDomain('/dkim/selectors/s1'), undefined, NAME, 's1'],
	checkPosture: [() => ofDomain('/posture/check'), undefined, NAME, null],
	updateMtaSts: [() => ofDomain('/mta-sts'), { maxAge: 100000 }, NAME, null],
	checkMtaSts: [() => ofDomain('/mta-sts/check'), undefined, NAME, null, () => sql(runner,
		`INSERT INTO report_reporters VALUES ('${had.domain}', '${REPORTER}', '', ${Date.now()}, ${Date.now()}, 0, 0, 1)`)],
	uploadReports: [() => ofDomain('/reports'), REPORT, NAME, null],
	decideReporter: [() => ofDomain(`/reporters/${REPORTER}`), { decision: 'accepted' }, NAME, REPORTER],
	...alertSteps('Domain', (more = '') => ofDomain(`/alerts${more}`), NAME),
	...alertSteps('Account', (more = '') => `/alerts${more}`, null),
	createToken: [() => '/tokens', { name: 'pipeline' }, null, 'pipeline', ({ tokenId }) => (had.token = tokenId)],
	deleteToken: [() => `/tokens/${had.token}`, undefined, null, 'pipeline'],
	deleteDomain: [() => ofDomain(), undefined, NAME, null],
};

test('each operation that changes something of an account writes one entry', async () => {
	const changing = operations.filter(({ method, path }) => method !== 'GET' && path.startsWith('/api/v1/'));
	assert.deepEqual(Object.keys(ASKED).sort(), changing.map(({ operation }) => operation.operationId).sort());
	const { tokenId, name } = (await done(owner, 'GET', '/tokens'))[0];
	const expected = [];
	for (const [action, [path, body, domain, subject, keep = () => {}]] of Object.entries(ASKED)) {
		const { method } = changing.find(({ operation }) => operation.operationId === action);
		keep(await done(owner, method, path(), body));
		expected.unshift({ tokenId, tokenName: name, action, domain, subject });
		const entries = await log();
		assert.deepEqual(entries.map(({ entryId, at, ...entry }) => entry), expected);
		assert.ok(Math.abs(Date.parse(entries[0].at) - Date.now()) < 60000, entries[0].at);
	}
});

describe('no entry is written', () => {
	let domain;
	let entries;
	const isAsBefore = async () => assert.deepEqual(await log(), entries);

	before(async () => {
		domain = await done(owner, 'POST', '/domains', { name: 'quiet.example' });
		entries = await log();
	});

	test('for requests that only read', async () => {
		for (const path of ['/domains', `/domains/${domain.id}`, `/domains/${domain.id}/mta-sts`, `/domains/${domain.id}/posture`, '/alerts', '/tokens'])
			await done(owner, 'GET', path);
		await isAsBefore();
	});

	test('for refused requests', async () => {
		const at = `/domains/${domain.id}`;
		for (const [status, method, path, body] of [
			[409, 'POST', '/domains', { name: 'quiet.example' }],
			[400, 'POST', '/domains', { name: 'none' }],
			[404, 'DELETE', '/domains/none'],
			[404, 'DELETE', `${at}/dkim/selectors/none`],
			[404, 'POST', `${at}/dkim/selectors/none/check`],
			[400, 'PATCH', `${at}/mta-sts`, { maxAge: 1 }],
			[404, 'PATCH', `${at}/reporters/none.example`, { decision: 'blocked' }],
			[404, 'PATCH', `${at}/alerts/none`, { active: false }],
			[404, 'DELETE', '/alerts/none'],
			[404, 'POST', '/alerts/none/test'],
			[400, 'POST', '/tokens', { name: 'x', domains: ['none'] }],
			[404, 'DELETE', '/tokens/none'],
		])
			assert.equal((await call(owner, method, path, body)).status, status, `${method} ${path}`);
		await isAsBefore();
	});

	test('for test sessions', async () => {
		const answer = await request(`${runner.baseUrl}/api/inbound-tester/sessions`, { method: 'POST',
			headers: { authorization: `Bearer ${owner}`, 'content-type': 'application/json' }, body: JSON.stringify({ callbackUrl: HOOK }) });
		assert.equal(answer.status, 201, answer.text);
		await isAsBefore();
	});
});

test('a change that cannot be logged is not made', async (t) => {
	if (onPostgres(runner)) return t.skip('SQLite locks the whole database');
	sql(runner, `CREATE TRIGGER no_entry BEFORE INSERT ON audit_log BEGIN SELECT RAISE(ABORT, 'full'); END`);
	const { status } = await call(owner, 'POST', '/domains', { name: 'unwritten.example' });
	sql(runner, 'DROP TRIGGER no_entry');
	assert.ok(status >= 500, String(status));
	assert.ok(!(await done(owner, 'GET', '/domains')).some(({ name }) => name === 'unwritten.example'));
	await done(owner, 'POST', '/domains', { name: 'unwritten.example' });
	return undefined;
});

test('a token that deletes itself is still named in the log', async () => {
	const { tokenId, token } = await done(owner, 'POST', '/tokens', { name: 'short-lived', access: 'full' });
	await done(token, 'DELETE', `/tokens/${tokenId}`);
	const [entry] = await log('?limit=1');
	assert.deepEqual([entry.action, entry.tokenId, entry.tokenName, entry.subject], ['deleteToken', tokenId, 'short-lived', 'short-lived']);
});

test('the log is read in pages by its account alone, and not with a token limited to some domains', async () => {
	const all = await log();
	const seen = [];
	for (let path = '/api/v1/audit-log?limit=4'; path;) {
		const answer = await request(runner.baseUrl + path, { headers: { authorization: `Bearer ${owner}` } });
		seen.push(...answer.json().data);
		path = /^<([^>]+)>; rel="next"$/.exec(answer.headers.link ?? '')?.[1];
	}
	assert.deepEqual(seen, all);
	assert.ok(all.length > 4);

	admin(runner, { action: 'create-account', name: 'bob', plan: 'free' });
	const bob = admin(runner, { action: 'create-token', account: 'bob', name: 'test', expiresAt: null }).token;
	assert.deepEqual(await log('', bob), []);

	const reader = (await done(owner, 'POST', '/tokens', { name: 'reader' })).token;
	assert.equal((await log('?limit=1', reader))[0].subject, 'reader');
	const [{ id }] = await done(owner, 'GET', '/domains');
	const narrow = (await done(owner, 'POST', '/tokens', { name: 'narrow', access: 'full', domains: [id] })).token;
	const refused = await call(narrow, 'GET', '/audit-log');
	assert.deepEqual([refused.status, refused.json().code], [403, 'token-domains']);
	await done(narrow, 'PATCH', `/domains/${id}/mta-sts`, { maxAge: 200000 });
	const [{ tokenName, action }] = await log('?limit=1');
	assert.deepEqual([tokenName, action], ['narrow', 'updateMtaSts']);
});
