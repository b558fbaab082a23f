// DKIM selectors: the recheck of many selectors against a local nsd, on SQLite, where half of them do
// not exist; and the list of a thousand. The first recheck finds a change in each and also checks for
// wildcards; the others find no change, as nearly every real run does. They fell due in the last half
// minute; the last recheck is of selectors that are very late, so that accounts take turns.
import { execFileSync } from 'node:child_process';
import { generateKeyPairSync } from 'node:crypto';
import { readFileSync } from 'node:fs';

import { startNsd, txt } from '../e2e/support/nsd.mjs';
import { Place, heading, http, mb, ms, row, runScheduled } from './measure.mjs';

const SELECTORS = 100000;
const SELECTORS_PER_DOMAIN = 4;
const LISTED = 1000; // selectors of a further domain, whose list is measured
const KEYS = 24;
const DUE_FOR_MS = 30000;

const keys = Array.from({ length: KEYS }, () =>
	generateKeyPairSync('rsa', { modulusLength: 2048 })
		.publicKey.export({ type: 'spki', format: 'der' }).toString('base64'));

const domainOf = (i) => `d${Math.floor(i / SELECTORS_PER_DOMAIN)}.example`;
const exists = (i) => i % 2 === 0;

function records() {
	const lines = [];
	for (let i = 0; i < SELECTORS; i++)
		if (exists(i))
			lines.push(`s${i}._domainkey.${domainOf(i)}. TXT ${txt(`v=DKIM1; k=rsa; p=${keys[i % KEYS]}`)}`);
	return lines;
}

function sql(place, text) {
	execFileSync('sqlite3', ['-bail', 'var/eds.db'], { cwd: place.folder, input: text });
}

const insertDomain = (name) =>
	`INSERT INTO domains (id, account_id, name, created_at_ms) VALUES ('${name}', 'a', '${name}', 1);`;

function fillSelectors(place) {
	const lines = ['BEGIN;',
		"INSERT INTO accounts (id, name, plan, created_at_ms) VALUES ('a', 'bench', 'paid', 1);"];
	for (let i = 0; i < SELECTORS; i += SELECTORS_PER_DOMAIN) lines.push(insertDomain(domainOf(i)));
	for (let i = 0; i < SELECTORS; i++)
		lines.push('INSERT INTO dkim_selectors (domain_id, name, shown, domain, manual, created_at_ms, ' +
			'due_at_ms, checked_at_ms, changed_at_ms, probed_at_ms, digest, wildcard, first_seen_at_ms, ' +
			'last_seen_at_ms, pass_count, fail_count, state, key_bits, errors, warnings) VALUES ' +
			`('${domainOf(i)}', 's${i}', 's${i}', '${domainOf(i)}', 1, 1, ${i}, 0, 0, 0, 0, 0, 0, 0, 0, 0, ` +
			"'unknown', 0, '[]', '[]');");
	sql(place, [...lines, 'COMMIT;'].join('\n'));
}

// Datagrams that the kernel dropped because a buffer was full, over all sockets of the machine.
function lostDatagrams() {
	const [names, values] = readFileSync('/proc/net/snmp', 'utf8').split('\n')
		.filter((line) => line.startsWith('Udp: ')).map((line) => line.split(' '));
	return Number(values[names.indexOf('RcvbufErrors')]);
}

async function measureRecheck(place, title) {
	const lost = lostDatagrams();
	const { answer, seconds, cpu, kb } = await runScheduled(place, 'dkim-recheck');
	if (answer.checked !== SELECTORS) throw new Error(JSON.stringify(answer));
	row(`recheck of ${SELECTORS}, ${title}`, `${Math.round(SELECTORS / cpu)}/s`, '60000/s',
		`names a second of one core; ${(SELECTORS / seconds / 1000).toFixed(0)}k/s of wall-clock time; ` +
		`${lostDatagrams() - lost} datagrams lost`);
	row('  its memory', mb(kb), '32 MB', 'peak of the process');
}

// The list of one domain with a thousand selectors, half of them with an error.
async function measureList(place) {
	const { token } = place.call('admin', { action: 'create-token', account: 'bench', name: 'bench', expiresAt: null });
	const id = '01900000-0000-7000-8000-000000000001';
	const event = http('GET', `/api/v1/domains/${id}/dkim/selectors`, { id });
	event.headers.authorization = `Bearer ${token}`;
	sql(place, insertDomain(id) + `UPDATE dkim_selectors SET domain_id = '${id}' WHERE rowid <= ${LISTED};`);
	const got = await place.measure('dkim-selectors-list', event, { stream: 300 });
	row(`list of ${LISTED} selectors`, ms(got.streamCpuUs), '2 ms', 'CPU of a kept process');
	sql(place, `UPDATE dkim_selectors SET state = 'valid', key_hash = 'k', record_digest = digest WHERE domain_id = '${id}';`);
	const one = await place.measure('dkim-selectors-list', event, { stream: 300 });
	row('  of one key', ms(one.streamCpuUs), '4 ms', 'the other domains with that key are looked up once');
}

export async function selectors() {
	const nsd = await startNsd(records());
	const place = new Place({ EDS_DNS_SERVERS: nsd.address, EDS_TIMEOUT_MS: '60000' });
	heading('DKIM selectors');
	try {
		fillSelectors(place);
		for (const title of ['all new', 'as before', 'as before, again', 'as before, late']) {
			const since = title.endsWith('late') ? 0 : Date.now() - DUE_FOR_MS;
			sql(place, `UPDATE dkim_selectors SET leased_until_ms = 0, due_at_ms = ${since} + rowid * ${DUE_FOR_MS} / ${SELECTORS};`);
			await measureRecheck(place, title);
		}
		await measureList(place);
	} finally {
		await nsd.stop();
		place.remove();
	}
}
