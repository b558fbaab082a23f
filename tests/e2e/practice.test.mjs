// What receivers do with the mail of common setups, services and mistakes: score, outlook, advice and
// missed demands of each sender, with mail over real SMTP and a real name server.
import assert from 'node:assert/strict';
import { createRequire } from 'node:module';
import { after, before, describe, test } from 'node:test';

import { request } from './support/api.mjs';
import { damageSignature, LISTS, Sender, reversed, txtRecord } from './support/senders.mjs';
import { newKey, sendMail, sign } from './support/mail.mjs';
import { startNsd } from './support/nsd.mjs';
import { startRunner } from './support/runner.mjs';
import { createSession, untilCompleted } from './support/tester.mjs';

const require = createRequire(new URL('..', import.meta.url));
const { dkimSign } = require('mailauth/lib/dkim/sign');

const SETTINGS = {
	...LISTS,
	EDS_TESTER_DOMAIN: 'tester.example',
	EDS_SMTP_TRUSTED: '127.0.0.1',
	EDS_ALLOW_PRIVATE_ADDRESSES: '1',
	EDS_TESTER_SESSIONS_PER_HOUR: '0',
};
const DAY_MS = 24 * 60 * 60 * 1000;
const UNSUBSCRIBE = { 'List-Unsubscribe': '<https://example.com/u/1>', 'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click' };
const SIGNED_ALSO = { headerList: ['From', 'To', 'Subject', 'Date', 'Message-ID', ...Object.keys(UNSUBSCRIBE)] };
const cases = [];

// wanted has these members. score. outlook: its state and the codes of its reasons. advice: the codes, in
// order, of all advice but praise. missed: the demands of Gmail's personal mailboxes that are not met. check:
// a function of the session.
const expect = (name, sender, message, wanted) => cases.push({ name, sender, message, ...wanted });

const adviceOf = ({ results }, code) => results.advice.find((item) => item.code === code);
const says = (code, message, record) => (session) => {
	const found = adviceOf(session, code);
	assert.equal(found?.message, message);
	if (record !== undefined) assert.deepEqual(found.record, record);
};
const demandOf = ({ results }, provider, name) => results.requirements.find((one) => one.provider === provider && one.requirement === name);
const later = (ms) => new Date(Date.now() + ms).toUTCString().replace('GMT', '+0000');
const through = (mailer, author, options = {}) => new Sender(mailer, { from: author.from, records: author.records(), ...options });

async function signedAt(sender, { made, expires }) {
	const message = sender.message();
	const { signatures } = await dkimSign(message, { canonicalization: 'relaxed/relaxed', signTime: new Date(Date.now() + made),
		...(expires ? { expires: new Date(Date.now() + expires) } : {}),
		signatureData: [{ signingDomain: sender.domain, selector: 's1', privateKey: sender.key.privateKey }] });
	return signatures + message;
}

const GOOD = { score: -1.3, outlook: ['good'], advice: [], missed: [] };
const BROKEN = { score: 5.2, outlook: ['at-risk', 'score'], advice: ['dkim-invalid'], missed: ['spf-and-dkim'] };
const setUp = (domain, from) => `The valid signature is of ${domain}, not of the From domain ${from}. For DMARC only SPF counts then, which fails when a ` +
	`mailbox forwards the message. Set up ${from} as a signing domain with the provider, and publish the DKIM records that it then gives you.`;
const atProvider = (domain, from) => `DMARC failed for ${from}: the valid DKIM signature is of ${domain}, as mail providers sign with their own domain until ` +
	`they are told otherwise. Set up ${from} as a signing domain with the provider, and publish the DKIM records that it then gives you ` +
	`(often CNAMEs under _domainkey.${from}); after that, the provider signs with d=${from}.`;

// Services
{
	const tenant = new Sender('contoso', { spf: 'v=spf1 include:spf.outlook.example -all', key: null, host: 'am6.outbound.outlook.example' });
	tenant.options.records = [txtRecord('spf.outlook.example', 'v=spf1 ip4:198.51.100.0/24 -all'),
		txtRecord('s1._domainkey.contoso.onmicrosoft.example', tenant.key.record)];
	expect('Microsoft 365 that signs for onmicrosoft', tenant, (s) => s.sign(s.message(), { domain: 'contoso.onmicrosoft.example' }),
		{ ...GOOD, advice: ['dkim-foreign'], check: says('dkim-foreign', setUp('contoso.onmicrosoft.example', 'contoso.example')) });
}
{
	const workspace = new Sender('workspace', { dmarc: null, spf: 'v=spf1 include:_spf.workspace-host.example ~all', key: null });
	workspace.options.records = [txtRecord('_spf.workspace-host.example', 'v=spf1 ip4:198.51.100.0/24 ~all'),
		txtRecord('s1._domainkey.workspace-com.gappssmtp.example', workspace.key.record)];
	expect('Google Workspace without a key or DMARC record of its own', workspace, (s) => s.sign(s.message(), { domain: 'workspace-com.gappssmtp.example' }),
		{ score: -0.8, outlook: ['good'], advice: ['dmarc-missing', 'dkim-foreign'], missed: ['dmarc-record'],
			check: says('dkim-foreign', setUp('workspace-com.gappssmtp.example', 'workspace.example')) });
}
expect('a mailing service under p=reject, without the author\'s domain', through('sendgrid-like', new Sender('brand')), (s) => s.signed(),
	{ score: 1.2, outlook: ['refused', 'policy'], advice: ['receivers-reject', 'dmarc-foreign-signature'], missed: ['from-aligned'],
		check: says('dmarc-foreign-signature', atProvider('sendgrid-like.example', 'brand.example')) });
expect('a mailing service that signs for the author and for itself', (() => {
	const author = new Sender('ses-author');
	return Object.assign(through('ses-like', author), { author });
})(), async (s) => s.sign(await s.author.sign(s.message())), { ...GOOD, score: -1.8 });
expect('newsletters of a service whose signature covers both fields, but is not the author\'s', through('mcsv-like',
	new Sender('newsroom', { dmarc: 'v=DMARC1; p=none; rua=mailto:d@newsroom.example' })), (s) => s.sign(s.message(UNSUBSCRIBE), SIGNED_ALSO),
{ score: -0.3, outlook: ['good'], advice: ['dmarc-foreign-signature', 'list-unsubscribe'], missed: ['from-aligned', 'one-click-unsubscribe'],
	check: (session) => {
		// RFC 8058 requires a valid signature; only Gmail requires an aligned one
		assert.equal(demandOf(session, 'yahoo', 'one-click-unsubscribe').state, 'met');
		assert.equal(session.results.unsubscribe.state, 'met');
		assert.equal(session.results.headers.oneClick, true);
		assert.deepEqual([demandOf(session, 'gmail', 'one-click-unsubscribe').evidence, demandOf(session, 'gmail', 'one-click-unsubscribe').advice],
			['No valid signature that names both fields is aligned with the From domain, so Gmail shows no button.', 'Sign both fields with the domain of From.']);
		assert.match(adviceOf(session, 'list-unsubscribe').message, /^Unsubscribing takes one click \(RFC 8058\), but/);
	} });
{
	const author = new Sender('mixed-keys');
	const old = newKey('rsa', 768);
	author.options.records = [txtRecord('s1._domainkey.old-service.example', old.record)];
	expect('a weak key of another domain beside a good one of its own', author,
		async (s) => sign(await s.signed(), { domain: 'old-service.example', selector: 's1', key: old }),
		{ score: 4.7, outlook: ['at-risk', 'score'], advice: ['dkim-invalid'], missed: [], check: (session) => {
			assert.equal(demandOf(session, 'gmail', 'dkim-key').evidence, 'The RSA key of mixed-keys.example has 2048 bits.');
			says('dkim-invalid', 'The DKIM signature of old-service.example (selector s1) is not valid: The RSA key has 768 bits; at least 1024 are ' +
				'needed (RFC 8301). Make one of 2048 bits under a new selector. The From address is of another domain. If the domain ' +
				'of the signature is not yours, tell the provider that signs with it.', null)(session);
		} });
	const weak = new Sender('weak-own', { signingKey: newKey('rsa', 768) });
	const strong = newKey();
	weak.options.records = [txtRecord('s1._domainkey.strong-service.example', strong.record)];
	expect('a weak key of its own beside a good one of another domain', weak,
		async (s) => sign(await s.signed(), { domain: 'strong-service.example', selector: 's1', key: strong }),
		{ score: 4.7, outlook: ['at-risk', 'score'], advice: ['dkim-invalid'], missed: ['dkim-key'] });
}
{
	const author = new Sender('edwards-author', { signingKey: newKey('ed25519') });
	expect('DMARC that only an Ed25519 signature passes', Object.assign(through('edwards-mailer', author, { key: null }), { author }),
		(s) => s.author.sign(s.message()), { score: -1.3, outlook: ['refused', 'policy'], advice: ['dkim-ed25519-alone'],
			missed: ['dkim-key', 'spf-and-dkim', 'from-aligned'], check: (session) => assert.equal(session.results.outlook.reasons[0].message,
				'DMARC passes through an Ed25519 signature alone, which Gmail and other large receivers do not verify: for them DMARC fails, and the ' +
				'policy of edwards-author.example asks receivers to reject such mail.') });
}
{
	const gmail = new Sender('x', { dmarc: 'v=DMARC1; p=none; sp=quarantine; rua=mailto:d@gmail.com', key: null });
	gmail.domain = 'gmail.com';
	expect('a shop that writes its Gmail address in From', new Sender('shop', { from: 'Shop <shop@gmail.com>', records: gmail.records() }), (s) => s.signed(),
		{ score: -0.3, outlook: ['at-risk', 'from-mailbox-provider'], advice: ['dmarc-mailbox-provider'], missed: ['from-aligned'],
			check: says('dmarc-mailbox-provider', 'DMARC failed for gmail.com: that is a mailbox provider\'s domain, and only mail that the provider\'s own ' +
				'servers send passes for it. Write an address of a domain of yours in From, and the mailbox\'s address in Reply-To.', null) });
}

// Forwarded mail and mailing lists
expect('a mailing list that writes its own address', new Sender('list-host', { from: '"joe@author.example via Users" <users@list-host.example>' }),
	(s) => s.sign(`List-Id: <users.list-host.example>\r\nList-Post: <mailto:users@list-host.example>\r\n${s.message()}`), GOOD);
expect('a forwarder that rewrites the envelope sender (SRS)', (() => {
	const author = new Sender('srs-author');
	return Object.assign(through('srs-host', author, { mailFrom: 'SRS0=HHH=TT=srs-author.example=bounce@srs-host.example' }), { author });
})(), async (s) => `X-Forwarded-To: b@elsewhere.example\r\n${await s.author.sign(s.message())}`, GOOD);
expect('a list that changes messages, keeps From and adds ARC', (() => {
	const author = new Sender('arc-author');
	return Object.assign(through('arc-list', author), { author });
})(), async (s) => `ARC-Seal: i=1; a=rsa-sha256; t=1; cv=none; d=arc-list.example; s=s1; b=AAAA\r\nList-Post: <mailto:l@arc-list.example>\r\n${
	damageSignature(await s.author.sign(s.message()))}`,
{ score: 7.7, outlook: ['refused', 'policy', 'score'], advice: ['receivers-reject', 'dkim-invalid', 'dmarc-broken-signature'], missed: ['spf-and-dkim', 'from-aligned'] });

// Servers
{
	const home = new Sender('at-a-line');
	const name = `p${home.ip.split('.').map((part) => Number(part).toString(16).padStart(2, '0')).join('')}.dip0.line.example`;
	Object.assign(home.options, { key: null, ptr: name, records: [`${name}. A ${home.ip}`] });
	expect('a server on a home line whose reverse name has its address in hexadecimal', home, (s) => s.message(),
		{ score: -0.8, outlook: ['good'], advice: ['dkim-missing', 'ptr-generic'], missed: ['spf-and-dkim'] });
}
expect('an IPv6 server without a reverse name', new Sender('six-alone', { ip: '2001:db8:1::25', ptr: null }), (s) => s.signed(),
	{ score: 0.8, outlook: ['refused', 'ptr'], advice: ['ptr-missing', 'blocklist-unknown', 'blocklist-unknown', 'blocklist-unknown'], missed: ['ptr'] });
expect('a bounce', new Sender('bounces', { mailFrom: '', from: 'MAILER-DAEMON@bounces.example', key: null,
	records: [txtRecord('mail.bounces.example', 'v=spf1 a -all')] }), (s) => s.message({ 'Auto-Submitted': 'auto-replied' }),
{ score: -0.8, outlook: ['good'], advice: ['dkim-missing'], missed: ['spf-and-dkim'] });

// The policy of DMARC
const testing = (policy) => through(`testing-${policy}-mailer`, new Sender(`testing-${policy}`,
	{ dmarc: `v=DMARC1; p=${policy}; t=y; rua=mailto:d@testing-${policy}.example` }));
expect('p=reject with t=y', testing('reject'), (s) => s.signed(), { score: 0.2, outlook: ['refused', 'policy'],
	advice: ['receivers-reject', 'dmarc-foreign-signature', 'dmarc-in-testing'], missed: ['from-aligned'], check: (session) => {
		assert.equal(session.results.outlook.reasons[0].message, 'DMARC failed, and the policy of testing-reject.example asks receivers to reject such mail. ' +
			't=y asks for the spam folder instead, but receivers that only know the older RFC 7489 ignore t=y.');
		says('receivers-reject', 'DMARC failed and testing-reject.example asks receivers to reject such mail: those that only know the older RFC 7489, and ' +
			'so ignore t=y, will refuse this message whatever its score. The advice on DMARC says what to correct.')(session);
	} });
expect('p=quarantine with t=y', testing('quarantine'), (s) => s.signed(), { score: -0.3, outlook: ['at-risk', 'policy'],
	advice: ['dmarc-foreign-signature', 'dmarc-in-testing'], missed: ['from-aligned'] });
expect('p=reject with pct=0', through('sparing-mailer', new Sender('sparing', { dmarc: 'v=DMARC1; p=reject; pct=0; rua=mailto:d@sparing.example' })),
	(s) => s.signed(), { score: 1.2, outlook: ['refused', 'policy'], advice: ['receivers-reject', 'dmarc-foreign-signature', 'dmarc-tag-removed'],
		missed: ['from-aligned'], check: (session) => {
			assert.match(session.results.outlook.reasons[0].message, /pct= limits this request to 0 % of such mail, but receivers that follow RFC 9989 ignore pct=\.$/);
			// older receivers ignore t=y, so the advice must not propose it as protection
			assert.doesNotMatch(adviceOf(session, 'dmarc-tag-removed').message, /t=y/);
		} });
expect('a subdomain under sp=none that passes nothing', new Sender('sub-none', { dmarc: 'v=DMARC1; p=reject; sp=none; rua=mailto:d@sub-none.example',
	from: 'n@news.sub-none.example', mailFrom: 'b@news.sub-none.example', key: null, spf: null,
	records: ['news.sub-none.example. A 203.0.113.1', 'news.sub-none.example. MX 10 mail.sub-none.example.'] }), (s) => s.message(),
{ score: 0.4, outlook: ['refused', 'spf-or-dkim'], advice: ['receivers-refuse', 'dmarc-fail', 'spf-missing', 'dkim-missing'],
	missed: ['spf-or-dkim', 'spf-and-dkim', 'from-aligned'] });
expect('an organization that calls itself a public suffix', new Sender('no-suffix', { dmarc: 'v=DMARC1; p=reject; psd=y; rua=mailto:d@no-suffix.example',
	from: 'x@news.no-suffix.example', records: ['news.no-suffix.example. A 203.0.113.1'] }), (s) => s.signed(),
{ score: 1.2, outlook: ['refused', 'policy'], advice: ['receivers-reject', 'dmarc-public-suffix'], missed: ['dmarc-record', 'from-aligned'],
	check: says('dmarc-public-suffix', 'DMARC failed for news.no-suffix.example, although DKIM passed for no-suffix.example: psd=y in the record at ' +
		'_dmarc.no-suffix.example says that no-suffix.example is a public suffix, so that each name below it is an organization of its own. If ' +
		'no-suffix.example is yours and nobody else has names below it, remove psd=y. If it is a public suffix, sign with news.no-suffix.example itself.',
	{ name: '_dmarc.no-suffix.example', type: 'TXT', value: 'v=DMARC1; p=reject; rua=mailto:d@no-suffix.example' }) });
expect('a name below a public suffix is not told of faults in the suffix\'s record', new Sender('under-pages', { dmarc: null, from: 'x@user.pages.test',
	mailFrom: 'x@user.pages.test', key: null, spf: null, records: ['user.pages.test. A 203.0.113.1', 'user.pages.test. MX 10 mail.under-pages.example.',
		txtRecord('user.pages.test', 'v=spf1 ip4:198.51.100.0/24 -all'), txtRecord('_dmarc.pages.test', 'v=DMARC1; p=reject; psd=y; ri=3600; t=y')] }),
(s) => s.message(), { score: -0.8, outlook: ['good'], advice: ['dkim-missing'], missed: ['spf-and-dkim', 'dmarc-record'], check: (session) => {
	const { evidence, advice } = demandOf(session, 'yahoo', 'dmarc-record');
	assert.deepEqual([evidence, advice], ['Only the record of the public suffix pages.test (psd=y) applies, and receivers that know only the older RFC 7489 ' +
		'do not look for it.', 'Publish a DMARC record at user.pages.test itself, with p=reject.']);
} });
for (const [what, name, dmarc, way] of [
	['several DMARC records', 'dmarc-twice', ['v=DMARC1; p=reject', 'v=DMARC1; p=none'], 'Remove all DMARC records but the one that you mean.'],
	['a DMARC record without its semicolon', 'dmarc-unparted', 'v=DMARC1 p=reject', 'Let the record begin with v=DMARC1 and a semicolon, with nothing before it.'],
	['a DMARC record with a comma for its semicolon', 'dmarc-comma', 'v=DMARC1; p=reject, rua=mailto:d@dmarc-comma.example',
		'Correct the record: let it say p=none, p=quarantine or p=reject.']])
	expect(`${what} gets no second one`, new Sender(name, { dmarc }), (s) => s.signed(), { score: -0.8, outlook: ['good'], missed: ['dmarc-record'],
		check: (session) => assert.equal(demandOf(session, 'gmail', 'dmarc-record').advice, way) });
expect('a report address without mailto: is one finding', new Sender('no-mailto', { dmarc: 'v=DMARC1; p=reject; rua=d@no-mailto.example' }),
	(s) => s.signed(), { ...GOOD, advice: ['dmarc-uri-invalid'] });

// Faults of the message itself
expect('no Message-ID', new Sender('id-less'), (s) => s.signed({ 'Message-ID': null }), { score: -0.3, outlook: ['refused', 'message-form'],
	advice: ['message-id-missing'], missed: ['message-form'], check: (session) => {
		assert.equal(adviceOf(session, 'message-id-missing').rule, 'MISSING_MID');
		says('message-id-missing', 'The message has no Message-ID field. Let the sending program or server write one. Until then Gmail refuses the message.')(session);
	} });
expect('neither Message-ID nor Date, and a line too long', new Sender('formless'), (s) => s.signed({ 'Message-ID': null, Date: null }, `${'a'.repeat(1200)}\r\n`),
	{ score: 0.2, outlook: ['refused', 'message-form'], advice: ['message-id-missing', 'date-missing', 'message-form'], missed: ['message-form'],
		check: says('message-form', '1 line is over 998 octets, the longest 1200 (RFC 5322 section 2.1.1). Encode the body as quoted-printable or base64, and fold the header.') });
expect('no Date', new Sender('date-less'), (s) => s.signed({ Date: null }),
	{ score: -0.8, outlook: ['at-risk', 'message-form'], advice: ['date-missing'], missed: ['message-form'] });
for (const id of ['12345', '<12345>', '<a b@example.com>', 'a@example.com'])
	expect(`a Message-ID of the form ${id}`, new Sender(`odd-id-${cases.length}`), (s) => s.signed({ 'Message-ID': id }),
		{ score: -1.3, outlook: ['at-risk', 'message-form'], advice: ['message-form'], missed: ['message-form'] });
expect('a Message-ID with a comment', new Sender('commented-id'), (s) => s.signed({ 'Message-ID': '<1@commented-id.example> (added by mail.example)' }), GOOD);
expect('a Date of 2015', new Sender('old-date'), (s) => s.signed({ Date: 'Mon, 02 Mar 2015 10:00:00 +0000' }), { score: -1.3, outlook: ['at-risk', 'date'],
	advice: ['date-in-past'], missed: [], check: (session) => {
		assert.equal(session.results.headers.dateState, 'past');
		assert.equal(session.results.outlook.reasons[0].message, 'The Date field says 2015-03-02T10:00:00Z, long before the message arrived, and filters count that against it.');
		says('date-in-past', 'The Date field (2015-03-02T10:00:00Z) is days before the arrival of the message, which filters count against it. Let the program ' +
			'write the time of sending, and set the clock of its machine.')(session);
	} });
expect('a message that waited three days in a queue', new Sender('queued'), (s) => s.signed({ Date: later(-3 * DAY_MS) }), GOOD);
expect('a Date in two days', new Sender('early-date'), (s) => s.signed({ Date: later(2 * DAY_MS) }), { score: 0.7, outlook: ['at-risk', 'date'], advice: ['date-in-future'], missed: [] });
expect('a clock that is an hour fast', new Sender('fast-clock'), (s) => s.signed({ Date: later(DAY_MS / 24) }), { score: 0.7, outlook: ['good'], advice: ['date-in-future'], missed: [] });
const FORGED = ['at-risk', 'from-name'];
for (const [what, name, shown] of [['quoted', 'imitator', '"service@bank.example"'], ['plain', 'imitator-plain', 'Bank (service@bank.example)'],
	['encoded', 'imitator-coded', `=?utf-8?B?${Buffer.from('B\u00e4nk service@bank.example').toString('base64')}?=`]])
	expect(`a ${what} display name that shows another organization's address`, new Sender(name, { from: `${shown} <x@${name}.example>` }), (s) => s.signed(),
		{ score: -1.3, outlook: FORGED, advice: ['from-name'], missed: [], check: (session) => {
			assert.equal(session.results.outlook.reasons[0].message, `The name in From shows an address of bank.example, but the author's address is of ${name}.example: ` +
				'receivers take this for forgery, and warn of it or put the message into the spam folder.');
			says('from-name', `The name in From shows an address of bank.example, but the author's address is of ${name}.example, as in forged mail. Write a name ` +
				'there, or the author\'s own address; to get answers at another address, use Reply-To.')(session);
		} });
for (const [what, name, from] of [['its own address', 'plain-name', '"x@plain-name.example" <x@plain-name.example>'],
	['an address of its organization', 'own-name', '"help@own-name.example" <x@news.own-name.example>'], ['a handle', 'handle', '"Joe @joe" <x@handle.example>']])
	expect(`a display name with ${what}`, new Sender(name, { from, records: [`news.${name}.example. A 203.0.113.1`] }), (s) => s.signed(), GOOD);
expect('no Subject', new Sender('untitled'), (s) => s.signed({ Subject: null }), { ...GOOD, advice: ['subject-missing'] });
expect('a calendar reply', new Sender('calendar'), (s) => s.signed({ 'Content-Type': 'text/calendar; method=REPLY' }, 'BEGIN:VCALENDAR\r\nEND:VCALENDAR\r\n'), GOOD);
expect('HTML alone, of 190 KB', new Sender('html-alone'), (s) => s.signed({ 'Content-Type': 'text/html' }, `${'<p>hello world, hello world</p>\r\n'.repeat(6000)}`), GOOD);
for (const [what, name, from] of [['a comma without quotation marks', 'comma', 'Doe, John <john@comma.example>'],
	['two commas', 'commas', 'Doe, John, Dr. <john@commas.example>']])
	expect(`a name in From with ${what}, which Gmail takes for several addresses`, new Sender(name, { from }), (s) => s.signed(),
		{ score: -1.3, outlook: ['refused', 'message-form'], advice: ['receivers-refuse'], missed: ['message-form'],
			check: says('receivers-refuse', 'Put the name in quotation marks: From: "Doe, John" <john@example.com>. Until then Gmail and Yahoo refuse the message.') });
expect('a name in From with a comma in quotation marks, or encoded', new Sender('quoted-comma', { from: '"Doe, John" =?utf-8?Q?Dr=2C_jr=2E?= <john@quoted-comma.example>' }),
	(s) => s.signed(), GOOD);
expect('an international domain', new Sender('xn--bcher-kva'), (s) => s.signed(), GOOD);

// Signatures and keys
expect('a signature over part of the body (l=)', new Sender('ell'), (s) => s.sign(s.message(), { maxBodyLength: 10 }), { ...GOOD, advice: ['body-partly-signed'] });
expect('an expired signature', new Sender('expired'), (s) => signedAt(s, { made: -9 * DAY_MS, expires: -DAY_MS }), BROKEN);
expect('a signature of tomorrow', new Sender('postdated'), (s) => signedAt(s, { made: DAY_MS }), BROKEN);
expect('rsa-sha1', new Sender('sha-one'), async (s) => (await s.signed()).replace('a=rsa-sha256', 'a=rsa-sha1'), BROKEN);
for (const [what, change, wanted] of [
	['with a space within', (key) => key.replace(/(p=.{40})/, '$1 '), GOOD],
	['without v=', (key) => key.replace('v=DKIM1; ', ''), { ...GOOD, advice: ['key-no-version'] }],
	['in quotation marks', (key) => `"${key}"`, BROKEN],
	['with escaped semicolons', (key) => key.replaceAll(';', '\\;'), BROKEN],
	['cut after 255 characters', (key) => key.slice(0, 255), BROKEN],
	['that is revoked', () => 'v=DKIM1; p=', BROKEN],
	['for sha1 alone', (key) => key.replace('k=rsa;', 'k=rsa; h=sha1;'), { ...BROKEN, advice: ['dkim-invalid', 'key-sha1'] }],
	['of another signer', () => newKey().record, BROKEN],
	['published twice', (key) => [key, newKey().record], BROKEN]]) {
	const sender = new Sender(`key-${cases.length}`);
	sender.options.key = change(sender.key.record);
	expect(`a key ${what}`, sender, (s) => s.signed(), wanted);
}
expect('a key of 512 bits', new Sender('tiny', { signingKey: newKey('rsa', 512) }), (s) => s.signed(), { ...BROKEN, missed: ['dkim-key', 'spf-and-dkim'] });
expect('a key of 4096 bits', new Sender('huge', { signingKey: newKey('rsa', 4096) }), (s) => s.signed(), GOOD);
{
	const sender = new Sender('aliased', { key: null });
	sender.options.records = ['s1._domainkey.aliased.example. CNAME s1.service.example.', 's1.service.example. CNAME k1.service.example.',
		txtRecord('k1.service.example', sender.key.record)];
	expect('a key behind two aliases', sender, (s) => s.signed(), GOOD);
}

// SPF
const SPF_BROKEN = { score: 0.4, outlook: ['good'], advice: ['spf-permerror'], missed: ['spf-and-dkim'] };
{
	const sender = new Sender('macros', { spf: 'v=spf1 exists:%{ir}.%{v}._spf.%{d2} -all' });
	sender.options.records = [`${reversed(sender.ip)}.in-addr._spf.macros.example. A 127.0.0.2`];
	expect('exists: with macros', sender, (s) => s.signed(), GOOD);
}
expect('redirect= to a name without a record', new Sender('redirected', { spf: 'v=spf1 redirect=_spf.gone.example' }), (s) => s.signed(), SPF_BROKEN);
expect('three names that do not exist', new Sender('void', { spf: 'v=spf1 a:a.void.example a:b.void.example a:c.void.example ~all' }), (s) => s.signed(), SPF_BROKEN);
for (const [what, spf, mistake] of [
	['an address without ip4:', '"v=spf1 203.0.113.7/24 -all"', 'syntax error at "203.0.113.7/24": an address needs ip4: or ip6: before it.'],
	['a space after ip4:', '"v=spf1 ip4: 203.0.113.7 -all"', 'syntax error at "ip4:": a space or the end of the record follows the colon.'],
	['a long dash', '"v=spf1 mx \u2013all"', 'syntax error at "\u2013all": a character is not ASCII, such as a long dash in place of a hyphen.'],
	['strings that join without a space', '"v=spf1 ip4:203.0.113.7" "ip4:203.0.113.8 -all"', 'syntax error at "ip4:203.0.113.7ip4:203.0.113.8": a space ' +
		'is missing between two terms; receivers join the strings of a TXT record without adding spaces.']]) {
	const name = `mistaken-${cases.length}`;
	expect(`an SPF record with ${what} is told so`, new Sender(name, { spf: null, records: [`${name}.example. TXT ${spf}`] }), (s) => s.signed(),
		{ ...SPF_BROKEN, check: (session) => assert.ok(adviceOf(session, 'spf-permerror').message.includes(mistake), adviceOf(session, 'spf-permerror').message) });
}
expect('a HELO that is the domain itself, without an address, gets no address record for it', new Sender('apex', { helo: 'apex.example' }), (s) => s.signed(),
	{ score: 0.3, outlook: ['good'], advice: ['ptr-helo-unrelated'], missed: [], check: says('ptr-helo-unrelated',
		'The server greets as apex.example, which resolves to nothing, but its reverse name is mail.apex.example. Let it greet as mail.apex.example.', null) });

describe(`what receivers do with the mail of each of ${cases.length} senders:`, () => {
	let nsd;
	let runner;

	before(async () => {
		nsd = await startNsd([...cases.flatMap(({ sender }) => sender.records()),
			'nameless.example. MX 10 mx.hosted.example.', txtRecord('nameless.example', 'v=spf1 ?all'),
			'hosted.example. MX 10 mx.hosted.example.', 'mx.hosted.example. A 203.0.113.9', 'mta-sts.hosted.example. A 203.0.113.10',
			txtRecord('_mta-sts.hosted.example', 'v=STSv1; id=a1')]);
		runner = await startRunner({ env: { ...SETTINGS, EDS_DNS_SERVERS: nsd.address } });
	});
	after(async () => {
		await runner?.stop();
		await nsd?.stop();
	});

	for (const { name, sender, message, score, outlook, advice, missed, check } of cases)
		test(name, async () => {
			const session = await createSession(runner);
			await sendMail(runner.smtpPort, { ip: sender.ip, helo: sender.helo, from: sender.mailFrom, to: session.email, message: await message(sender) });
			const completed = await untilCompleted(runner, session.testId);
			const { results } = completed;
			assert.equal(completed.spamScore, score);
			assert.deepEqual([results.outlook.state, ...results.outlook.reasons.map(({ code }) => code)], outlook);
			if (advice) assert.deepEqual(results.advice.filter(toDo).map(({ code }) => code), advice);
			assert.deepEqual(results.requirements.filter(isMissed).map(({ requirement }) => requirement), missed);
			check?.(completed);
		});

	async function handedIn(query, message) {
		const { testId } = await createSession(runner);
		const { status } = await request(`${runner.baseUrl}/api/inbound-tester/sessions/${testId}/message?${new URLSearchParams(query)}`,
			{ method: 'POST', headers: { 'content-type': 'message/rfc822' }, body: message });
		assert.equal(status, 202);
		return untilCompleted(runner, testId);
	}

	test('a message without Message-ID that a pipeline hands in is only at risk, because a mail server may add one', async () => {
		const { sender } = cases.find(({ name }) => name === 'no Message-ID');
		const envelope = { clientIp: sender.ip, helo: sender.helo, mailFrom: sender.mailFrom };
		const message = await sender.signed({ 'Message-ID': null });
		const session = await handedIn(envelope, message);
		const { state, reasons } = session.results.outlook;
		assert.equal(session.spamScore, -0.3);
		assert.deepEqual([state, ...reasons], ['at-risk', { code: 'message-form', message: 'There is no Message-ID. No mail server has taken the message yet, and most add ' +
			'what is missing (RFC 6409 section 8). If yours does not, Gmail refuses the message.' }]);
		assert.equal(demandOf(session, 'gmail', 'message-form').state, 'undecided');
		says('message-id-missing', 'The message has no Message-ID field. Let the program write one: no mail server has taken the message yet, and not every ' +
			'server adds the field. Gmail refuses mail that arrives without this field.')(session);
		// a message with a Received field has passed a mail server, so its missing
		// fields will not be added any more
		const taken = await handedIn(envelope, `Received: from app.example by mail.example with ESMTP id 1; ${later(0)}\r\n${message}`);
		assert.equal(taken.results.outlook.state, 'refused');
	});

	test('no ~all is proposed for an SPF record that names no server', async () => {
		const { data } = (await request(`${runner.baseUrl}/api/v1/check?domain=nameless.example`)).json();
		const { findings } = data.items.find(({ name }) => name === 'spf');
		assert.deepEqual(findings.map(({ code, record }) => [code, record]), [['spf-neutral-all', null]]);
	});

	test('whether an MTA-STS policy is served is unknown from DNS alone', async () => {
		const { data } = (await request(`${runner.baseUrl}/api/v1/check?domain=hosted.example`)).json();
		const { state, findings } = data.items.find(({ name }) => name === 'mta-sts');
		assert.equal(state, 'unknown');
		assert.deepEqual(findings.map(({ code, message }) => [code, message]), [['mta-sts-policy-unseen', 'The records of MTA-STS are published. Whether a policy ' +
			'is served at https://mta-sts.hosted.example/.well-known/mta-sts.txt does not show in DNS.']]);
	});
});

function toDo({ severity, code, message }) {
	return severity !== 'good' && code !== 'spf-evaluation' && !(code === 'list-unsubscribe' && message.startsWith('The message has no'));
}

function isMissed({ provider, requirement, state, evidence }) {
	return provider === 'gmail' && state === 'missed' && !(requirement === 'one-click-unsubscribe' && evidence === 'The message has no List-Unsubscribe field.');
}
