// Verifies signed requests like AWS, for test servers that take the place of its services: every
// signature by the Signature Version 4 specification, every body against its signed hash.
import { createHash, createHmac, randomBytes } from 'node:crypto';

const SKEW_MS = 15 * 60 * 1000;

export const sha256 = (bytes) => createHash('sha256').update(bytes).digest('hex');
const hmac = (key, text) => createHmac('sha256', key).update(text).digest();

// Percent-encodes a text, except the unreserved characters of RFC 3986.
export const encode = (text) =>
	[...Buffer.from(text)].map((octet) => {
		const c = String.fromCharCode(octet);
		return /[A-Za-z0-9\-_.~]/.test(c) ? c : `%${octet.toString(16).toUpperCase().padStart(2, '0')}`;
	}).join('');
export const decode = (text) => decodeURIComponent(text);

export class Refusal extends Error {
	constructor(status, code) {
		super(code);
		Object.assign(this, { status, code });
	}
}

export const newCredentials = (seconds) => ({
	AccessKeyId: `ASIA${randomBytes(8).toString('hex').toUpperCase()}`,
	SecretAccessKey: randomBytes(30).toString('base64'),
	...(seconds === undefined ? {} : {
		Token: randomBytes(300).toString('base64'),
		Expiration: new Date(Date.now() + seconds * 1000).toISOString().replace(/\.\d+Z/, 'Z'),
	}),
});

function parseAuthorization(text) {
	const match = /^AWS4-HMAC-SHA256 Credential=([^,\s]+),\s*SignedHeaders=([^,\s]+),\s*Signature=([0-9a-f]{64})$/.exec(text ?? '');
	if (!match) throw new Refusal(403, 'AccessDenied');
	const [id, day, region, service, end] = match[1].split('/');
	if (end !== 'aws4_request') throw new Refusal(400, 'AuthorizationHeaderMalformed');
	return { id, day, region, service, names: match[2].split(';'), signature: match[3] };
}

function canonicalQuery(query) {
	return query.split('&').filter(Boolean).map((pair) => {
		const at = pair.indexOf('=');
		const [name, value] = at < 0 ? [pair, ''] : [pair.slice(0, at), pair.slice(at + 1)];
		return [encode(decode(name)), encode(decode(value))];
	}).sort(([a, x], [b, y]) => (a < b || (a === b && x < y) ? -1 : 1))
		.map(([name, value]) => `${name}=${value}`).join('&');
}

function expectedSignature(req, auth, secret, payload) {
	const [path, query = ''] = req.url.split('?');
	const date = req.headers['x-amz-date'];
	const headers = auth.names.map((name) => `${name}:${String(req.headers[name]).trim().replace(/ +/g, ' ')}\n`);
	const canonical = [
		req.method, path.split('/').map((part) => encode(decode(part))).join('/'), canonicalQuery(query),
		headers.join(''), auth.names.join(';'), payload,
	].join('\n');
	const scope = `${auth.day}/${auth.region}/${auth.service}/aws4_request`;
	const key = [auth.day, auth.region, auth.service, 'aws4_request'].reduce(hmac, `AWS4${secret}`);
	return hmac(key, `AWS4-HMAC-SHA256\n${date}\n${scope}\n${sha256(canonical)}`).toString('hex');
}

const timeOf = (text) =>
	Date.parse(String(text).replace(/^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/, '$1-$2-$3T$4:$5:$6Z'));

// The id of the key that signed the request, or a Refusal. keys: a Map of id to credentials. S3 uses
// the payload's hash in the request and compares it with the body; the other services compute it from
// the body.
export function verify(req, body, { keys, region, service }) {
	const auth = parseAuthorization(req.headers.authorization);
	const known = keys.get(auth.id);
	const time = timeOf(req.headers['x-amz-date']);
	const payload = service === 's3' ? req.headers['x-amz-content-sha256'] : sha256(body);
	const unsigned = Object.keys(req.headers).filter((name) =>
		(name === 'host' || name.startsWith('x-amz-')) && !auth.names.includes(name));
	if (!known) throw new Refusal(403, 'InvalidAccessKeyId');
	if (auth.region !== region || auth.service !== service || !String(req.headers['x-amz-date']).startsWith(auth.day))
		throw new Refusal(400, 'AuthorizationHeaderMalformed');
	if (!(Math.abs(time - Date.now()) < SKEW_MS)) throw new Refusal(403, 'RequestTimeTooSkewed');
	if (unsigned.length > 0 || auth.names.join() !== [...auth.names].sort().join())
		throw new Refusal(403, 'AccessDenied');
	if (expectedSignature(req, auth, known.SecretAccessKey, payload) !== auth.signature)
		throw new Refusal(403, 'SignatureDoesNotMatch');
	if (req.headers['x-amz-security-token'] !== known.Token) throw new Refusal(400, 'InvalidToken');
	if (known.Expiration && Date.parse(known.Expiration) <= Date.now()) throw new Refusal(400, 'ExpiredToken');
	if (payload !== sha256(body)) throw new Refusal(400, 'XAmzContentSHA256Mismatch');
	return auth.id;
}
