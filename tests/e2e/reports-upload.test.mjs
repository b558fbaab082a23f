// Reports that the owner of a domain uploads as files: from another tool, from a mailbox, from the time
// before the account.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { gzipSync } from 'node:zlib';

import { request } from './support/api.mjs';
import { sendMail } from './support/mail.mjs';
import { startDns } from './support/dns.mjs';
import { startNsd } from './support/nsd.mjs';
import { aggregate, gzipMail, reporterRecords, signedByReporter, tar, tlsReport, zip } from './support/reports.mjs';
import { startRunner, until } from './support/runner.mjs';
import { admin } from './support/store.mjs';

const DAY_S = 86400;
const MB = 1024 * 1024;
const yesterday = Math.floor(Date.now() / 1000 / DAY_S - 1) * DAY_S;

let nsd;
let runner;
let own;

const authorization = (token) => ({ authorization: `Bearer ${token}` });

before(async () => {
	nsd = await startNsd([...reporterRecords]);
	runner = await startRunner({ env: { EDS_DNS_SERVERS: nsd.address } });
	admin(runner, { action: 'create-account', name: 'own', plan: 'paid' });
	own = authorization(admin(runner, { action: 'create-token', account: 'own', name: 'test', expiresAt: null }).token);
});
after(async () => {
	await runner?.stop();
	await nsd?.stop();
});

async function call(method, path, body) {
	const answer = await request(`${runner.baseUrl}/api/v1${path}`, {
		method, headers: { ...own, 'content-type': 'application/json' }, body: body && JSON.stringify(body) });
	return answer.json().data;
}
const addDomain = (name) => call('POST', '/domains', { name });
const logOf = ({ id }) => call('GET', `/domains/${id}/reports`);
const totalOf = async ({ id }) => (await call('GET', `/domains/${id}/report-sums?by=day`)).sums.reduce((sum, { messages }) => sum + messages, 0);
const send = ({ id }, type, body, headers = own) =>
	request(`${runner.baseUrl}/api/v1/domains/${id}/reports`, { method: 'POST', headers: { ...headers, 'content-type': type }, body });
const upload = async (domain, type, body) => (await send(domain, type, body)).json().data;

const about = (domain, id, more = {}) => aggregate({ id, domain: domain.name, begin: yesterday, end: yesterday + DAY_S - 1,
	records: [{ count: 4, signatures: [{ domain: domain.name, selector: 's1' }] }], ...more });

describe('an uploaded file', () => {
	test('has an outcome for each report, counts, and is shown as uploaded', async () => {
		const domain = await addDomain('files.example');
		const results = await upload(domain, 'application/zip', zip({
			'good.xml': about(domain, 'f1'), 'cut.xml': about(domain, 'f2').slice(0, 250), 'again.xml': about(domain, 'f1'),
			'tls.json': tlsReport({ id: 'f3', domain: domain.name, successful: 9 }) }));
		assert.deepEqual(results.map(({ file, outcome, kind, reason }) => [file, outcome, kind, reason?.code ?? null]), [
			['good.xml', 'accepted', 'dmarc', null], ['cut.xml', 'refused', 'dmarc', 'report-truncated'],
			['again.xml', 'duplicate', 'dmarc', null], ['tls.json', 'accepted', 'tls', null]]);
		const line = (await logOf(domain)).find(({ id }) => id === results[0].id);
		assert.deepEqual([line.state, line.via, line.counts, line.mailFrom, line.total], ['read', 'upload', true, null, 4]);
		assert.deepEqual(line.reporter, { domain: 'receiver.example', standing: 'uploaded', spf: null, dkim: null, dmarc: null });
		assert.equal(await totalOf(domain), 4);
		assert.equal((await call('GET', `/domains/${domain.id}/reporters`))[0].standing, 'unverified');
	});

	test('has the same report in any of its formats', async () => {
		const domain = await addDomain('forms.example');
		const text = about(domain, 'o1');
		const forms = [['application/xml', text], ['application/gzip', gzipSync(text)], ['application/zip', zip({ 'a.xml': text })],
			['application/x-tar', tar({ 'a.xml': text })], ['application/gzip', gzipSync(tar({ 'a.xml': text }))],
			['message/rfc822', gzipMail(text)], ['application/octet-stream', gzipSync(gzipSync(text))]];
		const outcomes = [];
		for (const [type, body] of forms) outcomes.push((await upload(domain, type, body))[0].outcome);
		assert.deepEqual(outcomes, ['accepted', ...Array(6).fill('duplicate')]);
		assert.equal(await totalOf(domain), 4);
	});

	test('may be a tar of many reports, each with its outcome, and the answer says when some were not read', async () => {
		const domain = await addDomain('many.example');
		const many = (count) => gzipSync(tar(Object.fromEntries(Array.from({ length: count }, (_, i) => [`${i}.xml`, about(domain, `t${i}`)]))));
		const results = await upload(domain, 'application/gzip', many(65));
		assert.deepEqual(results.map(({ file, outcome }) => `${file} ${outcome}`), Array.from({ length: 65 }, (_, i) => `${i}.xml accepted`));
		assert.equal(await totalOf(domain), 65 * 4);
		assert.deepEqual((await upload(domain, 'application/gzip', many(65))).map(({ outcome }) => outcome), Array(65).fill('duplicate'));
		const past = await upload(domain, 'application/gzip', many(201));
		assert.deepEqual(past.slice(65, 200).map(({ outcome }) => outcome), Array(135).fill('accepted'));
		assert.deepEqual(past.slice(200).map(({ outcome, reason }) => [outcome, reason.code]), [['refused', 'reports-too-many']]);
		assert.equal(await totalOf(domain), 200 * 4);
	});

	test('tells of each part that looks like a report, also of those that cannot be read', async () => {
		const domain = await addDomain('parts.example');
		const results = await upload(domain, 'application/x-tar', tar({ '1.xml.gz': gzipSync(about(domain, 'p1')), '2.xml.gz': Buffer.from('1f8b08ffffff', 'hex'),
			'3.xml': `<!DOCTYPE a [<!ENTITY b "c">]>${about(domain, 'p2')}`, 'photo.png': Buffer.from('89504e470d0a', 'hex'), '4.xml.gz': gzipSync(about(domain, 'p3')) }));
		assert.deepEqual(results.map(({ file, outcome, reason }) => [file, outcome, reason?.code ?? null]), [['1.xml.gz', 'accepted', null],
			['2.xml.gz', 'refused', 'archive-damaged'], ['3.xml', 'refused', 'report-doctype'], ['4.xml.gz', 'accepted', null]]);
		assert.equal(await totalOf(domain), 2 * 4);
	});

	test('may be a mailbox, an archive of mails, or texts one after the other, of which each report is read', async () => {
		const domain = await addDomain('saved.example');
		let next = 0;
		const mails = (count) => Array.from({ length: count }, () => gzipMail(about(domain, `s${next++}`)));
		const mailbox = mails(25).map((mail) => `From noreply@receiver.example Thu Nov 19 12:00:00 2026\n${mail}\n\n`).join('');
		const forms = [['application/mbox', mailbox, 25], ['application/gzip', gzipSync(mailbox), 25], ['application/zip', zip(Object.fromEntries(mails(3).entries())), 3],
			['application/gzip', Buffer.concat([about(domain, 'a'), about(domain, 'b')].map((text) => gzipSync(text))), 2],
			['text/xml', `${about(domain, 'c')}\n${about(domain, 'd')}`, 2]];
		const accepted = [];
		for (const [type, body] of forms) accepted.push((await upload(domain, type, body)).map(({ outcome }) => outcome));
		assert.deepEqual(accepted, forms.map(([type, , count]) => Array(count).fill(type === 'application/gzip' && count === 25 ? 'duplicate' : 'accepted')));
		assert.equal(await totalOf(domain), (25 + 3 + 2 + 2) * 4);
	});

	test('whose texts are long and of control characters is answered as a whole', async () => {
		const domain = await addDomain('escapes.example');
		const control = (length) => '\u0001'.repeat(length);
		const members = Object.fromEntries(Array.from({ length: 200 }, (_, i) => [`${control(500)}${i}`,
			tlsReport({ id: `${control(250)}${i}`, org: control(512), domain: control(253), successful: 1 })]));
		const results = await upload(domain, 'application/zip', zip(members));
		assert.deepEqual(results.map(({ reason }) => reason.code), Array(200).fill('report-other-domain'));
		assert.equal(results[199].organization, control(512));
	});

	test('does not count again a report that came by mail', async () => {
		const domain = await addDomain('mailed.example');
		const text = about(domain, 'm1', { email: 'dmarc@another-name.example' });
		await sendMail(runner.smtpPort, { from: 'noreply@receiver.example', to: domain.reportAddress, message: await signedByReporter(gzipMail(text)) });
		await until(async () => (await logOf(domain)).length === 1);
		assert.deepEqual((await upload(domain, 'text/xml', text)).map(({ outcome }) => outcome), ['duplicate']);
		assert.deepEqual((await logOf(domain)).map(({ state, via }) => [state, via]), [['duplicate', 'upload'], ['read', 'mail']]);
	});

	test('of a blocked reporter does not count', async () => {
		const domain = await addDomain('blocked.example');
		await upload(domain, 'text/xml', about(domain, 'b1'));
		assert.equal(await totalOf(domain), 4);
		await call('PATCH', `/domains/${domain.id}/reporters/receiver.example`, { decision: 'blocked' });
		assert.equal(await totalOf(domain), 0);
		const [line] = await logOf(domain);
		assert.deepEqual([line.counts, line.reporter.standing], [false, 'blocked']);
		assert.equal((await upload(domain, 'text/xml', about(domain, 'b2')))[0].reason.code, 'reporter-blocked');
	});

	test('that is hostile is refused with the reason, and the next file is read', async () => {
		const domain = await addDomain('hostile.example');
		const text = about(domain, 'h1');
		const hostile = {
			'report-bomb': gzipSync(`<feedback>${'<a/>\n'.repeat(13e6)}`), 'archive-damaged': gzipSync(text).subarray(0, 200),
			'report-doctype': text.replace('<feedback>', '<!DOCTYPE f [<!ENTITY a "aaaa">]><feedback>'),
			'report-malformed': `{"policies":${'['.repeat(5000)}${']'.repeat(5000)}}`, 'no-report': 'hello',
		};
		for (const [code, body] of Object.entries(hostile))
			assert.equal((await upload(domain, 'application/octet-stream', body))[0].reason?.code, code);
		assert.equal((await upload(domain, 'text/xml', text))[0].outcome, 'accepted');
	});

	test('is accepted only with a token that may change the domain', async () => {
		const domain = await addDomain('rights.example');
		const { token } = await call('POST', '/tokens', { name: 'reader', access: 'read' });
		const statuses = [
			await send(domain, 'text/xml', about(domain, 'r1'), {}),
			await send(domain, 'text/xml', about(domain, 'r1'), authorization(token)),
			await send({ id: '01900000-0000-7000-8000-000000000000' }, 'text/xml', about(domain, 'r1')),
			await send(domain, 'text/html', about(domain, 'r1')),
			await send(domain, 'text/xml', Buffer.alloc(10 * MB + 1)),
		].map(({ status }) => status);
		assert.deepEqual(statuses, [401, 403, 404, 415, 413]);
		assert.deepEqual(await logOf(domain), []);
	});
});

describe('silent name servers of strangers', () => {
	const COUNT = 20;
	// time limit for this file; waiting for each silent server in turn would use up the time of the request
	const ENOUGH_MS = 15_000;
	let silent;
	let waiting;

	before(async () => {
		const names = Array.from({ length: COUNT }, (_, i) => `s${i}.slow.test`);
		silent = await startDns(['slow.test', '_dmarc.slow.test', ...names, ...names.map((name) => `_dmarc.${name}`)].map((name) => `${name} !drop`));
		waiting = await startRunner({ env: { EDS_DNS_SERVERS: silent.address } });
		admin(waiting, { action: 'create-account', name: 'own', plan: 'paid' });
	});
	after(async () => {
		await waiting?.stop();
		await silent?.stop();
	});

	test('delay a file once, not for each of its reports', async () => {
		const token = authorization(admin(waiting, { action: 'create-token', account: 'own', name: 'test', expiresAt: null }).token);
		const send = (path, type, body) => request(`${waiting.baseUrl}/api/v1/domains${path}`, { method: 'POST', headers: { ...token, 'content-type': type }, body });
		const domain = (await send('', 'application/json', '{"name": "held.example"}')).json().data;
		const reports = Array.from({ length: COUNT }, (_, i) => [`${i}.json`,
			tlsReport({ id: `s${i}`, domain: domain.name, successful: 1 }).replace('tls@receiver.example', `tls@s${i}.slow.test`)]);
		const began = performance.now();
		const answer = await send(`/${domain.id}/reports`, 'application/zip', zip(Object.fromEntries(reports)));
		assert.deepEqual(answer.json().data.map(({ outcome }) => outcome), Array(COUNT).fill('accepted'));
		assert.ok(performance.now() - began < ENOUGH_MS);
	});
});

describe('a file whose reports name a reporter in the zone of somebody else, and selectors, each', () => {
	const REPORTS = 200;
	const ZONE = 'victim.example SOA 900 ns.victim.example h.victim.example 1 3600 600 86400 60';
	let dns;
	let other;

	before(async () => {
		dns = await startDns([ZONE]);
		other = await startRunner({ env: { EDS_DNS_SERVERS: dns.address }, only: 'http' });
		admin(other, { action: 'migrate' });
		admin(other, { action: 'create-account', name: 'own', plan: 'free' });
	});
	after(async () => {
		await other?.stop();
		await dns?.stop();
	});

	test('makes the service ask a few hundred questions in all, not several for each report', async () => {
		const token = authorization(admin(other, { action: 'create-token', account: 'own', name: 'test', expiresAt: null }).token);
		const send = (path, type, body) => request(`${other.baseUrl}/api/v1/domains${path}`, { method: 'POST', headers: { ...token, 'content-type': type }, body });
		const domain = (await send('', 'application/json', '{"name": "asks.example"}')).json().data;
		const reports = Array.from({ length: REPORTS }, (_, i) => [`${i}.xml`, about(domain, `q${i}`, { email: `a@a.b.c.d.r${i}.victim.example`,
			records: [0, 1, 2, 3, 4].map((n) => ({ signatures: [{ domain: domain.name, selector: `s${i}x${n}` }] })) })]);
		dns.publish([ZONE]);
		const answer = await send(`/${domain.id}/reports`, 'application/gzip', gzipSync(tar(Object.fromEntries(reports))));
		assert.deepEqual(answer.json().data.map(({ outcome }) => outcome), Array(REPORTS).fill('accepted'));
		const asked = dns.queries();
		const foreign = asked.filter((question) => question.includes('victim.example')).length;
		assert.ok(foreign > 0 && foreign <= 410, `${foreign}`);
		assert.equal(asked.filter((question) => question.includes('_domainkey')).length, 200);
	});
});
