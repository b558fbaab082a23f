// Mail made to break its reader: messages that crash the libraries, exhaust a parser or forge
// fields of a receiver. Each such message gets a result with findings, and the process that
// analyzes it serves the next one.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';

import { openSmtp, sendMail } from './support/mail.mjs';
import { startNsd } from './support/nsd.mjs';
import { handlersOf, isAlive, startRunner } from './support/runner.mjs';
import { LISTS, Sender, txtRecord } from './support/senders.mjs';
import { createSession, untilCompleted } from './support/tester.mjs';

const SETTINGS = {
	...LISTS,
	EDS_TESTER_DOMAIN: 'tester.example',
	EDS_SMTP_TRUSTED: '127.0.0.1',
	EDS_ALLOW_PRIVATE_ADDRESSES: '1',
	EDS_TESTER_SESSIONS_PER_HOUR: '0',
};

const times = (count, make) => Array.from({ length: count }, (_, i) => make(i));
const rules = (session) => session.scoreBreakdown.map(({ rule }) => rule);
const errors = (session) =>
	session.results.dkim.signatures.map((signature) => signature.errors.map(({ code }) => code).join(' '));

// Folds a field so that no line is too long for SMTP.
const folded = (text) => text.replace(/(.{900})/g, '$1\r\n ');

// Makes a DKIM-Signature field whose form is valid, but which nobody has signed.
function forged(sender, tags) {
	const all = { v: '1', a: 'rsa-sha256', c: 'relaxed/relaxed', d: sender.domain, s: 's1', h: 'from', ...tags,
		bh: 'A'.repeat(43) + '=', b: 'A'.repeat(342) + '==' };
	const text = Object.entries(all).map(([name, value]) => `${name}=${value}`).join('; ');
	return `DKIM-Signature: ${folded(text)}\r\n`;
}

const cases = [];
function hostile(name, sender, message, check) {
	cases.push({ name, sender, message, check });
}
const spf = (name, record, records, check) =>
	hostile(name, new Sender(`spf-${cases.length}`, { spf: record, records }), (s) => s.signed(), check);

// Faults of libopendkim
hostile('an h= that names every field once more than it occurs', new Sender('h-all'),
	(s) => forged(s, { h: 'from:to:subject:date:message-id:mime-version:content-type:received:dkim-signature:x-one' }) +
		s.message(),
	(session) => assert.deepEqual(errors(session), ['body-hash-mismatch']));
hostile('an identity of thousands of octets', new Sender('long-identity'),
	(s) => forged(s, { i: `${'=61'.repeat(3000)}@${s.domain}` }) + s.message(),
	(session) => assert.deepEqual(errors(session), ['body-hash-mismatch']));
hostile('hundreds of signatures, of which ten are evaluated', new Sender('flood'),
	(s) => times(300, () => forged(s)).join('') + s.message(),
	(session) => {
		assert.equal(session.results.dkim.signatures.length, 10);
		assert.equal(rules(session).filter((rule) => rule === 'DKIM_INVALID').length, 1);
	});
hostile('a key record of nine kilobytes', new Sender('long-key', { key: `v=DKIM1; n=${'x'.repeat(9000)}; p=AAAA` }),
	(s) => s.signed(), (session) => assert.deepEqual(errors(session), ['key-der']));
hostile('l= that wraps around', new Sender('wrapped-length'),
	(s) => forged(s, { l: '18446744073709551615' }) + s.message(),
	(session) => assert.deepEqual(errors(session), ['body-too-short body-hash-mismatch']));
hostile('a signature that covers a broken one', new Sender('covers-broken'),
	(s) => s.sign(`DKIM-Signature: ${folded(`v=1; i=${'=61'.repeat(900)}; h=${'x:'.repeat(900)}x; =;;`)}\r\n${s.message()}`,
		{ headerList: 'from:dkim-signature' }),
	(session) => assert.equal(session.results.dkim.signatures.length, 2));
hostile('a signed header of 100 kilobytes', new Sender('long-header'),
	(s) => s.sign(s.message({ 'X-Long': times(100, () => 'y'.repeat(990)).join('\r\n ') }), { headerList: 'from:x-long' }),
	(session) => assert.deepEqual(errors(session), ['signature-unchecked']));

// Faults of libspf2
spf('an explanation that underflows', 'v=spf1 -all exp=why.hostile.example',
	[txtRecord('why.hostile.example', '%{o}'.repeat(127) + 'A')],
	(session) => assert.ok(rules(session).includes('SPF_FAIL')));
spf('a mechanism that underflows', `v=spf1 a:${'%{o}'.repeat(127)}A.example -all`, [],
	(session) => assert.ok(rules(session).includes('SPF_FAIL')));
spf('a macro that expands endlessly', `v=spf1 exists:${'%{s}'.repeat(900)}.example +all`, [],
	(session) => assert.ok(rules(session).includes('SPF_PERMERROR')));
spf('a record of thousands of octets', `v=spf1 ${times(300, (i) => `ip4:203.0.113.${i % 250}`).join(' ')} -all`, [],
	(session) => assert.ok(rules(session).includes('SPF_PERMERROR')));
spf('a record whose end the library loses', `v=spf1 ${times(150, (i) => `ip4:203.0.113.${i}`).join(' ')} -all`, [],
	(session) => assert.ok(rules(session).includes('SPF_FAIL')));
spf('records that include each other endlessly', 'v=spf1 include:loop-one.example -all',
	[txtRecord('loop-one.example', 'v=spf1 include:loop-two.example'), txtRecord('loop-two.example', 'v=spf1 include:loop-one.example')],
	(session) => assert.ok(rules(session).includes('SPF_PERMERROR')));
spf('upper case, empty and odd macros', 'v=spf1 a:%{d1r-+,/_=.}.%{i9999999999999r} exists:%{P}%{p} -all', [],
	(session) => assert.ok(['fail', 'permerror'].includes(session.results.spf.result)));

// Our own parsers
hostile('a From field of nested comments and groups', new Sender('nested', { from: folded(`${'('.repeat(20000)} ${'g:'.repeat(5000)}`) }),
	(s) => s.message(), (session) => assert.equal(session.results.dmarc.result, 'permerror'));
hostile('two thousand fields', new Sender('many-fields'),
	(s) => times(2000, (i) => `X-${i}: ${i}\r\n`).join('') + s.message(),
	(session) => assert.equal(session.results.dmarc.result, 'permerror'));
hostile('no header at all', new Sender('headless'), () => '\r\nonly a body\r\n',
	(session) => assert.ok(rules(session).includes('MISSING_MID')));
hostile('text that is not UTF-8 in every shown field', new Sender('latin'),
	(s) => s.message({ Subject: '\xff\xfe\x80', 'Message-ID': '<\xc0\x80@\xed\xa0\x80>' }),
	(session) => assert.equal(typeof session.results.headers.subject, 'string'));

// Claims of a message about its own delivery
const OWN = 'from good.example (good.example [192.0.2.1]) by tester.example with ESMTP id 1; Mon, 1 Jan 2024 00:00:00 +0000';
const FORGERIES = {
	'our own Received field': `Received: ${OWN}\r\n`,
	'a Received field of SES': `Received: ${OWN.replace('tester.example', 'inbound-smtp.eu-west-1.amazonaws.com')}\r\n`,
	'Received-SPF and X-SES-RECEIPT': 'Received-SPF: pass (spfCheck: domain of good.example designates 192.0.2.1) client-ip=192.0.2.1; ' +
		'envelope-from=a@good.example; helo=good.example;\r\nX-SES-RECEIPT: AEFB\r\n',
	'Authentication-Results': 'Authentication-Results: tester.example; spf=pass smtp.mailfrom=good.example; dkim=pass header.d=good.example; dmarc=pass\r\n',
	'ARC and Return-Path': 'ARC-Seal: i=1; cv=pass\r\nReturn-Path: <a@good.example>\r\nX-Envelope-From: a@good.example\r\n',
};

async function deliver(runner, sender, message) {
	const session = await createSession(runner);
	await sendMail(runner.smtpPort, { ip: sender.ip, helo: sender.helo, from: sender.mailFrom, to: session.email, message });
	return untilCompleted(runner, session.testId);
}

describe('hostile mail:', () => {
	const plain = new Sender('plain');
	const liar = new Sender('liar', { spf: 'v=spf1 -all' });
	let nsd;
	let runner;
	let handlers;

	before(async () => {
		nsd = await startNsd([...cases.map(({ sender }) => sender), plain, liar].flatMap((sender) => sender.records()));
		runner = await startRunner({ env: { ...SETTINGS, EDS_DNS_SERVERS: nsd.address } });
		await deliver(runner, plain, await plain.signed());
		handlers = handlersOf(runner, 'tester-analyze');
		assert.notEqual(handlers.length, 0);
	});
	after(async () => {
		await runner?.stop();
		await nsd?.stop();
	});

	for (const { name, sender, message, check } of cases)
		test(name, async () => {
			const session = await deliver(runner, sender, await message(sender));
			try {
				check(session);
			} catch (error) {
				error.message += `\n${JSON.stringify(session.results, null, 1)}`;
				throw error;
			}
			assert.ok(handlers.some(isAlive), 'the process that analyzes has ended');
		});

	test('NUL, a bare CR and a bare LF are refused before analysis', async () => {
		for (const byte of ['\0', '\r', '\n']) {
			const session = await createSession(runner);
			const talk = await openSmtp(runner.smtpPort);
			await talk.say('EHLO tester', '250');
			await talk.say('MAIL FROM:<>', '250');
			await talk.say(`RCPT TO:<${session.email}>`, '250');
			await talk.say('DATA', '354');
			talk.socket.write(`From: a@example.com\r\nSubject: a${byte}b\r\n\r\nx\r\n`, 'latin1');
			await talk.say('.', '550');
			talk.socket.end();
		}
	});

	for (const [name, fields] of Object.entries(FORGERIES))
		test(`${name}, forged, changes nothing`, async () => {
			const message = liar.message({ Date: 'Mon, 1 Jan 2024 00:00:00 +0000', 'Message-ID': '<1@liar.example>' });
			const honest = await deliver(runner, liar, message);
			const session = await deliver(runner, liar, fields + message);

			assert.equal(session.results.helo.clientAddress, liar.ip);
			assert.equal(session.results.spf.result, 'fail');
			for (const { results } of [honest, session]) {
				delete results.headers.receivedAt;
				// the results differ here, because one of the forged fields may be the longest line
				delete results.form.longestLine;
				delete results.shape.bytes;
			}
			assert.deepEqual(session.results, honest.results);
			assert.deepEqual(session.scoreBreakdown, honest.scoreBreakdown);
		});

	test('a good message still gets its good result after all of it', async () => {
		const session = await deliver(runner, plain, await plain.signed());
		assert.deepEqual(rules(session).sort(), ['DKIM_VALID', 'DMARC_PASS', 'PTR_VALID', 'SPF_PASS']);
		assert.ok(handlers.some(isAlive));
	});
});
