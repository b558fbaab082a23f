// make demo: shows the whole path of a message, on this machine only. It starts a name server (nsd) with
// zones of invented senders and the runner, sends messages, and prints the first result for a person; then
// the service keeps running, with a good, a bad and an undecided result and a domain with reports, until it
// is interrupted. With ONCE=1 it ends at once.
import { once } from 'node:events';
import { readFileSync } from 'node:fs';

import { tokenOf } from '../e2e/support/dashboard.mjs';
import { freePort } from './free-port.mjs';
import { newKey, sendMail } from '../e2e/support/mail.mjs';
import { startNsd } from '../e2e/support/nsd.mjs';
import { aggregate, gzipMail } from '../e2e/support/reports.mjs';
import { startRunner, until } from '../e2e/support/runner.mjs';
import { LISTS, Sender, txtRecord } from '../e2e/support/senders.mjs';
import { createSession, untilCompleted } from '../e2e/support/tester.mjs';

const REPORT_DAYS = 14;
const DAY_S = 86400;

const bold = (text) => (process.stdout.isTTY ? `\x1b[1m${text}\x1b[0m` : text);
const zone = readFileSync(new URL('./demo.zone', import.meta.url), 'utf8');

function bar(score) {
	const cells = '█'.repeat(Math.max(1, Math.round(Math.abs(score) * 2)));
	return score < 0 ? `${cells.padStart(4)}│` : `    │${cells}`;
}

const points = (score) => `${score > 0 ? '+' : ''}${score.toFixed(1)}`;

function wrapped(text, indent, width = 92) {
	const lines = [''];
	for (const word of text.split(' ')) {
		if (lines.at(-1).length + word.length > width - indent) lines.push('');
		lines[lines.length - 1] += (lines.at(-1) ? ' ' : '') + word;
	}
	return lines.join('\n' + ' '.repeat(indent));
}

function findings({ spf, dkim, dmarc, ptr, mx, helo, blocklists }) {
	const key = (s) => `${s.domain} (${s.selector}, ${s.algorithm}): ${s.state}`;
	return [
		['SPF', `${spf.result} for ${spf.domain}`],
		['DKIM', dkim.signatures.map(key).join('; ') || 'no signature'],
		['DMARC', `${dmarc.result}, policy ${dmarc.policy ?? 'none published'}`],
		['HELO', `${helo.name}: ${helo.state}`],
		['PTR', `${ptr.record ?? 'none'}: ${ptr.state}`],
		['MX', `${mx.records.map((r) => r.exchange).join(', ') || 'none'}: ${mx.state}`],
		['Lists', blocklists.results.map((l) => `${l.list} ${l.state}`).join(', ')],
	];
}

const verdict = ({ verdict, spamScore, results }) =>
	`outlook: ${results.outlook.state}; ${verdict}, ${points(spamScore)} points`;

function print(session) {
	const out = [];
	out.push(bold(`${verdict(session)} (below 3.0 is ham)`), '');
	for (const { rule, score } of session.scoreBreakdown)
		out.push(`  ${points(score).padStart(5)}  ${bar(score)}  ${rule}`);
	out.push('', bold('What was found'));
	for (const [name, text] of findings(session.results))
		out.push(`  ${name.padEnd(6)} ${text}`);
	out.push('', bold('What to do'));
	for (const { severity, message, record } of session.results.advice) {
		if (severity === 'good') continue;
		out.push(`  - ${wrapped(message, 4)}`);
		if (record?.value) out.push(`      ${record.name} ${record.type} ${record.value}`);
	}
	console.log(out.join('\n'));
}

// A sender of demo.zone.
function sender(domain, ip, host) {
	const one = new Sender('unused', { ip, host, from: `Alice Example <alice@${domain}>`, mailFrom: `alice@${domain}` });
	return Object.assign(one, { domain, key: newKey() });
}

const good = sender('example.com', '192.0.2.25', 'mail.example.com');
const bad = sender('example.net', '192.0.2.80', 'web.example.net');
const undecided = sender('unreachable.example', '192.0.2.44', 'mail.unreachable.example');
const receiver = sender('receiver.example', '192.0.2.99', 'mail.receiver.example');

const send = (runner, from, to, message) =>
	sendMail(runner.smtpPort, { ip: from.ip, helo: from.helo, from: from.mailFrom, to, message });

async function test(runner, from, message) {
	const session = await createSession(runner);
	const reply = await send(runner, from, session.email, await message(session.email));
	return { session, reply: reply.trim(), result: await untilCompleted(runner, session.testId) };
}

async function firstReport(runner) {
	const { session, reply, result } = await test(runner, good, (to) => good.signed({ To: to, Subject: 'Will this arrive?' }));
	console.log(`POST /api/inbound-tester/sessions gives the address\n  ${session.email}\n`);
	console.log(`${good.helo} [${good.ip}] sends a signed message to it:\n  ${reply}\n`);
	console.log(`GET /api/inbound-tester/sessions/${session.testId} says\n`);
	print(result);
	return result;
}

async function call(runner, method, path, body) {
	const answer = await fetch(`${runner.baseUrl}/api/v1/domains${path}`, {
		method,
		headers: { authorization: `Bearer ${tokenOf(runner)}`, 'content-type': 'application/json' },
		body: body && JSON.stringify(body),
	});
	if (!answer.ok) throw new Error(`${method} /api/v1/domains${path}: ${await answer.text()}`);
	return (await answer.json()).data;
}

// Two weeks of reports: mail of the domain's own servers, some through a forwarder, a little forged.
async function domainWithReports(runner) {
	const domain = await call(runner, 'POST', '', { name: 'example.com' });
	const today = Math.floor(Date.now() / 1000 / DAY_S) * DAY_S;
	for (let day = 1; day <= REPORT_DAYS; day++) {
		const begin = today - day * DAY_S;
		const report = aggregate({
			org: 'receiver.example', email: 'dmarc@receiver.example', id: String(begin), domain: 'example.com', begin, end: begin + DAY_S - 1,
			records: [
				{ ip: '192.0.2.25', count: 400 + 37 * (day % 5), signatures: [{ domain: 'example.com', selector: 's1' }] },
				{ ip: '198.51.100.40', count: 90, spf: 'fail', signatures: [{ domain: 'example.com', selector: 's1' }] },
				{ ip: '203.0.113.9', count: day === 5 ? 60 : 4, dkim: 'fail', spf: 'fail', disposition: 'quarantine' },
			],
		});
		await send(runner, receiver, domain.reportAddress, await receiver.sign(gzipMail(report)));
	}
	await until(async () => (await call(runner, 'GET', `/${domain.id}/reports`)).length === REPORT_DAYS, 60000);
	return domain;
}

async function show(runner) {
	const results = {
		good: await firstReport(runner),
		bad: (await test(runner, bad, (to) => bad.message({ To: to, Subject: 'Our autumn offers', 'Message-ID': null }))).result,
		undecided: (await test(runner, undecided, (to) => undecided.signed({ To: to, Subject: 'Is anybody there?' }))).result,
	};
	const domain = await domainWithReports(runner);
	console.log(`\n${bold('To look at, in a browser')}`);
	for (const [name, session] of Object.entries(results))
		console.log(`  ${name.padEnd(9)}  ${runner.baseUrl}/#/test/${session.testId}  (${verdict(session)})`);
	console.log(`  ${'a domain'.padEnd(9)}  ${runner.baseUrl}/#/domains/${domain.id}/reports`);
	console.log(`             it asks for the token ${tokenOf(runner)}`);
}

const nsd = await startNsd([
	zone,
	txtRecord('s1._domainkey.example.com', good.key.record),
	txtRecord('s1._domainkey.receiver.example', receiver.key.record),
], { dead: [undecided.domain] });
let runner;
try {
	runner = await startRunner({
		env: {
			...LISTS,
			EDS_DNS_SERVERS: nsd.address,
			EDS_SMTP_LISTEN: `127.0.0.1:${await freePort()}`,
			EDS_SMTP_TRUSTED: '127.0.0.1', // allows this script to name the client with XCLIENT
			EDS_ALLOW_PRIVATE_ADDRESSES: '1',
		},
	});
	console.log(`A name server on ${nsd.address}, the service on ${runner.baseUrl}.\n`);
	await show(runner);
	if (process.env.ONCE !== '1') {
		console.log('\nThe service runs until you press Ctrl-C; nothing of it stays.');
		await Promise.race([once(process, 'SIGINT'), once(process, 'SIGTERM'), runner.ended]);
	}
} finally {
	await runner?.stop();
	await nsd.stop();
}
