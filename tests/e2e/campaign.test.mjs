// A generated campaign: for every operation it sends requests made from the document, and variations
// of them, in an order in which later requests use, remove and use again the objects that earlier
// ones made. There must be no 5xx, no undocumented status, and no answer outside its schema; and a
// request with a single fault must get the status for that fault.
//
//   SEED=1 make campaign     repeats a campaign of 2,000 requests per operation
import assert from 'node:assert/strict';
import http from 'node:http';
import { after, before, test } from 'node:test';

import { steps } from './support/campaign-requests.mjs';
import { ORDER, World, zoneRecords } from './support/campaign-world.mjs';
import { newKey, sendMail } from './support/mail.mjs';
import { startNsd, txt } from './support/nsd.mjs';
import { breaches, operations } from './support/openapi.mjs';
import { aggregate, gzipMail } from './support/reports.mjs';
import { request, startRunner, until } from './support/runner.mjs';
import { admin } from './support/store.mjs';
import { createSession, untilCompleted } from './support/tester.mjs';

const SEED = Number(process.env.SEED ?? Math.floor(Math.random() * 2 ** 31));
const REQUESTS = Number(process.env.CAMPAIGN_REQUESTS ?? 150);
const MESSAGE = 'From: a@d1.valid.test\r\nSubject: hello\r\nMessage-ID: <1@d1.valid.test>\r\n\r\nHello.\r\n';

let nsd;
let runner;
let world;
const agent = new http.Agent({ keepAlive: true });

const newToken = (account, name, expiresAt = null) => admin(runner, { action: 'create-token', account, name, expiresAt });

async function makeTokens() {
	for (const [name, plan] of [['own', 'paid'], ['other', 'free']]) admin(runner, { action: 'create-account', name, plan });
	const revoked = newToken('own', 'revoked');
	admin(runner, { action: 'revoke-token', id: revoked.id });
	const expiry = Math.ceil(Date.now() / 1000 + 1) * 1000;
	const expired = newToken('own', 'expired', `${new Date(expiry).toISOString().slice(0, 19)}Z`);
	await until(() => Date.now() > expiry, 10000);
	return { good: newToken('own', 'good').token, other: newToken('other', 'good').token,
		expired: expired.token, revoked: revoked.token };
}

async function makeCompleted() {
	const { testId, email } = await createSession(runner);
	await sendMail(runner.smtpPort, { to: email, message: MESSAGE });
	await untilCompleted(runner, testId);
	return testId;
}

async function createDomain(token, name) {
	const answer = await request(`${runner.baseUrl}/api/v1/domains`, {
		method: 'POST',
		headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
		body: JSON.stringify({ name }),
	});
	assert.equal(answer.status, 201, answer.text);
	return answer.json().data;
}

// A domain with a report, and with a mail that contained none.
async function makeReported(token) {
	const { id, name, reportAddress: to } = await createDomain(token, 'reported.valid.test');
	const signatures = [{ domain: name, selector: 's1' }];
	const report = aggregate({ id: '1', domain: name, begin: 1, end: 2, records: [{ signatures }] });
	const list = async () => (await request(`${runner.baseUrl}/api/v1/domains/${id}/reports`,
		{ headers: { authorization: `Bearer ${token}` } })).json().data;

	for (const message of [gzipMail(report), MESSAGE]) await sendMail(runner.smtpPort, { to, message });
	await until(async () => (await list()).length === 2, 30000);
	const { data: reporters } = (await request(`${runner.baseUrl}/api/v1/domains/${id}/reporters`,
		{ headers: { authorization: `Bearer ${token}` } })).json();
	assert.ok(reporters.length > 0);
	return { id, reports: (await list()).map((line) => line.id), reporters: reporters.map((reporter) => reporter.domain) };
}

before(async () => {
	nsd = await startNsd(zoneRecords((type) => txt(newKey(type, 1024).record)));
	runner = await startRunner({ env: { EDS_DNS_SERVERS: nsd.address, EDS_TESTER_SESSIONS_PER_HOUR: '0', EDS_CONTACT: 'abuse@example.com',
		EDS_QUOTA_FREE: 'domains=0,selectors=0,checks=0,certificates=0',
		EDS_QUOTA_PAID: 'domains=0,selectors=0,checks=0,certificates=0' }, log: 'file' });
	const tokens = await makeTokens();
	const { id: foreign } = await createDomain(tokens.other, 'foreign.test');
	const reported = await makeReported(tokens.good);
	world = new World({ tokens, foreign, completed: [await makeCompleted()], reported,
		submitted: [(await createSession(runner)).testId, (await createSession(runner)).testId] });
});

after(async () => {
	agent.destroy();
	await runner?.stop();
	await nsd?.stop();
});

// The path is sent as it is written, without the changes that URL() would make.
function send({ method, path, query, headers, body }) {
	return new Promise((done, failed) => {
		const req = http.request({ host: '127.0.0.1', port: runner.httpPort, method, path: path + query, agent,
			headers: body === undefined ? headers : { ...headers, 'content-length': Buffer.byteLength(body) } }, (res) => {
			const parts = [];
			res.on('data', (part) => parts.push(part));
			res.on('error', failed);
			res.on('end', () => done({ status: res.statusCode, headers: res.headers, text: Buffer.concat(parts).toString() }));
		});
		req.on('error', failed);
		req.end(body);
	});
}

function judge(sent, answer) {
	const found = breaches(sent.method, sent.path, answer);
	if (answer.status >= 500 && answer.status !== 501) found.push(`status ${answer.status}`);
	if (sent.expect && !sent.expect.includes(answer.status))
		found.push(`status ${answer.status}, where ${sent.expect.join(' or ')} is due`);
	return found;
}

function describeCase(sent, answer, at) {
	const body = sent.body === undefined ? '' : `\n${JSON.stringify(sent.body.toString().slice(0, 1000))}`;
	return `${at}, SEED=${SEED}\n${sent.method} ${JSON.stringify((sent.path + sent.query).slice(0, 1000))} ` +
		`${JSON.stringify(sent.headers).slice(0, 1000)}${body}\n-> ${answer.status} ${answer.text.slice(0, 1000)}`;
}

async function removeDomain(id) {
	const { good } = world.tokens;
	const sent = { method: 'DELETE', path: `/api/v1/domains/${id}`, query: '', account: 'good',
		headers: { authorization: `Bearer ${good}` }, expect: [200] };
	const answer = await send(sent);
	assert.deepEqual(judge(sent, answer), []);
	world.learn('deleteDomain', sent, answer);
}

test(`no answer to ${REQUESTS} requests an operation breaks the contract (SEED=${SEED})`, async () => {
	const byName = Object.fromEntries(operations.map((entry) => [entry.operation.operationId, entry]));
	const plan = Object.fromEntries(ORDER.map((name) => [name, steps(name, REQUESTS, SEED)]));
	const statuses = {};

	assert.deepEqual([...ORDER].sort(), Object.keys(byName).sort());
	for (let i = 0; i < REQUESTS; i++) {
		for (const name of ORDER) {
			const sent = world.request(name, byName[name], plan[name][i]);
			const answer = await send(sent).catch((error) => {
				throw new Error(describeCase(sent, { status: error.code, text: error.message }, `${name} ${i}`));
			});
			const found = judge(sent, answer);
			assert.deepEqual(found, [], describeCase(sent, answer, `${name} ${i}`) + `\n${found.join('\n')}`);
			statuses[answer.status] = (statuses[answer.status] ?? 0) + 1;
			for (const id of world.learn(name, sent, answer)) await removeDomain(id);
		}
	}
	console.log(`SEED=${SEED} ${JSON.stringify(statuses)}`);
	for (const status of [200, 201, 400, 401, 404, 409, 413, 415]) assert.ok(statuses[status] > 0, `no ${status}`);
});
