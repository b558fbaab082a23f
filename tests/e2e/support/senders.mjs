// Realistic senders of mail, with their DNS records.
import { compose, newKey, sign } from './mail.mjs';
import { txt } from './nsd.mjs';

export const LISTS = {
	EDS_DNSBL_COMBINED: 'combined.lists.example=2-11,30,v6',
	EDS_DNSBL_RELAY: 'relay.lists.example=2',
	EDS_DNSBL_REPUTATION: 'reputation.lists.example=2,10-12',
	EDS_DNSBL_REPORTED: 'reported.lists.example=2',
};

export function reversed(ip) {
	if (!ip.includes(':')) return ip.split('.').reverse().join('.');
	const [head, tail = ''] = ip.split('::');
	const groups = (part) => (part === '' ? [] : part.split(':'));
	const missing = 8 - groups(head).length - groups(tail).length;
	return [...groups(head), ...Array(missing).fill('0'), ...groups(tail)]
		.map((group) => group.padStart(4, '0'))
		.join('')
		.split('')
		.reverse()
		.join('.');
}

function addressRecord(name, ip) {
	return `${name}. ${ip.includes(':') ? 'AAAA' : 'A'} ${ip}`;
}

export function ptrRecord(ip, name) {
	return `${reversed(ip)}.${ip.includes(':') ? 'ip6' : 'in-addr'}.arpa. PTR ${name}.`;
}

export function listing(ip, list, ...answers) {
	return answers.map((answer) => `${reversed(ip)}.${list}.lists.example. A ${answer}`);
}

export function txtRecord(name, text) {
	return `${name}. TXT ${txt(text)}`;
}

let nextHost = 1;

// A sender that is set up correctly. Options replace a part of it, or remove it (null): spf, dmarc, key (the
// published record), mx, ptr, helo, mailFrom, from; records adds DNS records.
export class Sender {
	constructor(name, options = {}) {
		const host = nextHost++;
		this.domain = `${name}.example`;
		this.ip = options.ip ?? `198.51.100.${host}`;
		this.host = options.host ?? `mail.${this.domain}`;
		this.helo = options.helo ?? this.host;
		this.mailFrom = options.mailFrom ?? `bounce@${this.domain}`;
		this.from = options.from ?? `Someone <someone@${this.domain}>`;
		this.key = options.signingKey ?? newKey();
		this.options = options;
	}

	part(name, usual) {
		const value = this.options[name];
		if (value === null) return [];
		return value === undefined ? [usual].flat() : [value].flat();
	}

	records() {
		const family = this.ip.includes(':') ? 'ip6' : 'ip4';
		return [
			addressRecord(this.host, this.ip),
			...this.part('ptr', this.host).map((name) => ptrRecord(this.ip, name)),
			...this.part('mx', `10 ${this.host}.`).map((mx) => `${this.domain}. MX ${mx}`),
			...this.part('spf', `v=spf1 ${family}:${this.ip} -all`).map((spf) =>
				txtRecord(this.domain, spf),
			),
			...this.part('key', this.key.record).map((key) =>
				txtRecord(`s1._domainkey.${this.domain}`, key),
			),
			...this.part('dmarc', 'v=DMARC1; p=reject').map((dmarc) =>
				txtRecord(`_dmarc.${this.domain}`, dmarc),
			),
			...(this.options.records ?? []),
		];
	}

	// fields: { Name: value } replaces the field of that name; the value null leaves it out.
	message(fields = {}, body) {
		const usual = {
			From: this.from,
			To: 'tester@example.net',
			Subject: 'A test',
			Date: new Date().toUTCString().replace('GMT', '+0000'),
			'Message-ID': `<${Math.random().toString(36).slice(2)}@${this.domain}>`,
			'MIME-Version': '1.0',
			'Content-Type': 'text/plain; charset=utf-8',
		};
		const all = Object.entries({ ...usual, ...fields }).filter(([, value]) => value !== null);
		return compose(all, body);
	}

	sign(message, more = {}) {
		return sign(message, { domain: this.domain, selector: 's1', key: this.key, ...more });
	}

	signed(fields, body) {
		return this.sign(this.message(fields, body));
	}
}

// Changes the DKIM signature of a message so that it is no longer valid but keeps its form.
export function damageSignature(message) {
	return message.replace(/(\bb=)([A-Za-z0-9+/])/, (_, tag, c) => tag + (c === 'A' ? 'B' : 'A'));
}
