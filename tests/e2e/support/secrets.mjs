// A Secrets Manager for tests: only GetSecretValue, with each request's signature verified. It also
// takes the place of a container's source of credentials.
import { randomBytes } from 'node:crypto';
import http from 'node:http';
import https from 'node:https';

import { Refusal, newCredentials, verify } from './sigv4.mjs';

const ACCOUNT = '111122223333';
// The names of errors in Secrets Manager, where they differ from those of S3.
const CODES = { AccessDenied: 'IncompleteSignatureException', AuthorizationHeaderMalformed: 'InvalidSignatureException',
	ExpiredToken: 'ExpiredTokenException', InvalidAccessKeyId: 'UnrecognizedClientException',
	InvalidToken: 'UnrecognizedClientException', SignatureDoesNotMatch: 'InvalidSignatureException' };

// tls: { key, cert } of localhost, to serve over TLS; client: env of a startS3(), whose credentials are valid here too. Returns { url, env, containerEnv, issue, put, remove, allow, fault,
// requests, refusals, close }:
// env: the settings of a client with credentials from the environment; containerEnv: those of a client that gets them from a container's source; put(name, value): stores an object as
// JSON, a text, or a Buffer, and returns its ARN; allow(arns): the role may read only these; requests: the ARN of each correctly signed request; refusals: the names of the others' errors;
// fault(...whats): each applies to one of the next requests: a status, the name of an error, 'drop', 'silence', or { text } as it is; issue(seconds): credentials with this lifetime, which
// the container's source gives from now on.
export async function startSecrets({ region = 'eu-test-1', tls, client } = {}) {
	const keys = new Map();
	const secrets = new Map();
	const faults = [];
	const containerToken = randomBytes(16).toString('hex');
	const server = { requests: [], refusals: [] };
	let allowed;

	const issue = (seconds) => {
		server.issued = newCredentials(seconds);
		keys.set(server.issued.AccessKeyId, server.issued);
		return server.issued;
	};

	function answer(req, body, what) {
		verify(req, body, { keys, region, service: 'secretsmanager' });
		if (req.method !== 'POST' || req.url !== '/' || req.headers['content-type'] !== 'application/x-amz-json-1.1')
			throw new Refusal(400, 'SerializationException');
		if (req.headers['x-amz-target'] !== 'secretsmanager.GetSecretValue') throw new Refusal(400, 'UnknownOperationException');
		const { SecretId } = JSON.parse(body);
		server.requests.push(SecretId);
		if (typeof what === 'string') throw new Refusal(400, what);
		if (allowed && !allowed.includes(SecretId)) throw new Refusal(400, 'AccessDeniedException');
		const value = secrets.get(SecretId);
		if (value === undefined) throw new Refusal(400, 'ResourceNotFoundException');
		return {
			ARN: SecretId, Name: SecretId.replace(/^.*:secret:(.*)-\w{6}$/, '$1'), CreatedDate: 1.7e9, VersionId: 'v', VersionStages: ['AWSCURRENT'],
			...(Buffer.isBuffer(value) ? { SecretBinary: value.toString('base64') } : { SecretString: value }),
		};
	}

	function respond(req, res, body) {
		const what = faults.shift();
		const say = (status, object) => res.writeHead(status, { 'content-type': 'application/x-amz-json-1.1' }).end(JSON.stringify(object));
		if (req.url === '/credentials')
			return req.headers.authorization === containerToken ? say(200, server.issued) : res.writeHead(403).end();
		if (what === 'drop') return res.destroy();
		if (what === 'silence') return undefined;
		if (typeof what === 'number') return say(what, { __type: 'InternalServiceError', Message: 'as said' });
		if (what?.text !== undefined) return res.writeHead(200).end(what.text);
		try {
			return say(200, answer(req, body, what));
		} catch (error) {
			if (!(error instanceof Refusal)) throw error;
			const code = CODES[error.code] ?? error.code;
			server.refusals.push(code);
			return say(error.status, { __type: `com.amazonaws.secretsmanager#${code}`, Message: 'as said' });
		}
	}

	const serve = (req, res) => {
		const parts = [];
		req.on('data', (part) => parts.push(part));
		req.on('end', () => respond(req, res, Buffer.concat(parts)));
	};
	const listener = tls ? https.createServer(tls, serve) : http.createServer(serve);
	await new Promise((done) => listener.listen(0, '127.0.0.1', done));
	const url = `${tls ? 'https://localhost' : 'http://127.0.0.1'}:${listener.address().port}`;
	const permanent = client ? { AccessKeyId: client.AWS_ACCESS_KEY_ID, SecretAccessKey: client.AWS_SECRET_ACCESS_KEY } : newCredentials();
	keys.set(permanent.AccessKeyId, permanent);
	issue(3600);
	const place = { AWS_ENDPOINT_URL_SECRETS_MANAGER: url };
	return Object.assign(server, {
		url,
		env: { ...place, AWS_ACCESS_KEY_ID: permanent.AccessKeyId, AWS_SECRET_ACCESS_KEY: permanent.SecretAccessKey },
		containerEnv: { ...place, AWS_CONTAINER_CREDENTIALS_FULL_URI: `${url}/credentials`, AWS_CONTAINER_AUTHORIZATION_TOKEN: containerToken },
		issue,
		put(name, value) {
			const arn = `arn:aws:secretsmanager:${region}:${ACCOUNT}:secret:${name}-a1B2c3`;
			secrets.set(arn, typeof value === 'string' || Buffer.isBuffer(value) ? value : JSON.stringify(value));
			return arn;
		},
		remove: (arn) => secrets.delete(arn),
		allow: (arns) => (allowed = arns),
		fault: (...whats) => faults.push(...whats),
		close: () => new Promise((done) => {
			listener.close(done);
			listener.closeAllConnections();
		}),
	});
}
