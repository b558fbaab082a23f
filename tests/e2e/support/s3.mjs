// A strict S3 server for tests: it verifies every signature by the Signature Version 4
// specification, and every body against its signed hash. Objects are kept in memory, in one bucket.
// It also takes the place of the two sources of credentials: a container's endpoint and an
// instance's metadata service (IMDSv2). For tests in other processes, unsigned: GET /keys has all
// keys, and /objects/KEY is read, written and deleted (support/mail-store.mjs).
import { randomBytes } from 'node:crypto';
import http from 'node:http';
import https from 'node:https';

import { freePort } from '../../support/free-port.mjs';
import { Refusal, decode, encode, newCredentials, sha256, verify } from './sigv4.mjs';

const PAGE_KEYS = 1000;

// tls: { key, cert } of localhost, to serve over TLS. Returns { url, env, objects, requests, refusals, fault, issued, issue, close }:
// env: the settings of a client with credentials from the environment, of the bucket under prefix;
// objects: a Map of key to { bytes, modified }; may be read and changed;
// requests: { method, key, query, id } of each correctly signed request; refusals: codes of the others;
// fault(...whats): each applies to one of the next requests: a status (500, 503), { status, code }, 'drop', 'silence', 'truncate'
//   (of a GET: half of the body), 'expired';
// issue(seconds): new credentials with this lifetime, which the sources give from now on (issued);
// away() and back(): the server is killed, its objects kept, and starts again at the same port.
// containerEnv, instanceEnv: the settings of a client that uses such a source. sourcesAway: if set, the sources answer 500.
export async function startS3({ bucket = 'eds-test-mail', prefix = 'in/a+b=c', region = 'eu-test-1', tls } = {}) {
	const keys = new Map();
	const faults = [];
	const store = { objects: new Map(), requests: [], refusals: [], asked: [], sourcesAway: false };
	const containerToken = randomBytes(16).toString('hex');
	const instanceTokens = new Set();

	function issue(seconds) {
		store.issued = newCredentials(seconds);
		keys.set(store.issued.AccessKeyId, store.issued);
		return store.issued;
	}

	const authenticate = (req, body) => verify(req, body, { keys, region, service: 's3' });

	function list(query) {
		if (query['list-type'] !== '2') throw new Refusal(400, 'InvalidArgument');
		const start = query['continuation-token'] ? Buffer.from(query['continuation-token'], 'base64').toString() : '';
		const all = [...store.objects.keys()].sort().filter((key) => key.startsWith(query.prefix ?? '') && key > start)
			.filter((key) => !query.delimiter || !key.slice((query.prefix ?? '').length).includes(query.delimiter));
		const page = all.slice(0, PAGE_KEYS);
		const more = all.length > page.length;
		const name = (key) => (query['encoding-type'] === 'url' ? encode(key).replaceAll('%2F', '/') : key);
		return `<?xml version="1.0" encoding="UTF-8"?>\n<ListBucketResult xmlns="http://s3.amazonaws.com/doc/2006-03-01/">` +
			`<Name>${bucket}</Name><KeyCount>${page.length}</KeyCount><IsTruncated>${more}</IsTruncated>` +
			(more ? `<NextContinuationToken>${Buffer.from(page.at(-1)).toString('base64')}</NextContinuationToken>` : '') +
			page.map((key) => `<Contents><Key>${name(key)}</Key><LastModified>${store.objects.get(key).modified.toISOString()}` +
				`</LastModified><Size>${store.objects.get(key).bytes.length}</Size></Contents>`).join('') +
			'</ListBucketResult>';
	}

	function serve(req, res, body, what) {
		const [path, search = ''] = req.url.split('?');
		const query = Object.fromEntries(search.split('&').filter(Boolean).map((pair) => pair.split('=').map(decode)));
		const [, name, ...rest] = path.split('/');
		const key = rest.map(decode).join('/');
		const id = authenticate(req, body);
		if (what === 'expired') throw new Refusal(400, 'ExpiredToken');
		if (name !== bucket) throw new Refusal(404, 'NoSuchBucket');
		store.requests.push({ method: req.method, key, query, id });
		if (key === '' && req.method === 'GET') return res.writeHead(200, { 'content-type': 'application/xml' }).end(list(query));
		if (req.method === 'PUT') {
			store.objects.set(key, { bytes: body, modified: new Date() });
			return res.writeHead(200, { etag: `"${sha256(body).slice(0, 32)}"` }).end();
		}
		if (req.method === 'DELETE') {
			store.objects.delete(key);
			return res.writeHead(204).end();
		}
		const object = store.objects.get(key);
		if (req.method !== 'GET') throw new Refusal(405, 'MethodNotAllowed');
		if (!object) throw new Refusal(404, 'NoSuchKey');
		res.writeHead(200, { 'content-length': object.bytes.length });
		if (what !== 'truncate') return res.end(object.bytes);
		return res.write(object.bytes.subarray(0, object.bytes.length / 2), () => res.destroy());
	}

	const say = (res, status, code) =>
		res.writeHead(status, { 'content-type': 'application/xml' }).end(
			`<?xml version="1.0" encoding="UTF-8"?>\n<Error><Code>${code}</Code><Message>as said</Message></Error>`);

	function answer(req, res, body) {
		const what = faults.shift();
		if (what === 'drop') return res.destroy();
		if (what === 'silence') return undefined;
		if (what?.code) return say(res, what.status, what.code);
		if (typeof what === 'number') return say(res, what, what === 503 ? 'SlowDown' : 'InternalError');
		try {
			return serve(req, res, body, what);
		} catch (error) {
			if (!(error instanceof Refusal)) throw error;
			store.refusals.push(error.code);
			return say(res, error.status, error.code);
		}
	}

	// The sources: /credentials for containers, /latest/… for instances.
	function hand(req, res) {
		store.asked.push(`${req.method} ${req.url}`);
		if (store.sourcesAway) return res.writeHead(500).end();
		const give = (text) => res.writeHead(200).end(text);
		const role = '/latest/meta-data/iam/security-credentials/';
		if (req.url === '/credentials')
			return req.headers.authorization === containerToken ? give(JSON.stringify(store.issued)) : res.writeHead(403).end();
		if (req.method === 'PUT' && req.url === '/latest/api/token' && req.headers['x-aws-ec2-metadata-token-ttl-seconds']) {
			const token = randomBytes(16).toString('hex');
			instanceTokens.add(token);
			return give(token);
		}
		if (!instanceTokens.has(req.headers['x-aws-ec2-metadata-token'])) return res.writeHead(401).end();
		if (req.url === role) return give('mail-role');
		if (req.url === `${role}mail-role`) return give(JSON.stringify({ Code: 'Success', Type: 'AWS-HMAC', ...store.issued }));
		return res.writeHead(404).end();
	}

	// Handles unsigned requests of tests to /objects/KEY.
	function handle(req, res, body) {
		const key = decode(req.url.slice('/objects/'.length));
		const object = store.objects.get(key);
		if (req.method === 'PUT') store.objects.set(key, { bytes: body, modified: new Date() });
		if (req.method === 'DELETE') store.objects.delete(key);
		if (req.method === 'GET' && !object) return res.writeHead(404).end();
		return res.writeHead(200).end(req.method === 'GET' ? object.bytes : '');
	}

	const serveRequest = (req, res) => {
		const parts = [];
		req.on('data', (part) => parts.push(part));
		req.on('end', () => {
			if (req.url === '/keys') res.writeHead(200).end(JSON.stringify([...store.objects.keys()]));
			else if (req.url.startsWith('/objects/')) handle(req, res, Buffer.concat(parts));
			else if (req.url === '/credentials' || req.url.startsWith('/latest/')) hand(req, res);
			else answer(req, res, Buffer.concat(parts));
		});
	};
	const server = tls ? https.createServer(tls, serveRequest) : http.createServer(serveRequest);
	const port = await freePort(); // a fixed port, because back() must listen on it again
	const listen = () => new Promise((done, failed) => server.once('error', failed).listen(port, '127.0.0.1', done));
	await listen();
	const close = () => new Promise((done) => {
		server.close(done);
		server.closeAllConnections();
	});
	const url = `${tls ? 'https://localhost' : 'http://127.0.0.1'}:${port}`;
	const permanent = newCredentials();
	keys.set(permanent.AccessKeyId, permanent);
	issue(3600);
	const place = { EDS_MAIL_STORE: `s3://${bucket}/${prefix}`, AWS_REGION: region, AWS_ENDPOINT_URL_S3: url };
	const fullUri = `${url}/credentials`;
	return Object.assign(store, {
		url,
		env: { ...place, AWS_ACCESS_KEY_ID: permanent.AccessKeyId, AWS_SECRET_ACCESS_KEY: permanent.SecretAccessKey },
		containerEnv: { ...place, AWS_CONTAINER_CREDENTIALS_FULL_URI: fullUri, AWS_CONTAINER_AUTHORIZATION_TOKEN: containerToken },
		instanceEnv: { ...place, AWS_EC2_METADATA_SERVICE_ENDPOINT: url },
		issue,
		fault: (...whats) => faults.push(...whats),
		away: close,
		back: listen,
		close,
	});
}
