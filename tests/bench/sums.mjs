// Sums over 100,000 reports of one domain, about three rows each from 997 reporters, on both stores;
// and the cost of an upgrade with a million reports: the step of the schema, and summing a report.
import { execFileSync } from 'node:child_process';

import { psql, startPostgres } from '../support/postgres.mjs';
import { Place, heading, http, ms, row, runScheduled } from './measure.mjs';

const REPORTS = 100000;
const EARLIER = 1000000;
const DAYS = 90;
const DAY_MS = 24 * 3600 * 1000;
const RUNS = 20;
const ID = '0193490a-2b1c-7c4d-8e5f-6a7b8c9d0e1f';
const today = Math.floor(Date.now() / DAY_MS);

const series = (last) => `WITH RECURSIVE n (i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < ${last - 1})`;
const id = (i) => `CAST(10000000 + ${i} AS TEXT)`;
const day = (count) => `${today - DAYS + 1} + CAST(i AS BIGINT) * ${DAYS} / ${count}`;
const columns = `domain_id, id, identity, message_id, received_at_ms, kind, state, mail_from, begins_at_ms, ends_at_ms,
	records, total, passed, failed, discovered, selectors, detail`;
const lines = (count, more, value) => `INSERT INTO reports (${columns}${more}) ${series(count)}
	SELECT '${ID}', ${id('i')}, ${id('i')}, ${id('i')}, (${day(count)}) * ${DAY_MS} + 1, 'dmarc', 'read', 'noreply@reporter.example',
		(${day(count)}) * ${DAY_MS}, 1, 3, 30, 25, 5, '[]', '[]', '{}'${value} FROM n`;
const origins = (count, body) => `INSERT INTO report_origins (domain_id, report_id, reporter, verified, spf, dkim, dmarc, body_id,
	outcomes) ${series(count)} SELECT '${ID}', ${id('i')}, 'r' || (i * 7 % 997) || '.example', 1, 'pass', 'pass', 'pass', ${body}, '' FROM n`;
// One to five rows for a report; four of five come from sixty addresses that all reporters see.
const seen = (j) => `(CASE WHEN (i * 31 + ${j} * 17) % 5 < 4 THEN '1 1 0 ' || (1 + i % 40) || ' 192.0.2.' || ((i * 13 + ${j} * 7) % 60)
	ELSE '1 0 0 ' || (1 + i % 40) || ' 198.51.' || ((i * 3 + ${j}) % 100) || '.' || ((i * 7 + ${j} * 11) % 200) END) || '\n'`;
const told = [0, 1, 2, 3, 4].map((j) => (j === 0 ? seen(j) : `CASE WHEN i % 5 >= ${j} THEN ${seen(j)} ELSE '' END`)).join(' || ');
const packs = `INSERT INTO report_packs (domain_id, report_id, day, reporter, verified, told) ${series(REPORTS)}
	SELECT '${ID}', ${id('i')}, ${day(REPORTS)}, 'r' || (i * 7 % 997) || '.example', 1,
		'example.com dkim+example.com spf+example.com\n\n' || ${told} FROM n;
	INSERT INTO report_unfolded (domain_id, report_id, day) SELECT domain_id, report_id, day FROM report_packs`;
const body = JSON.stringify({ auths: [['example.com', 'example.com', null, [], [['example.com', 's1', 'pass', null]],
	[['example.com', 'mfrom', 'pass', null]], 0]], rows: [1, 2, 3].map((i) => [`192.0.2.${i}`, 'none', 'pass', 'pass', 10, 'passed', 0]) });

function run(place, text) {
	if (place.url) return psql(place.url, text);
	return execFileSync('sqlite3', ['-bail', 'var/eds.db'], { cwd: place.folder, input: text, encoding: 'utf8', maxBuffer: 1 << 28 });
}

function newPlace(url) {
	const place = new Place(url ? { EDS_DATABASE_URL: url } : {});
	place.url = url;
	place.call('admin', { action: 'create-account', name: 'a', plan: 'paid' });
	place.token = place.call('admin', { action: 'create-token', account: 'a', name: 't' }).token;
	run(place, `INSERT INTO domains (id, account_id, name, created_at_ms) SELECT '${ID}', id, 'example.com', 1 FROM accounts WHERE name = 'a';`);
	return place;
}

async function sums(place, store) {
	run(place, `${lines(REPORTS, ', packed', ', 1')}; ${origins(REPORTS, 'NULL')}; ${packs}; UPDATE reports SET packed = 0 WHERE id = ${id(REPORTS - 1)};`);
	const agreed = await runScheduled(place, 'reports-sum-earlier');
	row(`${store}: all reports folded into their days`, `${agreed.seconds.toFixed(2)} s`, '', `of ${run(place, 'SELECT sum(reports) FROM report_day_packs').trim()} reports`);
	if (place.url) run(place, 'VACUUM ANALYZE');
	const from = new Date((today - DAYS + 1) * DAY_MS).toISOString().slice(0, 10);
	for (const by of ['source', 'day', 'reporter', 'disposition']) {
		const event = http('GET', '/s', { id: ID });
		event.rawQueryString = `by=${by}&from=${from}`;
		event.queryStringParameters = { by, from };
		event.headers.authorization = `Bearer ${place.token}`;
		const { statusCode, body: text } = place.call('reports-sums', event);
		if (statusCode !== 200) throw new Error(`${statusCode} ${text}`);
		const got = await place.measure('reports-sums', event, { cold: RUNS });
		row(`${store}: sums by ${by}, 90 days`, ms(got.coldUs), '100 ms', `of ${REPORTS} reports; a new process to its answer, median`);
	}
}

// The schema as the previous release left it.
async function upgrade(place, store) {
	run(place, `DELETE FROM report_origins; DELETE FROM reports; DROP TABLE report_packs; DROP TABLE report_unfolded; DROP TABLE report_day_packs;
		DROP INDEX reports_not_packed; ALTER TABLE reports DROP COLUMN packed; UPDATE schema_steps SET done = 18;
		INSERT INTO report_bodies (id, received_at_ms, body) VALUES ('b', 1, '${body}');`);
	run(place, `${lines(EARLIER, '', '')}; ${origins(EARLIER, "'b'")};`);
	const began = process.hrtime.bigint();
	place.call('admin', { action: 'migrate' });
	row(`${store}: the schema's step`, `${(Number(process.hrtime.bigint() - began) / 1e9).toFixed(2)} s`, '', `with ${EARLIER} reports`);
	const { seconds, answer } = await runScheduled(place, 'reports-sum-earlier');
	row(`${store}: reports summed in a run`, String(answer.reports), '', `in ${seconds.toFixed(0)} s; a run every 5 minutes`);
}

export async function reportSums() {
	heading('Sums of reports');
	const server = await startPostgres();
	const places = [];
	try {
		for (const [store, url] of [['SQLite', undefined], ['PostgreSQL', server.url]]) {
			const place = newPlace(url);
			places.push(place);
			await sums(place, store);
			await upgrade(place, store);
		}
	} finally {
		for (const place of places) place.remove();
		await server.stop();
	}
}
