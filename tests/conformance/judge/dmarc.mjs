// DMARC records along a few branches of the tree, and the domains that passed for the message.
import { Random } from './random.mjs';

const NAMES = ['example.com', 'mail.example.com', 'a.mail.example.com', 'other.example.com', 'com', 'example.net', 'x.example.net',
	'a.b.c.d.e.f.g.h.example.com', 'example.org'];

const POLICIES = ['none', 'quarantine', 'reject'];
const policy = (random) => (random.chance(95) ? random.pick(POLICIES) : random.pick(['', 'strict', 'Reject', 'QUARANTINE']));

function makeRecord(random) {
	const tags = [];
	if (random.chance(95)) tags.push(`p=${policy(random)}`);
	if (random.chance(30)) tags.push(`sp=${policy(random)}`);
	if (random.chance(20)) tags.push(`np=${policy(random)}`);
	if (random.chance(25)) tags.push(`adkim=${random.pick(['s', 'r', 'S'])}`);
	if (random.chance(25)) tags.push(`aspf=${random.pick(['s', 'r'])}`);
	if (random.chance(15)) tags.push(`psd=${random.pick(['y', 'n', 'u'])}`);
	if (random.chance(10)) tags.push(`t=${random.pick(['y', 'n'])}`);
	if (random.chance(40)) tags.push('rua=mailto:reports@example.com');
	if (random.chance(10)) tags.push(random.pick(['pct=50', 'fo=1:d', 'unknown=value', 'ri=3600']));
	const separator = random.pick(['; ', ';', ' ; ']);
	return ['v=DMARC1', ...tags].join(separator) + random.pick(['', ';', '; ']);
}

function records(random, name) {
	const owner = `_dmarc.${name}`;
	if (random.chance(3)) return [[owner, 'FAIL', 'SERVFAIL']];
	if (!random.chance(name === 'com' ? 15 : 45)) return [];
	const found = [[owner, 'TXT', makeRecord(random)]];
	if (random.chance(5)) found.push([owner, 'TXT', 'v=spf1 -all']);
	if (random.chance(3)) found.push([owner, 'TXT', 'v=DMARC1; p=none; x=second']);
	return found;
}

export function dmarcCases(seed, count) {
	return Array.from({ length: count }, (_, i) => {
		const random = new Random(seed, `dmarc ${i}`);
		const zone = NAMES.flatMap((name) => [
			...records(random, name),
			...(random.chance(70) ? [[name, 'A', '192.0.2.1']] : []),
		]);
		const domain = random.pick(NAMES.filter((name) => name !== 'com'));
		const task = {
			do: 'dmarc',
			zone,
			from: `user@${domain}`,
			spf: random.chance(50) ? random.pick(NAMES) : null,
			dkim: random.list(0, 2, () => random.pick(NAMES)),
		};
		const published = zone.filter((record) => record[1] !== 'A').map((record) => record.join(' '));
		return { id: `dmarc-${i}`, about: `${domain}, spf ${task.spf}, dkim ${task.dkim}\n\t${published.join('\n\t')}`, task };
	});
}
