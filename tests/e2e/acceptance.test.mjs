// Every kind of sender gets exactly its rules, score and verdict: real SMTP, a real name server, an
// independent signer.
import assert from 'node:assert/strict';
import dgram from 'node:dgram';
import { after, before, describe, test } from 'node:test';

import { newKey, sendMail } from './support/mail.mjs';
import { startNsd } from './support/nsd.mjs';
import { startRunner } from './support/runner.mjs';
import { LISTS, Sender, damageSignature, listing, ptrRecord, txtRecord } from './support/senders.mjs';
import { createSession, untilCompleted } from './support/tester.mjs';

const SETTINGS = {
	...LISTS,
	EDS_TESTER_DOMAIN: 'tester.example',
	EDS_SMTP_TRUSTED: '127.0.0.1',
	EDS_ALLOW_PRIVATE_ADDRESSES: '1',
	EDS_TESTER_SESSIONS_PER_HOUR: '0',
};

const GOOD = ['SPF_PASS', 'DKIM_VALID', 'DMARC_PASS', 'PTR_VALID'];
const without = (...rules) => GOOD.filter((rule) => !rules.includes(rule));
const cases = [];

// message: an async function of the sender that gives the bytes to send. check: further checks of the
// completed session.
function expect(name, sender, message, rules, score, verdict, check) {
	cases.push({ name, sender, message, rules, score, verdict, check });
}

// Asserts the state of the outlook and, if a code is given, the reason with that code.
const outlook = (session, state, code) => {
	assert.equal(session.results.outlook.state, state, JSON.stringify(session.results.outlook));
	if (code)
		assert.ok(session.results.outlook.reasons.some((reason) => reason.code === code),
			`no reason ${code} in ${JSON.stringify(session.results.outlook.reasons)}`);
};

const advised = (session, code) =>
	assert.ok(
		session.results.advice.some((item) => item.code === code),
		`no advice ${code} in ${session.results.advice.map((item) => item.code)}`,
	);

expect('large webmail', new Sender('webmail'), (s) => s.signed(), GOOD, -1.3, 'ham',
	(session) => outlook(session, 'good'));
expect('a key of 1024 bits is a warning', new Sender('webmail-1024', { signingKey: newKey('rsa', 1024) }),
	(s) => s.signed(), GOOD, -1.3, 'ham');
expect('a short l= is a warning', new Sender('webmail-l'),
	(s) => s.sign(s.message({}, 'Signed.\r\nNot signed.\r\n'), { maxBodyLength: 9 }),
	GOOD, -1.3, 'ham');
expect('an Ed25519 signature', new Sender('ed25519', { signingKey: newKey('ed25519') }),
	(s) => s.signed(), GOOD, -1.3, 'ham');
expect('simple canonicalization', new Sender('simple'),
	(s) => s.sign(s.message(), { canonicalization: 'simple/simple' }), GOOD, -1.3, 'ham');
expect('IPv6, all good', new Sender('six', { ip: '2001:db8::25' }), (s) => s.signed(), GOOD, -1.3, 'ham');

expect('shared outbound host: HELO and PTR share the parent domain',
	new Sender('shared', { helo: 'out7.pool.hoster.example', ptr: 'out1.pool.hoster.example',
	}),
	(s) => s.signed(), GOOD, -1.3, 'ham');
cases.at(-1).sender.options.records = [`out1.pool.hoster.example. A ${cases.at(-1).sender.ip}`,
	'out7.pool.hoster.example. A 198.51.100.251'];

const mailerFor = (name, published) => new Sender(name, { key: published });
function twoSigners(name, damaged) {
	const mailer = mailerFor(`${name}-mailer`);
	const own = new Sender(name, { records: [txtRecord(`s1._domainkey.${mailer.domain}`, mailer.key.record)] });
	return [own, async (s) => {
		const broken = (who) => (damaged === who ? damageSignature : (message) => message);
		const inner = broken('mailer')(await mailer.sign(s.message()));
		return broken('own')(await s.sign(inner));
	}];
}
expect('cloud mailer signing twice', ...twoSigners('twice'), [...GOOD, 'DKIM_VALID'], -1.8, 'ham');
expect('own signature valid, the mailer\'s broken', ...twoSigners('mailer-broken', 'mailer'),
	[...GOOD, 'DKIM_INVALID'], 4.7, 'probable_spam');
expect('own signature broken, the mailer\'s valid, SPF aligned', ...twoSigners('own-broken', 'own'),
	[...GOOD, 'DKIM_INVALID'], 4.7, 'probable_spam');

expect('IPv6 server outside -all, no PTR, signed',
	new Sender('six-outside', { ip: '2001:db8::6', spf: 'v=spf1 ip4:203.0.113.1 -all', ptr: null }),
	(s) => s.signed(), ['SPF_FAIL', 'DKIM_VALID', 'DMARC_PASS', 'PTR_MISSING'], 7.0, 'spam');

{
	const sender = new Sender('helo-other', { helo: 'greeting.helo-other.test' });
	sender.options.records = [`greeting.helo-other.test. A ${sender.ip}`];
	expect('HELO other than PTR, both resolve to the address', sender, (s) => s.signed(), GOOD, -1.3, 'ham');
}
expect('HELO unrelated and dead', new Sender('helo-dead', { helo: 'nowhere.unrelated.test' }),
	(s) => s.signed(), [...without('PTR_VALID'), 'PTR_MISMATCH'], 0.3, 'ham');

{
	const author = new Sender('author', { dmarc: 'v=DMARC1; p=reject' });
	const list = new Sender('list', { from: author.from, records: author.records() });
	expect('mailing list keeps From, p=reject', list,
		async (s) => s.sign(damageSignature(await author.sign(s.message()))),
		['SPF_PASS', 'DKIM_VALID', 'DKIM_INVALID', 'DMARC_FAIL_REJECT', 'PTR_VALID'], 7.2, 'spam',
		(session) => {
			assert.equal(session.results.advice[0].code, 'receivers-reject');
			assert.equal(session.results.dmarc.result, 'fail');
			assert.equal(session.results.dmarc.policy, 'reject');
			outlook(session, 'refused', 'policy');
		});
}

expect('forwarder, -all, the signature survives',
	new Sender('forwarded', { spf: 'v=spf1 ip4:203.0.113.1 -all' }), (s) => s.signed(),
	[...without('SPF_PASS'), 'SPF_FAIL'], 4.9, 'probable_spam',
	(session) => advised(session, 'spf-fail'));

{
	const sender = new Sender('bounce', { mailFrom: '' });
	sender.options.records = [txtRecord(sender.helo, `v=spf1 ip4:${sender.ip} -all`)];
	expect('<>, unsigned, HELO aligned', sender, (s) => s.message(),
		['SPF_PASS', 'DMARC_PASS', 'PTR_VALID'], -0.8, 'ham',
		(session) => assert.equal(session.results.spf.domain, sender.helo));
}

{
	const sender = new Sender('no-mx', { mx: null });
	sender.options.records = [`${sender.domain}. A ${sender.ip}`];
	expect('address record without MX', sender, (s) => s.signed(), [...GOOD, 'MX_NONE'], 0.7, 'ham',
		(session) => advised(session, 'mx-implicit'));
}
expect('null MX', new Sender('null-mx', { mx: '0 .' }), (s) => s.signed(),
	[...GOOD, 'MX_INVALID'], -0.3, 'ham', (session) => outlook(session, 'at-risk', 'sender-domain'));

{
	const includes = Array.from({ length: 10 }, (_, i) => `include:i${i}.eleven.example`);
	const sender = new Sender('eleven', { spf: `v=spf1 ${includes.join(' ')} a:mail.eleven.example -all`,
		records: includes.map((term) => txtRecord(term.slice(8), 'v=spf1 ip4:203.0.113.9 -all')) });
	expect('SPF would match at its 11th lookup', sender, (s) => s.signed(),
		[...without('SPF_PASS'), 'SPF_PERMERROR'], 0.4, 'ham');
}

{
	const sender = new Sender('list-blocked');
	sender.options.records = listing(sender.ip, 'combined', '127.255.255.254');
	expect('combined list answers 127.255.255.254', sender, (s) => s.signed(), GOOD, -1.3, 'ham',
		(session) => {
			assert.equal(session.results.blocklists.listed, 0);
			assert.equal(session.results.blocklists.results[0].state, 'unknown');
		});
}
for (const [list, rule, score, verdict, ...answers] of [
	['combined', 'BLOCKLIST_COMBINED', 6.7, 'spam', '127.0.0.4', '127.0.0.10'],
	['relay', 'BLOCKLIST_RELAY', 3.7, 'probable_spam', '127.0.0.2'],
	['reputation', 'BLOCKLIST_REPUTATION', 3.7, 'probable_spam', '127.0.0.11'],
	['reported', 'BLOCKLIST_REPORTED', 2.7, 'ham', '127.0.0.2'],
]) {
	const sender = new Sender(`listed-${list}`);
	sender.options.records = listing(sender.ip, list, ...answers);
	expect(`listed on the ${list} list`, sender, (s) => s.signed(), [...GOOD, rule], score, verdict,
		(session) => {
			const result = session.results.blocklists.results.find((item) => item.list === list);
			assert.equal(session.results.blocklists.listed, 1);
			assert.equal(result.state, 'listed');
			assert.deepEqual(result.codes, answers);
		});
}

expect('two From domains', new Sender('two-from', { from: 'a@two-from.example, b@other.example' }),
	(s) => s.signed(), without('DMARC_PASS'), -0.8, 'ham',
	(session) => {
		assert.equal(session.results.dmarc.result, 'permerror');
		outlook(session, 'refused', 'message-form');
	});
expect('a group with one domain in From', new Sender('group', { from: 'Team: a@group.example;' }),
	(s) => s.signed(), GOOD, -1.3, 'ham');

{
	const sender = new Sender('testing-key');
	sender.options.key = sender.key.record.replace('v=DKIM1;', 'v=DKIM1; t=y;');
	expect('broken signature with a t=y key', sender, async (s) => damageSignature(await s.signed()),
		without('DKIM_VALID'), -0.8, 'ham');
}
expect('768-bit key', new Sender('short-key', { signingKey: newKey('rsa', 768) }), (s) => s.signed(),
	[...without('DKIM_VALID'), 'DKIM_INVALID'], 5.2, 'probable_spam');

{
	const victim = new Sender('in-testing', { dmarc: 'v=DMARC1; p=reject; t=y' });
	const other = new Sender('foreign-t', { from: victim.from, records: victim.records() });
	expect('unsigned, foreign SPF, p=reject with t=y', other, (s) => s.message(),
		['SPF_PASS', 'PTR_VALID', 'DMARC_FAIL_QUARANTINE'], 0.7, 'ham');
}
expect('From domain does not exist, np=reject',
	new Sender('foreign-np', { from: 'x@ghost.parent.example',
		records: [txtRecord('_dmarc.parent.example', 'v=DMARC1; p=none; np=reject'), 'parent.example. A 203.0.113.7'] }),
	(s) => s.message(), ['SPF_PASS', 'PTR_VALID', 'DMARC_FAIL_REJECT'], 1.7, 'ham');

{
	const foreign = new Sender('foreign-18');
	const sender = new Sender('deep', { from: 'x@mail.deep.example', mailFrom: foreign.mailFrom, dmarc: null, spf: null });
	sender.options.records = [
		txtRecord('_dmarc.mail.deep.example', 'v=DMARC1; p=quarantine'),
		txtRecord(foreign.domain, `v=spf1 ip4:${sender.ip} -all`),
		`${foreign.domain}. MX 10 ${sender.host}.`,
	];
	expect('record (quarantine) only at mail.example.com, d=example.com, foreign SPF', sender,
		(s) => s.signed(), ['SPF_PASS', 'DKIM_VALID', 'DMARC_FAIL_QUARANTINE', 'PTR_VALID'], 0.2, 'ham');
}

expect('no SPF, unsigned, no DMARC record, no PTR, no Message-ID',
	new Sender('bare', { spf: null, dmarc: null, ptr: null, key: null }),
	(s) => s.message({ 'Message-ID': null }), ['PTR_MISSING', 'MISSING_MID'], 3.0, 'probable_spam');

{
	const sender = new Sender('helo-parent', { helo: 'helo-parent.example' });
	sender.options.records = ['helo-parent.example. A 203.0.113.22'];
	expect('HELO is the PTR\'s parent and resolves', sender, (s) => s.signed(), GOOD, -1.3, 'ham');
}
expect('HELO invented beside the PTR, resolves to nothing',
	new Sender('helo-invented', { helo: 'mx9.helo-invented.example' }), (s) => s.signed(),
	[...without('PTR_VALID'), 'PTR_MISMATCH'], 0.3, 'ham');
{
	const sender = new Sender('helo-below', { helo: 'out3.mail.helo-below.example' });
	sender.options.records = ['out3.mail.helo-below.example. A 203.0.113.23'];
	expect('HELO lies below the PTR and resolves', sender, (s) => s.signed(), GOOD, -1.3, 'ham');
}
{
	const sender = new Sender('helo-address');
	sender.helo = `[${sender.ip}]`;
	expect('HELO is the client\'s own address literal', sender, (s) => s.signed(), GOOD, -1.3, 'ham');
}
expect('HELO is the address literal of another',
	new Sender('helo-literal', { helo: '[203.0.113.99]' }), (s) => s.signed(),
	[...without('PTR_VALID'), 'PTR_MISMATCH'], 0.3, 'ham');

expect('no SPF, no signature, no DMARC record, all else right',
	new Sender('unproven', { spf: null, dmarc: null, key: null }), (s) => s.message(),
	['PTR_VALID'], -0.1, 'ham', (session) => {
		outlook(session, 'refused', 'spf-or-dkim');
		assert.equal(session.results.advice[0].severity, 'urgent');
		advised(session, 'receivers-refuse');
	});

expect('List-Unsubscribe and -Post outside h=', new Sender('unsigned-list'),
	async (s) => 'List-Unsubscribe: <https://unsigned-list.example/u>\r\n' +
		`List-Unsubscribe-Post: List-Unsubscribe=One-Click\r\n${await s.signed()}`, GOOD, -1.3, 'ham',
	(session) => {
		outlook(session, 'good');
		assert.equal(session.results.headers.oneClick, false);
		const parts = Object.fromEntries(session.results.unsubscribe.parts.map(({ part, state }) => [part, state]));
		assert.deepEqual(parts, { 'list-unsubscribe': 'met', 'https-uri': 'met', 'list-unsubscribe-post': 'met',
			'one-click-value': 'met', 'once-each': 'met', signed: 'missed', aligned: 'missed' });
	});
expect('two Subject fields', new Sender('two-subjects'),
	async (s) => (await s.signed()).replace('\r\nTo:', '\r\nSubject: Another\r\nTo:'),
	GOOD, -1.3, 'ham', (session) => outlook(session, 'refused', 'message-form'));

{
	const sender = new Sender('mx-alias', { mx: '10 alias.mx-alias.example.',
		records: ['alias.mx-alias.example. CNAME mail.mx-alias.example.'] });
	expect('MX names a CNAME alone', sender, (s) => s.signed(), [...GOOD, 'MX_INVALID'], -0.3, 'ham',
		(session) => {
			advised(session, 'mx-alias');
			assert.equal(session.results.mx.records[0].alias, true);
		});
}
expect('Date: tomorrow', new Sender('date-word'), (s) => s.signed({ Date: 'tomorrow' }),
	[...GOOD, 'MISSING_DATE'], -0.8, 'ham', (session) => advised(session, 'date-unreadable'));

// Further cases
expect('SPF neutral scores nothing', new Sender('neutral', { spf: 'v=spf1 ?all' }), (s) => s.signed(),
	without('SPF_PASS'), -1.1, 'ham',
	(session) => assert.equal(session.results.spf.result, 'neutral'));
expect('SPF none scores nothing', new Sender('no-spf', { spf: null }), (s) => s.signed(),
	without('SPF_PASS'), -1.1, 'ham',
	(session) => assert.equal(session.results.spf.result, 'none'));
expect('SPF softfail', new Sender('softfail', { spf: 'v=spf1 ~all' }), (s) => s.signed(),
	[...without('SPF_PASS'), 'SPF_SOFTFAIL'], -0.1, 'ham');
{
	const sender = new Sender('strict', { dmarc: 'v=DMARC1; p=quarantine; adkim=s; aspf=s', from: 'x@news.strict.example',
		records: ['news.strict.example. A 203.0.113.8'] });
	expect('strict alignment refuses a subdomain', sender, (s) => s.signed(),
		[...without('DMARC_PASS'), 'DMARC_FAIL_QUARANTINE'], 0.2, 'ham');
}
{
	const victim = new Sender('sub-policy', { dmarc: 'v=DMARC1; p=reject; sp=none' });
	const other = new Sender('foreign-sp', { from: 'x@shop.sub-policy.example',
		records: [...victim.records(), 'shop.sub-policy.example. A 203.0.113.9'] });
	expect('the subdomain policy applies below the domain', other, (s) => s.message(),
		['SPF_PASS', 'PTR_VALID', 'DMARC_FAIL_NONE'], 0.2, 'ham',
		(session) => assert.equal(session.results.dmarc.policy, 'none'));
}
expect('Date in the future', new Sender('tomorrow'),
	(s) => s.signed({ Date: new Date(Date.now() + 86400000).toUTCString().replace('GMT', '+0000') }),
	[...GOOD, 'DATE_IN_FUTURE'], 0.7, 'ham');
expect('Date missing', new Sender('undated'), (s) => s.signed({ Date: null }),
	[...GOOD, 'MISSING_DATE'], -0.8, 'ham');
expect('Message-ID missing', new Sender('nameless'), (s) => s.signed({ 'Message-ID': null }),
	[...GOOD, 'MISSING_MID'], -0.3, 'ham');

function assertScored(session, { rules, score, verdict, check }) {
	assert.equal(session.status, 'completed');
	assert.deepEqual(session.scoreBreakdown.map(({ rule }) => rule).sort(), [...rules].sort(),
		JSON.stringify(session.results, null, 1));
	assert.equal(session.spamScore, score);
	assert.equal(session.verdict, verdict);
	for (const { rule } of session.scoreBreakdown)
		assert.ok(session.results.advice.some((item) => item.rule === rule), `no advice for ${rule}`);
	check?.(session);
}

async function deliver(runner, { sender, message }) {
	const session = await createSession(runner);
	await sendMail(runner.smtpPort, {
		ip: sender.ip,
		helo: sender.helo,
		from: sender.mailFrom,
		to: session.email,
		message: await message(sender),
	});
	return untilCompleted(runner, session.testId);
}

describe(`a message from each of ${cases.length} senders:`, () => {
	let nsd;
	let runner;

	before(async () => {
		nsd = await startNsd(cases.flatMap(({ sender }) => sender.records()));
		runner = await startRunner({ env: { ...SETTINGS, EDS_DNS_SERVERS: nsd.address } });
	});
	after(async () => {
		await runner?.stop();
		await nsd?.stop();
	});

	for (const wanted of cases)
		test(wanted.name, async () => assertScored(await deliver(runner, wanted), wanted));

	test('a message whose sending server is unknown is judged by its content alone', async () => {
		const sender = cases[0].sender;
		const session = await createSession(runner);
		await sendMail(runner.smtpPort, { helo: sender.helo, from: sender.mailFrom, to: session.email,
			message: await sender.signed() });
		const completed = await untilCompleted(runner, session.testId);
		assert.equal(completed.results.dkim.valid, true);
	});
});

describe('without a public client address', () => {
	const unsigned = new Sender('behind-nat', { ip: '9.9.9.21' });
	const signed = new Sender('behind-nat-signed', { ip: '9.9.9.22' });
	let nsd;
	let runner;

	before(async () => {
		nsd = await startNsd([unsigned, signed].flatMap((sender) => sender.records()));
		runner = await startRunner({ env: { ...SETTINGS, EDS_DNS_SERVERS: nsd.address,
			EDS_ALLOW_PRIVATE_ADDRESSES: undefined } });
	});
	after(async () => {
		await runner?.stop();
		await nsd?.stop();
	});

	const deliverUnknown = (sender, message) =>
		deliver(runner, { sender: Object.assign(sender, { ip: null }), message });

	test('an unsigned message scores nothing, and DMARC under p=reject is undecided', async () => {
		const session = await deliverUnknown(unsigned, (s) => s.message());
		assertScored(session, { rules: [], score: 0, verdict: 'ham' });
		assert.equal(session.results.spf.result, 'none');
		assert.equal(session.results.spf.state, 'unknown');
		assert.equal(session.results.dmarc.result, 'temperror');
		assert.equal(session.results.dmarc.state, 'undecided');
		assert.equal(session.results.ptr.state, 'unknown');
		outlook(session, 'undecided', 'client');
	});

	test('an aligned signature decides DMARC', async () => {
		const session = await deliverUnknown(signed, (s) => s.signed());
		assertScored(session, { rules: ['DKIM_VALID', 'DMARC_PASS'], score: -1, verdict: 'ham' });
		assert.equal(session.results.dmarc.state, 'decided');
	});
});

describe('with all of DNS dead', () => {
	let silent;
	let runner;

	before(async () => {
		silent = dgram.createSocket('udp4');
		await new Promise((resolve) => silent.bind(0, '127.0.0.1', resolve));
		runner = await startRunner({
			env: { ...SETTINGS, EDS_DNS_SERVERS: `127.0.0.1:${silent.address().port}` },
		});
	});
	after(async () => {
		await runner?.stop();
		silent?.close();
	});

	test('SPF_TEMPERROR alone is scored and the rest is unknown', async () => {
		const sender = new Sender('dead');
		const session = await deliver(runner, { sender, message: (s) => s.signed() });
		assertScored(session, { rules: ['SPF_TEMPERROR'], score: 1.0, verdict: 'ham' });
		assert.equal(session.results.ptr.state, 'unknown');
		assert.equal(session.results.mx.state, 'unknown');
		outlook(session, 'undecided', 'dmarc');
		assert.deepEqual(session.results.blocklists.results.map(({ state }) => state), Array(4).fill('unknown'));
	});
});
