// The state of an account's domains in DNS, checked on a schedule and stored: over HTTP and on the page.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';

import { request } from './support/api.mjs';
import { logIn, startWorld, tokenOf, walk } from './support/dashboard.mjs';
import { newKey } from './support/mail.mjs';
import { breaches } from './support/openapi.mjs';
import { BUILD, until } from './support/runner.mjs';
import { txtRecord } from './support/senders.mjs';
import { environment, sql } from './support/store.mjs';

const SCHEDULED = JSON.stringify({ version: '0', id: 'period', 'detail-type': 'Scheduled Event', source: 'aws.events',
	time: '2026-01-31T23:59:00Z', resources: [], detail: {} });
const MAIL = [
	'watched.example. MX 10 mx.watched.example.',
	'mx.watched.example. A 192.0.2.25',
	txtRecord('watched.example', 'v=spf1 mx -all'),
	txtRecord('_smtp._tls.watched.example', 'v=TLSRPTv1; rua=mailto:t@watched.example'),
	txtRecord('_mta-sts.watched.example', 'v=STSv1; id=a1'),
	'mta-sts.watched.example. A 192.0.2.80',
];
const REJECT = txtRecord('_dmarc.watched.example', 'v=DMARC1; p=reject; rua=mailto:d@watched.example');
const NONE = txtRecord('_dmarc.watched.example', 'v=DMARC1; p=none; rua=mailto:d@watched.example');

let world;
let domain;

const call = async (method, path, body) => {
	const answer = await request(`${world.runner.baseUrl}/api/v1${path}`, { method, body: body && JSON.stringify(body),
		headers: { authorization: `Bearer ${tokenOf(world.runner)}`, ...(body ? { 'content-type': 'application/json' } : {}) } });
	assert.deepEqual(breaches(method, `/api/v1${path}`, answer), []);
	return answer;
};
const posture = async () => (await call('GET', `/domains/${domain.id}/posture`)).json().data;
const itemOf = (data, wanted) => data.items.find(({ name }) => name === wanted);
const run = (job) => {
	const { status, stderr } = spawnSync(join(BUILD, 'functions', job), { cwd: world.runner.folder, input: SCHEDULED,
		env: environment(world.runner, { EDS_DNS_SERVERS: world.dns, EDS_ALLOW_PRIVATE_ADDRESSES: '1', EDS_TIMEOUT_MS: '60000' }) });
	assert.equal(status, 0, `${stderr}`);
};
// Runs a job that checks rows of this table, and waits until no row is due, because the runner, which starts the same
// job at each full minute, may have claimed some of them.
const checkAll = async (job, table) => {
	run(job);
	await until(() => sql(world.runner, `SELECT count(*) FROM ${table} WHERE due_at_ms <= ${Date.now()}`) === '0');
};
// Makes the domains due, and checks them.
const lookAgain = () => {
	sql(world.runner, 'UPDATE posture SET leased_until_ms = 0, due_at_ms = 1');
	return checkAll('posture-check', 'posture');
};

before(async () => {
	world = await startWorld({ records: [...MAIL, REJECT] });
	domain = (await call('POST', '/domains', { name: 'watched.example' })).json().data;
});
after(() => world?.stop());

describe('a domain of an account', () => {
	test('is looked at on schedule, and its age is shown in the list as well', async () => {
		await until(async () => (await posture()).checkedAt !== null, 150000);
		const seen = await posture();
		assert.equal(seen.state, 'warning');
		assert.equal(itemOf(seen, 'dmarc').record, 'v=DMARC1; p=reject; rua=mailto:d@watched.example');
		assert.equal(itemOf(seen, 'dmarc').changedAt, seen.checkedAt);
		const [listed] = (await call('GET', '/domains')).json().data;
		assert.deepEqual(listed.posture, { state: 'warning', checkedAt: seen.checkedAt, changedAt: seen.changedAt });
		assert.deepEqual((await call('GET', `/domains/${domain.id}/posture/history`)).json().data, []);
	});

	test('has its records to publish merged with the published ones', async () => {
		const { expectedRecords } = (await call('GET', `/domains/${domain.id}`)).json().data;
		assert.deepEqual(expectedRecords[0], { purpose: 'dmarc-reports', name: '_dmarc.watched.example', type: 'TXT',
			change: 'change', old: 'v=DMARC1; p=reject; rua=mailto:d@watched.example',
			value: `v=DMARC1; p=reject; rua=mailto:d@watched.example,mailto:${domain.reportAddress}` });
	});

	test('that weakens its policy has an entry in its history', async () => {
		await world.publish([...MAIL, NONE]);
		await lookAgain();
		const [change, ...others] = (await call('GET', `/domains/${domain.id}/posture/history`)).json().data;
		assert.deepEqual(others, []);
		assert.equal(change.item, 'dmarc');
		assert.equal(change.old.record, 'v=DMARC1; p=reject; rua=mailto:d@watched.example');
		assert.equal(change.new.record, 'v=DMARC1; p=none; rua=mailto:d@watched.example');
		assert.deepEqual(change.new.findings, ['dmarc-policy-none', 'dmarc-reports-elsewhere']);
		const seen = await posture();
		assert.equal(itemOf(seen, 'dmarc').changedAt, change.changedAt);
		assert.equal(seen.changedAt, change.changedAt);
		assert.ok(itemOf(seen, 'spf').changedAt <= change.changedAt);
	});

	test('shows on its overview the last result, its history, and a new look on request', () => walk(world, 'mouse', async (page, hands) => {
		await logIn(page, hands, tokenOf(world.runner));
		await page.getByRole('heading', { name: 'watched.example works; 3 things could be better' }).waitFor();
		const looked = (await posture()).checkedAt;
		await page.getByText('Changes in 90 days').click();
		const change = page.locator('.changes .change');
		await change.getByText('v=DMARC1; p=reject').waitFor();
		await change.getByText('v=DMARC1; p=none').waitFor();
		await world.publish([...MAIL, REJECT]);
		await hands.use('button', 'Check now');
		await page.getByRole('heading', { name: 'watched.example works; 2 things could be better' }).waitFor();
		await page.locator('.changes .change').nth(1).waitFor();
		assert.ok((await posture()).checkedAt >= looked);
	}, { at: `#/domains/${domain.id}` }));

	test('shows its state in the list of domains', () => walk(world, 'mouse', async (page, hands) => {
		await logIn(page, hands, tokenOf(world.runner));
		await page.locator('.domain-row').getByText('warning', { exact: true }).waitFor();
	}, { at: '#/domains' }));

	test('that is new shows the selectors shared by its providers, checked, before any report', async () => {
		await world.publish([...MAIL, REJECT, 'begun.example. MX 10 smtp.google.com.', 'smtp.google.com. A 192.0.2.25',
			txtRecord('google._domainkey.begun.example', newKey().record)]);
		const { id } = (await call('POST', '/domains', { name: 'begun.example' })).json().data;
		const selectors = async () => (await call('GET', `/domains/${id}/dkim/selectors`)).json().data;
		await lookAgain();
		await checkAll('dkim-recheck', 'dkim_selectors');
		const [{ selector, addedManually, state, evidence }, ...others] = await selectors();
		assert.deepEqual([selector, addedManually, state, evidence.firstSeen, others], ['google', false, 'unused', null, []]);
		await walk(world, 'mouse', async (page, hands) => {
			await logIn(page, hands, tokenOf(world.runner));
			await page.getByText('google', { exact: true }).first().click();
			await page.getByText('its key in DNS').waitFor();
		}, { at: `#/domains/${id}/selectors` });
		await call('DELETE', `/domains/${id}`);
	});

	test('in order is looked at every six hours', async () => {
		await world.publish([...MAIL.filter((record) => !record.startsWith('_smtp')),
			txtRecord('_dmarc.watched.example', `v=DMARC1; p=reject; rua=mailto:${domain.reportAddress}`),
			txtRecord('_smtp._tls.watched.example', `v=TLSRPTv1; rua=mailto:${domain.reportAddress}`),
			txtRecord(`watched.example._report._dmarc.${domain.reportAddress.split('@')[1]}`, 'v=DMARC1;')]);
		await lookAgain();
		const seen = await posture();
		assert.equal(seen.state, 'ok', JSON.stringify(seen.items.filter(({ state }) => state !== 'ok')));
		const minutes = (Number(sql(world.runner, 'SELECT due_at_ms FROM posture')) - Date.now()) / 60000;
		assert.ok(minutes > 350 && minutes <= 360, `${minutes}`);
		const { expectedRecords } = (await call('GET', `/domains/${domain.id}`)).json().data;
		assert.deepEqual(expectedRecords.map(({ change }) => change), ['ok', 'ok']);
	});
});
