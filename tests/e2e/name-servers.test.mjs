// The name servers of a domain, each of which is asked separately: real ones (nsd), each at an address
// of its own on loopback; only the first knows all of DNS, and it is also the resolver.
import assert from 'node:assert/strict';
import dgram from 'node:dgram';
import { once } from 'node:events';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';

import { request } from './support/api.mjs';
import { serveZones } from './support/nsd.mjs';
import { breaches } from './support/openapi.mjs';
import { startRunner } from './support/runner.mjs';

const SPF = 'v=spf1 ip4:192.0.2.1 -all';
const OLD_SPF = 'v=spf1 ip4:198.51.100.1 -all';
const head = (name, servers) => [`$ORIGIN ${name}`, '$TTL 60', `@ SOA ns1.hosts.example. hostmaster.hosts.example. 1 3600 600 86400 60`,
	...servers.map((number) => `@ NS ns${number}.hosts.example.`)];
const zoneOf = (name, servers, spf) => [name, [...head(`${name}.`, servers), `@ TXT "${spf}"`, '@ MX 0 .', '_dmarc TXT "v=DMARC1; p=reject;"']];

const ROOT = ['.', [...head('.', [1]),
	...[1, 2, 3, 4, 5].map((number) => `ns${number}.hosts.example. A 127.0.0.${number}`),
	...['well.example', 'lame.example', 'old.example', 'silent.example', 'nobody.example'].map((name) => `${name}. NS ns1.hosts.example.`)]];
const AT_FIRST = [ROOT, zoneOf('well.example', [1, 3], SPF), zoneOf('lame.example', [1, 2], SPF), zoneOf('old.example', [1, 3], SPF),
	zoneOf('silent.example', [1, 4], SPF), zoneOf('nobody.example', [4, 5], SPF)];
const AT_SECOND = [zoneOf('another.example', [1, 2], SPF)];
const AT_THIRD = [zoneOf('well.example', [1, 3], SPF), zoneOf('old.example', [1, 3], OLD_SPF)];

const servers = [];
let silent;
let runner;

async function serve(number, zones, port) {
	const folder = mkdtempSync(join(tmpdir(), 'eds-nsd-'));
	const named = zones.map(([name, lines], i) => {
		writeFileSync(join(folder, `zone${i}`), [...lines, ''].join('\n'));
		return [name, `zone${i}`];
	});
	servers.push(await serveZones(folder, named, { host: `127.0.0.${number}`, port }));
	return servers.at(-1);
}

before(async () => {
	const first = await serve(1, AT_FIRST);
	await serve(2, AT_SECOND, first.port);
	await serve(3, AT_THIRD, first.port);
	silent = dgram.createSocket('udp4').bind(first.port, '127.0.0.4');
	await once(silent, 'listening');
	runner = await startRunner({ env: { EDS_DNS_SERVERS: first.address, EDS_NAME_SERVER_PORT: String(first.port),
		EDS_ALLOW_PRIVATE_ADDRESSES: '1' } });
});
after(async () => {
	await runner?.stop();
	silent?.close();
	for (const server of servers) await server.stop();
});

async function zoneItem(domain) {
	const answer = await request(`${runner.baseUrl}/api/v1/check?domain=${domain}`);
	assert.deepEqual(breaches('GET', '/api/v1/check', answer), []);
	return answer.json().data.items.find(({ name }) => name === 'zone');
}
const saidOf = async (domain) => (await zoneItem(domain)).findings.map(({ code, message }) => [code, message]);

describe('a check of a domain whose name servers', () => {
	test('all serve the same zone finds no fault', async () => {
		assert.deepEqual(await saidOf('well.example'), []);
	});

	test('all work except one names that one', async () => {
		assert.deepEqual(await saidOf('lame.example'), [['name-server-lame',
			"The name server ns2.hosts.example (127.0.0.2) does not serve lame.example: it refuses to answer. " +
			"Receivers that ask it lose time, or find none of the domain's records."]]);
	});

	test('partly have an older zone names those', async () => {
		assert.deepEqual(await saidOf('old.example'), [['name-servers-differ',
			'The name servers ns1.hosts.example and ns3.hosts.example have different TXT records for old.example, so SPF passes or ' +
			'fails depending on which of them is asked.']]);
	});

	test('are partly silent names those, within the time of a check', async () => {
		const began = Date.now();
		assert.deepEqual(await saidOf('silent.example'), [['name-server-silent',
			'The name server ns4.hosts.example (127.0.0.4) does not answer, while ns1.hosts.example does. Receivers that ask it lose ' +
			'time, or give up.']]);
		assert.ok(Date.now() - began < 8000);
	});

	test('are all unreachable from here blames none of them', async () => {
		assert.deepEqual(await saidOf('nobody.example'), []);
	});
});
