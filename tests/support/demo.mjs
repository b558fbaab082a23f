// make demo: the whole way of a message, on this machine alone. A name server (nsd) with a zone of a
// made-up sender, the runner, a message signed on the spot, the report as a person reads it.
import { readFileSync } from 'node:fs';

import { newKey, sendMail } from '../e2e/support/mail.mjs';
import { startNsd } from '../e2e/support/nsd.mjs';
import { startRunner } from '../e2e/support/runner.mjs';
import { LISTS, Sender, txtRecord } from '../e2e/support/senders.mjs';
import { createSession, untilCompleted } from '../e2e/support/tester.mjs';

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

function print(session) {
	const out = [];
	out.push(bold(`${session.verdict}, ${points(session.spamScore)} points (below 3.0 is ham)`), '');
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

const sender = new Sender('unused', {
	ip: '192.0.2.25',
	host: 'mail.example.com',
	from: 'Alice Example <alice@example.com>',
	mailFrom: 'alice@example.com',
});
sender.domain = 'example.com';
sender.key = newKey();

const nsd = await startNsd([zone, txtRecord('s1._domainkey.example.com', sender.key.record)]);
let runner;
try {
	runner = await startRunner({
		env: {
			...LISTS,
			EDS_DNS_SERVERS: nsd.address,
			EDS_SMTP_TRUSTED: '127.0.0.1', // so that we may say by XCLIENT who the client is
			EDS_ALLOW_PRIVATE_ADDRESSES: '1',
		},
	});
	console.log(`A name server on ${nsd.address}, the service on ${runner.baseUrl}.\n`);

	const session = await createSession(runner);
	console.log(`POST /api/inbound-tester/sessions gives the address\n  ${session.email}\n`);

	const message = await sender.signed({ To: session.email, Subject: 'Will this arrive?' });
	const reply = await sendMail(runner.smtpPort, {
		ip: sender.ip, helo: sender.helo, from: sender.mailFrom, to: session.email, message,
	});
	console.log(`${sender.helo} [${sender.ip}] sends a signed message to it:\n  ${reply.trim()}\n`);

	console.log(`GET /api/inbound-tester/sessions/${session.testId} says\n`);
	print(await untilCompleted(runner, session.testId));
} finally {
	await runner?.stop();
	await nsd.stop();
}
