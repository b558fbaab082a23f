// Advice that an administrator can act on, and none that does harm: with mail over real SMTP and a
// real name server.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';

import { sendMail } from './support/mail.mjs';
import { startNsd } from './support/nsd.mjs';
import { startRunner } from './support/runner.mjs';
import { LISTS, Sender, damageSignature, reversed, txtRecord } from './support/senders.mjs';
import { createSession, untilCompleted } from './support/tester.mjs';

const SETTINGS = {
	...LISTS,
	EDS_TESTER_DOMAIN: 'tester.example',
	EDS_SMTP_TRUSTED: '127.0.0.1',
	EDS_ALLOW_PRIVATE_ADDRESSES: '1',
	EDS_TESTER_SESSIONS_PER_HOUR: '0',
};

const cases = [];
const expect = (name, sender, message, check) => cases.push({ name, sender, message, check });

const advice = ({ results }, code) => {
	const found = results.advice.find((item) => item.code === code);
	assert.ok(found, `no ${code} in ${results.advice.map((item) => item.code)}`);
	return found;
};
const noAdvice = ({ results }, code) => assert.ok(!results.advice.some((item) => item.code === code), code);

// DMARC
expect('advice on strict alignment shows the corrected record',
	new Sender('strictly', { dmarc: 'v=DMARC1; p=reject; adkim=s; aspf=s; rua=mailto:d@strictly.example', from: 'x@news.strictly.example',
		records: ['news.strictly.example. A 203.0.113.8'] }), (s) => s.signed(), (session) => {
		const { message, record } = advice(session, 'dmarc-strict');
		assert.match(message, /failed for \S+ only because of strict alignment/);
		assert.deepEqual(record, { name: '_dmarc.strictly.example', type: 'TXT',
			value: 'v=DMARC1; p=reject; adkim=r; aspf=r; rua=mailto:d@strictly.example' });
		const { dmarc } = session.results;
		assert.equal(dmarc.recordDomain, 'strictly.example');
		assert.equal(dmarc.organizationalDomain, 'strictly.example');
		assert.equal(dmarc.tag, 'p');
		assert.deepEqual(dmarc.alignment.spf, { domain: 'strictly.example', fromDomain: 'news.strictly.example',
			mode: 'strict', names: 'unaligned', result: 'pass', aligned: false });
	});
{
	const author = new Sender('shop', { dmarc: 'v=DMARC1; p=quarantine; t=y; pct=40' });
	expect('a message signed by a provider\'s own domain gets advice to sign with the author\'s',
		new Sender('mailer', { from: author.from, records: author.records() }), (s) => s.signed(), (session) => {
			assert.match(advice(session, 'dmarc-foreign-signature').message, /of mailer\.example.*d=shop\.example/s);
			assert.match(advice(session, 'dmarc-in-testing').message, /p=quarantine counts as none, except for receivers that only know the older RFC 7489\./);
			assert.match(advice(session, 'dmarc-tag-removed').message, /receivers that follow RFC 9989 apply the policy to all failing mail, older receivers to 40 % of it/);
			assert.equal(session.results.dmarc.percent, 40);
			assert.equal(session.results.dmarc.testing, true);
			assert.equal(session.results.dmarc.publishedPolicy, 'quarantine');
			assert.equal(session.results.dmarc.policy, 'none');
		});
}
{
	const author = new Sender('published', { dmarc: 'v=DMARC1; p=reject' });
	const twice = (name, selector) => new Sender(name, { from: author.from, records: selector ? [] : author.records() });
	const message = (selector) => async (s) => s.sign(await author.sign(s.message(), { selector }));
	expect('a message also signed with the author\'s domain gets advice on which signature to correct',
		twice('doubly'), message('k9'), (session) => {
			assert.equal(advice(session, 'dmarc-broken-signature').message, 'DMARC failed for published.example: the message has a signature of ' +
				'published.example (selector k9), but it is not valid, and nothing else of that domain passed. Correct that signature; ' +
				'the advice on DKIM says what is wrong with it.');
			noAdvice(session, 'dmarc-foreign-signature');
		});
	expect('a mailing list gets advice to leave messages unchanged or use its own address', new Sender('many-readers', { from: author.from }),
		async (s) => s.sign(`List-Post: <mailto:l@many-readers.example>\r\n${damageSignature(await author.sign(s.message()))}`), (session) => {
			assert.equal(advice(session, 'dmarc-broken-signature').message, 'DMARC failed for published.example: a mailing list or forwarder passed ' +
				'the message on, and the signature of published.example is no longer valid. Let it leave the message unchanged; ' +
				'a list that changes messages must write its own address in From.');
			noAdvice(session, 'dmarc-foreign-signature');
		});
}
{
	const sender = new Sender('returned', { mailFrom: '', helo: 'gw.hoster.example', ptr: 'gw.hoster.example', key: null });
	sender.options.records = [`gw.hoster.example. A ${sender.ip}`];
	expect('a bounce gets no advice to use an envelope sender', sender, (s) => s.message(), (session) =>
		assert.equal(advice(session, 'dmarc-fail').message, 'DMARC failed for returned.example: Neither SPF nor a valid DKIM signature is aligned ' +
			'with the From domain. The envelope sender is empty, so SPF is judged for the name that the server greets with (HELO). ' +
			'Sign with DKIM under returned.example, or let the server greet with a name under it that SPF authorizes.'));
}
expect('a From domain that does not exist is named first, and no record is proposed for it',
	new Sender('spook', { from: 'x@ghost.haunted.example', key: null,
		records: [txtRecord('_dmarc.haunted.example', 'v=DMARC1; p=none; np=reject'), 'haunted.example. A 203.0.113.7'] }),
	(s) => s.message(), (session) => {
		assert.match(advice(session, 'from-domain-missing').message, /ghost\.haunted\.example does not exist/);
		assert.equal(advice(session, 'from-domain-missing').rule, 'DMARC_FAIL_REJECT');
		assert.match(advice(session, 'dmarc-np').message, /np=reject/);
		assert.equal(session.results.dmarc.fromDomainExists, false);
		noAdvice(session, 'dmarc-fail');
	});
expect('a proposed first DMARC record names no mailbox that may not exist', new Sender('recordless', { dmarc: null }),
	(s) => s.signed(), (session) => assert.equal(advice(session, 'dmarc-missing').record.value, 'v=DMARC1; p=none'));
expect('a DMARC record without its semicolon gets no second one', new Sender('unparted', { dmarc: 'v=DMARC1 p=reject' }), (s) => s.signed(), (session) => {
	assert.equal(advice(session, 'dmarc-version').message, 'Receivers ignore the record at _dmarc.unparted.example, because it does not begin with ' +
		'v=DMARC1 and a semicolon. Let the record begin with exactly these characters. The record is: v=DMARC1 p=reject');
	noAdvice(session, 'dmarc-missing');
});
expect('several DMARC records get no further one', new Sender('two-policies', { dmarc: ['v=DMARC1; p=reject', 'v=DMARC1; p=none'] }),
	(s) => s.signed(), (session) => {
		noAdvice(session, 'dmarc-missing');
		assert.equal(advice(session, 'dmarc-several-records').record, null);
	});


// Envelope senders
for (const [name, mailFrom] of [['web-server', 'www-data@web1.localdomain'], ['moved-on', 'bounce@bounces.gone-provider.example'],
	['own-machine', 'root@localhost']])
	expect(`an envelope sender at ${mailFrom.slice(mailFrom.indexOf('@') + 1)}, which does not exist, gets no records for it`,
		new Sender(name, { mailFrom, records: name === 'own-machine' ? ['localhost. A 127.0.0.1'] : [] }), (s) => s.signed(), (session) => {
			const domain = mailFrom.slice(mailFrom.indexOf('@') + 1);
			const { rule, severity, message, record } = advice(session, 'mx-no-domain');
			assert.deepEqual([rule, severity, record], ['MX_NONE', 'action', null]);
			assert.equal(message, `${domain}, the domain of the envelope sender, to which bounces go, does not exist in DNS: nothing can be ` +
				'delivered to it, and many receivers refuse mail from it. Let the sending program or server use an envelope sender under a domain of yours.');
			noAdvice(session, 'mx-missing');
			noAdvice(session, 'spf-missing');
			assert.equal(session.results.outlook.state, 'at-risk');
			assert.deepEqual(session.results.outlook.reasons.map(({ code }) => code), ['sender-domain']);
		});

// SPF
for (const [what, spf, code] of [['+all', 'v=spf1 +all', 'spf-allows-all'], ['half the Internet', 'v=spf1 ip4:128.0.0.0/1 -all', 'spf-wide-network']])
	expect(`${what} is not praised`, new Sender(`open-${code}`, { spf }), (s) => s.signed(), (session) => {
		assert.equal(session.results.spf.result, 'pass');
		assert.equal(advice(session, 'spf-pass').severity, 'note');
		assert.equal(advice(session, code).severity, 'action');
	});
expect('ptr and ?all give warnings', new Sender('old-fashioned', { spf: 'v=spf1 ptr ?all' }), (s) => s.signed(), (session) => {
	advice(session, 'spf-ptr');
	advice(session, 'spf-neutral-all');
});
expect('an SPF record with a semicolon after its version gets no second one', new Sender('pointed', { spf: 'v=spf1; ip4:198.51.100.0/24 ~all' }),
	(s) => s.signed(), (session) => {
		assert.equal(advice(session, 'spf-version').message, 'Receivers ignore the SPF record of pointed.example, because it does not begin with ' +
			'v=spf1 and a space. Let the record begin with exactly these characters. The record is: v=spf1; ip4:198.51.100.0/24 ~all');
		noAdvice(session, 'spf-missing');
	});
// An SPF record without `all`: the result for servers that it does not name is neutral, so no receiver is
// asked to reject their mail.
const endless = (domain) => `The SPF record of ${domain} ends without the term all. The record says nothing about servers that it does not name. ` +
	'End it with ~all, and later with -all.';
const withRecord = (name, record, options = {}) => {
	const sender = new Sender(name, options);
	sender.options.spf = record(sender.ip);
	return sender;
};
const told = ({ results }, code) => results.advice.filter((item) => item.code === code);

expect('a missing all gives a warning even if SPF passes', withRecord('endless', (ip) => `v=spf1 ip4:${ip}`), (s) => s.signed(), (session) => {
	assert.equal(session.results.spf.result, 'pass');
	assert.equal(session.spamScore, -1.3);
	assert.equal(session.results.outlook.state, 'good');
	const { severity, message, rule, record } = advice(session, 'spf-no-all');
	assert.deepEqual({ severity, message, rule, record }, { severity: 'note', message: endless('endless.example'), rule: null, record: null });
	assert.equal(advice(session, 'spf-pass').severity, 'note');
	assert.equal(advice(session, 'spf-pass').message, 'SPF authorizes this server for endless.example; its record can be improved.');
	noAdvice(session, 'spf-neutral-all');
});
expect('without all an unnamed server gets the result neutral', new Sender('endless-elsewhere', { spf: 'v=spf1 ip4:203.0.113.1', key: null }),
	(s) => s.message(), (session) => {
		assert.equal(session.results.spf.result, 'neutral');
		assert.equal(advice(session, 'spf-no-all').message, endless('endless-elsewhere.example'));
		assert.match(advice(session, 'spf-neutral').message, /does not say whether 198\.51\.100\.\d+ may send its mail/);
		noAdvice(session, 'spf-pass');
	});
expect('a record with a redirect is judged by the end of the other record', new Sender('going-on', { spf: 'v=spf1 redirect=_spf.going-on.example',
	records: [txtRecord('_spf.going-on.example', 'v=spf1 ip4:198.51.100.0/24')] }), (s) => s.signed(), (session) => {
	assert.equal(session.results.spf.result, 'pass');
	assert.deepEqual(told(session, 'spf-no-all').map(({ message }) => message), [endless('_spf.going-on.example')]);
});
expect('the end of an included record does not matter', new Sender('including', { spf: 'v=spf1 include:_spf.including.example -all',
	records: [txtRecord('_spf.including.example', 'v=spf1 ip4:198.51.100.0/24')] }), (s) => s.signed(), (session) => {
	assert.equal(advice(session, 'spf-pass').severity, 'good');
	assert.equal(advice(session, 'spf-pass').message, 'SPF authorizes this server for including.example.');
	noAdvice(session, 'spf-no-all');
});
// The include of a service stands after `all`, where many instructions tell people to put it.
expect('terms after all are reported as without effect', new Sender('appended', { spf: 'v=spf1 mx:other.example ~all include:_spf.appended.example',
	records: [txtRecord('_spf.appended.example', 'v=spf1 ip4:198.51.100.0/24 -all')] }), (s) => s.signed(), (session) => {
	assert.equal(session.results.spf.result, 'softfail');
	assert.deepEqual(told(session, 'spf-after-all').map(({ message }) => message), ['The SPF record of appended.example has, after the term all, the term ' +
		'include:_spf.appended.example. Receivers stop at the term all, so the terms after it have no effect. Put the term all at the end.']);
});
expect('redirect= beside all is reported as without effect', withRecord('twofold', (ip) => `v=spf1 ip4:${ip} redirect=_spf.twofold.example exp=why.twofold.example -all`),
	(s) => s.signed(), (session) => assert.deepEqual(told(session, 'spf-after-all').map(({ message }) => message),
		['The SPF record of twofold.example has the term redirect=_spf.twofold.example. Beside the term all, redirect= has no effect. Remove one of the two.']));
expect('exp= after all is not a fault', withRecord('explaining', (ip) => `v=spf1 ip4:${ip} -all exp=why.explaining.example`),
	(s) => s.signed(), (session) => assert.equal(advice(session, 'spf-pass').severity, 'good'));

// SPF terms for networks of at least a 256th of all addresses (/8).
const wide = (domain, term) => `The SPF record of ${domain} has the term ${term}. The term lets a large part of the Internet pass. ` +
	'Name the servers that send the domain\'s mail.';
{
	const networks = ['0.0.0.0/0', '128.0.0.0/1', '192.0.0.0/2', '192.0.0.0/3', '192.0.0.0/4', '192.0.0.0/5', '196.0.0.0/6',
		'198.0.0.0/7', '198.0.0.0/8'].map((network) => `ip4:${network}`);
	expect('each network from /0 to /8 is reported, and one of /9 is not', new Sender('widening',
		{ spf: `v=spf1 ip4:198.0.0.0/9 ${networks.join(' ')} -all` }), (s) => s.signed(), (session) => {
		assert.deepEqual(told(session, 'spf-wide-network').map(({ message, severity }) => [severity, message]),
			networks.map((term) => ['action', wide('widening.example', term)]));
		assert.equal(advice(session, 'spf-pass').message, 'SPF passes for widening.example, but its record lets servers pass that are not its own.');
	});
}
for (const [name, term, options] of [['whole', 'ip4:0.0.0.0/0'], ['eighth', 'ip4:198.0.0.0/8'], ['by-name', 'a:mail.wide-by-name.example/8'], ['by-mx', 'mx/4'],
	['six', 'ip6:2000::/3', { ip: '2001:db8::77' }], ['six-by-name', 'a:mail.wide-six-by-name.example//8', { ip: '2001:db8::78' }]])
	expect(`${term} lets strangers pass`, new Sender(`wide-${name}`, { spf: `v=spf1 ${term} -all`, ...options }), (s) => s.signed(), (session) => {
		assert.equal(session.results.spf.result, 'pass');
		assert.deepEqual(told(session, 'spf-wide-network').map(({ message }) => message), [wide(`wide-${name}.example`, term)]);
		assert.equal(advice(session, 'spf-pass').severity, 'note');
	});
expect('a wide network in an included record is reported with the name of that record', new Sender('wide-include', { spf: 'v=spf1 include:_spf.wide-include.example -all',
	records: [txtRecord('_spf.wide-include.example', 'v=spf1 ip4:192.0.0.0/5 ~all')] }), (s) => s.signed(), (session) =>
	assert.deepEqual(told(session, 'spf-wide-network').map(({ message }) => message), [wide('_spf.wide-include.example', 'ip4:192.0.0.0/5')]));
expect('a wide network that must not send is not a fault', withRecord('wide-refused', (ip) => `v=spf1 ip4:${ip} -ip4:10.0.0.0/8 -all`), (s) => s.signed(),
	(session) => {
		noAdvice(session, 'spf-wide-network');
		assert.equal(advice(session, 'spf-pass').severity, 'good');
	});

{
	const includes = Array.from({ length: 10 }, (_, i) => `include:i${i}.tenplus.example`);
	expect('the eleventh lookup is named', new Sender('tenplus', { spf: `v=spf1 ${includes.join(' ')} include:last.tenplus.example -all`,
		records: includes.map((term) => txtRecord(term.slice(8), 'v=spf1 ip4:203.0.113.9 -all')) }), (s) => s.signed(), (session) => {
		const { message } = advice(session, 'spf-permerror');
		assert.match(message, /include:last\.tenplus\.example in the record of tenplus\.example is the eleventh/);
		assert.match(message, /Remove the includes/);
		const [{ terms }] = advice(session, 'spf-evaluation').evidence.tree;
		assert.deepEqual(terms.filter(({ over }) => over).map(({ term }) => term), ['include:last.tenplus.example']);
		assert.deepEqual(terms.filter(({ reached }) => !reached).map(({ term }) => term), ['-all']);
	});
}
{
	const sender = new Sender('branching', { spf: 'v=spf1 a:gone.branching.example include:inner.branching.example -all' });
	sender.options.records = [txtRecord('inner.branching.example', `v=spf1 mx:gone.branching.example ip4:${sender.ip} ?all`)];
	expect('the terms of an SPF tree are shown with their outcomes', sender, (s) => s.signed(), (session) => {
		const { tree, lookups, voidLookups } = advice(session, 'spf-evaluation').evidence;
		assert.equal(session.results.spf.result, 'pass');
		assert.equal(lookups, 3);
		assert.equal(voidLookups, 2);
		assert.deepEqual(tree.map(({ domain, depth, lookups: own }) => [domain, depth, own]),
			[['branching.example', 0, 2], ['inner.branching.example', 1, 1]]);
		assert.deepEqual(tree[0].terms, [
			{ term: 'a:gone.branching.example', lookup: true, reached: true, void: true, over: false, matched: false },
			{ term: 'include:inner.branching.example', lookup: true, reached: true, void: false, over: false, matched: true },
			{ term: '-all', lookup: false, reached: false, void: false, over: false, matched: false },
		]);
		assert.deepEqual(tree[1].terms.map(({ term, reached, void: isVoid, matched }) => [term, reached, isVoid, matched]),
			[['mx:gone.branching.example', true, true, false], [`ip4:${sender.ip}`, true, false, true], ['?all', false, false, false]]);
	});
}
for (const [all, code, says] of [['-', 'spf-fail', 'says that 198.51.100.N must not send'],
	['~', 'spf-softfail', 'says that 198.51.100.N probably must not send'], ['?', 'spf-neutral', 'does not say whether 198.51.100.N may send']])
	expect(`the advice explains what ${all}all means for the server`, new Sender(`elsewhere-${code}`, { spf: `v=spf1 ip4:203.0.113.1 ${all}all`, key: null }),
		(s) => s.message(), (session) =>
			assert.ok(advice(session, code).message.replace(/100\.\d+/, '100.N').includes(`example ${says} its mail. If this server is yours`), advice(session, code).message));
expect('a tree of more terms than are shown is cut',
	new Sender('many-terms', { spf: `v=spf1 ${Array.from({ length: 230 }, (_, i) => `ip4:10.0.${i}.1`).join(' ')} ~all` }),
	(s) => s.signed(), (session) => assert.equal(advice(session, 'spf-evaluation').evidence.tree[0].terms.length, 200));
expect('no record of the author with the forwarder\'s address is proposed', new Sender('passed-on', { spf: 'v=spf1 ip4:203.0.113.1 -all' }),
	(s) => s.signed(), (session) => {
		assert.equal(advice(session, 'spf-fail').record, null);
		assert.match(advice(session, 'spf-fail').message, /SPF fails after forwarding/);
	});
expect('no such record is proposed for a forwarder seen only from the path', new Sender('delivered-on', { spf: 'v=spf1 ip4:203.0.113.1 -all', key: null }),
	(s) => s.message({ 'Delivered-To': 'old@example.net' }), (session) => assert.equal(advice(session, 'spf-fail').record, null));
{
	const sender = new Sender('unlisted-server', { spf: 'v=spf1 mx include:_spf.unlisted-server.example -all', mx: '10 other.unlisted-server.example.',
		key: null, records: ['other.unlisted-server.example. A 203.0.113.2', txtRecord('_spf.unlisted-server.example', 'v=spf1 -all')] });
	expect('the proposed record is the published one with this server\'s address', sender, (s) => s.message(), (session) =>
		assert.equal(advice(session, 'spf-fail').record.value, `v=spf1 ip4:${sender.ip} mx include:_spf.unlisted-server.example -all`));
}

// Blocklists
expect('a list that is not asked about IPv6 gets no advice to ask again', new Sender('sixth', { ip: '2001:db8::60' }), (s) => s.signed(), (session) =>
	assert.deepEqual(told(session, 'blocklist-unknown').map(({ message }) => message),
		['the list of open relays and spam sources', 'the list of bad reputation', 'the list of addresses that users reported'].map((list) =>
			`Whether the address is on ${list} is not known: this list is not asked about IPv6 addresses.`)));

// Reverse DNS
expect('a wrong HELO is not proposed as PTR record', new Sender('default-name', { helo: 'localhost.localdomain', ptr: null }), (s) => s.signed(),
	(session) => {
		assert.equal(advice(session, 'ptr-missing').record.value, null);
		assert.match(advice(session, 'ptr-missing').message, /First let the server greet/);
	});
expect('a generic name is not proposed for HELO', (() => {
	const sender = new Sender('home-line', { helo: 'mail.elsewhere.test', ptr: 'pool-77.dsl.provider.example' });
	sender.options.records = [`pool-77.dsl.provider.example. A ${sender.ip}`];
	return sender;
})(), (s) => s.signed(), (session) => {
	assert.match(advice(session, 'ptr-generic').message, /Ask the provider for a PTR record/);
	assert.equal(advice(session, 'ptr-generic').record, null);
});

// A reverse name as hosters give it to a rented server, which nobody has changed.
for (const [name, label, code, severity] of [['rented', 'static', 'ptr-generic', 'note'], ['rented-mail', 'mail', 'ptr-valid', 'good']])
	expect(`a confirmed reverse name like ${label}.4.3.2.1.hoster gets the advice ${code}`, (() => {
		const sender = new Sender(name);
		const host = `${label}.${sender.ip.split('.').reverse().join('.')}.clients.hoster.example`;
		Object.assign(sender, { helo: host });
		Object.assign(sender.options, { ptr: host, records: [`${host}. A ${sender.ip}`] });
		return sender;
	})(), (s) => s.signed(), (session) => {
		assert.ok(session.scoreBreakdown.some(({ rule }) => rule === 'PTR_VALID'));
		assert.equal(advice(session, code).severity, severity);
		assert.equal(advice(session, code).rule, 'PTR_VALID');
	});

async function deliver(runner, { sender, message }) {
	const session = await createSession(runner);
	await sendMail(runner.smtpPort, { ip: sender.ip, helo: sender.helo, from: sender.mailFrom, to: session.email,
		message: await message(sender) });
	return untilCompleted(runner, session.testId);
}

describe(`the advice to each of ${cases.length} senders:`, () => {
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

	for (const one of cases) test(one.name, async () => one.check(await deliver(runner, one)));
});

describe('blocklists', () => {
	const KEY = 'abcdefghij0123456789';
	const ZEN = `${KEY}.zen.dq.spamhaus.net`;
	const listed = new Sender('listed-zen');
	let nsd;
	let runner;

	before(async () => {
		const at = (zone, ...answers) => answers.map((answer) => `${reversed(listed.ip)}.${zone}. A ${answer}`);
		nsd = await startNsd([
			...listed.records(),
			`2.0.0.127.${ZEN}. A 127.0.0.2`, ...at(ZEN, '127.0.0.10', '127.0.0.4'),
			'*.wild.example. A 127.0.0.2', // a blocklist that was given up: it answers every question
			'dead.example. A 203.0.113.1', // a blocklist without the test entry 127.0.0.2
			'2.0.0.127.bl.spamcop.net. A 127.0.0.2', ...at('bl.spamcop.net', '127.0.0.2'),
		]);
		runner = await startRunner({ env: { ...SETTINGS, EDS_DNS_SERVERS: nsd.address,
			EDS_DNSBL_COMBINED: `${ZEN}=2-11,30,v6`, EDS_DNSBL_RELAY: 'wild.example=2', EDS_DNSBL_REPUTATION: 'dead.example=2',
			EDS_DNSBL_REPORTED: 'bl.spamcop.net=2' } });
	});
	after(async () => {
		await runner?.stop();
		await nsd?.stop();
	});

	test('are shown with operator, page and advice for each kind; dead and wildcarded ones are unknown', async () => {
		const session = await deliver(runner, { sender: listed, message: (s) => s.signed() });
		const { listed: count, results } = session.results.blocklists;
		assert.equal(count, 2);
		assert.deepEqual(results.map(({ state }) => state), ['listed', 'unknown', 'unknown', 'listed']);
		assert.equal(results[0].operator, 'Spamhaus ZEN');
		assert.equal(results[0].lookUp, 'https://check.spamhaus.org/');
		assert.match(results[1].reason, /contains 127\.0\.0\.1 too/);
		assert.match(results[2].reason, /does not contain its own test address/);
		const messages = session.results.advice.filter(({ code }) => code === 'blocklist-listed').map(({ message }) => message);
		assert.ok(messages.some((text) => /Spamhaus ZEN as a compromised machine \(XBL\) \(127\.0\.0\.4\)\. First clean the machine/.test(text)));
		assert.ok(messages.some((text) => /\(PBL\) \(127\.0\.0\.10\)\. This listing is not a complaint/.test(text)));
		assert.ok(messages.some((text) => /SpamCop as reports of users/.test(text)));
		assert.deepEqual(session.scoreBreakdown.filter(({ rule }) => rule.startsWith('BLOCKLIST')).map(({ rule }) => rule),
			['BLOCKLIST_COMBINED', 'BLOCKLIST_REPORTED']);
		assert.ok(!JSON.stringify(session).includes(KEY), 'the key is shown');
	});
});
