// Reports by mail to the address of a domain: packed as receivers pack them, repeated, broken, forged
// or about another domain; and the selectors that they make known.
import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { after, before, describe, test } from 'node:test';
import { gzipSync } from 'node:zlib';

import { request } from './support/api.mjs';
import { compose, newKey, sendMail } from './support/mail.mjs';
import { startNsd, txt } from './support/nsd.mjs';
import { aggregate, gzipMail, mailOf, reporterRecords, signedByReporter, tlsReport, zipMail } from './support/reports.mjs';
import { storedIds } from './support/mail-store.mjs';
import { handlersOf, request as rawRequest, startRunner, until } from './support/runner.mjs';
import { admin, sql } from './support/store.mjs';
import { createSession, untilCompleted } from './support/tester.mjs';

const WAIT_MS = 30000;
const AT_ONCE = 40;
const MAX_NEW = 20; // maximum number of new selectors that are checked for one report
const UNKNOWN_ID = '01900000-0000-7000-8000-000000000000';
const DAY_S = 86400;
const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const VECTORS = join(process.env.VECTORS ?? join(ROOT, '../shared/vectors'), 'dmarc-reports');

const yesterday = Math.floor(Date.now() / 1000 / DAY_S - 1) * DAY_S;
const key = newKey();
const names = ['s1', 'again', 'upper', 'sub1', 'a0', 'b0'];

let nsd;
let runner;
let own;
let other;
let vectors;
let serial = 0;

// DNS records with keys for the selectors that the public test reports name.
function vectorKeys() {
	if (!existsSync(VECTORS)) return [];
	const reports = Object.values(JSON.parse(readFileSync(join(VECTORS, 'expected.json')))).flatMap((each) => each.reports);
	const names = reports.flatMap(({ policy_domain: name, registrable = [] }) =>
		registrable.map((selector) => `${selector}._domainkey.${name}.`.toLowerCase()));
	return [...new Set(names)].map((name) => `${name} TXT ${txt(key.record)}`);
}

before(async () => {
	nsd = await startNsd([...reporterRecords, ...vectorKeys(), '_dmarc.parent.example. TXT "v=DMARC1; p=none"',
		'_dmarc.hundred.example. TXT "v=DMARC1; p=none"',
		...names.flatMap((name) => ['example.com', 'mail.example.com', 'planted.example', 'forged.example']
			.map((domain) => `${name}._domainkey.${domain}. TXT ${txt(key.record)}`))]);
	runner = await startRunner({ env: { EDS_DNS_SERVERS: nsd.address } });
	for (const account of ['own', 'other', 'vectors']) admin(runner, { action: 'create-account', name: account, plan: 'paid' });
	const token = (account) => admin(runner, { action: 'create-token', account, name: 'test', expiresAt: null }).token;
	own = { authorization: `Bearer ${token('own')}` };
	other = { authorization: `Bearer ${token('other')}` };
	vectors = { authorization: `Bearer ${token('vectors')}` };
});
after(async () => {
	await runner?.stop();
	await nsd?.stop();
});

async function call(method, path, { headers = own, body } = {}) {
	const response = await request(`${runner.baseUrl}/api/v1/domains${path}`, {
		method,
		headers: { ...headers, ...(body ? { 'content-type': 'application/json' } : {}) },
		body: body && JSON.stringify(body),
	});
	return { status: response.status, headers: response.headers, ...response.json() };
}

const addDomain = async (name, headers = own) => (await call('POST', '', { headers, body: { name } })).data;
const reportsOf = async ({ id }) => (await call('GET', `/${id}/reports`)).data;
const selectorsOf = async ({ id }) => (await call('GET', `/${id}/dkim/selectors`)).data;
const selectorOf = async (domain, name) =>
	(await selectorsOf(domain)).find(({ selector }) => selector === name);

const deliverUnsigned = (to, message) =>
	sendMail(runner.smtpPort, { from: 'noreply@receiver.example', to, message });
const deliver = async (to, message) => deliverUnsigned(to, await signedByReporter(message));

// Sends a mail, waits until the log has `more` additional lines, and returns the newest.
async function report(domain, message, more = 1, send = deliver) {
	const before = (await reportsOf(domain)).length;
	await send(domain.reportAddress, message);
	const lines = await until(async () => {
		const now = await reportsOf(domain);
		return now.length >= before + more && now;
	}, WAIT_MS);
	assert.equal(lines.length, before + more);
	return lines[0];
}

const signed = (domain, selector, result = 'pass', count = 1) =>
	({ count, dkim: result, signatures: [{ domain, selector, result }] });
const about = (domain, records, more = {}) => aggregate({
	id: `r${++serial}`, domain, begin: yesterday, end: yesterday + DAY_S - 1, records, ...more });

describe('a report that names an unknown selector', () => {
	let domain;
	before(async () => { domain = await addDomain('example.com'); });

	test('makes it known, checked in DNS, with its evidence', async () => {
		const line = await report(domain, gzipMail(about('example.com', [
			{ ip: '192.0.2.1', count: 7, signatures: [{ domain: 'example.com', selector: 's1' }] },
			{ ip: '192.0.2.1', count: 2, signatures: [{ domain: 'example.com', selector: 's1' }] },
			{ ip: '198.51.100.7', count: 3, disposition: 'quarantine', dkim: 'fail', spf: 'fail',
				signatures: [{ domain: 'example.com', selector: 's1', result: 'fail' }] },
			{ ip: '2001:db8::1', count: 4, dkim: 'fail', signatures: [{ domain: 'mailer.example', selector: 'k1' }] },
		])));
		assert.equal(line.kind, 'dmarc');
		assert.equal(line.state, 'read');
		assert.equal(line.reason, null);
		assert.equal(line.mailFrom, 'noreply@receiver.example');
		assert.equal(line.organization, 'Receiver');
		assert.equal(line.contact, 'dmarc@receiver.example');
		assert.equal(line.externalId, `r${serial}`);
		assert.equal(line.policyDomain, 'example.com');
		assert.equal(Date.parse(line.period.begin) / 1000, yesterday);
		assert.deepEqual([line.records, line.total, line.passed, line.failed], [4, 16, 13, 3]);
		assert.deepEqual(line.discovered, [{ domain: 'example.com', selector: 's1' }]);

		const entry = await selectorOf(domain, 's1');
		assert.equal(entry.valid, true);
		assert.equal(entry.keyType, 'rsa');
		assert.equal(entry.keySize, 2048);
		assert.equal(entry.addedManually, false);
		assert.equal(entry.state, 'active');
		assert.equal(entry.evidence.passCount, 9);
		assert.equal(entry.evidence.failCount, 3);
		assert.equal(Date.parse(entry.evidence.firstSeen) / 1000, yesterday);
		assert.equal((await selectorsOf(domain)).length, 1);
	});

	test('shows who sent mail, summed by address, disposition and alignment', async () => {
		const [{ id }] = await reportsOf(domain);
		const { status, data } = await call('GET', `/${domain.id}/reports/${id}`);
		assert.equal(status, 200);
		assert.deepEqual(data.report.rows.map(({ source, disposition, dkim, spf, messages }) =>
			[source, disposition, dkim, spf, messages]), [
			['192.0.2.1', 'none', 'pass', 'pass', 9],
			['2001:db8::1', 'none', 'fail', 'pass', 4],
			['198.51.100.7', 'quarantine', 'fail', 'fail', 3],
		]);
		assert.deepEqual(data.selectors.map(({ domain: d, selector, outcome }) => `${d} ${selector} ${outcome}`),
			['example.com s1 discovered', 'mailer.example k1 elsewhere']);
		assert.equal(data.report.policy.p, 'none');
	});

	test('counts passed messages of all senders, even if not all of very many rows are stored', async () => {
		const large = await addDomain('large.example');
		const senders = Array.from({ length: 2100 }, (_, i) =>
			({ ip: `10.0.${i >> 8}.${i & 255}`, spf: 'fail', dkim: i % 3 === 0 ? 'fail' : 'pass' }));
		const { total, passed, failed } = await report(large, gzipMail(about('large.example', senders)));
		assert.deepEqual({ total, passed, failed }, { total: 2100, passed: 1400, failed: 700 });
	});

	test('brings a deleted selector back with the next report that names it', async () => {
		assert.equal((await call('DELETE', `/${domain.id}/dkim/selectors/s1`)).status, 200);
		assert.deepEqual(await selectorsOf(domain), []);
		const line = await report(domain, zipMail({ 'example.xml': about('example.com', [signed('example.com', 'S1')]) }));
		assert.deepEqual(line.discovered, [{ domain: 'example.com', selector: 'S1' }]);
		const entry = await selectorOf(domain, 'S1');
		assert.equal(entry.valid, true);
		assert.equal(entry.evidence.passCount, 1);
	});

	test('adds to the evidence in any case of letters', async () => {
		const line = await report(domain, gzipMail(about('EXAMPLE.com', [signed('Example.COM', 's1', 'fail', 5)])));
		assert.deepEqual(line.discovered, []);
		const entry = await selectorOf(domain, 'S1');
		assert.deepEqual([entry.evidence.passCount, entry.evidence.failCount], [1, 5]);
	});

	test('keeps a selector registered that was registered by hand', async () => {
		assert.equal((await call('POST', `/${domain.id}/dkim/selectors`, { body: { selector: 'upper' } })).status, 201);
		await report(domain, gzipMail(about('example.com', [signed('example.com', 'UPPER')])));
		const entry = await selectorOf(domain, 'upper');
		assert.equal(entry.addedManually, true);
		assert.equal(entry.evidence.passCount, 1);
	});

	test('whose key is not in DNS makes it known with the reason', async () => {
		await report(domain, gzipMail(about('example.com', [signed('example.com', 'gone')])));
		const entry = await selectorOf(domain, 'gone');
		assert.equal(entry.valid, false);
		assert.deepEqual(entry.errors.map(({ code }) => code), ['key-missing']);
	});

	test('leaves nothing in the mail store', async () => {
		await until(async () => (await storedIds(runner)).length === 0, WAIT_MS);
	});
});

describe('the content of a report', () => {
	let domain;
	before(async () => { domain = await addDomain('all.example'); });

	const forwarded = `<record><row><source_ip>198.51.100.7</source_ip><count>5</count><policy_evaluated>
		<disposition>none</disposition><dkim>fail</dkim><spf>fail</spf><reason><type>mailing_list</type>
		<comment>seen before</comment></reason></policy_evaluated></row><identifiers>
		<header_from>all.example</header_from><envelope_from>list.example</envelope_from>
		<envelope_to>receiver.example</envelope_to></identifiers><auth_results><dkim><domain>all.example</domain>
		<selector>s1</selector><result>fail</result><human_result>body hash</human_result></dkim><spf>
		<domain>list.example</domain><scope>mfrom</scope><result>pass</result></spf></auth_results></record>\n`;
	const passing = { ip: '192.0.2.1', count: 2, signatures: [{ domain: 'all.example', selector: 's1' }] };

	test('is stored for each row, and forwarded messages neither passed nor failed', async () => {
		const text = about('all.example', [passing]).replace('</feedback>', `${forwarded}</feedback>`)
			.replace('<feedback>', '<feedback><version>1.0</version>')
			.replace('<adkim>', '<discovery_method>treewalk</discovery_method><np>reject</np><fo>1</fo><adkim>');
		const line = await report(domain, gzipMail(text));
		assert.deepEqual([line.total, line.passed, line.forwarded, line.failed], [7, 2, 5, 0]);
		const { data } = await call('GET', `/${domain.id}/reports/${line.id}`);
		assert.equal(data.report.version, '1.0');
		assert.deepEqual([data.report.policy.discoveryMethod, data.report.policy.np, data.report.policy.fo],
			['treewalk', 'reject', '1']);
		assert.deepEqual(data.report.rows[0], { source: '198.51.100.7', disposition: 'none', dkim: 'fail', spf: 'fail',
			messages: 5, class: 'forwarded', headerFrom: 'all.example', envelopeFrom: 'list.example',
			envelopeTo: 'receiver.example', reasons: [{ type: 'mailing_list', comment: 'seen before' }],
			dkimResults: [{ domain: 'all.example', selector: 's1', result: 'fail', humanResult: 'body hash' }],
			spfResults: [{ domain: 'list.example', scope: 'mfrom', result: 'pass', humanResult: null }], leftOut: 0 });
	});

	test('is stored as far as it goes when truncated, until the whole report comes', async () => {
		const text = about('all.example', [passing, { ...passing, ip: '192.0.2.2', count: 9 }]);
		const cut = await report(domain, gzipMail(text.slice(0, text.indexOf('192.0.2.2'))));
		assert.equal(cut.state, 'read');
		assert.deepEqual(cut.reason, { code: 'report-truncated',
			message: 'The report ends in the middle. Its complete records are kept.' });
		assert.equal(cut.total, 2);
		const whole = await report(domain, gzipMail(text), 0, async (to, message) => {
			await deliver(to, message);
			await until(async () => (await reportsOf(domain)).some(({ total }) => total === 11), WAIT_MS);
		});
		assert.deepEqual([whole.state, whole.reason, whole.total], ['read', null, 11]);
	});

	test('is summed by source, day and reporter, without a truncated report that was replaced', async () => {
		const sumsBy = async (by, more = '') => (await call('GET', `/${domain.id}/report-sums?by=${by}${more}`)).data.sums;
		const day = new Date(yesterday * 1000).toISOString().slice(0, 10);
		const days = { firstDay: day, lastDay: day };
		assert.deepEqual(await sumsBy('source'), [
			{ key: '192.0.2.2', messages: 9, passed: 9, forwarded: 0, failed: 0, ...days },
			{ key: '198.51.100.7', messages: 5, passed: 0, forwarded: 5, failed: 0, ...days },
			{ key: '192.0.2.1', messages: 4, passed: 4, forwarded: 0, failed: 0, ...days },
		]);
		assert.deepEqual((await sumsBy('day')).map(({ key, messages }) => [key, messages]), [[day, 18]]);
		assert.deepEqual((await sumsBy('reporter', '&class=forwarded')).map(({ key, messages }) => [key, messages]),
			[['receiver.example', 5]]);
		const decide = (decision) => call('PATCH', `/${domain.id}/reporters/receiver.example`, { body: { decision } });
		assert.equal((await decide('blocked')).status, 200);
		assert.deepEqual(await sumsBy('disposition'), []);
		assert.equal((await decide(null)).status, 200);
		assert.deepEqual((await sumsBy('disposition')).map(({ key, messages }) => [key, messages]), [['none', 18]]);
	});

	test('is stored even if it has an address in angle brackets', async () => {
		const line = await report(domain, gzipMail(about('all.example', [passing]).replace(
			'<email>dmarc@receiver.example</email>', '<email>Reports <dmarc@receiver.example></email>')));
		assert.deepEqual([line.state, line.reason.code, line.contact, line.passed],
			['read', 'report-email-bare', 'Reports <dmarc@receiver.example>', 2]);
	});
});

describe('a report that comes again', () => {
	test('counts once, and the log says so', async () => {
		const domain = await addDomain('again.example');
		const text = about('again.example', [signed('again.example', 'again')]);
		assert.equal((await report(domain, gzipMail(text))).state, 'read');
		const line = await report(domain, zipMail({ 'other name.xml': text }));
		assert.equal(line.state, 'duplicate');
		assert.equal(line.reason.code, 'report-duplicate');
		const [entry] = await selectorsOf(domain);
		assert.equal(entry.evidence.passCount, 1);
	});
});

describe('signatures of a subdomain', () => {
	test('count for the subdomain if the account monitors it, and for nobody otherwise', async () => {
		const parent = await addDomain('parent.example');
		const child = await addDomain('mail.parent.example');
		const line = await report(parent, gzipMail(about('parent.example',
			[signed('mail.parent.example', 'sub1'), signed('else.parent.example', 'sub1')])));
		assert.deepEqual(line.discovered, [{ domain: 'mail.parent.example', selector: 'sub1' }]);
		assert.deepEqual(await selectorsOf(parent), []);
		assert.deepEqual((await selectorsOf(child)).map(({ selector }) => selector), ['sub1']);
	});

	test('count once for the subdomain when the report is about the parent domain', async () => {
		const [child] = (await call('GET', '')).data.filter(({ name }) => name === 'mail.parent.example');
		const [parent] = (await call('GET', '')).data.filter(({ name }) => name === 'parent.example');
		const text = about('parent.example', [signed('mail.parent.example', 'sub1', 'pass', 5)]);
		assert.equal((await report(child, gzipMail(text))).state, 'read');
		assert.equal((await report(parent, gzipMail(text))).state, 'read');
		const [entry] = await selectorsOf(child);
		assert.equal(entry.evidence.passCount, 6);
	});

	test('of another account\'s domain are ignored', async () => {
		const parent = await addDomain('shared.example');
		await addDomain('mail.shared.example', other);
		const line = await report(parent, gzipMail(about('shared.example', [signed('mail.shared.example', 'sub1')])));
		assert.deepEqual(line.discovered, []);
		assert.equal(sql(runner, "SELECT count(*) FROM dkim_selectors WHERE domain = 'mail.shared.example'"), '0');
	});
});

describe('mail that does not count', () => {
	let domain;
	before(async () => { domain = await addDomain('bad.example'); });
	const bad = (text) => about('bad.example', [signed('bad.example', 's1')]).replace(...text);
	const cases = {
		'no-report': compose([['From', 'a@b.example'], ['Subject', 'hello']]),
		'report-doctype': gzipMail(bad(['<feedback>', '<!DOCTYPE f [<!ENTITY a "aaaa">]><feedback>'])),
		'report-truncated': gzipMail(about('bad.example', [signed('bad.example', 's1')]).slice(0, 300)),
		'report-bomb': gzipMail(bad(['<feedback>', `<feedback>${'<a/>\n'.repeat(3e6)}`])),
		'report-no-domain': gzipMail(bad(['<domain>bad.example</domain><adkim>', '<adkim>'])),
		'archive-damaged': mailOf([{ type: 'application/gzip', name: 'x.gz',
			bytes: gzipSync(about('bad.example', [])).subarray(0, 100) }]),
		'report-other-domain': gzipMail(about('someone-else.example', [signed('bad.example', 's1')])),
	};

	for (const [code, message] of Object.entries(cases))
		test(`is logged with its reason: ${code}`, async () => {
			const line = await report(domain, message);
			assert.equal(line.state, 'refused');
			assert.equal(line.reason.code, code);
			assert.match(line.reason.message, /^[A-Z].*\.$/);
			assert.deepEqual(await selectorsOf(domain), []);
			const { data } = await call('GET', `/${domain.id}/reports/${line.id}`);
			assert.equal(data.report, null);
		});

	test('does not harm the report beside it or the next one', async () => {
		const good = about('bad.example', [signed('bad.example', 's1')]);
		const line = await report(domain, zipMail({ 'a.xml': good.slice(0, 200), 'b.xml': good }), 2);
		const states = (await reportsOf(domain)).slice(0, 2).map(({ state }) => state).sort();
		assert.deepEqual(states, ['read', 'refused'], JSON.stringify(line));
		assert.equal((await report(domain, gzipMail(about('bad.example', [])))).state, 'read');
	});

	test('adds no more selectors than the caps allow, and none with an invalid name', async () => {
		const planted = await addDomain('planted.example');
		const many = (letter, count, result) =>
			Array.from({ length: count }, (_, i) => signed('planted.example', `${letter}${i}`, result));
		const odd = ['a..b', 'sp ace', 'x'.repeat(64), 'né', '', undefined].map((name) => signed('planted.example', name));
		const line = await report(planted, gzipMail(about('planted.example',
			[...odd, ...many('f', 4000, 'fail'), ...many('a', 2000, 'pass')])));
		assert.equal(line.discovered.length, MAX_NEW);
		assert.ok(line.discovered.every(({ selector }) => selector.startsWith('a')));
		for (const letter of ['f', 'g', 'h'])
			await report(planted, gzipMail(about('planted.example', many(letter, 1000, 'fail'))));
		assert.equal((await selectorsOf(planted)).length, MAX_NEW + 30);
		for (const letter of ['b', 'c', 'd', 'e'])
			await report(planted, gzipMail(about('planted.example', many(letter, 1000, 'pass'))));
		const found = await selectorsOf(planted);
		assert.equal(found.length, 100);
		assert.equal(found.filter(({ evidence }) => evidence.passCount === 0).length, 30);
		assert.equal(found.find(({ selector }) => selector === 'a0').valid, true);
		const { data } = await call('GET', `/${planted.id}/reports/${line.id}`);
		assert.equal(data.selectors.length, 100);
	});
});

describe('a forged report', () => {
	const forged = (domain, text) => report(domain, gzipMail(text), 1, deliverUnsigned);

	test('is shown separately, and changes no evidence', async () => {
		const domain = await addDomain('forged.example');
		const line = await report(domain, gzipMail(about('forged.example', [signed('forged.example', 's1')])));
		assert.equal(line.counts, true);
		assert.deepEqual(line.reporter, { domain: 'receiver.example', standing: 'verified', spf: 'none', dkim: 'pass', dmarc: 'pass' });
		const lie = await forged(domain, about('forged.example', [signed('forged.example', 's1', 'fail', 1e6)]));
		assert.equal(lie.state, 'read');
		assert.equal(lie.counts, false);
		assert.deepEqual(lie.reporter, { domain: 'receiver.example', standing: 'unverified', spf: 'none', dkim: 'none', dmarc: 'temperror' });
		const [entry] = await selectorsOf(domain);
		assert.deepEqual([entry.evidence.passCount, entry.evidence.failCount], [1, 0]);
	});

	test('counts when the domain\'s owner accepts its sender, and no longer when that is taken back', async () => {
		const domain = await addDomain('accepted.example');
		const text = tlsReport({ id: 'accepted-1', domain: domain.name, successful: 99, failures: [{ type: 'sts-policy-invalid', sessions: 1 }] });
		const line = await report(domain, gzipMail(text), 1, deliverUnsigned);
		const reporters = async () => (await call('GET', `/${domain.id}/reporters`)).data;
		const tlsSums = async () => (await call('GET', `/${domain.id}/mta-sts`)).data.reports.count;
		const counts = async () => (await call('GET', `/${domain.id}/reports/${line.id}`)).data.counts;
		const decide = async (decision) => (await call('PATCH', `/${domain.id}/reporters/receiver.example`, { body: { decision } })).data;

		assert.deepEqual([await counts(), await tlsSums()], [false, 0]);
		const [reporter, ...more] = await reporters();
		assert.deepEqual(more, []);
		assert.deepEqual([reporter.domain, reporter.standing, reporter.verifiedReports, reporter.otherReports],
			['receiver.example', 'unverified', 0, 1]);
		assert.equal((await decide('accepted')).standing, 'accepted');
		assert.deepEqual([await counts(), await tlsSums()], [true, 1]);
		assert.equal((await decide('blocked')).standing, 'blocked');
		assert.deepEqual([await counts(), await tlsSums()], [false, 0]);
		assert.equal((await decide(null)).standing, 'unverified');
		assert.equal(await counts(), false);
	});

	test('does not take the place of a genuine report', async () => {
		const domain = await addDomain('place.example');
		const text = about('place.example', [signed('place.example', 's1')]);
		assert.equal((await forged(domain, text)).counts, false);
		const line = await report(domain, gzipMail(text));
		assert.deepEqual([line.state, line.counts], ['read', true]);
	});

	test('cannot fill the list with selectors that do not exist, even five times over', async () => {
		const domain = await addDomain('planted.example', other);
		const log = async () => (await call('GET', `/${domain.id}/reports`, { headers: other })).data;
		const send = async (how, records, wanted) => {
			await how(domain.reportAddress, gzipMail(about('planted.example', records)));
			return until(async () => { const lines = await log(); return lines.length === wanted && lines[0]; }, WAIT_MS);
		};
		for (let mail = 0; mail < 5; mail++)
			await send(deliverUnsigned, Array.from({ length: 20 }, (_, i) => signed('planted.example', `m${mail}x${i}`)), mail + 1);
		const line = await send(deliver, [signed('planted.example', 's1')], 6);
		assert.deepEqual(line.discovered, [{ domain: 'planted.example', selector: 's1' }]);
		const { data } = await call('GET', `/${domain.id}/dkim/selectors`, { headers: other });
		assert.deepEqual(data.map(({ selector, valid }) => [selector, valid]), [['s1', true]]);
	});

	test('makes known a selector whose key is in DNS', async () => {
		const domain = await addDomain('example.com', vectors);
		await deliverUnsigned(domain.reportAddress, gzipMail(about('example.com', [signed('example.com', 'again', 'fail', 9)])));
		const selectors = async () => (await call('GET', `/${domain.id}/dkim/selectors`, { headers: vectors })).data;
		const [entry] = await until(async () => { const all = await selectors(); return all.length > 0 && all; }, WAIT_MS);
		assert.deepEqual([entry.selector, entry.valid, entry.evidence.failCount, entry.evidence.lastSeen], ['again', true, 0, null]);
		assert.equal((await call('DELETE', `/${domain.id}`, { headers: vectors })).status, 200);
	});
});

// The peak memory of a process in MB; 0 if it has ended meanwhile.
function peakMb(pid) {
	try {
		return Number(/^VmHWM:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))[1]) / 1024;
	} catch {
		return 0;
	}
}

describe('a report mail to a hundred addresses', () => {
	test('is kept once, with a line for each', async () => {
		const domains = [];
		for (let i = 0; i < 100; i++) domains.push(await addDomain(`n${i}.hundred.example`));
		const records = Array.from({ length: 2000 }, (_, i) => ({ ip: `2001:db8::${i.toString(16)}`, spf: 'fail' }));
		const members = Object.fromEntries(Array.from({ length: 5 }, (_, i) => [`${i}.xml`, about('hundred.example', records)]));
		await deliver(domains.map(({ reportAddress }) => reportAddress), zipMail(members));
		await until(async () => (await reportsOf(domains[99])).length === 5, WAIT_MS * 4);
		for (const domain of [domains[0], domains[99]]) {
			const lines = await reportsOf(domain);
			assert.deepEqual(lines.map(({ state, total }) => [state, total]), Array(5).fill(['read', 2000]));
			const { data } = await call('GET', `/${domain.id}/reports/${lines[4].id}`);
			assert.equal(data.report.rows.length, 2000);
		}
		const ofMail = "FROM reports r JOIN report_origins o ON o.domain_id = r.domain_id AND o.report_id = r.id JOIN report_bodies b"
			+ " ON b.id = o.body_id WHERE r.policy_domain = 'hundred.example'";
		assert.equal(sql(runner, `SELECT count(*) ${ofMail}`), '500');
		assert.equal(sql(runner, `SELECT count(DISTINCT b.id) ${ofMail}`), '5');
	});

	test('needs memory for one of its domains at a time', async () => {
		const domains = [];
		for (let i = 0; i < 100; i++) domains.push(await addDomain(`m${i}.hundred.example`));
		const records = Array.from({ length: 500 }, (_, i) => signed('mailer.example', `selector-number-${i}`));
		const members = Object.fromEntries(Array.from({ length: 20 }, (_, i) => [`${i}.xml`, about('hundred.example', records)]));
		await deliver(domains.map(({ reportAddress }) => reportAddress), zipMail(members));
		await until(async () => (await reportsOf(domains[99])).length === 20, WAIT_MS * 2);
		const most = Math.max(...handlersOf(runner, 'reports-ingest').map(peakMb));
		assert.ok(most < 60, `${most} MB`);
	});
});

describe('a report about TLS', () => {
	test('is in the same list, with its failures', async () => {
		const domain = await addDomain('tls.example');
		const line = await report(domain, gzipMail(tlsReport({ id: 't1', domain: 'tls.example', successful: 100,
			failures: [{ type: 'certificate-expired', sessions: 3, mx: 'mx1.tls.example' }] }), 'report.json.gz'));
		assert.equal(line.kind, 'tls');
		assert.equal(line.state, 'read');
		assert.deepEqual([line.records, line.total, line.passed, line.failed], [1, 103, 100, 3]);
		const { data } = await call('GET', `/${domain.id}/reports/${line.id}`);
		assert.deepEqual(data.report.policies, [{ type: 'sts', domain: 'tls.example', mxHosts: [],
			strings: ['version: STSv1', 'mode: testing'], successful: 100, failed: 3 }]);
		assert.deepEqual(data.report.failures,
			[{ type: 'certificate-expired', sessions: 3, sendingIp: null, receivingMx: 'mx1.tls.example',
				receivingHelo: null, receivingIp: null, information: null, reason: null }]);
		assert.equal(data.report.policy, null);
		const { data: configuration } = await call('GET', `/${domain.id}/mta-sts`);
		assert.deepEqual(configuration.reports, { days: 30, count: 1, successful: 100, failed: 3,
			failures: [{ type: 'certificate-expired', sessions: 3 }] });
	});
});

describe('sums that count', () => {
	const sumsOf = async (domain) => {
		const all = {};
		for (const by of ['day', 'source', 'reporter', 'disposition']) all[by] = (await call('GET', `/${domain.id}/report-sums?by=${by}`)).data.sums;
		return all;
	};
	const FLOOD = { ip: '203.0.113.66', count: 1_000_000, disposition: 'reject', dkim: 'fail', spf: 'fail' };

	test('stay as they are under reports that are forged, sent again, contradict an earlier one, or have no end', async () => {
		const domain = await addDomain('counted.example');
		const text = about(domain.name, [signed(domain.name, 's1', 'pass', 7)], { id: 'true-one' });
		const message = await signedByReporter(gzipMail(text));
		await report(domain, message, 1, deliverUnsigned);
		const before = await sumsOf(domain);
		assert.deepEqual(before.day.map(({ messages, passed }) => [messages, passed]), [[7, 7]]);

		const forged = await report(domain, gzipMail(about(domain.name, [FLOOD])), 1, deliverUnsigned);
		const again = await report(domain, message, 1, deliverUnsigned);
		const other = await report(domain, gzipMail(text.replace('<count>7<', '<count>7000000<')));
		const taken = await report(domain, gzipMail(about(domain.name, [FLOOD], { id: 'true-one' })));
		const endless = await report(domain, mailOf([{ type: 'application/gzip', name: 'r.xml.gz',
			bytes: gzipSync(text.replace('</feedback>', `${'<a/>\n'.repeat(14e6)}</feedback>`)) }]));
		assert.equal(forged.counts, false);
		assert.deepEqual([forged, again, other, taken, endless].map(({ state, reason }) => [state, reason?.code ?? null]), [
			['read', null], ['duplicate', 'report-duplicate'], ['duplicate', 'report-duplicate'],
			['duplicate', 'report-duplicate'], ['refused', 'report-bomb']]);
		assert.deepEqual(await sumsOf(domain), before);
	});
});

describe('the mail that brought a report', () => {
	const fetchOriginal = (domain, line, headers = own) =>
		request(`${runner.baseUrl}/api/v1/domains/${domain.id}/reports/${line.id}/original`, { headers });

	test('can be fetched unchanged by its owner, as a file', async () => {
		const domain = await addDomain('original.example');
		const message = gzipMail(about(domain.name, [signed(domain.name, 's1')]));
		const line = await report(domain, message);
		const answer = await fetchOriginal(domain, line);
		assert.deepEqual([answer.status, answer.headers['content-type'], answer.headers['x-content-type-options']],
			[200, 'message/rfc822', 'nosniff']);
		assert.equal(answer.headers['content-disposition'], `attachment; filename="${line.id}.eml"`);
		assert.ok(answer.text.startsWith('Received: from '));
		assert.ok(answer.text.endsWith(message.toString('latin1')));
		assert.equal((await fetchOriginal(domain, line, other)).status, 404);
		assert.equal((await fetchOriginal(domain, line, {})).status, 401);
	});

	test('can be fetched even if it could not be read', async () => {
		const domain = await addDomain('unread.example');
		const line = await report(domain, gzipMail(about(domain.name, []).slice(0, 250)));
		assert.equal(line.state, 'refused');
		assert.match((await fetchOriginal(domain, line)).text, /application\/gzip/);
	});

	test('is not kept for unverified reporters past a mebibyte a day, but for reporters that count', async () => {
		const domain = await addDomain('strangers.example');
		const large = (n) => mailOf([{ type: 'text/plain', name: 'n.txt', bytes: Buffer.alloc(500_000, `${n}`) },
			{ type: 'text/xml', name: 'r.xml', bytes: about(domain.name, [signed(domain.name, 's1')]) }]);
		const statuses = [];
		for (const send of [deliverUnsigned, deliverUnsigned, deliver])
			statuses.push((await fetchOriginal(domain, await report(domain, large(statuses.length), 1, send))).status);
		assert.deepEqual(statuses, [200, 404, 200]);
	});
});

describe('many reports at once', () => {
	const killHandlers = () => handlersOf(runner, 'reports-ingest').map((pid) => process.kill(pid, 'SIGKILL')).length;

	async function sendAtOnce(domain) {
		await Promise.all(Array.from({ length: AT_ONCE }, (_, i) => deliver(domain.reportAddress,
			gzipMail(about(domain.name, [signed(domain.name, 's1'), signed(domain.name, `n${i % 7}`, 'fail', 2)])))));
	}

	async function assertCounted(domain) {
		const read = async () => (await reportsOf(domain)).filter(({ state }) => state === 'read').length;
		await until(async () => await read() === AT_ONCE, WAIT_MS);
		assert.equal((await reportsOf(domain)).length, AT_ONCE);
		const found = await selectorsOf(domain);
		assert.equal(found.length, 8);
		assert.equal(found.find(({ selector }) => selector === 's1').evidence.passCount, AT_ONCE);
		assert.equal(found.reduce((sum, { evidence }) => sum + evidence.failCount, 0), 2 * AT_ONCE);
	}

	test('are each counted once', async () => {
		const domain = await addDomain('busy.example');
		await sendAtOnce(domain);
		await assertCounted(domain);
	});

	test('are each counted once even if their handlers are killed', async () => {
		const domain = await addDomain('killed.example');
		const sent = sendAtOnce(domain);
		await until(async () => (await reportsOf(domain)).length > 2, WAIT_MS);
		assert.ok(killHandlers() > 0);
		await sent;
		await assertCounted(domain);
	});
});

describe('an unknown report address', () => {
	for (const [what, local] of Object.entries({ 'an unknown domain': UNKNOWN_ID, 'no id at all': 'postmaster' }))
		test(`is refused at RCPT: ${what}`, async () => {
			await assert.rejects(deliverUnsigned(`${local}@reports.localhost`, 'x: y\r\n\r\n'), /550 5\.1\.1/);
		});

	test('is refused after its domain is deleted, too', async () => {
		const domain = await addDomain('short-lived.example');
		assert.equal((await call('DELETE', `/${domain.id}`)).status, 200);
		await assert.rejects(deliverUnsigned(domain.reportAddress, 'x: y\r\n\r\n'), /550 5\.1\.1/);
	});
});

describe('one message to a test address and a report address', () => {
	test('is read for both', async () => {
		const domain = await addDomain('both.example');
		const session = await createSession(runner);
		await deliver([session.email, domain.reportAddress], gzipMail(about('both.example', [signed('both.example', 's1')])));
		await untilCompleted(runner, session.testId);
		await until(async () => (await reportsOf(domain)).length === 1, WAIT_MS);
		assert.equal((await selectorsOf(domain)).length, 1);
		// the test can still be analyzed again after both functions have ended, so neither has deleted the message
		await until(async () => /^eds_mail_queued 0$/m.test((await rawRequest(`${runner.opsUrl}/metrics`)).text), WAIT_MS);
		const again = await request(`${runner.baseUrl}/api/inbound-tester/sessions/${session.testId}/reanalyze`,
			{ method: 'POST' });
		assert.equal(again.status, 200, again.text);
	});
});

describe('another account', () => {
	test('sees reports of others as missing', async () => {
		const domain = await addDomain('private.example');
		const { id } = await report(domain, gzipMail(about('private.example', [])));
		const none = async (path) => request(`${runner.baseUrl}/api/v1/domains/${path}`, { headers: other });
		for (const path of ['reports', `reports/${id}`]) {
			const unknown = await none(`${UNKNOWN_ID}/${path}`);
			const foreign = await none(`${domain.id}/${path}`);
			assert.equal(foreign.status, 404);
			assert.equal(foreign.text, unknown.text);
		}
		const foreignReport = await none(`${(await addDomain('theirs.example', other)).id}/reports/${id}`);
		assert.equal(foreignReport.status, 404);
		assert.equal(foreignReport.json().code, 'report-not-found');
	});
});

describe('the log', () => {
	test('can be read page by page, newest first', async () => {
		const domain = await addDomain('pages.example');
		for (let i = 0; i < 5; i++) await report(domain, gzipMail(about('pages.example', [])));
		const all = (await reportsOf(domain)).map(({ id }) => id);
		assert.deepEqual(all, [...all].sort().reverse());
		const seen = [];
		let query = '?limit=2';
		while (query) {
			const page = await call('GET', `/${domain.id}/reports${query}`);
			assert.ok(page.data.length <= 2);
			seen.push(...page.data.map(({ id }) => id));
			query = /reports(\?[^>]+)>; rel="next"/.exec(page.headers.link)?.[1];
		}
		assert.deepEqual(seen, all);
	});
});

describe('real reports', { skip: existsSync(VECTORS) ? false : `there is no ${VECTORS}` }, () => {
	const asMail = (file) => {
		const bytes = readFileSync(join(VECTORS, file));
		if (file.endsWith('.eml')) return bytes.toString('latin1')
				.replace(/\r?\n/g, '\r\n').replace(/(\r\n)?$/, '\r\n');
		return mailOf([{ type: 'application/octet-stream', name: basename(file), bytes }]);
	};

	// Adds a domain, delivers one report to it, and removes the domain, because most of the public test
	// reports are about example.com.
	async function discoveredBy(file, name) {
		const domain = await addDomain(name, vectors);
		await deliver(domain.reportAddress, asMail(file));
		const logged = async () => (await call('GET', `/${domain.id}/reports`, { headers: vectors })).data.length > 0;
		await until(logged, WAIT_MS);
		const selectors = (await call('GET', `/${domain.id}/dkim/selectors`, { headers: vectors })).data;
		assert.equal((await call('DELETE', `/${domain.id}`, { headers: vectors })).status, 200);
		return selectors.map(({ selector }) => selector).sort();
	}

	test('make known only the selectors that they name under their own domain', async () => {
		const expected = JSON.parse(readFileSync(join(VECTORS, 'expected.json')));
		let compared = 0;
		for (const [file, { reports }] of Object.entries(expected))
			for (const { policy_domain: name, registrable = [] } of reports) {
				if (!name?.includes('.')) continue;
				const found = await discoveredBy(file, name);
				if (registrable.length <= MAX_NEW) assert.deepEqual(found, [...registrable].sort(), file);
				else assert.ok(found.length === MAX_NEW && found.every((each) => registrable.includes(each)), file);
				compared++;
			}
		assert.ok(compared > 50, `${compared} were compared`);
	});
});
