// Sums over 100,000 reports of one domain in 90 days, about twenty rows each from 997 reporters, on both
// stores, and what the page asks for besides; and the cost of an upgrade with a million reports: the step of
// the schema, and summing a report.
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';

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
// A report has 16 to 23 rows. Of twenty rows, 16 are for the domain's own addresses (60 in all), three for
// forwarders (400 in all), and one for other addresses (20,000 in all).
const OWN = 60;
const FORWARDERS = 400;
const OTHERS = 20000;
const drawn = (j) => `(i * 31 + ${j} * 7) % 20`;
const address = { own: (i) => `'192.0.2.' || ((${i}) % ${OWN})`, forwarder: (i) => `'203.0.' || ((${i}) % 4) || '.' || ((${i}) % ${FORWARDERS} / 4)`,
	other: (i) => `'198.' || ((${i}) % ${OTHERS} / 200) || '.100.' || ((${i}) % 200)` };
const seen = (j) => `(CASE WHEN ${drawn(j)} < 16 THEN '1 1 ' || ((i * 13 + ${j} * 7) % ${OWN} / 15) || ' ' || (1 + i % 40) || ' ' || ${address.own(`i * 13 + ${j} * 7`)}
	WHEN ${drawn(j)} < 19 THEN '1 2 4 ' || (1 + i % 9) || ' ' || ${address.forwarder(`i * 7 + ${j}`)}
	ELSE '4 0 5 ' || (1 + i % 3) || ' ' || ${address.other(`i * 11 + ${j}`)} END) || '\n'`;
const told = Array.from({ length: 24 }, (_, j) => (j < 16 ? seen(j) : `CASE WHEN i % 8 >= ${j - 16} THEN ${seen(j)} ELSE '' END`)).join(' || ');
const auths = [...[0, 1, 2, 3].map((i) => `example.com dkim+example.com spf+bounce${i}.example.com`),
	'example.com dkim-example.com spf+list.example', 'example.com spf-example.com'].join('\n');
// The names of the addresses are known, as after a user has looked at the page.
const named = [['own', OWN], ['forwarder', FORWARDERS], ['other', OTHERS]].map(([kind, count]) => `INSERT INTO report_source_names
	(source, name, asked_at_ms, ask_at_ms, network, asn, as_name, lists, facts_at_ms) ${series(count)}
	SELECT ${address[kind]('i')}, 'mx' || i || '.example', ${Date.now()}, ${Date.now() + DAY_MS}, '192.0.2.0/24', 64500, 'Example', '----', ${Date.now() + DAY_MS}
	FROM n`).join(';\n');
const packs = `INSERT INTO report_packs (domain_id, report_id, day, reporter, verified, told) ${series(REPORTS)}
	SELECT '${ID}', ${id('i')}, ${day(REPORTS)}, 'r' || (i * 7 % 997) || '.example', 1,
		'${auths}\n\n' || ${told} FROM n;
	INSERT INTO report_unfolded (domain_id, report_id, day) SELECT domain_id, report_id, day FROM report_packs`;
const body = JSON.stringify({ auths: [['example.com', 'example.com', null, [], [['example.com', 's1', 'pass', null]],
	[['example.com', 'mfrom', 'pass', null]], 0]], rows: [1, 2, 3].map((i) => [`192.0.2.${i}`, 'none', 'pass', 'pass', 10, 'passed', 0]) });

function run(place, text) {
	if (place.url) return psql(place.url, text);
	return execFileSync('sqlite3', ['-bail', 'var/eds.db'], { cwd: place.folder, input: text, encoding: 'utf8', maxBuffer: 1 << 28 });
}

function newPlace(server) {
	const place = new Place(server ? { EDS_DATABASE_URL: server.url } : {});
	place.url = server?.url;
	place.server = server;
	place.call('admin', { action: 'create-account', name: 'a', plan: 'paid' });
	place.token = place.call('admin', { action: 'create-token', account: 'a', name: 't' }).token;
	run(place, `INSERT INTO domains (id, account_id, name, created_at_ms) SELECT '${ID}', id, 'example.com', 1 FROM accounts WHERE name = 'a';`);
	return place;
}

// Folds all reports; a run folds only for a part of its time, so a busy machine needs several runs. Returns
// the CPU time in seconds.
async function foldAll(place) {
	let seconds = 0;
	do {
		run(place, `UPDATE reports SET packed = 0 WHERE id = ${id(REPORTS - 1)}`);
		seconds += (await runScheduled(place, 'reports-sum-earlier')).cpu;
	} while (Number(run(place, 'SELECT count(*) FROM report_unfolded')) > 0);
	return seconds;
}

// The CPU time of the database server for all clients that have disconnected, in us.
function serverCpuUs(place) {
	if (!place.server) return 0;
	const fields = readFileSync(`/proc/${place.server.pid}/stat`, 'utf8').replace(/^.*\) /s, '').split(' ');
	return (Number(fields[13]) + Number(fields[14])) * 10000;
}

async function sums(place, store) {
	run(place, `${lines(REPORTS, ', packed', ', 1')}; ${origins(REPORTS, 'NULL')}; ${packs}; ${named};`);
	row(`${store}: all reports folded into their days`, `${(await foldAll(place)).toFixed(2)} s`, '', `CPU; of ${REPORTS} reports`);
	if (place.url) run(place, 'VACUUM ANALYZE');
	const days = (count) => ({ from: new Date((today - count + 1) * DAY_MS).toISOString().slice(0, 10) });
	for (const by of ['source', 'day', 'reporter', 'disposition'])
		await ask(place, `${store}: sums by ${by}, 90 days`, 'reports-sums', { by, ...days(DAYS) });
	await ask(place, `${store}: sums by day, 30 days`, 'reports-sums', { by: 'day' });
	await ask(place, `${store}: sources, 90 days`, 'reports-sources', days(DAYS));
	await ask(place, `${store}: sources, 30 days`, 'reports-sources', {});
	await ask(place, `${store}: the newest 100 reports`, 'reports-list', { limit: '100' });
}

// Runs the function with this query in a new process; returns its answer.
async function ask(place, what, name, query) {
	const event = http('GET', '/s', { id: ID });
	event.rawQueryString = new URLSearchParams(query).toString();
	event.queryStringParameters = query;
	event.headers.authorization = `Bearer ${place.token}`;
	const { statusCode, body: text } = place.call(name, event);
	if (statusCode !== 200) throw new Error(`${statusCode} ${text}`);
	const before = serverCpuUs(place);
	const got = await place.measure(name, event, { cold: RUNS });
	const server = place.server ? `, ${ms((serverCpuUs(place) - before) / RUNS)} of the server` : '';
	row(what, ms(got.coldUs), '100 ms', `of ${REPORTS} reports; a new process to its answer, median; CPU ${ms(got.coldCpuUs)}${server}`);
}

// Measures the upgrade: makes the schema look as the previous release left it, and migrates.
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
		for (const [store, of] of [['SQLite', undefined], ['PostgreSQL', server]]) {
			const place = newPlace(of);
			places.push(place);
			await sums(place, store);
			await upgrade(place, store);
		}
	} finally {
		for (const place of places) place.remove();
		await server.stop();
	}
}
