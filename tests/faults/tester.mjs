// The real service under load, and a record of all that it promised: each 201, 200 and 250 must be
// kept, whatever happens to the service.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { startDns } from '../e2e/support/dns.mjs';
import { openSmtp } from '../e2e/support/mail.mjs';
import { startRunner } from '../e2e/support/runner.mjs';

export const ZONE = [
	'sender.example TXT 300 "v=spf1 ip4:192.0.2.10 -all"',
	'sender.example MX 300 10 mx.sender.example',
	'mx.sender.example A 300 192.0.2.10',
	'_dmarc.sender.example TXT 300 "v=DMARC1; p=reject"',
	'10.2.0.192.in-addr.arpa PTR 300 mx.sender.example',
];
const REQUEST_MS = 10000;
const HOLDS_MS = 60000;

const pause = (ms) => new Promise((next) => setTimeout(next, ms));

export class Tester {
	sessions = new Map(); // testId -> { email, acknowledged, result }

	static async start(env = {}) {
		const tester = new Tester();
		tester.dns = await startDns(ZONE);
		tester.folder = mkdtempSync(join(tmpdir(), 'eds-faults-'));
		tester.env = env;
		return tester;
	}
	async run(more = {}) {
		this.runner = await startRunner({
			folder: this.folder,
			env: {
				EDS_DNS_SERVERS: this.dns.address,
				EDS_SMTP_TRUSTED: '127.0.0.1',
				EDS_ALLOW_PRIVATE_ADDRESSES: '1',
				EDS_TESTER_SESSIONS_PER_HOUR: '0',
				EDS_LOG_LEVEL: 'warning',
				...this.env, ...more,
			},
		});
		return this.runner;
	}
	async stop(signal) {
		const end = await this.runner?.stop(signal);
		this.runner = null;
		return end;
	}
	async remove() {
		await this.stop('SIGKILL');
		await this.dns.stop();
		if (this.mounted) execFileSync('umount', [this.mounted]);
		rmSync(this.folder, { recursive: true, force: true });
	}

	// Sends each request on a new connection, because a kept connection ends when the clock is set.
	#fetch(path, options = {}) {
		return fetch(`${this.runner.baseUrl}/api/inbound-tester/sessions${path}`,
			{ signal: AbortSignal.timeout(REQUEST_MS), headers: { connection: 'close' }, ...options });
	}
	// Creates a session; null when the service did not answer 201.
	async open() {
		const response = await this.#fetch('', { method: 'POST' });
		const body = await response.text();
		if (response.status !== 201) return null;
		const { testId, email } = JSON.parse(body);
		this.sessions.set(testId, { testId, email, acknowledged: false, result: null });
		return this.sessions.get(testId);
	}
	// Begins to send to the address; the returned function sends the message and gives the last
	// reply.
	async address(session, bytes = 2000) {
		const talk = await openSmtp(this.runner.smtpPort);
		const words = ['EHLO proxy', 'XCLIENT ADDR=192.0.2.10 NAME=[UNAVAILABLE]', 'EHLO mx.sender.example',
			'MAIL FROM:<me@sender.example>', `RCPT TO:<${session.email}>`, 'DATA'];
		const refuse = (reply) => async () => {
			talk.socket.destroy();
			return reply;
		};
		try {
			for (const word of words) {
				const reply = await talk.say(word);
				if (!/^[23]/.test(reply)) return refuse(reply);
			}
		} catch (error) {
			talk.socket.destroy();
			throw error;
		}
		return async () => {
			try {
				talk.socket.write('From: me@sender.example\r\nMessage-ID: <1@sender.example>\r\nDate: Fri, 20 Nov 2026 10:00:00 +0000\r\n\r\n');
				talk.socket.write(`${'x'.repeat(76)}\r\n`.repeat(Math.ceil(bytes / 78)));
				const reply = await talk.say('.');
				if (reply.startsWith('250')) session.acknowledged = true;
				return reply;
			} finally {
				talk.socket.destroy();
			}
		};
	}
	// Sends a message for the session; returns the last reply.
	async send(session, bytes) {
		return (await this.address(session, bytes))();
	}
	// Gets the session from the service, and checks that a completed result has not changed.
	async look(session) {
		const response = await this.#fetch(`/${session.testId}`);
		if (response.status >= 500) return null;
		assert.equal(response.status, 200, `session ${session.testId} is gone`);
		const shown = await response.json();
		if (shown.status === 'completed') {
			session.result ??= shown;
			assert.deepEqual(shown, session.result, `session ${session.testId} changed its answer`);
		}
		return shown;
	}
	// Creates sessions and sends mail, again and again, until the runner ends.
	async load(until) {
		while (!until()) {
			try {
				const session = await this.open();
				if (!session) continue;
				await this.send(session);
				await this.look(session);
			} catch (error) {
				if (error instanceof assert.AssertionError) throw error;
				await pause(5);
			}
		}
	}
	// Checks every promise, or those of the last sessions.
	async assertHolds(last = Infinity) {
		const all = [...this.sessions.values()];
		const end = Date.now() + HOLDS_MS;
		for (const session of all.slice(-Math.min(last, all.length))) {
			for (;;) {
				const shown = await this.look(session);
				if (shown && (shown.status === 'completed' || !session.acknowledged)) break;
				if (Date.now() > end) assert.fail(`the message to ${session.testId} was acknowledged and is lost`);
				await pause(10);
			}
		}
	}
	assertSound() {
		const text = execFileSync('sqlite3', [join(this.folder, 'var/eds.db'), 'PRAGMA integrity_check'], { encoding: 'utf8' });
		assert.equal(text.trim(), 'ok');
	}
}
