// The demands of large mailbox providers, judged for realistic senders: each state of each demand,
// with mail over real SMTP; and the outlook that follows.
import assert from 'node:assert/strict';
import { createRequire } from 'node:module';
import dgram from 'node:dgram';
import { after, before, describe, test } from 'node:test';

import { newKey, sendMail } from './support/mail.mjs';
import { startNsd } from './support/nsd.mjs';
import { startRunner } from './support/runner.mjs';
import { LISTS, Sender, damageSignature, listing, txtRecord } from './support/senders.mjs';
import { createSession, untilCompleted } from './support/tester.mjs';

const require = createRequire(new URL('..', import.meta.url));
const nodemailer = require('nodemailer');

const SETTINGS = {
	...LISTS,
	EDS_TESTER_DOMAIN: 'tester.example',
	EDS_SMTP_TRUSTED: '127.0.0.1',
	EDS_ALLOW_PRIVATE_ADDRESSES: '1',
	EDS_TESTER_SESSIONS_PER_HOUR: '0',
};

const NAMES = ['spf-or-dkim', 'ptr', 'tls', 'message-form', 'dkim-key', 'spf-and-dkim', 'dmarc-record',
	'from-aligned', 'one-click-unsubscribe'];
const cases = [];

// wanted: { 'provider,provider requirement': a state, or [state, evidence, advice or null] }. outlook: the
// state, and then the codes of its reasons in order.
function expect(name, sender, message, wanted, outlook, check) {
	cases.push({ name, sender, message, wanted, outlook, check });
}

const met = (evidence) => ['met', evidence, null];
const missed = (evidence, advice) => ['missed', evidence, advice];
const undecided = (evidence, advice = null) => ['undecided', evidence, advice];
const notApplicable = (evidence) => ['not-applicable', evidence, null];
const advised = (provider, evidence) => notApplicable(`${provider} recommends this, but does not refuse mail without it. ${evidence}`);

// Texts of advice that several demands have.
const AGAIN = 'Analyze the message again later.';
const FROM_OUTSIDE = 'Send the message from the server that sends your outgoing mail, directly to the test address.';
const AUTHENTICATE = 'Sign with DKIM under the domain of the From address, and name this server in the SPF record of the ' +
	"envelope sender's domain.";
const LEAVE_UNCHANGED = 'A forwarder or mailing list passed the message on: let it use an envelope sender of its own, and leave the ' +
	"message unchanged, so that the author's DKIM signature stays valid.";
const LET_BOTH_PASS = 'Let both pass: SPF for the envelope sender, and a DKIM signature.';
const ASK_FOR_PTR = "Ask the provider of the address for a PTR record with the mail host's own name.";
const LET_PTR_AGREE = 'Let the reverse name and the address record of that name agree.';
const USE_STARTTLS = 'Let the sending server use STARTTLS wherever it is offered.';
const SIGN_WITH_2048 = 'Sign with an RSA key of 2048 bits.';
const SIGN_WITH_RSA_TOO = 'Sign with an RSA key of 2048 bits as well.';
const ED25519_ALONE = 'valid, but Ed25519, which large receivers do not verify';
const PUBLISH_DMARC = 'Publish a DMARC record; p=none is enough to begin with.';
const ADD_RUA = 'Add rua= with the address of a mailbox that you read, or of a report service.';
const ALIGN = 'Sign with the domain of From, or use an envelope sender under it.';
const BOUND = "Publish a DMARC record at the organization's domain: without one, nothing says which names below it belong together.";
const ONE_ADDRESS = 'Send with one address in From.';
const ANGLE_BRACKETS = 'Put the address in angle brackets: From: John Doe <john@example.com>.';
const REPLACE_FIELD = 'Find the program that adds the field a second time, and let it replace the first field instead.';
const WRITE_MESSAGE_ID = 'Let the sending program or server write a Message-ID.';
const WRITE_DATE = 'Let the sending program write the Date field as RFC 5322 says.';
const ENCODE_FIELDS = 'Write them as encoded words (RFC 2047), or send with SMTPUTF8.';
const ENCODE_BODY = 'Encode the body as quoted-printable or base64, and fold the header.';
const SHORTEN = 'Send the message with a shorter header.';
const ADD_ONE_CLICK = 'If this is a newsletter or other marketing mail, add both fields and sign them; ' +
	'mail from one person to another needs neither.';
const LET_UNSUBSCRIBE = 'If this is a newsletter or other marketing mail, let its readers unsubscribe.';

const UNSEEN = 'The connection that the sending server made was not seen.';
const WELL_FORMED = 'The message follows RFC 5322, and no field occurs twice.';
const TOO_LONG = 'The header is longer than 256 KiB; the rest was not read.';
const HAS_WAY = 'List-Unsubscribe names a way to unsubscribe; whether it works was not tried.';
const both = (domain, spf, dkim) => `SPF for ${domain} is ${spf}; the DKIM signature is ${dkim}.`;
const compared = (from, spf, dkim) => `From ${from}, SPF ${spf}, DKIM ${dkim}.`;

const UNSUBSCRIBE = {
	'List-Unsubscribe': '<https://example.com/u/1>, <mailto:u@example.com>',
	'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click',
};
const SIGNED_ALSO = { headerList: ['From', 'To', 'Subject', 'Date', 'Message-ID', ...Object.keys(UNSUBSCRIBE)] };
const signedAll = (s, fields) => s.sign(s.message(fields), SIGNED_ALSO);
const rua = 'v=DMARC1; p=reject; rua=mailto:d@example.com';

expect('a newsletter that does everything right', new Sender('newsletter', { dmarc: rua }),
	(s) => signedAll(s, UNSUBSCRIBE), {
		'gmail,yahoo spf-or-dkim': met(both('newsletter.example', 'pass', 'valid')),
		'gmail,yahoo ptr': met('mail.newsletter.example resolves back to the sending address.'),
		'microsoft ptr': advised('Microsoft', 'mail.newsletter.example resolves back to the sending address.'),
		'gmail tls': undecided(UNSEEN), 'yahoo tls': advised('Yahoo', UNSEEN), 'microsoft tls': advised('Microsoft', UNSEEN),
		'gmail,yahoo message-form': met(WELL_FORMED), 'microsoft message-form': advised('Microsoft', WELL_FORMED),
		'gmail,yahoo,microsoft dkim-key': met('The RSA key of newsletter.example has 2048 bits.'),
		'gmail,yahoo,microsoft spf-and-dkim': met(both('newsletter.example', 'pass', 'valid')),
		'gmail,yahoo,microsoft dmarc-record': met('_dmarc.newsletter.example has a record with p=reject.'),
		'gmail,yahoo,microsoft from-aligned': met(compared('newsletter.example', 'newsletter.example (pass)', 'newsletter.example (valid)')),
		'gmail,yahoo one-click-unsubscribe': met('Unsubscribing takes one click, as RFC 8058 says.'),
		'microsoft one-click-unsubscribe': met(HAS_WAY),
	}, ['good'], (session) => {
		assert.equal(session.results.headers.oneClick, true);
		assert.deepEqual(session.results.unsubscribe.uris, ['https://example.com/u/1', 'mailto:u@example.com']);
	});

expect('no SPF record, unsigned, no DMARC record', new Sender('nothing', { spf: null, key: null, dmarc: null }),
	(s) => s.message(), {
		'gmail,yahoo spf-or-dkim': missed(both('nothing.example', 'none', 'not there'), AUTHENTICATE),
		'gmail,yahoo,microsoft spf-and-dkim': missed(both('nothing.example', 'none', 'not there'), LET_BOTH_PASS),
		'gmail,yahoo,microsoft dkim-key': notApplicable('No signature names a key that could be read.'),
		'gmail,yahoo,microsoft dmarc-record': missed('No DMARC record applies to the From domain.', PUBLISH_DMARC),
		'gmail,yahoo,microsoft from-aligned': missed(compared('nothing.example', 'nothing.example (none)', 'no domain (not there)'), ALIGN),
		'gmail,yahoo one-click-unsubscribe': missed('The message has no List-Unsubscribe field.', ADD_ONE_CLICK),
		'microsoft one-click-unsubscribe': missed('The message has no List-Unsubscribe field with a URI.', LET_UNSUBSCRIBE),
	}, ['refused', 'spf-or-dkim']);

expect('SPF alone', new Sender('spf-alone', { key: null }), (s) => s.message(),
	{ 'gmail,yahoo spf-or-dkim': met(both('spf-alone.example', 'pass', 'not there')),
		'gmail,yahoo,microsoft spf-and-dkim': missed(both('spf-alone.example', 'pass', 'not there'), LET_BOTH_PASS),
		'gmail,yahoo,microsoft from-aligned': met(compared('spf-alone.example', 'spf-alone.example (pass)', 'no domain (not there)')) }, ['good']);
expect('DKIM alone', new Sender('dkim-alone', { spf: null }), (s) => s.signed(),
	{ 'gmail,yahoo spf-or-dkim': met(both('dkim-alone.example', 'none', 'valid')),
		'gmail,yahoo,microsoft spf-and-dkim': missed(both('dkim-alone.example', 'none', 'valid'), LET_BOTH_PASS),
		'gmail,yahoo,microsoft from-aligned': met(compared('dkim-alone.example', 'dkim-alone.example (none)', 'dkim-alone.example (valid)')) }, ['good']);
expect('a broken signature alone', new Sender('broken-alone', { spf: null, dmarc: null }),
	async (s) => damageSignature(await s.signed()), { 'gmail,yahoo spf-or-dkim': missed(both('broken-alone.example', 'none', 'not valid'), AUTHENTICATE) },
	['refused', 'spf-or-dkim', 'score']);

expect('no PTR record', new Sender('no-ptr', { ptr: null }), (s) => s.signed(),
	{ 'gmail,yahoo ptr': missed('The sending address has no PTR record.', ASK_FOR_PTR),
		'microsoft ptr': advised('Microsoft', 'The sending address has no PTR record.') }, ['refused', 'ptr']);
expect('a PTR record whose name does not resolve to the client', new Sender('one-way', { ptr: 'elsewhere.one-way.example' }),
	(s) => s.signed(), { 'gmail,yahoo ptr': missed('elsewhere.one-way.example does not resolve back to the sending address.', LET_PTR_AGREE) },
	['refused', 'ptr']);
expect('a confirmed PTR record beside an unrelated HELO',
	new Sender('other-helo', { helo: 'nowhere.unrelated.test' }), (s) => s.signed(),
	{ 'gmail,yahoo ptr': met('mail.other-helo.example resolves back to the sending address.') }, ['good']);

expect('a forwarder that broke the signature gets no advice to be in the author\'s SPF record',
	new Sender('relayed-on', { spf: 'v=spf1 ip4:203.0.113.1 -all' }),
	async (s) => `X-Forwarded-To: new@elsewhere.example\r\n${damageSignature(await s.signed())}`,
	{ 'gmail,yahoo spf-or-dkim': missed(both('relayed-on.example', 'fail', 'not valid'), LEAVE_UNCHANGED) }, ['refused', 'policy', 'spf-or-dkim', 'score'],
	(session) => assert.equal(session.results.advice.find(({ code }) => code === 'receivers-refuse').message,
		`${LEAVE_UNCHANGED} Until then Gmail and Yahoo refuse the message.`));

expect('a record without rua', new Sender('no-rua'), (s) => s.signed(),
	{ 'gmail,microsoft dmarc-record': met('_dmarc.no-rua.example has a record with p=reject.'),
		'yahoo dmarc-record': missed('The record at _dmarc.no-rua.example has no valid rua= address.', ADD_RUA) }, ['good']);
expect('a key of 768 bits', new Sender('tiny-key', { signingKey: newKey('rsa', 768) }), (s) => s.signed(),
	{ 'gmail,yahoo,microsoft dkim-key': missed('The RSA key of tiny-key.example has 768 bits.', SIGN_WITH_2048), 'gmail spf-or-dkim': 'met' },
	['at-risk', 'score'], (session) => {
		assert.equal(session.verdict, 'probable_spam');
		assert.equal(session.results.outlook.reasons[0].message, 'The spam score of 5.2 lies in the range of probable spam.');
	});
expect('a key of 1024 bits', new Sender('small-key', { signingKey: newKey('rsa', 1024) }), (s) => s.signed(),
	{ 'gmail,yahoo,microsoft dkim-key': met('The RSA key of small-key.example has 1024 bits; 2048 are advised.') }, ['good']);
expect('an Ed25519 key', new Sender('edwards', { signingKey: newKey('ed25519') }), (s) => s.signed(),
	{ 'gmail,yahoo,microsoft dkim-key': missed('The key of the valid signature is Ed25519, which large receivers do not verify.', SIGN_WITH_RSA_TOO),
		'gmail,yahoo spf-or-dkim': met(both('edwards.example', 'pass', ED25519_ALONE)),
		'gmail,yahoo,microsoft spf-and-dkim': missed(both('edwards.example', 'pass', ED25519_ALONE), LET_BOTH_PASS) }, ['good'],
	(session) => assert.equal(session.results.advice.find(({ code }) => code === 'dkim-ed25519-alone').message,
		'The valid signature of edwards.example uses Ed25519, which Gmail and other large receivers do not verify: to them the message is ' +
		'not signed. Let the server sign it with an RSA key of 2048 bits as well.'));
expect('an Ed25519 key where SPF fails', new Sender('edwards-forwarded', { signingKey: newKey('ed25519'), spf: 'v=spf1 ip4:203.0.113.1 ~all' }),
	(s) => s.signed(), { 'gmail,yahoo spf-or-dkim': missed(both('edwards-forwarded.example', 'softfail', ED25519_ALONE), AUTHENTICATE) },
	['refused', 'policy', 'spf-or-dkim']);
{
	const second = newKey();
	expect('an Ed25519 key beside an RSA key', new Sender('edwards-too', { signingKey: newKey('ed25519'),
		records: [txtRecord('s2._domainkey.edwards-too.example', second.record)] }),
	async (s) => s.sign(await s.signed(), { selector: 's2', key: second }), { 'gmail,yahoo,microsoft dkim-key': 'met', 'gmail spf-and-dkim': 'met' },
	['good'], (session) => assert.ok(!session.results.advice.some(({ code }) => code === 'dkim-ed25519-alone')));
}
{
	const author = new Sender('foreign-author', { dmarc: 'v=DMARC1; p=quarantine' });
	expect('SPF and DKIM of another domain', new Sender('foreign-mailer', { from: author.from, records: author.records() }),
		(s) => s.signed(), { 'gmail spf-and-dkim': 'met', 'gmail,yahoo,microsoft from-aligned': missed(compared('foreign-author.example',
			'foreign-mailer.example (pass)', 'foreign-mailer.example (valid)'), ALIGN) }, ['at-risk', 'policy']);
}
{
	const sender = new Sender('unbounded', { dmarc: null, from: 'x@news.unbounded.example', key: null,
		records: ['news.unbounded.example. A 203.0.113.1'] });
	expect('a subdomain whose organizational domain is unknown', sender, (s) => s.message(),
		{ 'gmail,yahoo,microsoft from-aligned': undecided(compared('news.unbounded.example', 'unbounded.example (pass)', 'no domain (not there)'), BOUND),
			'gmail,yahoo,microsoft dmarc-record': missed('No DMARC record applies to the From domain.', PUBLISH_DMARC) }, ['good']);
}
expect('From under a domain that does not exist', new Sender('ghostly', { from: 'x@ghost.ghostly.example', key: null,
	dmarc: null }), (s) => s.message(), { 'gmail spf-or-dkim': 'met' }, ['at-risk', 'from-domain']);

// The form of the message
const formless = (evidence, advice) =>
	({ 'gmail,yahoo message-form': missed(evidence, advice), 'microsoft message-form': advised('Microsoft', evidence) });
const twice = (field) => formless(`Fields that may occur only once occur twice: ${field}.`, REPLACE_FIELD);
const withField = (message, line) => message.replace('\r\nMIME-Version:', `\r\n${line}\r\nMIME-Version:`);
for (const [field, value] of [['From', 'Another <b@doubled.example>'], ['To', 'b@example.net'], ['Subject', 'Two'],
	['Date', 'Fri, 20 Nov 2026 12:00:00 +0000'], ['Message-ID', '<2@doubled.example>']])
	expect(`two ${field} fields`, new Sender(`doubled-${field.toLowerCase()}`, { key: null }),
		(s) => withField(s.message(), `${field}: ${value}`), field === 'From'
			? formless('From names several mailboxes. Fields that may occur only once occur twice: From.', ONE_ADDRESS) : twice(field),
		['refused', 'message-form'], (session) => assert.deepEqual(session.results.form.doubled, [field]));
expect('two Content-Type fields, which no provider names as a reason to refuse', new Sender('doubled-mime'),
	(s) => withField(s.message(), 'Content-Type: text/html'),
	twice('Content-Type'), ['at-risk', 'message-form']);
expect('From with two mailboxes of one domain', new Sender('couple', { from: 'a@couple.example, b@couple.example' }),
	(s) => s.signed(), formless('From names several mailboxes.', ONE_ADDRESS), ['refused', 'message-form'],
	(session) => {
		assert.equal(session.results.form.fromMailboxes, 2);
		assert.equal(session.results.dmarc.result, 'pass');
	});
for (const [from, name] of [['John john@bracketless.example', 'bracketless'], ['"Doe, John" john@unquoted.example', 'unquoted'],
	['=?utf-8?Q?J=C3=BCrgen?= j@encoded.example', 'encoded'], ['<John j@bracketed.example>', 'bracketed']])
	expect(`From: ${from}, whose name runs into the address`, new Sender(name, { from }), (s) => s.signed(),
		formless('From has several words before the @ of an address.', ANGLE_BRACKETS), ['at-risk', 'message-form']);
expect('a local part in the old form, with space around its dots', new Sender('dotted', { from: 'john . doe@dotted.example' }),
	(s) => s.signed(), { 'gmail message-form': 'met' }, ['good']);
expect('no From', new Sender('authorless'), (s) => s.message({ From: null }),
	formless('There is no From field with an address.', ONE_ADDRESS), ['refused', 'message-form']);
// Gmail answers such mail with "550-5.7.1 Messages missing a valid Message-ID header are not accepted."
expect('no Message-ID', new Sender('idless'), (s) => s.signed({ 'Message-ID': null }),
	formless('There is no Message-ID.', WRITE_MESSAGE_ID), ['refused', 'message-form'], (session) => {
		assert.equal(session.results.outlook.reasons[0].message,
			'Gmail refuses mail that violates RFC 5322. There is no Message-ID.');
		const { severity, message } = session.results.advice[0];
		assert.deepEqual([severity, message], ['urgent',
			'The message has no Message-ID field. Let the sending program or server write one. Until then Gmail refuses the message.']);
	});
expect('no Date', new Sender('dateless'), (s) => s.signed({ Date: null }),
	formless('There is no readable Date.', WRITE_DATE), ['at-risk', 'message-form']);
expect('raw octets over 127 in Subject', new Sender('raw-subject'), (s) => s.message({ Subject: 'caf\u00e9' }),
	formless('Header fields contain octets over 127: Subject.', ENCODE_FIELDS), ['at-risk', 'message-form'],
	(session) => assert.deepEqual(session.results.form.eightBit, ['Subject']));
expect('a line of 999 octets', new Sender('long-line'), (s) => s.signed({}, `${'a'.repeat(999)}\r\n`),
	formless('1 line is over 998 octets, the longest 999 (RFC 5322 section 2.1.1).', ENCODE_BODY), ['at-risk', 'message-form'], (session) => {
		assert.equal(session.results.form.longLines, 1);
		assert.equal(session.results.form.longestLine, 999);
	});
expect('a line of 998 octets', new Sender('full-line'), (s) => s.signed({}, `${'a'.repeat(998)}\r\n`),
	{ 'gmail message-form': 'met' }, ['good']);
expect('neither To nor Cc', new Sender('to-nobody'), (s) => s.signed({ To: null }),
	{ 'gmail message-form': 'met' }, ['good'], (session) => {
		assert.equal(session.results.form.hasRecipient, false);
		assert.ok(session.results.advice.some(({ code }) => code === 'recipient-missing'));
	});
expect('a header of over 256 KiB', new Sender('wordy'),
	(s) => `${Array.from({ length: 40 }, (_, i) => `X-${i}: ${'a '.repeat(3900)}\r\n`).join('')}${s.message()}`,
	{ 'gmail,yahoo message-form': undecided(TOO_LONG, SHORTEN), 'microsoft message-form': advised('Microsoft', TOO_LONG),
		'gmail,yahoo,microsoft dmarc-record': undecided(TOO_LONG, SHORTEN),
		'gmail,yahoo,microsoft from-aligned': undecided(TOO_LONG, SHORTEN),
		'gmail,yahoo,microsoft one-click-unsubscribe': undecided(TOO_LONG, SHORTEN) },
	['undecided', 'message-form']);

// One-click unsubscription
expect('List-Unsubscribe by mailto alone', new Sender('mailto-only'),
	(s) => signedAll(s, { 'List-Unsubscribe': '<mailto:u@mailto-only.example>' }),
	{ 'gmail,yahoo one-click-unsubscribe': missed('List-Unsubscribe has no https URI in angle brackets.', ADD_ONE_CLICK),
		'microsoft one-click-unsubscribe': met(HAS_WAY) }, ['good']);
expect('a signature over both fields that is not aligned', (() => {
	const author = new Sender('news-author', { dmarc: 'v=DMARC1; p=none' });
	return new Sender('news-mailer', { from: author.from, records: author.records() });
})(), (s) => signedAll(s, UNSUBSCRIBE),
{ 'gmail one-click-unsubscribe': missed('No valid signature that names both fields is aligned with the From domain, so Gmail shows no button.',
	'Sign both fields with the domain of From.'),
'yahoo one-click-unsubscribe': met('Unsubscribing takes one click, as RFC 8058 says.'),
	'gmail from-aligned': 'missed' }, ['good'],
(session) => assert.deepEqual(session.results.unsubscribe.parts.slice(-2).map(({ state }) => state), ['met', 'missed']));

// Blocklists and the score
{
	const sender = new Sender('on-a-list', { dmarc: rua });
	sender.options.records = listing(sender.ip, 'reported', '127.0.0.2');
	expect('an address on a list', sender, (s) => s.signed(), {}, ['at-risk', 'blocklist']);
}

// Each demand and state whose texts a case above has checked, such as "gmail ptr missed".
const stated = new Set();

function assertDemand(item, key, wanted) {
	const [state, evidence, advice] = [wanted].flat();
	assert.equal(item?.state, state, `${key}: ${JSON.stringify(item)}`);
	if (evidence === undefined) return;
	assert.deepEqual({ evidence: item.evidence, advice: item.advice }, { evidence, advice }, key);
	stated.add(`${key} ${state}`);
}

function assertDemands({ results }, wanted) {
	const found = Object.fromEntries(results.requirements.map((item) => [`${item.provider} ${item.requirement}`, item]));
	for (const [keys, words] of Object.entries(wanted)) {
		const [providers, requirement] = keys.split(' ');
		for (const key of providers.split(',').map((provider) => `${provider} ${requirement}`)) assertDemand(found[key], key, words);
	}
	for (const item of results.requirements) {
		assert.ok(NAMES.includes(item.requirement));
		if (item.state === 'missed') assert.ok(item.advice, `${item.requirement} is missed without advice`);
		if (item.state === 'met' || item.state === 'not-applicable') assert.equal(item.advice, null);
	}
}

function assertOutlook({ results: { outlook, advice } }, [state, ...codes]) {
	assert.equal(outlook.state, state, JSON.stringify(outlook));
	assert.deepEqual(outlook.reasons.map(({ code }) => code), codes, JSON.stringify(outlook));
	// When receivers will refuse the mail, urgent advice comes first; otherwise there is none.
	assert.equal(advice[0].severity === 'urgent', state === 'refused', JSON.stringify(advice[0]));
}

async function deliver(runner, { sender, message }) {
	const session = await createSession(runner);
	await sendMail(runner.smtpPort, { ip: sender.ip, helo: sender.helo, from: sender.mailFrom, to: session.email,
		message: await message(sender) });
	return untilCompleted(runner, session.testId);
}

describe(`the demands on each of ${cases.length} senders:`, () => {
	let nsd;
	let runner;
	const umlaut = new Sender('xn--mller-kva');
	const unknown = new Sender('unknown', { key: null });
	const home = new Sender('at-home', { ip: '127.0.0.1', dmarc: rua });

	before(async () => {
		nsd = await startNsd([...cases.flatMap(({ sender }) => sender.records()), ...home.records(), ...umlaut.records(), ...unknown.records()]);
		runner = await startRunner({ env: { ...SETTINGS, EDS_DNS_SERVERS: nsd.address } });
	});
	after(async () => {
		await runner?.stop();
		await nsd?.stop();
	});

	for (const one of cases)
		test(one.name, async () => {
			const session = await deliver(runner, one);
			assertDemands(session, one.wanted);
			assertOutlook(session, one.outlook);
			one.check?.(session);
		});

	async function sendDirectly(options) {
		const session = await createSession(runner);
		const transport = nodemailer.createTransport({ host: '127.0.0.1', port: runner.smtpPort, name: home.helo,
			tls: { rejectUnauthorized: false }, ...options });
		await transport.sendMail({ envelope: { from: home.mailFrom, to: session.email }, raw: await home.signed() });
		return untilCompleted(runner, session.testId);
	}

	test('a message with SMTPUTF8 and a sender in UTF-8', async () => {
		const octets = (text) => Buffer.from(text, 'utf8').toString('latin1');
		const session = await createSession(runner);
		const message = octets(await umlaut.signed({ From: 'J\u00f6rg <j\u00f6rg@m\u00fcller.example>', Subject: 'Gr\u00fc\u00dfe' }));
		const mail = { ip: umlaut.ip, helo: umlaut.helo, from: octets('j\u00f6rg@m\u00fcller.example'), to: session.email, message };
		await assert.rejects(sendMail(runner.smtpPort, mail), /553 5\.6\.7/);
		await sendMail(runner.smtpPort, { ...mail, parameters: ' SMTPUTF8 BODY=8BITMIME' });
		const completed = await untilCompleted(runner, session.testId);
		const { results } = completed;
		assert.equal(completed.spamScore, -1.3);
		assert.equal(results.spf.domain, 'xn--mller-kva.example');
		assert.equal(results.headers.fromDomain, 'xn--mller-kva.example');
		assert.equal(results.headers.mailFrom, 'j\u00f6rg@m\u00fcller.example');
		assert.equal(results.headers.subject, 'Gr\u00fc\u00dfe');
		assert.deepEqual(results.form.eightBit, ['From', 'Subject']);
		assertDemands(completed, { 'gmail message-form': 'met', 'gmail from-aligned': 'met' });
		assertOutlook(completed, ['good']);
	});

	test('a message whose client is unknown to the proxy', async () => {
		const session = await deliver(runner, { sender: Object.assign(Object.create(unknown), { ip: '[UNAVAILABLE]' }), message: (s) => s.message() });
		assertDemands(session, {
			'gmail,yahoo spf-or-dkim': undecided(both('unknown.example', 'unknown', 'not there'), FROM_OUTSIDE),
			'gmail,yahoo ptr': undecided('The public address that sent the message is not known.', FROM_OUTSIDE),
			'gmail tls': undecided(UNSEEN, FROM_OUTSIDE),
			'gmail,yahoo,microsoft spf-and-dkim': missed(both('unknown.example', 'unknown', 'not there'), LET_BOTH_PASS),
			'gmail,yahoo,microsoft from-aligned': undecided(compared('unknown.example', 'unknown.example (unknown)', 'no domain (not there)'), FROM_OUTSIDE),
		});
		assertOutlook(session, ['undecided', 'client', 'dmarc']);
	});

	test('a message that comes over TLS', async () => {
		const session = await sendDirectly({ requireTLS: true });
		const { version, cipher } = session.results.tls;
		const evidence = `The message arrived over ${version} ${cipher}.`;
		assertDemands(session, { 'gmail tls': met(evidence), 'yahoo tls': advised('Yahoo', evidence), 'microsoft tls': advised('Microsoft', evidence) });
		assert.equal(session.results.tls.state, 'used');
		assert.match(session.results.tls.version, /^TLSv1\.[23]$/);
		assert.match(session.results.tls.cipher, /^[A-Z0-9_-]+$/);
		assertOutlook(session, ['good']);
	});

	test('a message that comes without TLS', async () => {
		const session = await sendDirectly({ ignoreTLS: true });
		const evidence = 'The message arrived over a connection without TLS, though STARTTLS was offered.';
		assertDemands(session, { 'gmail tls': missed(evidence, USE_STARTTLS), 'yahoo tls': advised('Yahoo', evidence),
			'microsoft tls': advised('Microsoft', evidence) });
		assert.deepEqual(session.results.tls, { state: 'none', version: null, cipher: null });
		assertOutlook(session, ['refused', 'tls']);
		assert.equal(session.results.advice[0].code, 'tls-missing');
	});
});

describe('with all of DNS dead', () => {
	let silent;
	let runner;

	before(async () => {
		silent = dgram.createSocket('udp4');
		await new Promise((resolve) => silent.bind(0, '127.0.0.1', resolve));
		runner = await startRunner({ env: { ...SETTINGS, EDS_DNS_SERVERS: `127.0.0.1:${silent.address().port}` } });
	});
	after(async () => {
		await runner?.stop();
		silent?.close();
	});

	test('everything that depends on DNS is undecided, and nothing is called good', async () => {
		const session = await deliver(runner, { sender: new Sender('silence'), message: (s) => signedAll(s, UNSUBSCRIBE) });
		assertDemands(session, {
			'gmail,yahoo spf-or-dkim': undecided(both('silence.example', 'temperror', 'unknown'), AGAIN),
			'gmail,yahoo ptr': undecided('A lookup of reverse DNS failed temporarily.', AGAIN),
			'microsoft ptr': advised('Microsoft', 'A lookup of reverse DNS failed temporarily.'),
			'gmail,yahoo,microsoft dkim-key': undecided('The key could not be fetched now.', AGAIN),
			'gmail,yahoo,microsoft spf-and-dkim': undecided(both('silence.example', 'temperror', 'unknown'), AGAIN),
			'gmail,yahoo,microsoft dmarc-record': undecided('_dmarc.silence.example could not be looked up.', AGAIN),
			'gmail,yahoo,microsoft from-aligned': undecided(compared('silence.example', 'silence.example (temperror)', 'silence.example (unknown)'), AGAIN),
			'gmail,yahoo one-click-unsubscribe': undecided('A signature could not be checked.', 'Analyze the message again later.'),
			'microsoft one-click-unsubscribe': met(HAS_WAY),
			'gmail,yahoo message-form': met(WELL_FORMED),
		});
		assertOutlook(session, ['undecided', 'dmarc', 'spf-or-dkim', 'ptr']);
	});
});

// Recommendations, which no mail can miss: their only state is "not-applicable".
const ADVISED = ['microsoft ptr', 'yahoo tls', 'microsoft tls', 'microsoft message-form'];
const NOBODY = ['microsoft spf-or-dkim']; // demands that no provider makes

test('each state of each demand was reached, with its evidence and advice', () => {
	const wanted = ['gmail', 'yahoo', 'microsoft'].flatMap((provider) => NAMES.flatMap((name) => {
		const demand = `${provider} ${name}`;
		if (NOBODY.includes(demand)) return [];
		if (ADVISED.includes(demand)) return [`${demand} not-applicable`];
		return ['met', 'missed', 'undecided', ...(name === 'dkim-key' ? ['not-applicable'] : [])]
			.map((state) => `${demand} ${state}`);
	}));
	assert.deepEqual([...stated].sort(), wanted.sort());
});
