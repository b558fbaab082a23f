// Monitoring for people on call: the alarms that Prometheus raises from the runner's metrics, the
// dashboard, and a runbook for each alarm.
import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { parse } from 'yaml';

import { promtool, startPrometheus } from '../support/prometheus.mjs';
import { startDns } from './support/dns.mjs';
import { compose, sendMail } from './support/mail.mjs';
import { request, startRunner, until } from './support/runner.mjs';
import { sql } from './support/store.mjs';
import { createSession } from './support/tester.mjs';

const SUITE_MS = 400000;
const FILE = 'infra/monitoring/alarms.yml';
const rules = parse(readFileSync(FILE, 'utf8')).groups.flatMap((group) => group.rules);
const dashboard = JSON.parse(readFileSync('infra/monitoring/dashboard.json', 'utf8'));
const EXPRESSION_NAMES = /\beds_[a-z_]+/g;

const RUNNER = 'job="eds", instance="a:9090"';
const OF_CHECKS = ['portClosed', 'policyCertificatesEnding'];
const answer = (number) => `eds_schedule_answer{${RUNNER}, function="${OF_CHECKS.includes(number) ? 'mta-sts-check' : 'service-watch'}", number="${number}"}`;
const probe = (job, name = 'probe_success') => `${name}{job="${job}", instance="the target"}`;
const requests = (status) => `eds_http_requests_total{${RUNNER}, function="domains-list", status="${status}"}`;
const dnsQuestions = `eds_dns_questions_total{${RUNNER}, function="dkim-recheck"}`;
const dnsFailures = (kind) => `eds_dns_failures_total{${RUNNER}, function="dkim-recheck", kind="${kind}"}`;
const bucket = (name, le) => `${name}_bucket{${RUNNER}, function="domains-list", le="${le}"}`;

// Series for each alarm, with one value a minute, in promtool's notation. With `bad` the alarm must fire
// within an hour (three hours for rare events), with `well` it must not.
const STORIES = {
	EdsDown: { bad: [[`up{${RUNNER}}`, '1x9 0x60']], well: [[`up{${RUNNER}}`, '1x60']] },
	EdsDatabaseAway: { bad: [[answer('databaseAway'), '0x9 1x60']], well: [[answer('databaseAway'), '0x60']] },
	EdsMailStoreAway: { bad: [[answer('mailStoreAway'), '0x9 1x60']], well: [[answer('mailStoreAway'), '0x60']] },
	EdsSpoolAway: { bad: [[answer('spoolAway'), '0x9 1x60']], well: [[answer('spoolAway'), '0 1 0x60']] },
	EdsDnsAway: { bad: [[answer('dnsAway'), '0x9 1x60']], well: [[answer('dnsAway'), '0 1 0x60']] },
	EdsHelpersAway: { bad: [[answer('helpersAway'), '0x9 1x60']], well: [[answer('helpersAway'), '0 1 0x60']] },
	EdsDnsFails: {
		bad: [[dnsQuestions, '0+100x60'], [dnsFailures('timeout'), '0+15x60'], [dnsFailures('servfail'), '0+10x60']],
		well: [[dnsQuestions, '0+100x60'], [dnsFailures('timeout'), '0+5x60'], [dnsFailures('servfail'), '0+10x60']],
	},
	EdsMailWaits: { bad: [[`eds_mail_oldest_seconds{${RUNNER}}`, '0+60x60']], well: [[`eds_mail_oldest_seconds{${RUNNER}}`, '299x60']] },
	EdsSendersUnknown: {
		bad: [[`eds_mail_accepted_total{${RUNNER}}`, '0+1x60'], [`eds_mail_unjudged_total{${RUNNER}}`, '0+1x60']],
		well: [[`eds_mail_accepted_total{${RUNNER}}`, '0+2x60'], [`eds_mail_unjudged_total{${RUNNER}}`, '0+1x60']],
	},
	EdsMailGivenUp: { bad: [[`eds_mail_failed_total{${RUNNER}}`, '0x50 1x20']], well: [[`eds_mail_failed_total{${RUNNER}}`, '7x60']] },
	EdsMailDamaged: { bad: [[`eds_mail_damaged_files{${RUNNER}}`, '0x50 1x20']], well: [[`eds_mail_damaged_files{${RUNNER}}`, '0x60']] },
	EdsBackupLate: { bad: [[answer('backupAgeSeconds'), '130000+60x120']], well: [[answer('backupAgeSeconds'), '129000+60x30 0+60x90']] },
	EdsClockWrong: { bad: [[`eds_time_seconds{${RUNNER}}`, '7200+60x60']], well: [[`eds_time_seconds{${RUNNER}}`, '0+60x40 9999 2520+60x60']] },
	EdsMailRoomFull: { bad: [[`eds_mail_held_percent{${RUNNER}}`, '95x60']], well: [[`eds_mail_held_percent{${RUNNER}}`, '80x60']] },
	EdsChecksLate: { bad: [[answer('postureLateSeconds'), '0+90x60']], well: [[answer('mtaStsLateSeconds'), '3000x60']] },
	EdsUploadsLate: { bad: [[answer('uploadsLateSeconds'), '0+60x60']], well: [[answer('uploadsLateSeconds'), '120x60']] },
	EdsWebhooksLate: { bad: [[answer('webhooksLateSeconds'), '0+60x60']], well: [[answer('webhooksLateSeconds'), '60x60']] },
	EdsAlertMailsLate: { bad: [[answer('alertMailsLateSeconds'), '0+60x60']], well: [[answer('alertMailsLateSeconds'), '0+60x20 0x40']] },
	EdsListsSilent: { bad: [[answer('listsSilent'), '2x120']], well: [[answer('listsSilent'), '1x30 0x90']] },
	EdsJobFails: {
		bad: [[`eds_schedule_failed_total{${RUNNER}, function="dkim-recheck"}`, '0+1x60']],
		well: [[`eds_schedule_failed_total{${RUNNER}, function="dkim-recheck"}`, '4x60']],
	},
	EdsJobSilent: {
		bad: [[`eds_schedule_last_success_timestamp_seconds{${RUNNER}, function="dkim-recheck"}`, '0x60']],
		well: [[`eds_schedule_last_success_timestamp_seconds{${RUNNER}, function="dkim-recheck"}`, '0+60x60'],
			[`eds_schedule_last_success_timestamp_seconds{${RUNNER}, function="reports-expire"}`, '0x60']],
	},
	EdsErrors: { bad: [[requests(200), '0+100x60'], [requests(503), '0+5x60']], well: [[requests(200), '0+100x60'], [requests(503), '0+1x60']] },
	EdsSlow: {
		bad: [[bucket('eds_http_request_seconds', 1), '0+5x60'], [bucket('eds_http_request_seconds', 5), '0+10x60'], [bucket('eds_http_request_seconds', '+Inf'), '0+10x60']],
		well: [[bucket('eds_http_request_seconds', 1), '0+10x60'], [bucket('eds_http_request_seconds', 5), '0+10x60'], [bucket('eds_http_request_seconds', '+Inf'), '0+10x60']],
	},
	EdsAnalysisSlow: {
		bad: [[bucket('eds_mail_seconds', 10), '0+5x60'], [bucket('eds_mail_seconds', 30), '0+6x60'], [bucket('eds_mail_seconds', '+Inf'), '0+10x60']],
		well: [[bucket('eds_mail_seconds', 10), '0+10x60'], [bucket('eds_mail_seconds', 30), '0+10x60'], [bucket('eds_mail_seconds', '+Inf'), '0+10x60']],
	},
	EdsHandlersDie: {
		bad: [[`eds_handler_crashes_total{${RUNNER}, function="tester-analyze"}`, '0+1x60']],
		well: [[`eds_handler_crashes_total{${RUNNER}, function="tester-analyze"}`, '0x30 1x30'], [`eds_handler_timeouts_total{${RUNNER}, function="x"}`, '9x60']],
	},
	EdsBusy: {
		bad: [[`eds_pool_refused_total{${RUNNER}, function="domains-list"}`, '0+5x60']],
		well: [[`eds_pool_refused_total{${RUNNER}, function="domains-list"}`, '0+1x60']],
	},
	EdsClientsTurnedAway: { bad: [[`eds_smtp_turned_away_total{${RUNNER}}`, '0+600x60']], well: [[`eds_smtp_turned_away_total{${RUNNER}}`, '0+6x60']] },
	EdsUnconfined: { bad: [[`eds_sandbox_level{${RUNNER}, level="off"}`, '1x60']], well: [[`eds_sandbox_level{${RUNNER}, level="limits"}`, '1x60']] },
	EdsCertificateEnds: {
		// one run an hour checks the certificate, and only that run shows the number
		bad: [[answer('policyCertificatesEnding'), '0x9 1 0x59 1 0x59 1 0x60']],
		well: [[answer('policyCertificatesEnding'), '1x9 0x200']],
	},
	EdsPageAway: {
		bad: [[probe('eds-page'), '1x9 0x60'], [`up{${RUNNER}}`, '1x60']],
		well: [[probe('eds-page'), '1x9 0x60'], [`up{${RUNNER}}`, '1x9 0x60']],
	},
	EdsMailFrontAway: { bad: [[probe('eds-mail'), '1x9 0x60']], well: [[probe('eds-mail'), '0x50 1x10'], [probe('eds-page'), '0x60']] },
	EdsFrontCertificateEnds: {
		// After six days: one that had 190 hours left at first, and now has 46; one of 160 hours and one of 12 hours, both
		// renewed when a third was left, and both just before it.
		bad: [[probe('eds-mail', 'probe_ssl_earliest_cert_expiry'), '684000x8640']],
		well: [[probe('eds-mail', 'probe_ssl_earliest_cert_expiry'), '326460x2240 710460x6399'],
			[probe('eds-page', 'probe_ssl_earliest_cert_expiry'), Array.from({ length: 18 }, (_, n) => `${43200 + n * 28800}x479`).join(' ')]],
	},
	EdsProbesAway: { bad: [[probe('eds-page', 'up'), '1x9 0x60']], well: [[probe('eds-mail', 'up'), '1x60'], [`up{${RUNNER}}`, '0x60']] },
	EdsPort25Closed: { bad: [[answer('portClosed'), '1x200']], well: [[answer('portClosed'), '1x30 0x170']] },
};

const minutesOf = (name) => ({ EdsPort25Closed: 180, EdsCertificateEnds: 180, EdsListsSilent: 90, EdsFrontCertificateEnds: 8640 })[name] ?? 60;

describe('the alarms', () => {
	let folder;
	before(() => (folder = mkdtempSync(join(tmpdir(), 'eds-alarms-'))));
	after(() => rmSync(folder, { recursive: true }));

	// Lets Prometheus' own engine (promtool) decide whether the alarm fires at the end of the series.
	function assertFires(name, series, fires) {
		const file = join(folder, 'test.yml');
		const { labels: { severity } } = rules.find(({ alert }) => alert === name);
		writeFileSync(file, JSON.stringify({
			rule_files: [join(process.cwd(), FILE)],
			evaluation_interval: '1m',
			tests: [{
				interval: '1m',
				input_series: series.map(([metric, values]) => ({ series: metric, values })),
				promql_expr_test: [{
					expr: `count(ALERTS{alertname="${name}", alertstate="firing", severity="${severity}"}) > bool 0 or vector(0)`,
					eval_time: `${minutesOf(name)}m`,
					exp_samples: [{ labels: '{}', value: fires ? 1 : 0 }],
				}],
			}],
		}));
		promtool('test', 'rules', file);
	}

	test('are understood by Prometheus', () => {
		assert.match(promtool('check', 'rules', FILE), /SUCCESS: 34 rules found/);
	});

	for (const { alert } of rules)
		test(`${alert} fires when it should, and not when everything is in order`, () => {
			assertFires(alert, STORIES[alert].bad, true);
			assertFires(alert, STORIES[alert].well, false);
		});

	const failing = [`eds_schedule_failed_total{${RUNNER}, function="dkim-recheck"}`, '0x9 0+1x50'];
	const silent = [`eds_schedule_last_success_timestamp_seconds{${RUNNER}, function="dkim-recheck"}`, '0+60x9 540x50'];

	for (const part of ['databaseAway', 'mailStoreAway'])
		test(`tell the cause alone while jobs fail because of ${part}, and afterwards, too`, () => {
			const away = [answer(part), '0x9 1x60'];
			assertFires(part === 'databaseAway' ? 'EdsDatabaseAway' : 'EdsMailStoreAway', [away, failing, silent], true);
			assertFires('EdsJobFails', [away, failing], false);
			assertFires('EdsJobSilent', [away, silent], false);
			assertFires('EdsJobFails', [[answer(part), '0x9 1x36 0x20'], [failing[0], '0x9 0+1x36 37x20']], false);
		});

	test('tell of jobs that fail beside a database that is away for moments, or away from another instance', () => {
		assertFires('EdsJobFails', [[answer('databaseAway'), `${'0 1 '.repeat(30)}0`], failing], true);
		const elsewhere = answer('databaseAway').replace('a:9090', 'b:9090');
		assertFires('EdsJobFails', [[elsewhere, '0x9 1x60'], failing], true);
		assertFires('EdsJobSilent', [[elsewhere, '0x9 1x60'], silent], true);
	});

	test('each have a page that says what they mean, where to look and what to do', () => {
		for (const { alert, annotations: { runbook } } of rules) {
			const text = existsSync(runbook) ? readFileSync(runbook, 'utf8') : '';
			assert.ok(text.includes(alert), `${runbook} does not name ${alert}`);
			for (const part of ['## What it means', '## Where to look', '## What to do']) assert.ok(text.includes(part), `${runbook} lacks "${part}"`);
		}
	});

	test('have a page each, and other pages are in the list of tasks', () => {
		const list = readFileSync('infra/runbooks/README.md', 'utf8');
		for (const file of readdirSync('infra/runbooks')) assert.ok(file === 'README.md' || list.includes(`(${file})`), file);
	});
});

describe('a runner that is watched', { timeout: SUITE_MS }, () => {
	let dns;
	let runner;
	let prometheus;
	const metrics = async () => (await request(`${runner.opsUrl}/metrics`)).text;
	const ready = async () => {
		const { status, text } = await request(`${runner.opsUrl}/readyz`);
		return { code: status, ...JSON.parse(text) };
	};
	const raised = (name) => until(async () => (await prometheus.alerts()).includes(name), 120000);
	const over = (name) => until(async () => !(await prometheus.alerts()).includes(name), 120000);

	before(async () => {
		dns = await startDns(['localhost A 60 127.0.0.1']);
		// This runner does not use bootstrap, which writes the counts of a function into its log
		// instead (bootstrap.test.mjs).
		runner = await startRunner({ bootstrap: false, env: { EDS_DNS_SERVERS: dns.address, EDS_SANDBOX: 'off' } });
		prometheus = await startPrometheus({
			targets: [new URL(runner.opsUrl).host],
			// without `for`, an alarm fires at once and not only after minutes
			rules: readFileSync(FILE, 'utf8').replaceAll(/^ +for: .*\n/gm, ''),
		});
	});
	after(async () => {
		await prometheus?.stop();
		await runner?.stop();
		await dns?.stop();
	});

	test('says which release it is', async () => {
		assert.match(await metrics(), /^eds_build_info\{version="\d+\.\d+\.\d+"\} 1$/m);
		assert.match(runner.output.err.split('\n')[0], /"version":"\d+\.\d+\.\d+"/);
	});

	test('raises an alarm when it reads mail without a sandbox', () => raised('EdsUnconfined'));

	test('is ready while all its parts answer', async () => {
		const { code, status, parts } = await ready();
		assert.deepEqual([code, status], [200, 'ok']);
		assert.deepEqual(Object.values(parts).map(({ state }) => state), ['ok', 'ok', 'ok', 'ok', 'ok']);
	});

	test('raises an alarm while its resolver does not answer', async () => {
		dns.publish(['localhost !servfail']);
		assert.deepEqual([(await ready()).code, (await ready()).parts.dns.state], [200, 'away']);
		await raised('EdsDnsAway');
		dns.publish(['localhost A 60 127.0.0.1']);
		await over('EdsDnsAway');
	});

	test('counts the questions that DNS did not answer, by function and kind', async () => {
		const count = async (kind) => {
			const name = kind ? `failures_total{function="service-ready",kind="${kind}"}` : 'questions_total{function="service-ready"}';
			return Number((await metrics()).split('\n').find((line) => line.startsWith(`eds_dns_${name}`)).split(' ')[1]);
		};
		const kinds = ['timeout', 'unreachable', 'refused', 'servfail', 'bogus', 'malformed', 'other'];
		const counts = async () => Promise.all([undefined, ...kinds].map(count));
		for (const [line, kind] of [['!servfail', 'servfail'], ['!refused', 'refused'], ['!drop', 'timeout'], ['!rcode=4', 'other'], ['A 60 127.0.0.1', undefined]]) {
			dns.publish([`localhost ${line}`]);
			const was = await counts();
			await ready();
			const grown = (await counts()).map((now, i) => now - was[i]);
			assert.deepEqual(grown, [1, ...kinds.map((each) => Number(each === kind))], line);
		}
	});

	test('raises an alarm while its database does not answer', async () => {
		sql(runner, 'ALTER TABLE dkim_selectors RENAME TO gone');
		assert.deepEqual([(await ready()).code, (await ready()).status], [503, 'unavailable']);
		await raised('EdsDatabaseAway');
		sql(runner, 'ALTER TABLE gone RENAME TO dkim_selectors');
		await over('EdsDatabaseAway');
	});

	test('shows every number that alarms and dashboard ask for', async () => {
		const { email } = await createSession(runner);
		await sendMail(runner.smtpPort, { to: email, from: 'a@sender.example', message: compose([['From', 'a@sender.example'], ['Subject', 'x']]) });
		await until(async () => /^eds_mail_seconds_count\{function="tester-analyze"\} 1/m.test(await metrics()), 60000);
		const shown = await metrics();
		const asked = JSON.stringify([rules.map(({ expr }) => expr), dashboard.panels.map(({ targets }) => targets)]);
		for (const name of new Set(asked.match(EXPRESSION_NAMES))) assert.ok(new RegExp(`^${name}[ {]`, 'm').test(shown), name);
		for (const line of ['eds_sessions_created_total{function="tester-session-create"} 1', 'eds_sessions_completed_total{function="tester-analyze"} 1',
			'eds_sandbox_deaths_total{function="tester-analyze",cause="died"} 0']) assert.ok(shown.includes(`${line}\n`), line);
		assert.match(shown, /^eds_sandbox_children_total\{function="tester-analyze",level="off"\} [1-9]/m);
		// the errors are from the previous test
		assert.match(shown, /^eds_database_errors_total\{function="service-ready"\} [1-9]/m);
		const watched = [...shown.matchAll(/^eds_schedule_answer\{function="service-watch",number="(\w+)"\}/gm)].map(([, number]) => number);
		assert.deepEqual(watched.sort(), ['alertMailsLateSeconds', 'databaseAway', 'dnsAway', 'helpersAway', 'listsSilent', 'mailStoreAway', 'mtaStsLateSeconds', 'postureLateSeconds', 'reportWatchLateSeconds', 'selectorsLateSeconds', 'spoolAway', 'spoolDamaged', 'uploadsLateSeconds',
			'webhooksLateSeconds']);
	});

	test('is reported as missing when it has ended', async () => {
		await runner.stop();
		await raised('EdsDown');
	});
});
