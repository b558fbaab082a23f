// The real policy host: Caddy with infra/caddy/Caddyfile before a runner. All that it writes,
// including keys and certificates, is in a folder of its own, which is removed with it.
//
//     const front = await startCaddy(runner);                     // certificates of its own authority
//     const front = await startCaddy(runner, { acme: pebble });   // ordered from startPebble()
//     await fetchPolicy(front, 'mta-sts.example.com');            // { status, headers, text }
//     await front.stop();
import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import https from 'node:https';
import net from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

import { makeAuthority } from '../../support/authority.mjs';
import { freePort } from '../../support/free-port.mjs';
import { until } from './runner.mjs';

const CADDYFILE = join(dirname(fileURLToPath(import.meta.url)), '../../../infra/caddy/Caddyfile');
const START_MS = 20000;
const STOP_MS = 10000;
const FETCH_MS = 20000;
const CLOCK_MS = 50; // longer than time() lags behind the clock that a certificate is dated by

const listens = (port) => new Promise((done) => {
	const socket = net.connect(port, '127.0.0.1');
	socket.once('connect', () => done(true)).once('error', () => done(false));
	socket.once('connect', () => socket.destroy());
});

// A server that ends with this process at the latest: { output, stop }.
async function startServer(program, args, env, port) {
	const child = spawn('setpriv', ['--pdeathsig=KILL', program, ...args], { env, stdio: ['ignore', 'pipe', 'pipe'] });
	const ended = new Promise((done) => child.once('close', () => done()));
	const output = { text: '' };
	for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8').on('data', (text) => (output.text += text));
	const stop = async (signal = 'SIGTERM') => {
		const timer = setTimeout(() => child.kill('SIGKILL'), STOP_MS);
		child.kill(signal);
		await ended;
		clearTimeout(timer);
	};
	try {
		await until(async () => {
			if (child.exitCode !== null) throw new Error(`${program} ended`);
			return listens(port);
		}, START_MS);
	} catch (error) {
		await stop();
		throw new Error(`${error.message}\n${output.text}`);
	}
	return { output, stop };
}

// acme: a pebble from startPebble(), else an authority of Caddy's own. port: where to listen.
// config: another Caddyfile. env: settings in place of those for the runner. kept: a folder for all it writes, which stays.
// Returns { port, ca(), output, stop(signal) }.
export async function startCaddy(runner, { acme, port, config = CADDYFILE, env = {}, kept } = {}) {
	const folder = kept ?? mkdtempSync(join(tmpdir(), 'eds-caddy-'));
	const listen = port ?? await freePort();
	const root = join(folder, 'storage/pki/authorities/local/root.crt');
	const server = await startServer('caddy', ['run', '--config', config], {
		PATH: process.env.PATH,
		HOME: folder,
		XDG_DATA_HOME: join(folder, 'data'),
		XDG_CONFIG_HOME: join(folder, 'config'),
		POLICY_ADDRESSES: '127.0.0.1',
		POLICY_PORT: String(listen),
		POLICY_UPSTREAM: `127.0.0.1:${runner.httpPort}`,
		POLICY_ASK: `${runner.opsUrl}/certificate-ask`,
		POLICY_STORAGE: join(folder, 'storage'),
		POLICY_ISSUER: acme ? 'acme' : 'internal',
		...(acme ? { POLICY_ACME_DIRECTORY: acme.directory, SSL_CERT_FILE: acme.caFile } : {}),
		...env,
	}, listen);
	if (!acme) await until(() => existsSync(root), START_MS);
	return {
		port: listen,
		caFile: acme ? undefined : root,
		ca: acme ? acme.issuer : async () => readFileSync(root),
		output: server.output,
		async stop(signal) {
			await server.stop(signal);
			if (!kept) rmSync(folder, { recursive: true, force: true });
		},
	};
}

function get(options) {
	return new Promise((done, failed) => {
		const req = https.get({ agent: false, timeout: FETCH_MS, ...options }, (res) => {
			const certificate = res.socket.getPeerCertificate();
			let text = '';
			res.setEncoding('utf8').on('data', (part) => (text += part)).on('error', failed);
			res.on('end', () => done({ status: res.statusCode, headers: res.headers, text, certificate }));
		});
		req.on('timeout', () => req.destroy(new Error('no answer in time')));
		req.on('error', failed);
	});
}

// Fetches the policy like a sending server, which requires a certificate that is valid for the host. A
// refused handshake gives "SSL alert number 80" (internal_error).
export async function fetchPolicy(front, host, { path = '/.well-known/mta-sts.txt', sni = host, headers = {} } = {}) {
	const fetch = async () => get({ host: '127.0.0.1', port: front.port, path, servername: sni,
		headers: { host, ...headers }, ca: await front.ca() });
	try {
		return await fetch();
	} catch (error) {
		// Caddy's own authority dates a certificate with the very second in which it makes it, and OpenSSL
		// compares it with time(), which begins each second some milliseconds late.
		if (error.code !== 'CERT_NOT_YET_VALID') throw error;
		await wait(CLOCK_MS);
		return fetch();
	}
}

// An ACME authority (Debian's pebble), which asks dns for addresses and verifies its challenges at a port of
// loopback, challengePort: { directory, caFile, issuer(), stop }. keys: { id: base64url } of the external account
// bindings; it makes no account without one of them.
export async function startPebble({ dns, challengePort, keys }) {
	const folder = mkdtempSync(join(tmpdir(), 'eds-pebble-'));
	const authority = makeAuthority();
	const { cert, key } = authority.issue(['localhost']);
	const [port, managementPort] = [await freePort(), await freePort()];
	const path = (name) => join(folder, name);
	writeFileSync(path('cert.pem'), cert);
	writeFileSync(path('key.pem'), key);
	writeFileSync(path('config.json'), JSON.stringify({
		pebble: {
			listenAddress: `127.0.0.1:${port}`,
			managementListenAddress: `127.0.0.1:${managementPort}`,
			certificate: path('cert.pem'),
			privateKey: path('key.pem'),
			httpPort: await freePort(),
			tlsPort: challengePort,
			ocspResponderURL: '',
			externalAccountBindingRequired: Boolean(keys),
			...(keys ? { externalAccountMACKeys: keys } : {}),
		},
	}));
	const server = await startServer('pebble', ['-config', path('config.json'), '-dnsserver', dns, '-strict'],
		{ PATH: process.env.PATH, HOME: folder, PEBBLE_VA_NOSLEEP: '1' }, port);
	return {
		directory: `https://localhost:${port}/dir`,
		caFile: authority.file,
		issuer: async () => (await get({ host: '127.0.0.1', servername: 'localhost', port: managementPort,
			path: '/roots/0', ca: readFileSync(authority.file) })).text,
		output: server.output,
		async stop() {
			await server.stop();
			authority.remove();
			rmSync(folder, { recursive: true, force: true });
		},
	};
}
