// PostgreSQL stops while mail waits, is started again, and fails over to its standby. No acknowledged
// change or message is lost, no session stays pending, and warm processes continue to work.
import assert from 'node:assert/strict';
import { existsSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { handlersOf, until } from '../e2e/support/runner.mjs';
import { startSecrets } from '../e2e/support/secrets.mjs';
import { psql, startPostgres, startStandby } from '../support/postgres.mjs';
import { Tester } from './tester.mjs';

const FAKETIME = '/usr/lib/x86_64-linux-gnu/faketime/libfaketime.so.1';
// With this setting committed data survives the crash of the server.
const DURABLE = ['synchronous_commit=on'];
const WORKERS = 4;
const RESTARTS = 3;
const LOAD_MS = 60000;

const pause = (ms) => new Promise((next) => setTimeout(next, ms));

const held = (tester) => [...tester.sessions.values()].filter((session) => session.acknowledged).length;

async function withServers(report, start, steps) {
	const servers = [];
	const tester = await Tester.start();
	try {
		tester.env = { EDS_DATABASE_URL: await start(servers) };
		const passed = await steps(tester, servers);
		report(`${tester.sessions.size} sessions, ${held(tester)} messages held`);
		assert.ok(held(tester) >= 20, 'too few messages waited for this to be a test');
		return { passed, wrong: [] };
	} catch (error) {
		return { passed: 0, wrong: [error.stack, ...(tester.runner ? [tester.runner.output.err.slice(-2000)] : [])] };
	} finally {
		await tester.remove();
		for (const server of servers) await server.stop();
	}
}

const oneServer = async (servers) => {
	servers.push(await startPostgres(DURABLE));
	return servers[0].url;
};

const health = async (tester) => {
	const response = await fetch(`${tester.runner.opsUrl}/healthz`);
	return { ...(await response.json()), status: response.status };
};

async function metric(tester, name) {
	const text = await (await fetch(`${tester.runner.opsUrl}/metrics`)).text();
	return Number(new RegExp(`^${name} (\\S+)$`, 'm').exec(text)[1]);
}

// Returns { env, forward(seconds) }: forward() moves the clock of a runner and its functions ahead if the
// runner was started with the settings env.
function clockOf(tester) {
	const file = join(tester.folder, 'clock');
	let seconds = 0;
	const set = () => {
		writeFileSync(`${file}.new`, `+${seconds}\n`);
		renameSync(`${file}.new`, file);
	};
	set();
	return {
		env: { LD_PRELOAD: FAKETIME, FAKETIME_TIMESTAMP_FILE: file, FAKETIME_NO_CACHE: '1', NO_FAKE_STAT: '1' },
		forward(by) {
			seconds += by;
			set();
		},
	};
}

async function openAndSend(tester) {
	const session = await tester.open();
	assert.ok(session, 'no session was opened');
	assert.match(await tester.send(session), /^250/);
	return session;
}

// Sends mail that is accepted while the database works, but processed after it has stopped.
async function takeMail(tester, count) {
	const sends = [];
	for (let i = 0; i < count; i++) sends.push(await tester.address(await tester.open()));
	return async () => {
		for (const send of sends) assert.match(await send(), /^250/);
	};
}

export function databaseAwayForTenMinutes({ report }) {
	if (!existsSync(FAKETIME)) return Promise.resolve({ passed: 0, wrong: [`there is no ${FAKETIME}`] });
	return withServers(report, oneServer, async (tester, [server]) => {
		const clock = clockOf(tester);
		await tester.run(clock.env);
		await openAndSend(tester);
		await tester.assertHolds();
		const warm = handlersOf(tester.runner, 'tester-session-create').slice(0, 1);
		const send = await takeMail(tester, 20);
		await server.halt('SIGQUIT');
		await send();
		await until(async () => (await health(tester)).status === 503);
		assert.match((await health(tester)).reason, /database/);
		for (let second = 0; second < 600; second += 5) {
			clock.forward(5);
			await pause(80);
		}
		assert.equal(await tester.open(), null, 'a session was opened without a database');
		assert.equal((await health(tester)).status, 503);
		assert.ok((await metric(tester, 'eds_mail_oldest_seconds')) >= 600);
		assert.equal(await metric(tester, 'eds_mail_failed_total'), 0);
		const retried = await metric(tester, 'eds_mail_retried_total');
		assert.ok(retried < 300, `20 messages were sent again ${retried} times in ten minutes`);

		await server.start();
		await openAndSend(tester);
		await tester.assertHolds();
		assert.ok(warm.every((pid) => handlersOf(tester.runner, 'tester-session-create').includes(pid)), 'a warm process is gone');
		assert.equal((await health(tester)).status, 200);
		return 1;
	});
}

// Runs change(), which changes the servers, under load. On a slow machine the load continues
// until there were enough requests.
async function underLoad(tester, change) {
	let over = false;
	const load = Promise.all(Array.from({ length: WORKERS }, () => tester.load(() => over)));
	const before = held(tester);
	await pause(500);
	await until(() => held(tester) >= before + 10, LOAD_MS);
	try {
		await change();
		await openAndSend(tester);
		await pause(500);
		await until(() => held(tester) >= before + 20, LOAD_MS);
	} finally {
		over = true;
		await load;
	}
}

async function assertGoesOn(tester, warm) {
	await tester.assertHolds();
	assert.equal(await metric(tester, 'eds_mail_failed_total'), 0);
	assert.equal((await health(tester)).status, 200);
	assert.ok(warm.every((pid) => handlersOf(tester.runner, 'tester-session-get').includes(pid)), 'a warm process is gone');
}

export function databaseRestarted({ report }) {
	return withServers(report, oneServer, async (tester, [server]) => {
		await tester.run();
		await openAndSend(tester);
		await tester.assertHolds();
		const [warm] = handlersOf(tester.runner, 'tester-session-get');
		for (let i = 0; i < RESTARTS; i++)
			await underLoad(tester, async () => {
				await server.halt(i % 2 ? 'SIGINT' : 'SIGQUIT');
				await pause(300 * i);
				await server.start();
			});
		await assertGoesOn(tester, [warm]);
		return RESTARTS;
	});
}

export function databaseFailedOver({ report }) {
	const both = async (servers) => {
		servers.push(await startPostgres(DURABLE));
		servers.push(await startStandby(servers[0], DURABLE));
		const hosts = servers.map(({ folder }) => folder).join(',');
		return `postgresql:///postgres?host=${hosts}&user=eds&target_session_attrs=read-write`;
	};
	return withServers(report, both, async (tester, [primary, standby]) => {
		await tester.run();
		await openAndSend(tester);
		await tester.assertHolds();
		const [warm] = handlersOf(tester.runner, 'tester-session-get');
		await underLoad(tester, async () => {
			await primary.halt('SIGQUIT');
			await pause(500);
			standby.promote();
		});
		await assertGoesOn(tester, [warm]);
		return 1;
	});
}

// The test: the server in the file that EDS_DATABASE_URL names is gone, and the file gets the address of
// another one; processes read the file again.
export function databaseAddressChanged({ report }) {
	let file;
	const inFile = async (servers) => {
		servers.push(await startPostgres(DURABLE));
		servers.push(await startStandby(servers[0], DURABLE));
		file = join(servers[0].folder, 'address');
		writeFileSync(file, `${servers[0].url}\n`, { mode: 0o600 });
		return `file:${file}`;
	};
	return withServers(report, inFile, async (tester, [primary, standby]) => {
		await tester.run();
		for (let i = 0; i < 20; i++) await openAndSend(tester);
		await tester.assertHolds();
		const [warm] = handlersOf(tester.runner, 'tester-session-get');
		await primary.halt('SIGQUIT');
		standby.promote();
		assert.equal(await tester.open(), null, 'a session was opened without a database');
		writeFileSync(file, `${standby.url}\n`);
		await openAndSend(tester);
		await assertGoesOn(tester, [warm]);
		return 1;
	});
}

// The test: the database is restored at another address, and its secret then names that address. A warm
// process reads the secret again once a minute.
export async function databaseSecretMoved({ report }) {
	if (!existsSync(FAKETIME)) return { passed: 0, wrong: [`there is no ${FAKETIME}`] };
	const secrets = await startSecrets();
	const inSecret = async (servers) => {
		servers.push(await startPostgres(DURABLE));
		servers.push(await startStandby(servers[0], DURABLE));
		return `secretsmanager:${secrets.put('eds', { url: servers[0].url })}#url`;
	};
	try {
		return await withServers(report, inSecret, async (tester, [primary, standby]) => {
			const clock = clockOf(tester);
			await tester.run({ ...clock.env, ...secrets.env });
			for (let i = 0; i < 20; i++) await openAndSend(tester);
			await tester.assertHolds();
			const [warm] = handlersOf(tester.runner, 'tester-session-get');
			await primary.halt('SIGQUIT');
			standby.promote();
			assert.equal(await tester.open(), null, 'a session was opened without a database');
			secrets.put('eds', { url: standby.url });
			clock.forward(61);
			await openAndSend(tester);
			await assertGoesOn(tester, [warm]);
			assert.deepEqual(secrets.refusals, []);
			return 1;
		});
	} finally {
		await secrets.close();
	}
}

// The test: with few connections allowed, all requests are still answered in turn, however many
// functions are called at once.
export function databaseConnectionsBounded({ report }) {
	const BOUND = 3;
	return withServers(report, oneServer, async (tester, [server]) => {
		await tester.run({ EDS_DATABASE_CONNECTIONS: String(BOUND) });
		const counts = [];
		const count = () => Number(psql(server.url, "SELECT count(*) FROM pg_stat_activity WHERE application_name = 'eds'"));
		await underLoad(tester, async () => {
			for (let i = 0; i < 20; i++) {
				counts.push(count());
				await pause(50);
				// PostgreSQL counts a closed connection until its process has ended.
				if (counts.at(-1) > BOUND) counts.push(Math.min(counts.pop(), count()));
			}
		});
		assert.ok(Math.max(...counts) <= BOUND, `connections: ${counts}`);
		await tester.assertHolds();
		return 1;
	});
}
