// Reports whose sender cannot be verified because lookups fail: for a moment, as when a resolver starts again, and
// for ever, as anybody can arrange for a zone of their own.
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';

import { startDns } from './support/dns.mjs';
import { sendMail } from './support/mail.mjs';
import { aggregate, gzipMail, reporterRecords, signedByReporter } from './support/reports.mjs';
import { request, startRunner, until } from './support/runner.mjs';
import { admin } from './support/store.mjs';

const FAKETIME = '/usr/lib/x86_64-linux-gnu/faketime/libfaketime.so.1';
const HOSTILE_MAILS = 10;
const DAY_S = 86400;
const yesterday = Math.floor(Date.now() / 1000 / DAY_S - 1) * DAY_S;
const WELL = reporterRecords.map((record) => record.replace('. TXT ', ' TXT 60 '));
const DOWN = ['receiver.example', '_dmarc.receiver.example', 'report._domainkey.receiver.example']
	.map((name) => `${name} !servfail`);
const LOST = ['lost.example', '_dmarc.lost.example'].map((name) => `${name} !servfail`);

let dns;
let folder;
let runner;
let headers;
let serial = 0;

const start = async (more = {}) => {
	runner = await startRunner({ folder, env: { EDS_DNS_SERVERS: dns.address, EDS_SMTP_TRUSTED: '127.0.0.1',
		EDS_ALLOW_PRIVATE_ADDRESSES: '1', ...more } });
};

before(async () => {
	folder = mkdtempSync(join(tmpdir(), 'eds-undecided-'));
	dns = await startDns([...WELL, ...LOST]);
	await start();
	admin(runner, { action: 'create-account', name: 'own', plan: 'paid' });
	const { token } = admin(runner, { action: 'create-token', account: 'own', name: 'test', expiresAt: null });
	headers = { authorization: `Bearer ${token}` };
});
after(async () => {
	await runner?.stop();
	await dns?.stop();
	rmSync(folder, { recursive: true, force: true });
});

async function call(method, path, body) {
	const response = await request(`${runner.baseUrl}/api/v1/domains${path}`, { method,
		headers: { ...headers, ...(body ? { 'content-type': 'application/json' } : {}) }, body: body && JSON.stringify(body) });
	return response.json().data;
}

const reportsOf = ({ id }) => call('GET', `/${id}/reports`);
const reportAbout = (domain, more) => aggregate({ id: `r${++serial}`, domain, begin: yesterday, end: yesterday + DAY_S - 1,
	records: [{ count: 3, signatures: [] }], ...more });

async function putOff() {
	const { text } = await request(`${runner.opsUrl}/metrics`);
	return Number(/^eds_mail_put_off (\d+)$/m.exec(text)[1]);
}

async function sendVerified({ name, reportAddress }) {
	const message = await signedByReporter(gzipMail(reportAbout(name)));
	await sendMail(runner.smtpPort, { ip: '198.51.100.25', from: 'noreply@receiver.example', to: reportAddress, message });
}

const sendUndecided = ({ name, reportAddress }) =>
	sendMail(runner.smtpPort, { ip: '198.51.100.66', from: 'noreply@lost.example', to: reportAddress,
		message: gzipMail(reportAbout(name, { org: 'lost.example', email: 'dmarc@lost.example' }))
			.replace('noreply@receiver.example', 'noreply@lost.example') });

describe('a report whose sender cannot be verified', () => {
	test('while lookups fail for a moment is stored as verified once they succeed', async () => {
		const domain = await call('POST', '', { name: 'moment.example' });
		dns.publish([...DOWN, ...LOST]);
		await sendVerified(domain);
		await until(async () => (await putOff()) === 1);
		assert.deepEqual(await reportsOf(domain), []);
		dns.publish([...WELL, ...LOST]);
		await until(async () => (await reportsOf(domain)).length === 1, 60000);
		const [{ state, reporter }] = await reportsOf(domain);
		assert.equal(state, 'read');
		assert.deepEqual(reporter, { domain: 'receiver.example', standing: 'verified', spf: 'none', dkim: 'pass', dmarc: 'pass' });
		await until(async () => (await putOff()) === 0);
	});

	test('for ever delays no other, and is stored as unverified after an hour, also if the service starts again', async () => {
		const domain = await call('POST', '', { name: 'lasting.example' });
		for (let i = 0; i < HOSTILE_MAILS; i++) await sendUndecided(domain);
		await until(async () => (await putOff()) === HOSTILE_MAILS);
		await sendVerified(domain);
		await until(async () => (await reportsOf(domain)).length > 0);
		const others = await reportsOf(domain);
		assert.deepEqual(others.map(({ reporter }) => reporter.standing), ['verified']);
		assert.equal(await putOff(), HOSTILE_MAILS);
		assert.equal((await request(`${runner.opsUrl}/healthz`)).status, 200);

		await runner.stop();
		await start({ LD_PRELOAD: FAKETIME, FAKETIME: '+61m', FAKETIME_DONT_FAKE_MONOTONIC: '1' });
		await until(async () => (await reportsOf(domain)).length === HOSTILE_MAILS + 1);
		const undecided = (await reportsOf(domain)).filter(({ reporter }) => reporter.domain === 'lost.example');
		assert.equal(undecided.length, HOSTILE_MAILS);
		for (const { reporter } of undecided)
			assert.deepEqual(reporter, { domain: 'lost.example', standing: 'unverified', spf: 'temperror', dkim: 'none', dmarc: 'temperror' });
		await until(async () => (await putOff()) === 0);
	});
});
