// Posture: checks of many domains whose mail is set up well, with DNS from a local nsd, on SQLite;
// and the same checks again, when nothing has changed. The target is 1,000 domains a minute on one
// core.
import { execFileSync } from 'node:child_process';

import { startNsd } from '../e2e/support/nsd.mjs';
import { Place, heading, mb, row, runScheduled, us } from './measure.mjs';

const DOMAINS = 1000;
const ROUNDS = 3;

const nameOf = (i) => `d${i}.example`;

function records() {
	const lines = ['v._report._dmarc.reports.test. TXT "v=DMARC1"'];
	for (let i = 0; i < DOMAINS; i++) {
		const name = nameOf(i);
		lines.push(`${name}. NS ns1.${name}.`, `${name}. NS ns2.${name}.`, `ns1.${name}. A 127.0.0.1`, `ns2.${name}. A 127.0.0.1`,
			`${name}. MX 10 mx1.${name}.`, `${name}. MX 20 mx2.${name}.`, `mx1.${name}. A 192.0.2.3`, `mx2.${name}. A 192.0.2.4`,
			`${name}. TXT "v=spf1 include:_spf.${name} mx -all"`, `_spf.${name}. TXT "v=spf1 ip4:192.0.2.0/24 -all"`,
			`_dmarc.${name}. TXT "v=DMARC1; p=reject; rua=mailto:d@reports.test"`, `_smtp._tls.${name}. TXT "v=TLSRPTv1; rua=mailto:t@${name}"`,
			`_mta-sts.${name}. TXT "v=STSv1; id=a1"`, `mta-sts.${name}. A 192.0.2.5`,
			`_25._tcp.mx1.${name}. TLSA 3 1 1 ${'ab'.repeat(32)}`, `_25._tcp.mx2.${name}. TLSA 3 1 1 ${'ab'.repeat(32)}`,
			`${name}. CAA 0 issue "letsencrypt.org"`);
	}
	return lines;
}

const sql = (place, text) => execFileSync('sqlite3', ['-bail', 'var/eds.db'],
	{ cwd: place.folder, input: text, encoding: 'utf8' }).trim();

function fill(place) {
	const lines = ['BEGIN;', "INSERT INTO accounts (id, name, plan, created_at_ms) VALUES ('a', 'bench', 'paid', 1);"];
	for (let i = 0; i < DOMAINS; i++)
		lines.push(`INSERT INTO domains (id, account_id, name, created_at_ms) VALUES ('${nameOf(i)}', 'a', '${nameOf(i)}', 1);`,
			`INSERT INTO posture (domain_id, name, due_at_ms) VALUES ('${nameOf(i)}', '${nameOf(i)}', ${i});`);
	sql(place, [...lines, 'COMMIT;'].join('\n'));
}

async function measureLooks(place, title) {
	const { answer, seconds, cpu, kb } = await runScheduled(place, 'posture-check');
	if (answer.checked !== DOMAINS) throw new Error(JSON.stringify(answer));
	row(`looks at ${DOMAINS} domains, ${title}`, `${Math.round(DOMAINS / seconds * 60)}/min`, '1000/min', 'wall-clock time; nsd on the same machine');
	row('  its CPU', us(cpu / DOMAINS * 1e6), '', 'a domain');
	row('  its memory', mb(kb), '128 MB', 'peak of the process');
}

export async function posture() {
	const nsd = await startNsd(records());
	const place = new Place({ EDS_DNS_SERVERS: nsd.address, EDS_NAME_SERVER_PORT: nsd.address.split(':')[1], EDS_ALLOW_PRIVATE_ADDRESSES: '1', EDS_TIMEOUT_MS: '60000' });
	heading('posture');
	try {
		fill(place);
		await measureLooks(place, 'the first');
		for (let round = 1; round <= ROUNDS; round++) {
			sql(place, 'UPDATE posture SET leased_until_ms = 0, due_at_ms = rowid;');
			await measureLooks(place, `again, ${round}`);
		}
	} finally {
		await nsd.stop();
		place.remove();
	}
}
