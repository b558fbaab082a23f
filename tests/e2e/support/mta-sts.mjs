// A world of domains with MTA-STS: the runner without its clock, scripted DNS, and the checks,
// which the test runs as separate processes.
//
//     const world = await startWorld({ env });
//     const domain = await world.add('example.com', { mxPatterns: ['mx.example.com'] });
//     world.publish([...txtOf(domain), 'mta-sts.example.com A 300 127.0.0.1']);
//     await world.check(); // { checked, failed }: the answer of mta-sts-check
//     world.certificates;                        // the part of its answer about certificates
//     (await world.show(domain)).observed        // the answer of GET
//     await world.stop();
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { rmSync } from 'node:fs';
import { join } from 'node:path';

import { request } from './api.mjs';
import { startDns } from './dns.mjs';
import { functionsWithoutSchedule } from './functions.mjs';
import { BUILD, startRunner } from './runner.mjs';
import { admin, environment, sql } from './store.mjs';

const SOA = 'test SOA 900 ns.test h.test 1 3600 600 86400 60';
const EVENT = { version: '0', id: 'check', 'detail-type': 'Scheduled Event', source: 'aws.events', resources: [], detail: {} };

export const codes = (findings) => findings.map((finding) => finding.code);

// All sentences for people in an answer. None may name a member of the API, because administrators do not
// know these.
export function messages(value) {
	if (value === null || typeof value !== 'object') return [];
	const own = typeof value.message === 'string' ? [value.message] : [];
	return [...own, ...Object.values(value).flatMap(messages)];
}

function assertForPeople(data) {
	for (const message of messages(data)) assert.doesNotMatch(message, /\b[a-z]+[A-Z]\w*|\b(observed|advice)\.\w/, message);
}

// The DNS lines for the TXT record that a domain expects.
export const txtOf = ({ expectedRecords }) =>
	expectedRecords.filter(({ type }) => type === 'TXT').map(({ name, value }) => `${name} TXT 300 "${value}"`);

// env: settings of the runner and of the checks, in addition to EDS_DNS_SERVERS. dns: further lines of the
// zone until the first publish().
export async function startWorld({ env = {}, dns = [] } = {}) {
	const server = await startDns([SOA, ...dns]);
	const settings = { EDS_POLICY_HOST: 'policy.test', EDS_DNS_SERVERS: server.address, ...env };
	const functions = functionsWithoutSchedule();
	const runner = await startRunner({ functions, env: settings });
	admin(runner, { action: 'create-account', name: 'owner', plan: 'paid' });
	const { token } = admin(runner, { action: 'create-token', account: 'owner', name: 'test', expiresAt: null });
	const call = async (method, path, body) => {
		const answer = await request(`${runner.baseUrl}/api/v1/domains${path}`, {
			method,
			headers: { authorization: `Bearer ${token}`, ...(body ? { 'content-type': 'application/json' } : {}) },
			body: body && JSON.stringify(body),
		});
		assert.ok(answer.status < 300, answer.text);
		const { data } = answer.json();
		assertForPeople(data);
		return data;
	};

	const world = {
		runner,
		token,
		dns: server,
		publish: (lines) => server.publish([SOA, ...lines]),
		async add(name, fields = {}) {
			const { id } = await call('POST', '', { name });
			return { id, name, ...await call('PATCH', `/${id}/mta-sts`, { enabled: true, ...fields }) };
		},
		show: ({ id }) => call('GET', `/${id}/mta-sts`),
		change: ({ id }, fields) => call('PATCH', `/${id}/mta-sts`, fields),
		checkNow: ({ id }) => call('POST', `/${id}/mta-sts/check`),
		makeDue: () => sql(runner, 'UPDATE mta_sts SET leased_until_ms = 0, due_at_ms = 1'),
		sql: (text) => sql(runner, text),

		// Runs the scheduled function as a process: { child, answer }, a promise of its
		// answer. before: a program that starts it, with its arguments.
		startCheck(more = {}, before = []) {
			const [program, ...args] = [...before, join(BUILD, 'functions/mta-sts-check')];
			const child = spawn(program, args, {
				cwd: runner.folder,
				env: environment(runner, { ...settings, EDS_TIMEOUT_MS: '60000', ...more }),
				stdio: ['pipe', 'pipe', 'inherit'],
			});
			let output = '';
			const ended = new Promise((done) => child.once('close', (code, signal) => done({ code, signal })));
			child.stdout.setEncoding('utf8').on('data', (data) => (output += data));
			child.stdin.end(JSON.stringify({ ...EVENT, time: new Date().toISOString() }));
			return {
				child,
				answer: ended.then((end) => {
					assert.deepEqual(end, { code: 0, signal: null }, output);
					return JSON.parse(output);
				}),
			};
		},
		async check(more) {
			const { policyCertificatesEnding, policyCertificateSeconds, mailCertificateSeconds, ...others } = await world.startCheck(more).answer;
			world.certificates = { policyCertificatesEnding, policyCertificateSeconds, mailCertificateSeconds };
			return others;
		},
		async stop() {
			await runner.stop();
			await server.stop();
			rmSync(functions, { recursive: true });
		},
	};
	return world;
}
