// The daily check of DMARC reports: for many domains with a month of days and thirty addresses each,
// and for one domain with 1,000 sending addresses.
import { execFileSync } from 'node:child_process';

import { Place, heading, mb, row, runScheduled, us } from './measure.mjs';

const DOMAINS = 1000;
const LARGE = 20;
const DAYS = 31;
const today = Math.floor(Date.now() / 86400000);

const sql = (place, text) => execFileSync('sqlite3', ['-bail', 'var/eds.db'], { cwd: place.folder, input: text, encoding: 'utf8' });

function packs(addresses) {
	const rows = Array.from({ length: addresses }, (_, i) => `1 1 0 ${1 + i % 7} 198.51.${i >> 8}.${i % 256}\n`);
	return [`example.com dkim+example.com spf+example.com\n\n${rows.join('')}`, `1\n\n1 1 0 ${addresses} receiver.example\n`];
}

function fill(place, count, addresses) {
	const [sources, reporters] = packs(addresses);
	const lines = ['BEGIN;', "INSERT INTO accounts (id, name, plan, created_at_ms) VALUES ('a', 'bench', 'paid', 1);"];
	for (let i = 0; i < count; i++) {
		lines.push(`INSERT INTO domains (id, account_id, name, created_at_ms) VALUES ('d${i}', 'a', 'd${i}.example', 1);`,
			`INSERT INTO report_watch (domain_id, due_at_ms) VALUES ('d${i}', ${i});`);
		for (let day = today - DAYS; day < today; day++)
			lines.push('INSERT INTO report_day_packs (domain_id, day, part, reports, sources, reporters)' +
				` VALUES ('d${i}', ${day}, 0, 1, '${sources}', '${reporters}');`);
	}
	sql(place, [...lines, 'COMMIT;'].join('\n'));
}

async function measure(count, addresses) {
	const place = new Place({ EDS_TIMEOUT_MS: '60000' });
	try {
		fill(place, count, addresses);
		const { answer, cpu, kb } = await runScheduled(place, 'reports-watch');
		if (answer.looked !== count) throw new Error(JSON.stringify(answer));
		row(`the daily look at ${count} domains, ${addresses} addresses on each of ${DAYS} days`, us(cpu / count * 1e6), '', 'CPU a domain');
		row('  its memory', mb(kb), '128 MB', 'peak of the process');
	} finally {
		place.remove();
	}
}

export async function reportWatch() {
	heading('daily look at reports');
	await measure(DOMAINS, 30);
	await measure(LARGE, 1000);
}
