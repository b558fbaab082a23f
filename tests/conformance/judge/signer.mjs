// A DKIM signer (RFC 6376 section 3.7) for forms of signatures that mailauth and python3-dkim never write:
// tags in any order, white space wherever it is allowed, tags left out.
import { createHash, sign } from 'node:crypto';

const WSP = /[ \t]+/g;

export function splitMessage(message) {
	const end = message.indexOf('\r\n\r\n');
	const header = end < 0 ? message : message.slice(0, end + 2);
	return {
		fields: header.split(/\r\n(?![ \t])/).filter(Boolean),
		body: end < 0 ? '' : message.slice(end + 4),
	};
}

export const joinMessage = ({ fields, body }) => fields.map((field) => `${field}\r\n`).join('') + '\r\n' + body;

export const fieldName = (field) => field.slice(0, field.indexOf(':')).trim().toLowerCase();

function canonicalField(field, relaxed) {
	if (!relaxed) return field;
	const value = field.slice(field.indexOf(':') + 1).replace(/\r\n/g, '').replace(WSP, ' ');
	return `${fieldName(field)}:${value.replace(/^ | $/g, '')}`;
}

function canonicalBody(body, relaxed) {
	const lines = body.split('\r\n').map((line) => (relaxed ? line.replace(WSP, ' ').replace(/ $/, '') : line));
	while (lines.length > 0 && lines.at(-1) === '') lines.pop();
	if (lines.length === 0) return relaxed ? '' : '\r\n';
	return lines.join('\r\n') + '\r\n';
}

function selectFields(fields, names) {
	const left = [...fields];
	return names.flatMap((name) => {
		const at = left.findLastIndex((field) => field !== null && fieldName(field) === name.toLowerCase());
		if (at < 0) return [];
		const [field] = left.splice(at, 1, null);
		return [field];
	});
}

// Random white space as allowed around tags and within base64 (RFC 6376 section 3.2, 2.8).
const space = (random) => random.pick(['', '', '', ' ', '  ', '\t', '\r\n ', ' \r\n\t', '\r\n  ']);

function writeTags(random, tags) {
	return Object.entries(tags)
		.sort(() => random.below(3) - 1)
		.map(([name, value]) => `${space(random)}${name}${space(random)}=${space(random)}${value}`)
		.join(`${space(random)};`);
}

function loosen(random, text, every) {
	return text.replace(new RegExp(`.{${every}}`, 'g'), (part) => part + space(random));
}

// spec: { key, selector, domain, canonicalization ('' to leave it out), headers, tags }
export function signOwn(random, message, spec) {
	const { fields, body } = splitMessage(message);
	const [head, tail] = spec.canonicalization.split('/');
	const octets = Buffer.from(canonicalBody(body, tail === 'relaxed'), 'latin1');
	const hashed = spec.length === undefined ? octets : octets.subarray(0, spec.length);
	const tags = {
		v: '1',
		a: spec.algorithm,
		d: spec.domain,
		s: spec.selector,
		h: spec.headers.map((name) => space(random) + name + space(random)).join(':'),
		bh: loosen(random, createHash('sha256').update(hashed).digest('base64'), 20),
		...(spec.canonicalization && { c: spec.canonicalization }),
		...(spec.length !== undefined && { l: Math.min(spec.length, octets.length) }),
		...spec.tags,
	};
	delete tags.b;
	const start = `${random.pick(['DKIM-Signature', 'dkim-signature', 'Dkim-SIGNATURE'])}:`;
	const end = `;${space(random)}b=`;
	const value = writeTags(random, tags) + end;
	const text = [
		...selectFields(fields, spec.headers).map((field) => canonicalField(field, head === 'relaxed') + '\r\n'),
		canonicalField(start + value, head === 'relaxed'),
	].join('');
	const input = Buffer.from(text, 'latin1');
	const signature = spec.key.type === 'rsa'
		? sign('sha256', input, spec.key.privateKey)
		: sign(null, createHash('sha256').update(input).digest(), spec.key.privateKey);
	return `${start}${value}${loosen(random, signature.toString('base64'), 60)}\r\n${message}`;
}
