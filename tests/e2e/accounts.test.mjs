// Accounts as their owners use them: the first token, domains over HTTP, and data that other
// accounts must not see.
import assert from 'node:assert/strict';
import { execFileSync, spawn } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';

import { request } from './support/api.mjs';
import { BUILD, childrenOf, startRunner, until } from './support/runner.mjs';
import { admin as runAdmin } from './support/store.mjs';

const MAKE_TOKEN = `echo '{"action": "create-token", "account": "dev", "name": "laptop"}' | runner invoke admin -\n`;

const UNKNOWN_ID = '01900000-0000-7000-8000-000000000000';
const AT_ONCE = 8;

let folder;
let runner;
let alice;
let bob;
let aliceTokenId;

const admin = (input) => runAdmin(runner, input);

function newToken(account, expiresAt) {
	return admin({ action: 'create-token', account, name: 'test', expiresAt });
}

function call(token, method, path, body) {
	const headers = { authorization: `Bearer ${token}` };
	if (body) headers['content-type'] = 'application/json';
	return request(`${runner.baseUrl}/api/v1/domains${path}`,
		{ method, headers, body: body ? JSON.stringify(body) : undefined });
}

async function addDomain(token, name) {
	const response = await call(token, 'POST', '', { name });
	assert.equal(response.status, 201, response.text);
	return response.json().data;
}

before(async () => {
	folder = mkdtempSync(join(tmpdir(), 'eds-accounts-'));
	runner = await startRunner({ folder });
	for (const name of ['alice', 'bob']) admin({ action: 'create-account', name, plan: 'free' });
	const made = newToken('alice');
	alice = made.token;
	aliceTokenId = made.id;
	bob = newToken('bob').token;
});
after(async () => {
	await runner?.stop();
	rmSync(folder, { recursive: true, force: true });
});

describe('the first start', () => {
	const tokenFile = () => join(folder, 'var/mail.spool/first-token');

	const bannerIsOut = () => until(() => /Try a deliverability test/.test(runner.output.out));

	test('prints a command that works, and writes the token to a file that only its owner may read', async () => {
		await bannerIsOut();
		const line = /^ {2}(curl -H "Authorization: Bearer .*)$/m.exec(runner.output.out);
		assert.ok(line, runner.output.out);
		const answer = execFileSync('sh', ['-c', `${line[1]} -s`], { encoding: 'utf8', cwd: folder });
		assert.deepEqual(JSON.parse(answer), { data: [] });
		assert.doesNotMatch(runner.output.out + runner.output.err, /eds_[0-9A-Za-z]{10}/);
		assert.equal(statSync(tokenFile()).mode & 0o777, 0o600);
		assert.match(readFileSync(tokenFile(), 'utf8'), /^eds_[0-9A-Za-z]+\n$/);
	});

	test('makes a token, and later starts make none', async () => {
		const before = readFileSync(tokenFile(), 'utf8');
		await runner.stop();
		runner = await startRunner({ folder });
		await bannerIsOut();
		assert.doesNotMatch(runner.output.out, /Bearer/);
		assert.equal(readFileSync(tokenFile(), 'utf8'), before);
	});

	test('keeps the token in the file also when it fails because a port is taken', async () => {
		const home = mkdtempSync(join(tmpdir(), 'eds-taken-'));
		try {
			await assert.rejects(startRunner({ folder: home, env: { EDS_OPS_LISTEN: new URL(runner.opsUrl).host } }),
				({ message }) => message.includes('Address already in use') &&
					message.includes(`runner: the account dev was made; its token is in the file ${home}/var/mail.spool/first-token\n`));
			const token = readFileSync(join(home, 'var/mail.spool/first-token'), 'utf8').trim();
			const later = await startRunner({ folder: home });
			try {
				const answer = await request(`${later.baseUrl}/api/v1/domains`, { headers: { authorization: `Bearer ${token}` } });
				assert.deepEqual(answer.json(), { data: [] });
			} finally {
				await later.stop();
			}
		} finally {
			rmSync(home, { recursive: true, force: true });
		}
	});

	test('says that the token cannot be kept when its file cannot be written', async () => {
		const home = mkdtempSync(join(tmpdir(), 'eds-unkept-'));
		const path = join(home, 'var/mail.spool/first-token');
		try {
			mkdirSync(path, { recursive: true });
			const unkept = await startRunner({ folder: home });
			try {
				await until(() => unkept.output.out.includes(`The account \`dev\` was made, but its token cannot be kept in the file ${path}.\n` +
					'Make another token:\n  ' + MAKE_TOKEN));
			} finally {
				await unkept.stop();
			}
		} finally {
			rmSync(home, { recursive: true, force: true });
		}
	});

	test('says that the token cannot be kept when its folder cannot be made', async () => {
		const home = mkdtempSync(join(tmpdir(), 'eds-unkept-'));
		try {
			await assert.rejects(startRunner({ folder: home, env: { EDS_MAIL_STORE: 'file:/proc/eds/mail' } }), ({ message }) => message.includes(
				'runner: the account dev was made, but its token cannot be kept in the file /proc/eds/mail.spool/first-token; make another token:  ' + MAKE_TOKEN));
		} finally {
			rmSync(home, { recursive: true, force: true });
		}
	});

	test('shows the token on a terminal, and then writes no file', async () => {
		const home = mkdtempSync(join(tmpdir(), 'eds-terminal-'));
		const settings = 'EDS_HTTP_LISTEN=127.0.0.1:0 EDS_SMTP_LISTEN=127.0.0.1:0 EDS_OPS_LISTEN=127.0.0.1:0';
		const terminal = spawn('script', ['-qec', `${settings} exec ${join(BUILD, 'runner')} serve`, '/dev/null'],
			{ cwd: home, stdio: ['ignore', 'pipe', 'ignore'] });
		let shown = '';
		terminal.stdout.setEncoding('utf8').on('data', (text) => (shown += text));
		const ended = new Promise((done) => terminal.once('close', done));
		try {
			await until(() => /Bearer eds_[0-9A-Za-z]{30}/.test(shown));
			assert.ok(!existsSync(join(home, 'var/mail.spool/first-token')));
		} finally {
			for (const pid of childrenOf(terminal.pid)) process.kill(pid, 'SIGTERM');
			await ended;
			rmSync(home, { recursive: true, force: true });
		}
	});
});

describe('domains', () => {
	test('are made, shown, listed and deleted', async () => {
		const domain = await addDomain(alice, 'Story.Example');
		assert.equal(domain.name, 'story.example');
		assert.equal(domain.reportAddress, `${domain.id}@reports.localhost`);
		const shown = await call(alice, 'GET', `/${domain.id}`);
		assert.deepEqual(shown.json().data, domain);
		const listed = await call(alice, 'GET', '');
		assert.deepEqual(listed.json().data.find(({ id }) => id === domain.id), domain);
		const deleted = await call(alice, 'DELETE', `/${domain.id}`);
		assert.deepEqual(deleted.json(), { data: { id: domain.id, deleted: true } });
		assert.equal((await call(alice, 'GET', `/${domain.id}`)).status, 404);
	});

	test('are found by their id in upper case, too', async () => {
		const domain = await addDomain(alice, 'upper.example');
		const shown = await call(alice, 'GET', `/${domain.id.toUpperCase()}`);
		assert.deepEqual(shown.json().data, domain);
	});

	test('of one name that are created at once become one', async () => {
		const responses = await Promise.all(Array.from({ length: AT_ONCE },
			() => call(alice, 'POST', '', { name: 'once.example' })));
		const statuses = responses.map(({ status }) => status).sort((a, b) => a - b);
		assert.deepEqual(statuses, [201, ...Array(AT_ONCE - 1).fill(409)]);
	});

	test('can be read page by page, following the links', async () => {
		const names = ['p1.example', 'p-2.example', 'p10.example', 'xn--p-eka.example', 'p3.example'];
		for (const name of names) await addDomain(bob, name);
		const seen = [];
		let query = '?limit=2';
		while (query) {
			const page = await call(bob, 'GET', query);
			assert.equal(page.status, 200, page.text);
			assert.ok(page.json().data.length <= 2);
			seen.push(...page.json().data.map(({ name }) => name));
			query = /<\/api\/v1\/domains(\?[^>]+)>; rel="next"/.exec(page.headers.link)?.[1];
		}
		assert.deepEqual(seen, names.sort());
	});
});

describe("the domain of another account", () => {
	test('is answered exactly as a missing one, byte for byte', async () => {
		const { id } = await addDomain(alice, 'private.example');
		for (const method of ['GET', 'DELETE']) {
			const none = await call(bob, method, `/${UNKNOWN_ID}`);
			assert.equal(none.status, 404);
			for (const other of [id, id.toUpperCase(), 'x', '%27%20OR%201%3D1', `${id}%00`, '..%2f..']) {
				const response = await call(bob, method, `/${other}`);
				// the HTTP server refuses such a path before any function sees it
				if (response.status === 400) continue;
				assert.equal(response.status, 404, other);
				assert.deepEqual(response.bytes, none.bytes, other);
				assert.deepEqual(Object.keys(response.headers), Object.keys(none.headers));
			}
		}
		assert.equal((await call(alice, 'GET', `/${id}`)).status, 200);
	});

	test('is in no list', async () => {
		await addDomain(alice, 'hidden.example');
		const listed = (await call(bob, 'GET', '')).json().data;
		assert.ok(listed.every(({ name }) => name !== 'hidden.example'));
	});
});

describe('tokens', () => {
	test('that are revoked stop working at once, even in warm handlers', async () => {
		const { id, token } = newToken('alice');
		assert.equal((await call(token, 'GET', '')).status, 200);
		admin({ action: 'revoke-token', id });
		const response = await call(token, 'GET', '');
		assert.equal(response.status, 401);
		assert.equal(response.headers['www-authenticate'], 'Bearer');
		assert.equal((await call(alice, 'GET', '')).status, 200);
	});

	test('stop working when they expire', async () => {
		const soon = new Date(Date.now() + 8000).toISOString();
		const { token, expiresAt } = newToken('alice', soon);
		assert.equal((await call(token, 'GET', '')).status, 200);
		await new Promise((done) => setTimeout(done, Date.parse(soon) - Date.now() + 50));
		assert.equal((await call(token, 'GET', '')).status, 401, expiresAt);
	});

	test('that are missing or malformed give 401 with WWW-Authenticate', async () => {
		const url = `${runner.baseUrl}/api/v1/domains`;
		for (const authorization of [undefined, 'Bearer', 'Bearer x', `Basic ${alice}`, `Bearer ${alice}A`,
			`Bearer ${aliceTokenId}`, `Bearer ${alice.toLowerCase()}`]) {
			const response = await request(url, { headers: authorization ? { authorization } : {} });
			assert.equal(response.status, 401, authorization);
			assert.equal(response.headers['www-authenticate'], 'Bearer');
			assert.equal(response.headers['content-type'], 'application/problem+json');
		}
	});

	test('are neither accepted in the query nor repeated from it', async () => {
		const { status, text } = await request(`${runner.baseUrl}/api/v1/domains?token=${alice}`);
		assert.equal(status, 400);
		assert.equal(JSON.parse(text).code, 'query-unknown');
		assert.ok(!text.includes(alice), text);
	});

	test('are in no log', async () => {
		const logged = () => runner.output.err.split('"method":"GET","path":"/api/v1/domains"').length;
		const before = logged();
		await call(alice, 'GET', '');
		await call(`${alice}x`, 'GET', '');
		await until(() => logged() >= before + 2);
		assert.ok(!runner.output.err.includes(alice));
	});
});
