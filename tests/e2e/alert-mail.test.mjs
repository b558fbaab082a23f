// Alerts by mail through a relay: only to addresses that have confirmed, once for each change however
// many processes send, and none after one click on the link.
import assert from 'node:assert/strict';
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { after, before, beforeEach, describe, test } from 'node:test';

import { makeAuthority } from '../support/authority.mjs';
import { freePort } from '../support/free-port.mjs';
import { request } from './support/api.mjs';
import { startDns } from './support/dns.mjs';
import { functionsWithoutSchedule } from './support/functions.mjs';
import { keeping, receiving, startPostfix } from './support/postfix.mjs';
import { BUILD, startRunner, until } from './support/runner.mjs';
import { admin, environment, lockTable, sql } from './support/store.mjs';

const INSTANCES = 8;
const ARRIVAL_MS = 30000;
const LOCKED_MS = 1000;
const TEN_MINUTES_MS = 600000;
const EVENT = JSON.stringify({ version: '0', id: 'due', 'detail-type': 'Scheduled Event', source: 'aws.events',
	time: '2026-01-31T23:59:00Z', resources: [], detail: {} });
const ZONE = ['watched.test SOA 900 ns1.watched.test h.watched.test 1 3600 600 86400 60', 'watched.test NS 60 ns1.watched.test',
	'ns1.watched.test A 60 1.1.1.2', 'watched.test MX 60 10 mx.watched.test', 'mx.watched.test A 60 1.1.1.1',
	'watched.test TXT 60 "v=spf1 mx -all"'];
const dmarc = (tags) => `_dmarc.watched.test TXT 60 "v=DMARC1; ${tags}; rua=mailto:d@watched.test"`;
const NAMES = Array.from({ length: 20 }, (_, i) => `r${i}@inbox.example`);

// Parses a mail: its header fields, unfolded, by their names in lower case, and its decoded body.
function parse(mail) {
	const [header, ...body] = mail.split('\n\n');
	const fields = Object.fromEntries(header.replace(/\n[ \t]+/g, ' ').split('\n')
		.map((line) => [line.slice(0, line.indexOf(':')).toLowerCase(), line.slice(line.indexOf(':') + 2)]));
	const octets = body.join('\n\n').replace(/=\n/g, '').replace(/=([0-9A-F]{2})/g, (_, hex) => String.fromCharCode(parseInt(hex, 16)));
	return { fields, header, raw: mail, text: Buffer.from(octets, 'latin1').toString('utf8') };
}

describe('an alert by mail', { skip: process.getuid() !== 0 && 'Postfix needs root' }, () => {
	let authority;
	let dns;
	let domain;
	let functions;
	let postfix;
	let runner;
	let settings;
	let token;
	let names = 0;

	const send = (method, path, body, headers = {}) => request(`${runner.baseUrl}${path}`, { method,
		body: typeof body === 'object' ? JSON.stringify(body) : body,
		headers: { ...(typeof body === 'object' ? { 'content-type': 'application/json' } : {}), ...headers } });
	const call = (method, path, body) => send(method, `/api/v1${path}`, body, { authorization: `Bearer ${token}` });
	const data = async (...args) => {
		const answer = await call(...args);
		assert.ok(answer.status < 300, answer.text);
		return answer.json().data;
	};
	const ofDomain = (more = '') => `/domains/${domain.id}/alerts${more}`;
	const newAddress = () => NAMES[names++];

	const run = async (name, env = {}) => {
		const child = spawn(join(BUILD, 'functions', name), [], { cwd: runner.folder, stdio: ['pipe', 'pipe', 'ignore'],
			env: environment(runner, { ...settings, EDS_TIMEOUT_MS: '60000', ...env }) });
		let output = '';
		child.stdout.setEncoding('utf8').on('data', (text) => (output += text));
		child.stdin.end(EVENT);
		const [code] = await once(child, 'close');
		assert.equal(code, 0, name);
		return JSON.parse(output);
	};
	const mail = (env) => run('alerts-mail-send', env);
	const makeDue = () => sql(runner, 'UPDATE alert_mails SET due_at_ms = 1, held_until_ms = 0 WHERE due_at_ms > 0');
	const arrived = async (address, count) => {
		await until(() => postfix.mails(address).length >= count, ARRIVAL_MS);
		await until(() => postfix.queued() === 0, ARRIVAL_MS);
		const mails = postfix.mails(address).map(parse);
		assert.equal(mails.length, count, address);
		return mails.sort((a, b) => Date.parse(a.fields.date) - Date.parse(b.fields.date));
	};
	const linkIn = ({ text }, what) => {
		const [, path] = text.match(new RegExp(`(/alerts/[a-z2-7]{26}/${what}\\?key=[a-z2-7]+)`)) ?? [];
		assert.ok(path, text);
		return path;
	};
	const show = (...lines) => dns.publish([...ZONE, ...lines]);
	const look = async () => {
		sql(runner, 'UPDATE posture SET leased_until_ms = 0, due_at_ms = 1');
		await run('posture-check');
	};
	const makeAlert = async (address, events, path = ofDomain()) => {
		const alert = await data('POST', path, { mail: address, events });
		await mail();
		const [question] = await arrived(address, 1);
		return { ...alert, question };
	};
	const makeConfirmed = async (...args) => {
		const alert = await makeAlert(...args);
		assert.equal((await send('POST', linkIn(alert.question, 'confirm'))).status, 200);
		return alert;
	};
	const others = (mails, { question }) => mails.filter(({ raw }) => raw !== question.raw);

	before(async () => {
		authority = makeAuthority();
		dns = await startDns([...ZONE, dmarc('p=reject')]);
		postfix = await startPostfix(keeping('inbox.example', NAMES));
		settings = { EDS_DNS_SERVERS: dns.address, EDS_CA_FILE: authority.file, EDS_ALLOW_PRIVATE_ADDRESSES: '1',
			EDS_ALERT_RELAY: `smtp://127.0.0.1:${postfix.port}`, EDS_ALERT_FROM: 'alerts@eds.example' };
		functions = functionsWithoutSchedule();
		runner = await startRunner({ functions, env: settings });
		admin(runner, { action: 'create-account', name: 'owner', plan: 'paid' });
		({ token } = admin(runner, { action: 'create-token', account: 'owner', name: 'test', expiresAt: null }));
		domain = await data('POST', '/domains', { name: 'watched.test' });
		await look();
	});
	after(async () => {
		await runner?.stop();
		await postfix?.stop();
		await dns?.stop();
		authority?.remove();
		if (functions) rmSync(functions, { recursive: true });
	});
	beforeEach(async () => {
		show(dmarc('p=reject'));
		await look();
		for (const table of ['outbox', 'alerts', 'account_uses', 'alert_mail_asks']) sql(runner, `DELETE FROM ${table}`);
	});

	test('asks its address for confirmation first, and sends nothing else until the link is followed', async () => {
		const address = newAddress();
		const made = await data('POST', ofDomain(), { mail: address.replace('inbox', 'Inbox') });
		assert.deepEqual([made.mail, made.url, made.confirmedAt, made.active], [address, `mailto:${address}`, null, true]);
		assert.equal('secret' in made, false);
		show(dmarc('p=none'));
		await look();
		makeDue();
		await Promise.all(Array.from({ length: INSTANCES }, () => mail()));
		const [question] = await arrived(address, 1);
		const { fields } = question;
		assert.equal(fields.from, 'eds <alerts@eds.example>');
		assert.equal(fields.to, address);
		assert.equal(fields['auto-submitted'], 'auto-generated');
		assert.match(fields['message-id'], /^<[a-z0-9.-]+@eds\.example>$/);
		assert.ok(Math.abs(Date.parse(fields.date) - Date.now()) < TEN_MINUTES_MS);
		assert.match(question.text, /watched\.test/);
		assert.equal((await call('POST', ofDomain(`/${made.alertId}/test`))).status, 409);

		const link = linkIn(question, 'confirm');
		assert.doesNotMatch(sql(runner, 'SELECT * FROM alert_mails'), new RegExp(link.split('key=')[1]));
		const page = await send('GET', link, undefined, { accept: 'text/html' });
		assert.match(page.text, /<button>Send alerts to my address<\/button>/);
		assert.equal((await data('GET', ofDomain(`/${made.alertId}`))).confirmedAt, null);
		assert.match((await send('POST', link, '', { accept: 'text/html' })).text, /Your address is confirmed/);
		assert.equal((await send('POST', link)).json().code, 'link-not-valid');
		const confirmed = await data('GET', ofDomain(`/${made.alertId}`));
		assert.ok(Math.abs(Date.parse(confirmed.confirmedAt) - Date.now()) < TEN_MINUTES_MS);
		assert.equal((await mail()).sent, 0);
	});

	test('sends a summary on Mondays to an address that wants one, however many processes make it', async () => {
		const address = newAddress();
		const alert = await makeConfirmed(address, ['dmarc-weakened']);
		assert.equal(alert.weeklySummary, false);
		const wanted = await data('PATCH', ofDomain(`/${alert.alertId}`), { weeklySummary: true });
		assert.equal(wanted.weeklySummary, true);
		const monday = new Date(Number(sql(runner, 'SELECT summary_at_ms FROM alert_mails WHERE summary_at_ms > 0')));
		assert.deepEqual([monday.getUTCDay(), monday.getUTCHours(), monday.getUTCMinutes()], [1, 7, 0]);
		assert.ok(monday > Date.now() && monday - Date.now() <= 7 * 86400000);
		assert.equal((await run('alerts-summary')).made, 0);

		sql(runner, 'UPDATE alert_mails SET summary_at_ms = 1 WHERE summary_at_ms > 0');
		const made = await Promise.all(Array.from({ length: INSTANCES }, () => run('alerts-summary')));
		assert.equal(made.reduce((sum, { made: count }) => sum + count, 0), 1);
		assert.equal((await run('alerts-summary')).made, 0);
		makeDue();
		assert.equal((await mail()).sent, 1);
		const [summary] = others(await arrived(address, 2), alert);
		assert.equal(summary.fields.subject, 'Weekly summary: 1 domain, no errors');
		assert.match(summary.text, /No DMARC report about this week has arrived\./);
		assert.match(summary.text, new RegExp(`watched\\.test: warning\n  \\S+/#/domains/${domain.id}\n`));
		assert.match(linkIn(summary, 'off'), /key=/);

		await data('PATCH', ofDomain(`/${alert.alertId}`), { weeklySummary: false });
		assert.equal(sql(runner, 'SELECT count(*) FROM alert_mails WHERE summary_at_ms > 0'), '0');
	});

	test('reports a change once, in plain words, however many processes send', async () => {
		const address = newAddress();
		const alert = await makeConfirmed(address, ['dmarc-weakened']);
		show(dmarc('p=none'));
		await look();
		assert.equal((await mail()).sent, 0);
		makeDue();
		const runs = await Promise.all(Array.from({ length: INSTANCES }, () => mail()));
		assert.equal(runs.reduce((sum, { sent }) => sum + sent, 0), 1);
		const [told] = others(await arrived(address, 2), alert);
		assert.equal(told.fields.subject, 'watched.test: the DMARC policy was weakened or removed');
		assert.match(told.text, /What happened: The DMARC policy for watched\.test is weaker than before\./);
		assert.match(told.text, /Noticed: \d{4}-\d\d-\d\d \d\d:\d\d UTC/);
		assert.match(told.text, /Record before: v=DMARC1; p=reject/);
		assert.match(told.text, /What to do: /);
		assert.ok(told.text.includes(`/#/domains/${domain.id}`));
		assert.match(told.fields['list-unsubscribe-post'], /^List-Unsubscribe=One-Click$/);
		const [delivery, asked] = await data('GET', ofDomain(`/${alert.alertId}/deliveries`));
		assert.deepEqual([delivery.type, delivery.state, delivery.status, delivery.tries], ['dmarc-weakened', 'delivered', 250, 1]);
		assert.deepEqual([asked.type, asked.state], ['confirmation', 'delivered']);
	});

	test('puts all events of ten minutes into one mail', async () => {
		const address = newAddress();
		const alert = await makeConfirmed(address, null);
		const from = Date.now();
		for (const tags of ['p=quarantine', 'p=none']) {
			show(dmarc(tags));
			await look();
		}
		assert.equal((await mail()).sent, 0);
		const deliveries = await data('GET', ofDomain(`/${alert.alertId}/deliveries`));
		const waiting = deliveries.filter(({ state }) => state === 'waiting');
		assert.equal(waiting.length, 4);
		for (const { nextTryAt } of waiting) {
			const wait = Date.parse(nextTryAt) - from;
			assert.ok(wait >= TEN_MINUTES_MS - 1000 && wait < 2 * TEN_MINUTES_MS, `${wait} ms`);
		}
		makeDue();
		assert.equal((await mail()).sent, 1);
		const [told] = others(await arrived(address, 2), alert);
		assert.equal(told.fields.subject, 'watched.test: 4 changes');
		assert.equal(told.text.match(/What happened: /g).length, 4);
	});

	test('is switched off by one click, and gets mail again only after another confirmation', async () => {
		const address = newAddress();
		const alert = await makeConfirmed(address, ['dmarc-weakened']);
		const [, path] = alert.question.fields['list-unsubscribe'].match(/^<http:\/\/[^/]+(\/.*)>$/);
		assert.equal(path, linkIn(alert.question, 'off'));
		const clicked = await send('POST', path, 'List-Unsubscribe=One-Click', { 'content-type': 'application/x-www-form-urlencoded' });
		assert.deepEqual(clicked.json().data, { alertId: alert.alertId, active: false });
		assert.equal((await send('POST', `${path}a`)).status, 404);
		const off = await data('GET', ofDomain(`/${alert.alertId}`));
		assert.deepEqual([off.active, off.reason.code, off.confirmedAt], [false, 'receiver-unsubscribed', null]);
		assert.equal((await call('POST', ofDomain(`/${alert.alertId}/test`))).status, 409);

		const on = await data('PATCH', ofDomain(`/${alert.alertId}`), { active: true });
		assert.deepEqual([on.active, on.reason, on.confirmedAt], [true, null, null]);
		show(dmarc('p=none'));
		await look();
		makeDue();
		assert.equal((await mail()).sent, 1);
		const [again] = others(await arrived(address, 2), alert);
		assert.match(again.fields.subject, /^Do you want alerts/);
	});

	test('asks a new address for confirmation even if it was switched off when the address was changed', async () => {
		const [own, other] = [newAddress(), newAddress()];
		const alert = await makeConfirmed(own, ['dmarc-weakened']);
		await data('PATCH', ofDomain(`/${alert.alertId}`), { active: false, mail: other });
		const on = await data('PATCH', ofDomain(`/${alert.alertId}`), { active: true });
		assert.deepEqual([on.mail, on.active, on.confirmedAt], [other, true, null]);
		assert.equal((await call('POST', ofDomain(`/${alert.alertId}/test`))).status, 409);
		show(dmarc('p=none'));
		await look();
		makeDue();
		assert.equal((await mail()).sent, 1);
		const [question] = await arrived(other, 1);
		assert.match(question.fields.subject, /^Do you want alerts/);
		assert.equal((await arrived(own, 1)).length, 1);
		assert.equal((await send('POST', linkIn(alert.question, 'off'))).status, 404);
		assert.equal((await send('POST', linkIn(question, 'off'))).status, 200);
	});

	test('is confirmed only by its current address, even if the address changes while a mail is on its way', async () => {
		const [own, other] = [newAddress(), newAddress()];
		const { alertId } = await data('POST', ofDomain(), { mail: own });
		const unlock = await lockTable(runner, 'outbox');
		// time for exactly one mail, because the job claims no further mail with less than 30 s left
		const sending = mail({ EDS_TIMEOUT_MS: '31500' });
		await new Promise((done) => setTimeout(done, LOCKED_MS));
		const changing = data('PATCH', ofDomain(`/${alertId}`), { mail: other });
		await new Promise((done) => setTimeout(done, LOCKED_MS));
		await unlock();
		await Promise.all([sending, changing]);
		await until(() => postfix.queued() === 0, ARRIVAL_MS);
		for (const text of postfix.mails(own)) assert.equal((await send('POST', linkIn(parse(text), 'confirm'))).status, 404);
		await mail();
		const [question] = await arrived(other, 1);
		assert.equal((await send('POST', linkIn(question, 'confirm'))).status, 200);
	});

	test('stays on when the mail server refuses to relay for us, and the answer of that server is not shown', async () => {
		const strict = await startPostfix((folder) => `${keeping('inbox.example', NAMES)(folder)}smtpd_recipient_restrictions = reject\n`);
		try {
			const { alertId } = await data('POST', ofDomain(), { mail: newAddress() });
			assert.deepEqual(await mail({ EDS_ALERT_RELAY: `smtp://127.0.0.1:${strict.port}` }), { sent: 0, failed: 1 });
			const [delivery] = await data('GET', ofDomain(`/${alertId}/deliveries`));
			assert.deepEqual([delivery.state, delivery.status, delivery.reason.code], ['waiting', 554, 'receiver-later']);
			assert.equal(delivery.reason.message, 'The mail server does not accept mail for this address at the moment.');
			assert.equal((await data('GET', ofDomain(`/${alertId}`))).active, true);
		} finally {
			await strict.stop();
		}
	});

	test('is switched off with the reason when the mail server refuses its address', async () => {
		const { alertId } = await data('POST', ofDomain(), { mail: 'nobody@inbox.example' });
		assert.deepEqual(await mail(), { sent: 0, failed: 1 });
		const off = await data('GET', ofDomain(`/${alertId}`));
		assert.deepEqual([off.active, off.reason.code], [false, 'receiver-refused']);
		assert.match(off.reason.message, /It answered: 550 5\.1\.1 /);
		assert.deepEqual(await mail(), { sent: 0, failed: 0 });
	});

	test('shows no control character of a mail server that refuses its address', async () => {
		const replies = { EHLO: '250 relay.example', MAIL: '250 ok', RCPT: '550 5.1.1 no \x1b]0;owned\x07 such \xe2\x80\xae user', QUIT: '221 bye' };
		const server = createServer((socket) => {
			socket.write('220 relay.example\r\n');
			createInterface({ input: socket }).on('line', (line) => socket.write(`${replies[line.split(' ', 1)[0].toUpperCase()] ?? '250 ok'}\r\n`, 'latin1'));
			socket.on('error', () => {});
		});
		await once(server.listen(0, '127.0.0.1'), 'listening');
		try {
			const { alertId } = await data('POST', ofDomain(), { mail: newAddress() });
			assert.deepEqual(await mail({ EDS_ALERT_RELAY: `smtp://127.0.0.1:${server.address().port}` }), { sent: 0, failed: 1 });
			const off = await data('GET', ofDomain(`/${alertId}`));
			assert.deepEqual([off.active, off.reason.code], [false, 'receiver-refused']);
			assert.match(off.reason.message, /It answered: 550 5\.1\.1 no \?\]0;owned\? such \?\?\? user/);
		} finally {
			server.close();
		}
	});

	test('waits while the relay is away, with growing pauses', async () => {
		const address = newAddress();
		const { alertId } = await data('POST', ofDomain(), { mail: address });
		const minutes = [];
		for (let tries = 1; tries <= 3; tries++) {
			assert.deepEqual(await mail({ EDS_ALERT_RELAY: 'smtp://127.0.0.1:1' }), { sent: 0, failed: 1 });
			const [delivery] = await data('GET', ofDomain(`/${alertId}/deliveries`));
			assert.deepEqual([delivery.state, delivery.tries, delivery.reason.code], ['waiting', tries, 'relay-away']);
			minutes.push((Date.parse(delivery.nextTryAt) - Date.now()) / 60000);
			makeDue();
		}
		for (const [i, most] of [1, 2, 4].entries()) assert.ok(minutes[i] > most / 2 - 0.4 && minutes[i] <= most, `${minutes}`);
		assert.deepEqual(await mail(), { sent: 1, failed: 0 });
		await arrived(address, 1);
	});

	test('does not wait for the end of a pause that began while a clock was ahead', async () => {
		const address = newAddress();
		await data('POST', ofDomain(), { mail: address });
		assert.deepEqual(await mail({ EDS_ALERT_RELAY: 'smtp://127.0.0.1:1' }), { sent: 0, failed: 1 });
		sql(runner, 'UPDATE alert_mails SET held_until_ms = held_until_ms + 7200000 WHERE held_until_ms > 0');
		assert.deepEqual(await mail(), { sent: 0, failed: 0 });
		sql(runner, 'UPDATE alert_mails SET held_until_ms = held_until_ms + 3600000 WHERE held_until_ms > 0');
		assert.deepEqual(await mail(), { sent: 1, failed: 0 });
		await arrived(address, 1);
	});

	test('does not flood an address: it is asked three times a day at most', async () => {
		const address = newAddress();
		const statuses = [];
		for (let i = 0; i < 4; i++) {
			const answer = await call('POST', '/alerts', { mail: i % 2 ? address : address.toUpperCase().replace('INBOX.EXAMPLE', 'inbox.example') });
			statuses.push(answer.status);
			if (answer.status === 201) await data('DELETE', `/alerts/${answer.json().data.alertId}`);
			else assert.ok(Number(answer.headers['retry-after']) > 86000);
		}
		assert.deepEqual(statuses, [201, 201, 201, 429]);
		for (let i = 0; i < 7; i++) await data('POST', '/alerts', { mail: `x${i}@inbox.example` });
		assert.equal((await call('POST', '/alerts', { mail: 'x8@inbox.example' })).json().code, 'too-many-confirmations');
	});

	test('passes the Postfix in front of eds on the port that the runbook opens, and not on port 25', async () => {
		const address = newAddress();
		const open = await freePort();
		const [command] = readFileSync('infra/runbooks/alert-mails.md', 'utf8').match(/postconf -M .*/);
		const front = await startPostfix((folder) => `${receiving(1)(folder)}
transport_maps = inline:{inbox.example=smtp:[127.0.0.1]:${postfix.port}}\n`, (folder) =>
			execFileSync('sh', ['-c', command.replace('postconf', `postconf -c ${folder}`).replaceAll('10026', open)]));
		try {
			await data('POST', ofDomain(), { mail: address });
			assert.deepEqual(await mail({ EDS_ALERT_RELAY: `smtp://127.0.0.1:${front.port}` }), { sent: 0, failed: 1 });
			await until(() => /Relay access denied/.test(front.log())); // another process writes Postfix's log
			makeDue();
			assert.deepEqual(await mail({ EDS_ALERT_RELAY: `smtp://127.0.0.1:${open}` }), { sent: 1, failed: 0 });
			await arrived(address, 1);
		} finally {
			await front.stop();
		}
	});

	test('is sent to a relay elsewhere over STARTTLS or not at all', async () => {
		const address = newAddress();
		const plain = `smtp://relay.localhost:${postfix.port}`;
		await data('POST', ofDomain(), { mail: address });
		assert.deepEqual(await mail({ EDS_ALERT_RELAY: plain }), { sent: 0, failed: 1 });
		makeDue();
		const other = makeAuthority();
		const secure = await startPostfix(keeping('inbox.example', NAMES, authority.issue(['relay.localhost'])));
		try {
			const relay = `smtp://relay.localhost:${secure.port}`;
			assert.deepEqual(await mail({ EDS_ALERT_RELAY: relay, EDS_CA_FILE: other.file }), { sent: 0, failed: 1 });
			makeDue();
			assert.deepEqual(await mail({ EDS_ALERT_RELAY: relay }), { sent: 1, failed: 0 });
			await until(() => secure.mails(address).length === 1, ARRIVAL_MS);
			assert.match(secure.mails(address)[0], /using TLSv1\.[23]|with ESMTPS/);
		} finally {
			await secure.stop();
			other.remove();
		}
		assert.equal(postfix.mails(address).length, 0);
	});

	test('shows a hostile record as harmless text', async () => {
		const address = newAddress();
		const alert = await makeConfirmed(address, ['dmarc-weakened']);
		show('_dmarc.watched.test TXT 60 "v=DMARC1; p=none; rua=mailto:d@watched.test; x=\\013\\010Bcc: victim@inbox.example\\013\\010\\013\\010.\\013\\010"');
		await look();
		makeDue();
		assert.equal((await mail()).sent, 1);
		const [told] = others(await arrived(address, 2), alert);
		assert.equal('bcc' in told.fields, false);
		assert.match(told.text, /^Record now: v=DMARC1; p=none; .*Bcc: victim@inbox\.example/m);
		assert.deepEqual(told.header.split('\n').filter((line) => /^[A-Z]/.test(line) && /victim/.test(line)), []);
	});
});

test('a mail address is refused with a sentence where no relay is configured', async () => {
	const runner = await startRunner();
	try {
		const { token } = admin(runner, { action: 'create-token', account: 'dev', name: 'mail', expiresAt: null });
		const answer = await request(`${runner.baseUrl}/api/v1/alerts`, { method: 'POST', body: JSON.stringify({ mail: 'ops@example.com' }),
			headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' } });
		assert.deepEqual([answer.status, answer.json().code], [403, 'mail-unavailable']);
		assert.match(answer.json().detail, /this service sends no mail/);
	} finally {
		await runner.stop();
	}
});
