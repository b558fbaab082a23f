// When no mail server can be asked about STARTTLS, as in clouds that close port 25, the log says so
// once and the metrics show it, so that domains do not stay unready without a reason.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { after, before, describe, test } from 'node:test';

import { startMailServer } from '../support/mail-server.mjs';
import { startDns } from './support/dns.mjs';
import { request, startRunner, until } from './support/runner.mjs';
import { admin, sql } from './support/store.mjs';

const SUITE_MS = 300000;
const SERVERS = 17;
const NETWORKS = 4;
const SOA = 'test SOA 900 ns.test h.test 1 3600 600 86400 60';
const silent = (i) => `127.0.${i % NETWORKS + 1}.77`;

// A port that neither accepts nor refuses connections: its queue of one is full.
const DEAF = `import socket, sys
keep = []; port = 0
for network in range(1, ${NETWORKS} + 1):
    s = socket.socket(); s.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    s.bind((f'127.0.{network}.77', port)); s.listen(0); port = s.getsockname()[1]
    keep.append(s)
    for i in range(3):
        c = socket.socket(); c.setblocking(False); c.connect_ex(s.getsockname()); keep.append(c)
print(port, flush=True)
sys.stdin.read()
`;

describe('port 25 closed', { timeout: SUITE_MS }, () => {
	let deaf;
	let port;
	let dns;
	let runner;
	const tokens = {};
	let heard;

	const call = async (account, method, path, body) => (await request(`${runner.baseUrl}/api/v1/domains${path}`, {
		method, headers: { authorization: `Bearer ${tokens[account]}`, ...(body ? { 'content-type': 'application/json' } : {}) }, body: body && JSON.stringify(body),
	})).json().data;
	const gauge = async () => Number(/^eds_schedule_answer\{function="mta-sts-check",number="portClosed"\} (\d+)/m
		.exec((await request(`${runner.opsUrl}/metrics`)).text)?.[1] ?? 0);
	const told = () => runner.output.err.split('\n').filter((line) => line.includes('no mail server can be reached from here'));
	const names = [];
	const publish = (address) => dns.publish([SOA, ...names.flatMap((name, i) => [
		`${name} MX 300 10 mx.${name}`, `mx.${name} A 1 ${address(i)}`, `mta-sts.${name} A 300 127.0.0.1`])]);
	const monitor = async (account, count) => {
		for (let i = 0; i < count; i++) {
			const name = `d${names.length}.test`;
			names.push(name);
			const { id } = await call(account, 'POST', '', { name });
			await call(account, 'PATCH', `/${id}/mta-sts`, { enabled: true, mxPatterns: [`mx.${name}`] });
		}
	};
	const checked = async () => {
		sql(runner, "UPDATE mta_sts SET leased_until_ms = 0, due_at_ms = 1, checked_at_ms = 0, evidence = '{}'");
		await until(() => sql(runner, 'SELECT count(*) FROM mta_sts WHERE checked_at_ms = 0') === '0', 100000);
		const runs = async () => Number(/^eds_schedule_runs_total\{function="mta-sts-check"\} (\d+)/m.exec((await request(`${runner.opsUrl}/metrics`)).text)[1]);
		const before = await runs();
		await until(async () => (await runs()) > before, 100000);
	};

	before(async () => {
		deaf = spawn('python3', ['-c', DEAF], { stdio: ['pipe', 'pipe', 'inherit'] });
		port = Number((await once(deaf.stdout, 'data')).toString());
		dns = await startDns([SOA]);
		runner = await startRunner({ env: {
			EDS_DNS_SERVERS: dns.address, EDS_ALLOW_PRIVATE_ADDRESSES: '1', EDS_STARTTLS_PORT: String(port), EDS_POLICY_FETCH_PORT: '1',
		} });
		for (const account of ['many', 'two', 'three']) {
			admin(runner, { action: 'create-account', name: account, plan: 'paid' });
			({ token: tokens[account] } = admin(runner, { action: 'create-token', account, name: 'test', expiresAt: null }));
		}
	});
	after(async () => {
		await heard?.stop();
		await runner?.stop();
		await dns?.stop?.();
		deaf?.stdin.end();
	});

	test('is not concluded from the servers of one account while there are others', async () => {
		await monitor('many', SERVERS);
		await publish(silent);
		await monitor('two', 1);
		sql(runner, "UPDATE mta_sts SET enabled = 0 WHERE name = 'd17.test'");
		await checked();
		assert.equal(await gauge(), 0);
		assert.equal(told().length, 0);
	});

	test('is logged once, and shown in the metrics, when servers of several accounts and networks are silent', async () => {
		sql(runner, 'UPDATE mta_sts SET enabled = 1');
		await monitor('three', 1);
		await publish(silent);
		sql(runner, "UPDATE mta_sts SET leased_until_ms = 0, due_at_ms = 1, evidence = '{}'");
		await until(async () => (await gauge()) === 1, 100000);
		assert.equal(told().length, 1);
		const { level, function: name, message } = JSON.parse(told()[0]);
		assert.deepEqual({ level, name }, { level: 'warning', name: 'mta-sts-check' });
		assert.match(message, new RegExp(`^no mail server can be reached from here: none of \\d+ answered on port ${port},`));
	});

	test('ends when a mail server answers', async () => {
		heard = await startMailServer({ address: '127.0.0.78', port });
		await publish(() => '127.0.0.78');
		sql(runner, "UPDATE mta_sts SET leased_until_ms = 0, due_at_ms = 1, evidence = '{}'");
		await until(async () => (await gauge()) === 0, 100000);
		assert.equal(told().length, 1);
	});
});
