// Work of operators and developers with a running runner: inspecting it, replaying events,
// replacing programs, handling failed mail.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { copyFileSync, existsSync, mkdtempSync, readFileSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import http from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';

import { storedMessage } from './support/mail-store.mjs';
import { openSmtp, sendMail } from './support/mail.mjs';
import { BUILD, descendantsOf, isAlive, request, startRunner, testFunctions, until, untilBegun } from './support/runner.mjs';

const FAKETIME = '/usr/lib/x86_64-linux-gnu/faketime/libfaketime.so.1';
const SECRET = `eds_${'a1B2'.repeat(10)}`;
const SIGNING = `whsec_${'a1B2/+'.repeat(6)}=`; // the key that signs messages to receivers
const FUNCTIONS = {
	act: { program: 'handler-http', http: ['GET /act/{name}', 'POST /act/{name}'], timeoutMs: 5000 },
	patient: { program: 'handler-http', http: ['GET /patient/{name}'], timeoutMs: 60000 },
	'mail-accept': { program: 'handler-keep' },
	keep: { program: 'handler-keep', mail: true },
	clock: { program: 'handler-http', schedule: 'rate(1 minute)' },
};

let functions;
let runner;

before(async () => {
	functions = testFunctions(FUNCTIONS);
	runner = await startRunner({ functions: functions.folder });
});
after(async () => {
	await runner?.stop();
	functions?.remove();
});

// Runs a command of the runner: { code, stdout, stderr }.
function command(...args) {
	return new Promise((done) => execFile(join(BUILD, 'runner'), [...args, '--functions', functions.folder], {
		cwd: runner.folder, env: { ...process.env, ...runner.storeEnv, EDS_OPS_LISTEN: `127.0.0.1:${runner.opsPort}` },
	}, (error, stdout, stderr) => done({ code: error?.code ?? 0, stdout, stderr })));
}

async function deliver(text) {
	const talk = await openSmtp(runner.smtpPort);
	for (const word of ['EHLO a', 'MAIL FROM:<a@example.com>', 'RCPT TO:<keep@tester.localhost>', 'DATA']) await talk.say(word);
	talk.socket.write(text);
	const reply = await talk.say('.', '250');
	talk.socket.destroy();
	return /accepted as (\S+)/.exec(reply)[1];
}

const noted = () => (existsSync(join(runner.folder, 'keep.jsonl')) ? readFileSync(join(runner.folder, 'keep.jsonl'), 'utf8') : '');

describe('replay', () => {
	const post = () => request(`${runner.baseUrl}/act/kept`, {
		method: 'POST', body: JSON.stringify({ token: SECRET, callback: { secret: SIGNING, next: SIGNING }, more: SECRET }),
		headers: { authorization: `Bearer ${SECRET}`, cookie: `session=${SECRET}`, 'x-plain': 'seen' },
	});

	test('an answered event is run again, and the answers are compared', async () => {
		const { headers } = await request(`${runner.baseUrl}/act/again?x=1`);
		const { code, stdout, stderr } = await command('replay', headers['x-request-id']);
		assert.equal(code, 0);
		assert.equal(JSON.parse(JSON.parse(stdout).body).path, '/act/again');
		assert.match(stderr, /the same answer as at 20/);
	});

	test('differences from the earlier answer are shown', async () => {
		const { headers } = await request(`${runner.baseUrl}/act/pid`);
		const { stderr } = await command('replay', headers['x-request-id']);
		assert.match(stderr, /the outcome at 20\S+ was answered: \{"statusCode":200/);
	});

	test('the last events are listed, the newest first', async () => {
		await request(`${runner.baseUrl}/act/crash`);
		const { stdout } = await command('replay');
		const [newest] = stdout.split('\n').filter((line) => !/ clock /.test(line)); // which may run meanwhile
		assert.match(newest, /^\d+ +20\S+Z crashed +act +[0-9a-f-]{36}$/);
	});

	test('tokens, cookies and signing secrets of deliveries are not stored', async () => {
		const id = (await post()).headers['x-request-id'];
		const { text } = await request(`${runner.opsUrl}/events/${id}`);
		assert.ok(!text.includes('a1B2'), text);
		assert.match(text, /"x-plain":"seen"/);
		assert.match(text, /"authorization":"removed"/);
		const { stdout } = await command('replay', id);
		assert.ok(!stdout.includes('a1B2'));
	});

	test('the key of a link in a mail is not stored', async () => {
		const key = 'mfrggzdfmztwq2lknnwg23tpoamfrggzdfmztwq2lknnwg23tpoa';
		const { headers } = await request(`${runner.baseUrl}/act/again?key=${key}&x=1`);
		const { text } = await request(`${runner.opsUrl}/events/${headers['x-request-id']}`);
		const { event } = JSON.parse(text);
		assert.equal(event.rawQueryString, 'key=removed&x=1');
		assert.deepEqual(event.queryStringParameters, { key: 'removed', x: '1' });
	});

	test('a message is replayed by its id', async () => {
		const id = await deliver('X-Serial: 7001\r\n\r\ntext\r\n');
		await until(() => noted().includes('7001'));
		const before = noted().split('"7001","sha256"').length;
		assert.equal((await command('replay', id)).code, 0);
		assert.equal(noted().split('"7001","sha256"').length, before + 1);
	});

	test('an unknown or missing id is reported', async () => {
		for (const id of ['nothing', 'a/b', ''])
			assert.equal((await command('replay', id)).code, 1);
		assert.equal((await request(`${runner.opsUrl}/events/nothing`)).status, 404);
		assert.equal((await request(`${runner.opsUrl}/events`, { method: 'POST' })).status, 405);
	});

	test('only the last events are stored, and long ones are not', async () => {
		await request(`${runner.baseUrl}/act/long`, { method: 'POST', body: 'x'.repeat(40000) });
		await Promise.all(Array.from({ length: 150 }, () => request(`${runner.baseUrl}/act/echo`)));
		const { events } = (await request(`${runner.opsUrl}/events`)).json();
		assert.equal(events.length, 128);
		const { number } = events.find(({ function: name }) => name === 'act');
		const { stdout } = await command('replay', String(number));
		assert.match(stdout, /"statusCode":200/);
		assert.equal((await request(`${runner.opsUrl}/events/${events.at(-1).number - 1}`)).status, 404);
	});
});

describe('spool', () => {
	test('failed mail is listed, retried and dropped', { timeout: 60000 }, async () => {
		const first = await deliver('X-Serial: 7101\r\nX-Fail: yes\r\n\r\none\r\n');
		const second = await deliver('X-Serial: 7102\r\nX-Fail: yes\r\n\r\ntwo\r\n');
		const waiting = await command('spool', 'list');
		assert.match(waiting.stdout, new RegExp(`^waiting +20\\S+Z ${first} keep +keep@tester\\.localhost$`, 'm'));
		await until(async () => (await command('spool', 'list')).stdout.match(/^failed /gm)?.length === 2, 30000);
		const failed = await command('spool', 'list');
		assert.match(failed.stdout, new RegExp(`^failed +20\\S+Z ${second} keep +keep@tester\\.localhost\n +internal.asked-to: the message asks for it$`, 'm'));
		assert.ok(!failed.stdout.includes('waiting'));

		const again = await command('spool', 'retry', first);
		assert.equal(again.code, 1);
		assert.match(again.stderr, /the message asks for it/);
		writeFileSync(join(runner.folder, 'forgiving'), '');
		assert.match((await command('spool', 'retry', first)).stdout, /was processed by keep/);
		assert.ok(noted().includes('"7101","sha256"'));
		assert.match(await storedMessage(runner, first),
			/^Received: from a \(unknown \[127\.0\.0\.1\]\)\r\n\tby [^]*?\+0000\r\nX-Serial: 7101\r\nX-Fail: yes\r\n\r\none\r\n$/);

		assert.match((await command('spool', 'drop', second)).stdout, /was dropped/);
		assert.equal((await command('spool', 'list')).stdout, '');
		assert.deepEqual(readdirSync(join(runner.folder, 'var/mail.spool/failed')), []);
		assert.equal((await command('spool', 'drop', second, '../lock')).code, 1);
		assert.equal((await command('spool', 'retry', second)).code, 1);
		assert.equal((await command('spool', 'mend')).code, 64);
	});
});

describe('mail that waits', () => {
	const forgiving = () => join(runner.folder, 'forgiving');
	const gauge = async (name) => Number(new RegExp(`^${name} (\\S+)$`, 'm').exec((await request(`${runner.opsUrl}/metrics`)).text)[1]);

	test('mail waits for a service that is away, which is reported, and no message is given up', { timeout: 60000 }, async () => {
		rmSync(forgiving(), { force: true });
		const { status, mail: before } = (await request(`${runner.opsUrl}/healthz`)).json();
		assert.deepEqual([status, before], ['ok', { heldBytes: 0, limitBytes: 4096 * 1024 * 1024, share: 0 }]);
		const id = await deliver('X-Serial: 7301\r\nX-Wait: yes\r\n\r\ntext\r\n');
		const told = await until(async () => {
			const response = await request(`${runner.opsUrl}/healthz`);
			return response.status === 503 && response;
		});
		const { mail, ...waiting } = told.json();
		assert.deepEqual(waiting, { status: 'waiting', reason: 'temporary.asked-to: the message asks for patience' });
		assert.ok(mail.heldBytes > 0);
		// by then the message has been tried four times
		await until(async () => (await gauge('eds_mail_oldest_seconds')) >= 6, 30000);
		assert.equal(await gauge('eds_mail_waiting'), 1);
		assert.match((await command('spool', 'list')).stdout, new RegExp(`^waiting +20\\S+Z ${id} `, 'm'));
		writeFileSync(forgiving(), '');
		await until(() => noted().includes('"7301","sha256"'), 30000);
		await until(async () => (await request(`${runner.opsUrl}/healthz`)).status === 200);
		assert.equal(await gauge('eds_mail_waiting'), 0);
		assert.equal(await gauge('eds_mail_oldest_seconds'), 0);
	});
});

describe('data removed under the running service', () => {
	test('clients get a temporary error without details, the log gives advice, and a restart begins afresh', { timeout: 60000 }, async () => {
		const home = mkdtempSync(join(tmpdir(), 'eds-removed-'));
		let own = await startRunner({ folder: home });
		try {
			const send = () => sendMail(own.smtpPort, { from: 'a@example.com', to: email, message: 'Subject: x\r\n\r\ntext\r\n' });
			const { email } = (await request(`${own.baseUrl}/api/inbound-tester/sessions`, { method: 'POST' })).json();
			rmSync(join(home, 'var/mail.spool'), { recursive: true });
			await assert.rejects(send, /451 4\.3\.1 the message cannot be stored now/);
			assert.match(own.output.err, /mail cannot be kept in the spool: [^"]*; the spool's folder is gone, and the runner makes it again when it starts/);
			rmSync(join(home, 'var'), { recursive: true });
			await assert.rejects(send, /451 4\.3\.0 the recipient cannot be looked up now/);
			const refused = await request(`${own.baseUrl}/api/inbound-tester/sessions`, { method: 'POST' });
			assert.deepEqual([refused.status, refused.json()], [503, {
				type: '/problems#store-not-migrated', title: 'Service Unavailable', status: 503, code: 'store-not-migrated',
				detail: 'the service cannot do this now; try again in a moment',
			}]);
			assert.match(own.output.err, /the database is missing or was never created: restore it, or create an empty one by invoking admin with/);
			const ready = await request(`${own.opsUrl}/readyz`);
			assert.equal(ready.status, 503);
			assert.equal(ready.json().parts.database.state, 'away');
			await own.stop();
			own = await startRunner({ folder: home });
			const again = await request(`${own.baseUrl}/api/inbound-tester/sessions`, { method: 'POST' });
			assert.equal(again.status, 201);
		} finally {
			await own.stop();
			rmSync(home, { recursive: true, force: true });
		}
	});
});

describe('metrics', () => {
	test('requests, latencies, handlers, queues, mail and the schedule are counted', async () => {
		const valueIn = (text, name) => Number(new RegExp(`^${name.replace(/[{}]/g, '\\$&')} (\\S+)$`, 'm').exec(text)?.[1]);
		const metrics = async () => (await request(`${runner.opsUrl}/metrics`)).text;
		const before = await metrics();
		await request(`${runner.baseUrl}/act/echo`);
		await deliver('X-Serial: 7201\r\n\r\ntext\r\n');
		await until(async () => valueIn(await metrics(), 'eds_mail_delivered_total') > valueIn(before, 'eds_mail_delivered_total'));
		const after = await metrics();
		const value = (name) => valueIn(after, name);
		for (const name of ['eds_http_requests_total{function="act",status="200"}', 'eds_http_request_seconds_count{function="act"}',
			'eds_smtp_connections_total', 'eds_mail_accepted_total', 'eds_mail_delivered_total'])
			assert.equal(value(name), valueIn(before, name) + 1, name);
		const sum = 'eds_http_request_seconds_sum{function="act"}';
		assert.ok(value(sum) > valueIn(before, sum), `${value(sum)} s`);
		assert.ok([1, 2, 3, 4].includes(value('eds_handlers{function="act"}')));
		assert.equal(value('eds_pool_queue{function="act"}'), 0);
		for (const name of ['starts', 'crashes', 'timeouts']) assert.ok(value(`eds_handler_${name}_total{function="act"}`) >= 0, name);
		assert.ok(value('eds_pool_refused_total{function="act"}') >= 0);
		assert.ok(value('eds_smtp_connections_total') > 0);
		assert.ok(value('eds_mail_accepted_total') > 0);
		assert.ok(value('eds_mail_delivered_total') > 0);
		for (const name of ['eds_mail_refused_total', 'eds_mail_retried_total', 'eds_mail_failed_total', 'eds_mail_queued', 'eds_smtp_connections',
			...['runs', 'failed', 'skipped'].map((what) => `eds_schedule_${what}_total{function="clock"}`)])
			assert.ok(value(name) >= 0, name);
		assert.equal(value('eds_mail_seconds_count{function="keep"}'), valueIn(before, 'eds_mail_seconds_count{function="keep"}') + 1);
	});
});

describe('programs', () => {
	test('programs are swapped under load without a failed request', async () => {
		const agent = new http.Agent({ keepAlive: true, maxSockets: 16 });
		const pids = new Set();
		let over = false;
		const worker = async () => {
			while (!over) {
				const response = await request(`${runner.baseUrl}/act/pid`, { agent });
				assert.equal(response.status, 200, response.text);
				pids.add(response.json());
			}
		};
		const load = Promise.all(Array.from({ length: 16 }, worker));
		for (let i = 0; i < 15; i++) {
			copyFileSync(join(BUILD, 'tests/support/handler-http'), join(functions.folder, 'act.new'));
			const before = pids.size;
			renameSync(join(functions.folder, 'act.new'), join(functions.folder, 'act'));
			await until(() => pids.size > before);
		}
		over = true;
		await load;
		agent.destroy();
		assert.ok(pids.size > 15, `${pids.size} processes answered`);
		await request(`${runner.baseUrl}/act/pid`);
		await until(() => [...pids].filter(isAlive).length <= 4);
	});
});

describe('time', () => {
	// Starts a runner whose clocks the test can set.
	async function startWithClock() {
		const own = await startRunner({ functions: functions.folder, env: {
			LD_PRELOAD: FAKETIME, FAKETIME_TIMESTAMP_FILE: join(functions.folder, 'offset'), FAKETIME_NO_CACHE: '1',
		} });
		const jump = (text) => {
			writeFileSync(join(functions.folder, 'offset.new'), `${text}\n`);
			renameSync(join(functions.folder, 'offset.new'), join(functions.folder, 'offset'));
		};
		return { own, jump };
	}
	const handlersOf = async (own) => Number(/^eds_handlers\{function="act"\} (\d+)$/m.exec((await request(`${own.opsUrl}/metrics`)).text)[1]);

	test('idle handlers end after a minute, except one', async () => {
		writeFileSync(join(functions.folder, 'offset'), '+0\n');
		const { own, jump } = await startWithClock();
		try {
			await Promise.all(Array.from({ length: 12 }, () => request(`${own.baseUrl}/act/pause`)));
			assert.equal(await handlersOf(own), 4);
			jump('+90');
			await until(async () => (await handlersOf(own)) === 1, 10000);
			assert.equal((await request(`${own.baseUrl}/act/echo`)).status, 200);
			await until(async () => /^eds_schedule_runs_total\{function="clock"\} [1-9]/m.test((await request(`${own.opsUrl}/metrics`)).text), 10000);
		} finally {
			await own.stop();
		}
	});

	test('work that does not end in time at a stop is abandoned, and no process stays', async () => {
		writeFileSync(join(functions.folder, 'offset'), '+0\n');
		const { own, jump } = await startWithClock();
		const stuck = request(`${own.baseUrl}/patient/sleep`).catch(() => null);
		await untilBegun(own, 'sleep');
		const handlers = descendantsOf(own.pid);
		own.child.kill('SIGTERM');
		await until(() => own.output.err.includes('stopping'));
		assert.equal(own.child.exitCode, null);
		jump('+19');
		const { code, seconds } = await own.stop();
		await stuck;
		assert.equal(code, 0);
		assert.ok(seconds < 15);
		assert.match(own.output.err, /not all work was done in time/);
		await until(() => handlers.every((pid) => !isAlive(pid)));
	});
});
