// The memory of a runner that serves for long: requests and messages leave nothing behind in it.
import assert from 'node:assert/strict';
import http from 'node:http';
import { readFileSync } from 'node:fs';
import { after, before, describe, test } from 'node:test';

import { openSmtp } from './support/mail.mjs';
import { request, startRunner, testFunctions, until } from './support/runner.mjs';

const EACH = 400; // requests or messages of a round
const GROWTH_KB = EACH / 4; // a quarter of a kilobyte for each of them would be a leak
const ROUNDS = 4; // A leak grows in each of them; the heap of a process may also grow once without one.
const growth = (sizes) => sizes.at(-1) - sizes.at(-2);

describe('the memory of the runner stays the same after', () => {
	let functions;
	let runner;
	let talk;
	const agent = new http.Agent({ keepAlive: true, maxSockets: 4 });

	before(async () => {
		functions = testFunctions({
			act: { program: 'handler-http', http: ['GET /act/{name}', 'POST /act/{name}'] },
			'mail-accept': { program: 'handler-keep' },
			keep: { program: 'handler-keep', mail: true },
		});
		runner = await startRunner({ functions: functions.folder, env: { EDS_BASE_URL: 'http://a' } });
		talk = await openSmtp(runner.smtpPort);
		await talk.say('EHLO a.example', '250');
	});
	after(async () => {
		talk?.socket.end();
		agent.destroy();
		await runner?.stop();
		functions?.remove();
	});

	const memoryKb = () => Number(/^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${runner.pid}/status`, 'utf8'))[1]);
	const idle = () => until(async () => /^eds_mail_queued 0$/m.test((await request(`${runner.opsUrl}/metrics`)).text));

	async function begin(smtp) {
		await smtp.say('MAIL FROM:<a@a.example>', '250');
		await smtp.say('RCPT TO:<b@tester.localhost>', '250');
	}

	const kinds = {
		'requests that functions answer': () => request(`${runner.baseUrl}/act/echo`, { method: 'POST', body: 'x'.repeat(500), agent, headers: { 'x-a': 'b' } }),
		'requests that no function answers': () => request(`${runner.baseUrl}/other/path`, { agent }),
		'requests that each have a connection': () => request(`${runner.baseUrl}/act/echo`),
		'requests of monitoring': () => request(`${runner.opsUrl}/metrics`, { agent }),
		'connections that say nothing': async () => (await openSmtp(runner.smtpPort)).socket.destroy(),
		messages: async () => {
			await begin(talk);
			await talk.say('DATA', '354');
			await talk.say(`X-Serial: 1\r\nSubject: a\r\n\r\n${'x'.repeat(70)}\r\n.`, '250');
		},
		'messages whose sender goes away': async () => {
			const other = await openSmtp(runner.smtpPort);
			await other.say('EHLO a.example', '250');
			await begin(other);
			await other.say('DATA', '354');
			other.socket.write('Subject: a\r\n');
			other.socket.destroy();
		},
		'messages that are given up': async () => {
			await begin(talk);
			await talk.say('RSET', '250');
		},
	};

	async function round(kind) {
		for (let i = 0; i < EACH; i++) await kind();
		await idle();
		return memoryKb();
	}

	for (const [name, kind] of Object.entries(kinds))
		test(`hundreds of ${name}`, { timeout: 120000 }, async () => {
			await round(kind);
			const sizes = [await round(kind)];
			do sizes.push(await round(kind));
			while (growth(sizes) >= GROWTH_KB && sizes.length <= ROUNDS);
			assert.ok(growth(sizes) < GROWTH_KB, `it grew in each round: ${sizes.join(', ')} KB`);
		});
});
