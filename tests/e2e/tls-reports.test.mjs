// Reports about TLS that reporters post over HTTPS (RFC 8460 section 3), to the address in the recommended
// record.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { gzipSync } from 'node:zlib';

import { request } from './support/api.mjs';
import { startNsd } from './support/nsd.mjs';
import { gzipMail, reporterRecords, signedByReporter, tlsReport } from './support/reports.mjs';
import { sendMail } from './support/mail.mjs';
import { startRunner, until } from './support/runner.mjs';
import { admin } from './support/store.mjs';

const BASE = 'https://eds.example';
const JSON_TYPE = 'application/tlsrpt+json';
const GZIP_TYPE = 'application/tlsrpt+gzip';
const MB = 1024 * 1024;
const AT_ONCE = 12;

let nsd;
let runner;
let headers;

before(async () => {
	nsd = await startNsd([...reporterRecords, '1.0.0.127.in-addr.arpa. PTR c-127-0-0-1.customers.receiver.example.', 'c-127-0-0-1.customers.receiver.example. A 127.0.0.1']);
	runner = await startRunner({ env: { EDS_DNS_SERVERS: nsd.address, EDS_BASE_URL: BASE, EDS_ALLOW_PRIVATE_ADDRESSES: '1' } });
	admin(runner, { action: 'create-account', name: 'own', plan: 'paid' });
	headers = { authorization: `Bearer ${admin(runner, { action: 'create-token', account: 'own', name: 'test', expiresAt: null }).token}` };
});
after(async () => {
	await runner?.stop();
	await nsd?.stop();
});

async function call(method, path, body) {
	const answer = await request(`${runner.baseUrl}/api/v1/domains${path}`, {
		method, headers: { ...headers, 'content-type': 'application/json' }, body: body && JSON.stringify(body) });
	return answer.json().data;
}
const addDomain = (name) => call('POST', '', { name });
const logOf = ({ id }) => call('GET', `/${id}/reports`);

// The address for HTTPS in the TLS-RPT record that the domain is to publish.
function addressIn({ expectedRecords }) {
	const { value } = expectedRecords.find(({ purpose }) => purpose === 'tls-reports');
	return /,(https:\/\/[^,]+)$/.exec(value)[1].replace(BASE, runner.baseUrl);
}
const post = (domain, body, type = JSON_TYPE) =>
	request(addressIn(domain), { method: 'POST', headers: { 'content-type': type }, body });

const accept = ({ id }) => call('PATCH', `/${id}/reporters/receiver.example`, { decision: 'accepted' });

const failures = [
	{ type: 'certificate-expired', sessions: 2, mx: 'mx1.example' },
	{ type: 'certificate-expired', sessions: 1, mx: 'mx2.example' },
];
const about = (domain, id, more = {}) => tlsReport({ id, domain: domain.name, successful: 97, failures, ...more });

describe('the record to publish for TLS reports', () => {
	test('names both addresses, of mail and of HTTPS', async () => {
		const domain = await addDomain('records.example');
		const { value } = domain.expectedRecords.find(({ purpose }) => purpose === 'tls-reports');
		assert.equal(value, `v=TLSRPTv1; rua=mailto:${domain.reportAddress},${BASE}/tls-reports/${domain.id}`);
	});
});

describe('a report that its reporter posts', () => {
	test('is in the log before the answer, with all its failures, and counts once its reporter is accepted', async () => {
		const domain = await addDomain('posted.example');
		const text = JSON.parse(about(domain, 'p1'));
		Object.assign(text.policies[0]['failure-details'][0], { 'sending-mta-ip': '192.0.2.7', 'receiving-ip': '2001:db8::25',
			'receiving-mx-helo': 'mx.example', 'failure-reason-code': 'X509_V_ERR_CERT_HAS_EXPIRED', 'additional-information': 'https://receiver.example/why' });
		text.policies[0].policy['mx-host'] = ['*.example'];
		const answer = await post(domain, gzipSync(JSON.stringify(text)), GZIP_TYPE);
		assert.deepEqual([answer.status, answer.json()], [201, { data: { added: 1, duplicate: 0 } }]);

		const [line, ...more] = await logOf(domain);
		assert.deepEqual(more, []);
		assert.deepEqual([line.kind, line.state, line.via, line.counts, line.total, line.failed], ['tls', 'read', 'https', false, 100, 3]);
		assert.deepEqual(line.reporter, { domain: 'receiver.example', standing: 'unverified', spf: null, dkim: null, dmarc: null });
		const { report } = await call('GET', `/${domain.id}/reports/${line.id}`);
		assert.deepEqual(report.policies, [{ type: 'sts', domain: 'posted.example', successful: 97, failed: 3,
			strings: ['version: STSv1', 'mode: testing'], mxHosts: ['*.example'] }]);
		assert.deepEqual(report.failures, [
			{ type: 'certificate-expired', sessions: 2, sendingIp: '192.0.2.7', receivingMx: 'mx1.example', receivingHelo: 'mx.example',
				receivingIp: '2001:db8::25', information: 'https://receiver.example/why', reason: 'X509_V_ERR_CERT_HAS_EXPIRED' },
			{ type: 'certificate-expired', sessions: 1, sendingIp: null, receivingMx: 'mx2.example', receivingHelo: null,
				receivingIp: null, information: null, reason: null },
		]);
		assert.deepEqual((await call('GET', `/${domain.id}/mta-sts`)).reports.count, 0);
		await accept(domain);
		assert.deepEqual((await call('GET', `/${domain.id}/mta-sts`)).reports.count, 1);
	});

	test('twice, or by mail as well, counts once', async () => {
		const domain = await addDomain('twice.example');
		assert.equal((await post(domain, about(domain, 't0'))).status, 201);
		await accept(domain);
		assert.equal((await post(domain, about(domain, 't1'))).status, 201);
		assert.equal((await post(domain, about(domain, 't1'))).status, 200);
		assert.equal((await logOf(domain)).length, 2);
		await sendMail(runner.smtpPort, { from: 'noreply@receiver.example', to: domain.reportAddress,
			message: await signedByReporter(gzipMail(about(domain, 't1'), 'report.json.gz')) });
		const lines = await until(async () => {
			const log = await logOf(domain);
			return log.length === 3 && log;
		});
		assert.deepEqual(lines.map(({ state, via }) => [state, via]), [['duplicate', 'mail'], ['read', 'https'], ['read', 'https']]);
	});

	test('in another\'s name is stored and does not count', async () => {
		const domain = await addDomain('claimed.example');
		const text = about(domain, 'c1').replace('tls@receiver.example', 'tls@other.example');
		assert.equal((await post(domain, text)).status, 201);
		const [line] = await logOf(domain);
		assert.deepEqual([line.state, line.counts, line.reporter.domain, line.reporter.standing], ['read', false, 'other.example', 'unverified']);
	});

	test('together with others at once is stored once each', async () => {
		const domain = await addDomain('many.example');
		const texts = Array.from({ length: AT_ONCE }, (_, i) => about(domain, `m${i}`));
		const statuses = await Promise.all([...texts, ...texts].map(async (text) => {
			for (;;) {
				const { status } = await post(domain, text);
				// 503 means that all handlers are busy, so the post is repeated
				if (status !== 503) return status;
			}
		}));
		assert.equal(statuses.filter((status) => status === 201).length, AT_ONCE);
		assert.equal(statuses.filter((status) => status === 200).length, AT_ONCE);
		assert.equal((await logOf(domain)).filter(({ state }) => state === 'read').length, AT_ONCE);
	});
});

describe('a post that is not a TLS report', () => {
	const bad = (text) => ({ 'report-truncated': text.slice(0, 200), 'archive-damaged': gzipSync(text).subarray(0, 90),
		'report-too-large': gzipSync(`{"policies": [${' '.repeat(200 * MB)}`), 'no-report': '{"hello": 1}',
		'report-malformed': `{"policies":${'['.repeat(5000)}${']'.repeat(5000)}}`, 'report-other-domain': text.replaceAll('bad.example', 'else.example') });

	test('is refused with the reason, which is also in the log', async () => {
		const domain = await addDomain('bad.example');
		for (const [code, body] of Object.entries(bad(about(domain, 'b1')))) {
			const answer = await post(domain, body, typeof body === 'string' ? JSON_TYPE : GZIP_TYPE);
			const [line] = await logOf(domain);
			assert.deepEqual([answer.status, answer.json().code, line.state, line.reason.code], [400, 'report-refused', 'refused', code]);
			assert.equal(answer.json().detail, line.reason.message);
		}
		assert.equal((await post(domain, about(domain, 'b2'))).status, 201);
	});

	test('is not even read when it is too large, of another type, or for an unknown domain', async () => {
		const domain = await addDomain('door.example');
		const large = await post(domain, Buffer.alloc(MB + 1));
		assert.equal(large.json().detail, 'the body is longer than 1024 KiB');
		const statuses = [
			large,
			await post(domain, about(domain, 'd1'), 'text/plain'),
			await post(domain, ''),
			await post({ expectedRecords: [{ purpose: 'tls-reports', value: `,${BASE}/tls-reports/01900000-0000-7000-8000-000000000000` }] }, about(domain, 'd1')),
		].map(({ status }) => status);
		assert.deepEqual(statuses, [413, 415, 400, 404]);
		assert.deepEqual(await logOf(domain), []);
	});
});

describe('a client that posts without end', () => {
	test('uses up its own hourly limit and not that of others', async () => {
		const domain = await addDomain('flooded.example');
		const other = await addDomain('calm.example');
		const answers = [];
		do answers.push(await post(domain, '{"hello": 1}')); while (answers.at(-1).status === 400 && answers.length < 61);
		assert.deepEqual([answers.length, answers.at(-1).status, answers.at(-1).json().code], [61, 429, 'too-many-reports']);
		assert.match(answers.at(-1).headers['retry-after'], /^\d+$/);
		assert.equal((await post(other, about(other, 'o1'))).status, 201);
	});
});
