// Deliveries of an outbox to receivers over HTTPS, the last of which is silent; with DNS from a local
// nsd, on SQLite. The target is 200 a second on one core, and no delay of others by the silent
// receiver, nor by accounts all of whose receivers are silent.
import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import net from 'node:net';

import { startNsd } from '../e2e/support/nsd.mjs';
import { startReceivers } from '../e2e/support/receivers.mjs';
import { makeAuthority } from '../support/authority.mjs';
import { Place, heading, mb, row, runScheduled, us } from './measure.mjs';

const RECEIVERS = 20;
const EACH = 100;
const ROUNDS = 3;

const SILENT_ACCOUNTS = 10;
const DELAY_TARGET_S = 2;

const seconds = (value) => `${(value / 1000).toFixed(1)} s`;
const nameOf = (i) => `r${i}.example`;
const SILENT = 'silent.example';
const BODY = JSON.stringify({ type: 'selector-broken', text: 'x'.repeat(700) });

function fill(place, names) {
	const now = Date.now();
	const rows = names.flatMap((name) => Array.from({ length: EACH }, (_, i) => `('${name}${i}', '${name}', 'event${i}', '${name}',
		'https://${name}/hook', 'whsec_${Buffer.alloc(32, 'k').toString('base64')}', '${BODY}', ${now}, ${now + 86400000}, ${now + 86400000}, 1)`));
	execFileSync('sqlite3', ['-bail', 'var/eds.db'], { cwd: place.folder, input: `DELETE FROM outbox; INSERT INTO outbox
		(id, origin, event, account_id, url, secret, body, created_at_ms, until_ms, forget_at_ms, due_at_ms) VALUES ${rows.join(',\n')};` });
}

let lastTaken;
function take(response) {
	lastTaken = performance.now();
	response.writeHead(200).end('thanks');
}

async function measure(place, title, names) {
	const expected = RECEIVERS * EACH;
	fill(place, names);
	const began = performance.now();
	const { answer, cpu, kb } = await runScheduled(place, 'webhooks-deliver');
	if (answer.delivered !== expected) throw new Error(JSON.stringify(answer));
	const seconds = (lastTaken - began) / 1000;
	row(`${expected} messages to ${RECEIVERS} receivers${title}`, `${Math.round(expected / cpu)}/s`, '200/s',
		`of a core; ${Math.round(expected / seconds)}/s of wall-clock time until the last receiver had its messages`);
	row('  its CPU', us(cpu / expected * 1e6), '', 'a message: DNS, TLS, signature, outcome on disk');
	row('  its memory', mb(kb), '128 MB', 'peak of the process');
}

// How long the only message of an account waits while those of others, due for longer, are to silent
// receivers, each of which is at a name of its own.
async function measureDelay(place, accounts, receiver) {
	fill(place, [receiver, ...Array.from({ length: accounts }, (_, i) => `silent${i}`)]);
	execFileSync('sqlite3', ['-bail', 'var/eds.db'], { cwd: place.folder, input: `DELETE FROM outbox WHERE account_id = '${receiver}' AND id <> '${receiver}0';
		UPDATE outbox SET url = 'https://' || id || '.${SILENT}/hook', due_at_ms = 1 WHERE account_id <> '${receiver}';
		UPDATE outbox SET due_at_ms = 2 WHERE account_id = '${receiver}';` });
	lastTaken = undefined;
	const began = performance.now();
	const { kb } = await runScheduled(place, 'webhooks-deliver');
	row(`delay by ${accounts} account${accounts > 1 ? 's' : ''} with silent receivers`,
		lastTaken === undefined ? 'not delivered' : seconds(lastTaken - began), `${DELAY_TARGET_S} s`,
		`until another account's message was received; ${EACH} receivers of each account`);
	row('  its memory', mb(kb), '128 MB', 'peak of the process');
}

export async function webhooks() {
	const names = Array.from({ length: RECEIVERS }, (_, i) => nameOf(i));
	const authority = makeAuthority();
	const receivers = await startReceivers(authority);
	// The silent receiver: it accepts connections and sends nothing, at another address but the same port.
	const silent = net.createServer(() => {}).listen(receivers.port, '127.0.0.2');
	await once(silent, 'listening');
	names.forEach((name) => receivers.add(name, take));
	const nsd = await startNsd([...names.map((name) => `${name}. A 127.0.0.1`), `${SILENT}. A 127.0.0.2`, `*.${SILENT}. A 127.0.0.2`]);
	const place = new Place({ EDS_DNS_SERVERS: nsd.address, EDS_CA_FILE: authority.file, EDS_WEBHOOK_PORT: String(receivers.port),
		EDS_ALLOW_PRIVATE_ADDRESSES: '1', EDS_TIMEOUT_MS: '60000' });
	heading('webhooks');
	try {
		for (let round = 1; round <= ROUNDS; round++) await measure(place, `, ${round}`, names);
		await measure(place, ' and a silent one', [...names, SILENT]);
		for (const accounts of [1, SILENT_ACCOUNTS]) await measureDelay(place, accounts, names[0]);
	} finally {
		silent.close();
		await receivers.stop();
		await nsd.stop();
		place.remove();
		authority.remove();
	}
}
