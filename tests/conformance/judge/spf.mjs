// SPF records that include, redirect and loop through a handful of domains, with senders and their
// addresses.
import { Random } from './random.mjs';

const DOMAINS = ['a.example', 'b.example', 'c.example', 'd.example', 'sub.a.example', 'missing.example', 'A.Example'];
const HOSTS = ['h1.example', 'h2.example', 'mail.a.example', 'alias.example', 'void.example', 'broken.example'];
const CLIENTS = ['192.0.2.1', '192.0.2.77', '198.51.100.9', '203.0.113.200', '2001:db8::1', '2001:db8:1::25', '::ffff:192.0.2.1'];
const LOCAL_PARTS = ['user', 'First.Last', 'a-b-c', 'o+tag', 'x'.repeat(70), 'postmaster'];
const MACROS = ['%{i}', '%{ir}', '%{s}', '%{l}', '%{o}', '%{d}', '%{d2}', '%{dr}', '%{d1r}', '%{h}', '%{v}', '%{l-}', '%{lr+}', '%{S}',
	'%{I}', '%%', '%_', '%-'];
const BAD_TERMS = ['foo', 'ip4:1.2.3', 'ip4:192.0.2.1/33', 'ip6:2001:db8::/129', 'a:', 'include:', 'exists:', 'all:x', 'a/', 'mx//', 'a:h1.example/08',
	'redirect=', 'ip4', '%{i}', 'a:%{z}.example', 'a:%{d0}.example', 'exists:%(d)', 'a:h1.example%', 'include:example', 'a:h1..example', '+', '=x',
	'ip4:192.0.2.01', 'all all:', 'exp=%{c}', 'A:H1.EXAMPLE', 'INCLUDE:b.example', 'a//64', 'ip6:192.0.2.1', 'a:h1.example:25', 'mx:[192.0.2.1]'];

const expansion = (random) =>
	`${random.list(1, 3, () => random.pick(MACROS)).join(random.pick(['.', '-', '']))}.${random.pick(['x.example', '%{d}', 'h1.example'])}`;

const target = (random) => (random.chance(75) ? random.pick([...DOMAINS, ...HOSTS]) : expansion(random));

const TERMS = {
	all: () => 'all',
	ip4: (random) => `ip4:${random.pick(['192.0.2.1', '192.0.2.0', '198.51.100.0', '203.0.113.200'])}${random.pick(['', '/32', '/24', '/25', '/0', '/31'])}`,
	ip6: (random) => `ip6:${random.pick(['2001:db8::1', '2001:db8::', '2001:DB8:1::', '::ffff:192.0.2.1'])}${random.pick(['', '/128', '/32', '/64', '/0'])}`,
	a: (random) => `a${random.pick(['', ':'])}`.replace(':', () => `:${target(random)}`) + random.pick(['', '', '/24', '//64', '/28//48', '/0']),
	mx: (random) => `mx${random.pick(['', ':'])}`.replace(':', () => `:${target(random)}`) + random.pick(['', '', '/24', '//64']),
	ptr: (random) => `ptr${random.pick(['', `:${random.pick(DOMAINS)}`, ':example'])}`,
	exists: (random) => `exists:${target(random)}`,
	include: (random) => `include:${target(random)}`,
	redirect: (random) => `redirect=${target(random)}`,
	exp: (random) => `exp=${target(random)}`,
	unknown: (random) => random.pick(['x-y=z', 'moo.cow_1=%{d}', 'op=', 'm=%{d}x']),
	bad: (random) => random.pick(BAD_TERMS),
};
const TERM_NAMES = ['all', 'ip4', 'ip4', 'ip6', 'a', 'a', 'mx', 'mx', 'ptr', 'exists', 'include', 'include', 'include', 'redirect', 'unknown'];

function makeTerm(random) {
	const name = random.chance(2) ? 'bad' : random.chance(3) ? 'exp' : random.pick(TERM_NAMES);
	const text = TERMS[name](random);
	return /^[a-z0-9]+=/.test(text) ? text : random.pick(['', '', '', '+', '-', '~', '?']) + text;
}

function makeRecord(random) {
	if (random.chance(3)) return random.pick(['v=spf1', 'v=spf10 -all', 'V=SPF1 -all', 'v=spf1  -all ', ' v=spf1 -all', 'v=spf1\t-all', 'v=spf1 \xe9 -all']);
	const terms = random.list(0, random.chance(10) ? 14 : 4, () => makeTerm(random));
	if (random.chance(60)) terms.push(random.pick(['-all', '~all', '?all', '+all', 'all']));
	return ['v=spf1', ...terms].join(random.pick([' ', ' ', ' ', '  '])) + random.pick(['', '', '', ' ']);
}

const reversed = (ip) => `${ip.split('.').reverse().join('.')}.in-addr.arpa`;

function hostRecords(random) {
	return [
		['h1.example', 'A', random.pick(CLIENTS.slice(0, 4))],
		['h1.example', 'AAAA', '2001:db8::1'],
		['h2.example', 'A', '198.51.100.9'],
		['h2.example', 'A', random.pick(CLIENTS.slice(0, 4))],
		['mail.a.example', 'AAAA', random.pick(['2001:db8:1::25', '2001:db8::9'])],
		['alias.example', 'CNAME', random.pick(['h1.example', 'a.example', 'missing.example'])],
		['void.example', 'TXT', 'nothing else'],
		['broken.example', 'FAIL', 'SERVFAIL'],
		...random.some(['192.0.2.1.x.example', 'user.x.example', 'a.example.x.example', 'in-addr.h1.example'], 40)
			.map((name) => [name, 'A', '127.0.0.2']),
		...random.list(0, 2, () => [reversed('192.0.2.1'), 'PTR', random.pick(['h1.example', 'mail.a.example', 'x.example'])]),
	];
}

function domainRecords(random, name) {
	const records = random.chance(96) ? [[name, 'TXT', makeRecord(random)]] : [];
	if (random.chance(5)) records.push([name, 'TXT', 'unrelated text']);
	if (random.chance(3)) records.push([name, 'TXT', makeRecord(random)]);
	if (random.chance(60)) records.push([name, 'A', random.pick(CLIENTS.slice(0, 4))]);
	records.push(...random.list(0, random.chance(4) ? 12 : 2, () => [name, 'MX', `${random.below(20)} ${random.pick([...HOSTS, 'a.example'])}`]));
	return random.chance(2) ? [[name, 'FAIL', 'SERVFAIL']] : records;
}

// Of several records with the same data only one is kept.
function unique(zone) {
	return [...new Map(zone.map((record) => [record.join(' '), record])).values()];
}

function sender(random) {
	if (random.chance(10)) return '';
	return `${random.pick(LOCAL_PARTS)}@${random.pick(['a.example', 'a.example', 'a.example', 'b.example', 'b.example', 'sub.a.example', 'A.EXAMPLE', 'missing.example'])}`;
}

export function spfCases(seed, count) {
	return Array.from({ length: count }, (_, i) => {
		const random = new Random(seed, `spf ${i}`);
		const published = DOMAINS.filter((name) => name !== 'missing.example' && name !== 'A.Example');
		const zone = unique([...published.flatMap((name) => domainRecords(random, name)), ...hostRecords(random)]);
		const task = {
			do: 'spf',
			zone,
			client: random.pick(CLIENTS),
			helo: random.pick(['a.example', 'h1.example', 'mail.a.example', 'b.example']),
			mailFrom: sender(random),
		};
		const records = zone.filter((record) => record[2].startsWith('v=spf1')).map((record) => `${record[0]}: ${record[2]}`);
		return { id: `spf-${i}`, about: `${task.client} ${task.mailFrom || `<> ${task.helo}`}\n\t${records.join('\n\t')}`, task };
	});
}
