// Signed messages, half of which were changed after signing, with the keys that they need.
import { createRequire } from 'node:module';

import { Random, makeKey } from './random.mjs';
import { fieldName, joinMessage, signOwn, splitMessage } from './signer.mjs';

const require = createRequire(new URL('../../', import.meta.url));
const { dkimSign } = require('mailauth/lib/dkim/sign');

export const NOW_S = 1790000000;
const DAY_S = 86400;
const DOMAIN = 'signer.example';
const CANONICALIZATIONS = ['simple/simple', 'simple/relaxed', 'relaxed/simple', 'relaxed/relaxed'];
const EXTRA_FIELDS = ['To', 'Cc', 'Subject', 'Date', 'Message-ID', 'MIME-Version', 'List-Id', 'X-Odd', 'Received', 'Reply-To'];

function makeKeys(random) {
	return {
		rsa1024: makeKey(random, 'rsa', 1024),
		rsa2048: makeKey(random, 'rsa', 2048),
		other: makeKey(random, 'rsa', 2048),
		rsa4096: makeKey(random, 'rsa', 4096),
		ed25519: makeKey(random, 'ed25519'),
		short: makeKey(random, 'rsa', 768),
	};
}

const randomCase = (random, text) => text.replace(/./g, (c) => (random.chance(50) ? c.toUpperCase() : c.toLowerCase()));

const PIECES = ['word', 'two words', '', ' ', '\t', 'tab\there', 'caf\xe9', '\xc3\xbc\xff', 'a  b', '.', '..', '=?utf-8?q?x?=',
	';', ':', '"quoted, text"', 'From ', 'x'.repeat(300), '\x01\x7f'];

function fieldValue(random) {
	const pieces = random.list(0, 4, () => random.pick(PIECES));
	return pieces.join(random.pick([' ', '  ', '\t', '\r\n ', ' \r\n\t', '\r\n \t ']));
}

// Removes lines of white space from a folded field, because some parsers take them for the end of the header.
const withoutEmptyLines = (field) => field.replace(/\r\n[ \t]+(?=\r\n|$)/g, '');

function makeField(random, name) {
	const shown = random.chance(30) ? randomCase(random, name) : name;
	const separator = random.pick([': ', ': ', ': ', ':', ':  ', ':\t', ': \r\n ']);
	const value = name === 'From' ? `Someone <someone@${DOMAIN}>` : fieldValue(random);
	return withoutEmptyLines(`${shown}${separator}${value}${random.chance(15) ? random.pick([' ', '\t', '  ']) : ''}`);
}

const BODY_LINES = [...PIECES, ' leading', 'trailing ', 'trailing\t ', 'y'.repeat(2500), '--', 'b=x; c=y'];
const ODD_BODIES = ['', '\r\n', '\r\n\r\n\r\n', ' \r\n', '\t\r\n \r\n', 'x', 'x ', ' ', '\r\nx', 'x\r\n \r\n\r\n'];

function makeBody(random) {
	if (random.chance(20)) return random.pick(ODD_BODIES);
	const lines = random.list(1, 12, () => random.pick(BODY_LINES));
	return lines.join('\r\n') + random.pick(['\r\n', '\r\n', '\r\n', '', '\r\n\r\n\r\n', ' \r\n', '\r\n \r\n']);
}

function makeMessage(random) {
	const names = random.list(1, 8, () => random.pick(EXTRA_FIELDS));
	names.splice(random.below(names.length + 1), 0, 'From');
	return joinMessage({ fields: names.map((name) => makeField(random, name)), body: makeBody(random) });
}

// Chooses names for h=: names of fields in the message, From at least once, and some more often than they occur.
function chooseHeaders(random, message) {
	const names = splitMessage(message).fields.map(fieldName).filter((name) => name !== 'from');
	const chosen = [...random.some(names, 70), 'from'];
	if (random.chance(30)) chosen.push(random.pick(['from', 'subject', 'to', 'x-absent']));
	return chosen.sort(() => random.below(3) - 1);
}

function timeTags(random) {
	const tags = {};
	if (random.chance(60)) tags.t = NOW_S - random.below(DAY_S);
	if (random.chance(5)) tags.t = NOW_S + 2 * DAY_S;
	if (random.chance(15)) tags.x = NOW_S + random.pick([-3, 3]) * DAY_S;
	return tags;
}

function identity(random) {
	return random.pick([undefined, `@${DOMAIN}`, `user@${DOMAIN}`, `user@sub.${DOMAIN}`, `@SUB.${DOMAIN.toUpperCase()}`]);
}

async function signMailauth(random, message, spec) {
	const { t, x } = timeTags(random);
	const { signatures, errors } = await dkimSign(Buffer.from(message, 'latin1'), {
		canonicalization: spec.canonicalization,
		algorithm: spec.algorithm,
		signTime: new Date((t ?? NOW_S) * 1000),
		expires: x && new Date(x * 1000),
		headerList: spec.headers,
		signatureData: [{
			signingDomain: DOMAIN,
			selector: spec.selector,
			privateKey: spec.key.pem,
			identity: identity(random),
			...(random.chance(15) && { maxBodyLength: random.below(60) }),
		}],
	});
	// The signer (mailauth) refuses a signature that no verifier would accept, for example one over no
	// field; then the message stays unsigned.
	return errors?.length || !signatures ? message : signatures + message;
}

async function signPython(random, message, spec, python) {
	const { signature } = await python({
		do: 'sign',
		message: Buffer.from(message, 'latin1').toString('base64'),
		algorithm: spec.algorithm,
		key: spec.key.python,
		domain: DOMAIN,
		selector: spec.selector,
		canonicalization: spec.canonicalization,
		headers: spec.headers.filter((name) => !['received', 'dkim-signature'].includes(name)),
		identity: identity(random)?.toLowerCase() ?? null,
		length: random.chance(15),
		now: NOW_S - random.below(DAY_S),
	});
	return Buffer.from(signature, 'base64').toString('latin1') + message;
}

const ODD_TAGS = [{ q: 'dns/txt' }, { z: 'From:x|To:y' }, { unknown: 'value' }, { i: `@sub.${DOMAIN}` }, { i: '@elsewhere.example' },
	{ i: `a=2Bb@${DOMAIN}` }, { d: DOMAIN.toUpperCase() }, { a: 'rsa-sha1' }, { v: '2' }, { q: 'http' }, { t: 'soon' }, { x: '' }, { l: '-1' },
	{ l: '99999999999999999999' }, { c: 'relaxed/other' }, { h: 'to:subject' }, { q: 'dns/txt:other' }, { s: 'nobody' }, { bh: 'AAAA' }];

function signOdd(random, message, spec) {
	return signOwn(random, message, {
		...spec,
		domain: DOMAIN,
		canonicalization: random.chance(15) ? random.pick(['', 'simple', 'relaxed']) : spec.canonicalization,
		length: random.chance(15) ? random.below(60) : undefined,
		tags: { ...timeTags(random), ...(random.chance(40) && random.pick(ODD_TAGS)) },
	});
}

async function sign(random, message, name, keys, python) {
	const spec = {
		selector: name.toLowerCase(),
		key: keys[name],
		algorithm: `${keys[name].type}-sha256`,
		canonicalization: random.pick(CANONICALIZATIONS),
		headers: chooseHeaders(random, message),
	};
	const signer = random.pick(name === 'short' ? ['odd'] : ['mailauth', 'python', 'odd']);
	const signers = { mailauth: signMailauth, python: signPython, odd: signOdd };
	return { signer, signed: await signers[signer](random, message, spec, python) };
}

const OTHER_BYTES = ['a', 'A', '0', ' ', '\t', ';', '=', ':', '.', '\xe9', '/', '+', '\x01'];

// Changes, removes or adds one octet; line ends stay.
function mutateText(random, text) {
	if (text === '') return random.pick(OTHER_BYTES);
	let at = random.below(text.length);
	while ('\r\n'.includes(text[at]) && at > 0) at--;
	if ('\r\n'.includes(text[at])) return text;
	const kept = text.slice(at + 1);
	return text.slice(0, at) + random.pick(['', random.pick(OTHER_BYTES), text[at] + random.pick(OTHER_BYTES)]) + kept;
}

const mutateField = (random, fields, wanted) => {
	const places = fields.map((_, i) => i).filter((i) => wanted(fieldName(fields[i])));
	if (places.length > 0) {
		const at = random.pick(places);
		fields[at] = mutateText(random, fields[at]);
	}
};

const MUTATIONS = {
	header: (random, m) => mutateField(random, m.fields, (name) => name !== 'dkim-signature'),
	signature: (random, m) => mutateField(random, m.fields, (name) => name === 'dkim-signature'),
	body: (random, m) => (m.body = mutateText(random, m.body)),
	'body end': (random, m) => (m.body += random.pick(['\r\n', '\r\n\r\n', ' ', ' \r\n', 'more\r\n', '\t', '\r\n.'])),
	'body cut': (random, m) => (m.body = m.body.replace(/\r\n$/, '')),
	'line ends': (random, m) => (m.body = m.body.replace(/\r\n/g, (end) => random.pick([end, ` ${end}`, `\t${end}`]))),
	'field twice': (random, m) => m.fields.splice(random.below(m.fields.length), 0, random.pick(m.fields)),
	'field lost': (random, m) => m.fields.splice(random.below(m.fields.length), 1),
	'fields swapped': (random, m) => m.fields.push(m.fields.shift()),
	'second From': (random, m) => m.fields.unshift('From: other@elsewhere.example'),
	'added field': (random, m) => m.fields.unshift(makeField(random, random.pick(EXTRA_FIELDS))),
	'name case': (random, m) => {
		const at = random.below(m.fields.length);
		m.fields[at] = m.fields[at].replace(/^[^:]*/, (name) => randomCase(random, name));
	},
	folding: (random, m) => {
		const at = random.below(m.fields.length);
		m.fields[at] = withoutEmptyLines(m.fields[at].replace(/ /, random.pick(['  ', '\r\n ', '\t', ' \r\n '])));
	},
};

const RECORDS = {
	plain: (key) => `v=DKIM1; k=${key.type}; p=${key.p}`,
	'no v': (key) => `k=${key.type}; p=${key.p}`,
	spaces: (key) => ` v = DKIM1 ;k= ${key.type}; p = ${key.p.slice(0, 20)} ${key.p.slice(20)} ; `,
	'h=sha256': (key) => `v=DKIM1; h=sha1:sha256; k=${key.type}; p=${key.p}`,
	'h=sha1': (key) => `v=DKIM1; h=sha1; k=${key.type}; p=${key.p}`,
	's=email': (key) => `v=DKIM1; s=email; k=${key.type}; p=${key.p}`,
	's=other': (key) => `v=DKIM1; s=other; k=${key.type}; p=${key.p}`,
	't=s': (key) => `v=DKIM1; t=s; k=${key.type}; p=${key.p}`,
	't=y': (key) => `v=DKIM1; t=y:s; n=a note; k=${key.type}; p=${key.p}`,
	'other type': (key) => `v=DKIM1; k=${key.type === 'rsa' ? 'ed25519' : 'rsa'}; p=${key.p}`,
	'unknown type': (key) => `v=DKIM1; k=dsa; p=${key.p}`,
	'v=DKIM2': (key) => `v=DKIM2; k=${key.type}; p=${key.p}`,
	'no p': (key) => `v=DKIM1; k=${key.type}`,
	revoked: (key) => `v=DKIM1; k=${key.type}; p=`,
	cut: (key) => `v=DKIM1; k=${key.type}; p=${key.p.slice(0, -12)}`,
	'p twice': (key) => `v=DKIM1; k=${key.type}; p=${key.p}; p=${key.p}`,
	'unknown tag': (key) => `v=DKIM1; x_y=z; k=${key.type}; p=${key.p};`,
};

function publish(random, keys, names) {
	return names.map((name) => {
		const owner = `${name.toLowerCase()}._domainkey.${DOMAIN}`;
		if (random.chance(3)) return [owner, 'FAIL', 'SERVFAIL'];
		const form = random.chance(70) ? 'plain' : random.pick(Object.keys(RECORDS));
		return [owner, 'TXT', RECORDS[form](keys[name])];
	});
}

// Keys of 4096 bits are rare here, because signing with them in Python takes longest.
const KEY_NAMES = ['rsa1024', 'rsa2048', 'rsa2048', 'other', 'ed25519', 'ed25519', 'rsa1024', 'rsa2048', 'other', 'rsa4096', 'short'];

async function makeCase(random, id, keys, python) {
	const names = [...new Set(random.list(1, random.chance(25) ? 3 : 1, () => random.pick(KEY_NAMES)))];
	let message = makeMessage(random);
	const signers = [];
	for (const name of names) {
		const { signer, signed } = await sign(random, message, name, keys, python);
		message = signed;
		signers.push(`${signer} ${name}`);
	}
	const changes = random.chance(45) ? [] : random.list(1, random.chance(20) ? 3 : 1, () => random.pick(Object.keys(MUTATIONS)));
	const parts = splitMessage(message);
	for (const change of changes) MUTATIONS[change](random, parts);
	if (changes.length > 0) message = joinMessage(parts);
	return {
		id,
		about: `${signers.join(', ')}${changes.length ? `; ${changes.join(', ')}` : ''}`,
		task: {
			do: 'dkim',
			message: Buffer.from(message, 'latin1').toString('base64'),
			zone: publish(random, keys, names),
			now: NOW_S,
		},
	};
}

export async function dkimCases(seed, count, python) {
	const keys = makeKeys(new Random(seed, 'keys'));
	const cases = [];
	for (let i = 0; i < count; i++)
		cases.push(await makeCase(new Random(seed, `dkim ${i}`), `dkim-${i}`, keys, python));
	return cases;
}
