// A bounded load on a cluster, and a record of all that the cluster promised: each 201, 200 and 250, each
// check that became due, and each change of DNS that causes one alert.
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import https from 'node:https';

import { openSmtp } from '../e2e/support/mail.mjs';
import { pause, SITE } from './cluster-parts.mjs';

const REQUEST_MS = 15000;
const SMTP_MS = 30000;
const AGAIN = 30;
const HEAD = 'From: me@sender.example\r\nMessage-ID: <1@sender.example>\r\nDate: Fri, 20 Nov 2026 10:00:00 +0000\r\n\r\n';
const WORDS = ['EHLO proxy', 'XCLIENT ADDR=192.0.2.10 NAME=[UNAVAILABLE]', 'EHLO mx.sender.example', 'MAIL FROM:<me@sender.example>'];
const MAX_AGE = { least: 86400, most: 31557600 };
export const RECEIVER = 'hooks.receiver.test';

export class Load {
	sessions = new Map(); // testId -> { testId, email, acknowledgedAt, result }
	// domain id -> the values of maxAge that it may have: the last acknowledged one, and those of later
	// requests without an answer
	configs = new Map();
	made = new Map(); // domain name -> id, for each acknowledged POST with an Idempotency-Key
	checks = new Map(); // id of a watched domain -> the time since when its check is due
	turned = new Map(); // id of a watched domain -> the alert that its receiver must get
	over = false;

	constructor(cluster, table, next) {
		Object.assign(this, { cluster, table, next });
	}
	// Sends one request through Caddy; rejects when there is no answer.
	async ask(method, path, body, headers = {}) {
		const text = body && JSON.stringify(body);
		const ca = await this.cluster.front.ca();
		return new Promise((done, failed) => {
			const request = https.request({ host: '127.0.0.1', port: this.cluster.frontPort, servername: SITE, ca, method, path, agent: false, timeout: REQUEST_MS,
				headers: { host: SITE, ...(text ? { 'content-type': 'application/json' } : {}), ...headers } }, (response) => {
				let got = '';
				response.setEncoding('utf8').on('data', (part) => (got += part)).on('error', failed);
				response.on('end', () => done({ status: response.statusCode, json: () => JSON.parse(got), text: got }));
			});
			request.on('timeout', () => request.destroy(new Error('no answer in time'))).on('error', failed);
			request.end(text);
		});
	}
	// Sends a request with the token of the account. If the answer is not 2xx, counts it and returns undefined.
	async call(method, path, body, headers = {}) {
		try {
			const answer = await this.ask(method, `/api/v1${path}`, body, { authorization: `Bearer ${this.cluster.token}`, ...headers });
			assert.ok(answer.status < 300 || answer.status >= 500, `${method} ${path}: ${answer.status} ${answer.text}`);
			this.table.count(answer.status < 300 ? 'requests' : 'failed');
			return answer.status < 300 ? answer.json().data : undefined;
		} catch (error) {
			if (error instanceof assert.AssertionError) throw error;
			this.table.count('failed');
			return undefined;
		}
	}
	async #open() {
		const answer = await this.ask('POST', '/api/inbound-tester/sessions').catch(() => ({ status: 0 }));
		this.table.count(answer.status === 201 ? 'requests' : 'failed');
		if (answer.status !== 201) return undefined;
		const { testId, email } = answer.json();
		const session = { testId, email };
		this.sessions.set(testId, session);
		return session;
	}
	async #send(session) {
		const takers = this.cluster.takers;
		const talk = await openSmtp(takers[Math.floor(this.next() * takers.length)].ports.smtp);
		const timer = setTimeout(() => talk.socket.destroy(), SMTP_MS);
		try {
			for (const word of [...WORDS, `RCPT TO:<${session.email}>`, 'DATA'])
				if (!/^[23]/.test(await talk.say(word))) return false;
			talk.socket.write(HEAD + `${'x'.repeat(76)}\r\n`.repeat(25));
			if (!(await talk.say('.')).startsWith('250')) return false;
			session.acknowledgedAt = Date.now();
			return true;
		} finally {
			clearTimeout(timer);
			talk.socket.destroy();
		}
	}
	// Sends a message until a runner accepts it, as a mail server does.
	async testers() {
		while (!this.over) {
			const session = await this.#open();
			while (session && !session.acknowledgedAt && !this.over) {
				const taken = await this.#send(session).catch(() => false);
				this.table.count(taken ? 'mail' : 'putOff');
				if (!taken) await pause(500);
			}
			await pause(200);
		}
	}
	async #look(session) {
		const answer = await this.ask('GET', `/api/inbound-tester/sessions/${session.testId}`).catch(() => ({ status: 0 }));
		if (answer.status === 0 || answer.status >= 500) return false;
		assert.equal(answer.status, 200, `session ${session.testId} is gone`);
		const shown = answer.json();
		if (shown.status !== 'completed') return false;
		session.result ??= shown;
		assert.deepEqual(shown, session.result, `session ${session.testId} changed its answer`);
		return true;
	}
	waiting = () => [...this.sessions.values()].filter(({ acknowledgedAt, result }) => acknowledgedAt && !result);
	async watchers() {
		while (!this.over) {
			for (const session of this.waiting()) {
				if (!await this.#look(session)) continue;
				this.table.count('results');
				this.table.time(Date.now() - session.acknowledgedAt);
			}
			await pause(300);
		}
	}
	// Repeats a request until it succeeds; used after the load, when all parts run again.
	async again(...request) {
		for (let i = 0; i < AGAIN; i++, await pause(1000)) {
			const data = await this.call(...request);
			if (data) return data;
		}
		throw new Error(`${request} is not answered`);
	}
	async lookAgain() {
		for (const session of this.sessions.values())
			if (session.result) assert.ok(await this.#look(session) || await this.#look(session), `session ${session.testId} is not completed any more`);
	}
	async changers(ids) {
		while (!this.over) {
			const id = ids[Math.floor(this.next() * ids.length)];
			const maxAge = MAX_AGE.least + Math.floor(this.next() * (MAX_AGE.most - MAX_AGE.least));
			this.configs.get(id).push(maxAge);
			if (await this.call('PATCH', `/domains/${id}/mta-sts`, { maxAge })) this.configs.set(id, [maxAge]);
			await pause(300);
		}
	}
	// Makes one domain after another; each request is repeated with its key until it is
	// answered.
	async makers() {
		for (let i = 0; !this.over; i++) {
			const name = `made${i}.example`;
			const key = `"${randomUUID()}"`;
			for (let done; !done; await pause(500)) {
				const answer = await this.ask('POST', '/api/v1/domains', { name }, { authorization: `Bearer ${this.cluster.token}`, 'idempotency-key': key })
					.catch(() => ({ status: 0 }));
				assert.ok([0, 201, 409].includes(answer.status) || answer.status >= 500, `${name}: ${answer.status} ${answer.text}`);
				done = answer.status === 201;
				if (answer.status === 409) assert.doesNotMatch(answer.text, /domain-exists/, `${name} was made twice`);
				this.table.count(done ? 'requests' : 'failed');
				if (done) this.made.set(name, answer.json().data.id);
			}
		}
	}
}

// Revokes the keys of the watched domains one after another, and makes their checks due.
export async function watch(load, watched, { everyMs, each }) {
	const { cluster, table } = load;
	const live = new Map(watched.map(({ name }) => [name, true]));
	const rest = [...watched];
	while (!load.over) {
		const now = rest.splice(0, each);
		for (const { name } of now) live.set(name, false);
		cluster.publish(live);
		for (const { id } of now) load.turned.set(id, 'selector-broken');
		await pause(1000);
		const since = Date.now();
		const due = [...now, ...watched.filter(() => load.next() < 0.2)];
		try {
			await cluster.sql(`UPDATE dkim_selectors SET leased_until_ms = 0, due_at_ms = 1 WHERE domain_id IN ('${due.map(({ id }) => id).join("','")}')`);
			for (const { id } of due) load.checks.set(id, since);
			table.count('due', due.length);
		} catch {
			// the primary or its standby did not answer, so these domains are tried again in a later turn
			rest.unshift(...now);
		}
		await pause(everyMs);
	}
}
