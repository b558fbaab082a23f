// How the databases read a page of a long list: along an index in the order of the list, so that the cost of a page does not
// grow with the list; and how they find the same report in a long log. The statements are those in the programs. Selectors and histories are not here: these lists are short.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { after, before, describe, test } from 'node:test';

import { FILLS, ID, OFTEN } from '../bench/growth-lists.mjs';
import { Place, program } from '../bench/measure.mjs';
import { findPostgres, psql, startPostgres } from '../support/postgres.mjs';

const ROWS = 3000;
const LATEST = '9223372036854775807';
// the values for the filters of the list of domains: any name, no second spelling of it, any state
const NAMED = ["'%'", "''", "''"];

// Each row: the function, the end of its ORDER BY, the index on SQLite and on PostgreSQL, and
// the values for a first page.
const LISTS = [
	['domains-list', 'd.name COLLATE "C" LIMIT', 'sqlite_autoindex_domains_2', 'domains_by_octets', (account) => [account, "''", '101', "''", ...NAMED]],
	['domains-list', 'd.name COLLATE "C" DESC LIMIT', 'sqlite_autoindex_domains_2', 'domains_by_octets', (account) => [account, "'~'", '101', "''", ...NAMED]],
	['domains-list', 'd.created_at_ms, d.id COLLATE "C" LIMIT', 'domains_by_age', 'domains_by_age', (account) => [account, '0', '101', "''", ...NAMED, "''"]],
	['domains-list', 'd.created_at_ms DESC, d.id COLLATE "C" DESC LIMIT', 'domains_by_age', 'domains_by_age',
		(account) => [account, LATEST, '101', "''", ...NAMED, "''"]],
	['reports-list', '< $2 ORDER BY r.id DESC LIMIT', 'sqlite_autoindex_reports_1', 'reports_pkey', () => [`'${ID}'`, "'g'", '101']],
	['reports-list', '> 0 ORDER BY r.id DESC LIMIT', 'sqlite_autoindex_reports_1', 'reports_pkey',
		() => [`'${ID}'`, "'g'", '101', '1', LATEST, '-1']],
	['reports-list', 'o.reporter = $4 ORDER BY o.report_id DESC LIMIT', 'report_origins_by_reporter', 'report_origins_by_reporter',
		() => [`'${ID}'`, "'g'", '101', `'${OFTEN}'`]],
	['reports-reporters-list', 'reporter COLLATE "C" LIMIT', 'sqlite_autoindex_report_reporters_1', 'report_reporters_by_octets',
		() => [`'${ID}'`, "''", '101']],
	['tokens-log', 'id COLLATE "C" DESC LIMIT', 'sqlite_autoindex_audit_log_1', 'audit_log_by_octets', (account) => [account, '0', "'~'", '101']],
];

// The same report under another reporter, for which each report of an upload or a mail is looked up, in a log of any length.
const TWINS = [['reports-upload', 'AND o.verified = 1'], ['reports-ingest', "AND o.way = 'upload'"]];
const TWIN_INDEX = 'reports_by_reporter_id';

const statements = (name) => readFileSync(program(name), 'latin1').split('\0').filter((text) => text.startsWith('SELECT '));
const statementOf = (name, words) => {
	const found = statements(name).filter((text) => text.includes(words));
	assert.equal(found.length, 1, `${name}: ${words}`);
	return found[0];
};

function fill(place, run, onPostgres) {
	place.call('admin', { action: 'create-account', name: 'a', plan: 'paid' });
	for (const text of FILLS(ROWS, onPostgres)) run(text);
	run("UPDATE reports SET reporter_id = 'id-' || id, organization = 'Receiver'");
	run(onPostgres ? 'VACUUM ANALYZE' : 'ANALYZE');
}

describe('A page of a long list on SQLite', () => {
	let place;
	const run = (text) => execFileSync('sqlite3', ['-bail', 'var/eds.db'], { cwd: place.folder, input: text, encoding: 'utf8' });
	before(() => {
		place = new Place();
		fill(place, run, false);
	});
	after(() => place.remove());

	for (const [name, words, index] of LISTS)
		test(`of ${name} is read along ${index}, ordered by ${words}`, () => {
			const plan = run(`EXPLAIN QUERY PLAN ${statementOf(name, words).replaceAll('COLLATE "C"', '')};`);
			assert.match(plan, new RegExp(`USING (COVERING )?INDEX ${index} \\(.*[<>]`));
			// The statement for domains sorts the rows of the page once more, but not the whole list.
			if (name !== 'domains-list') assert.doesNotMatch(plan, /TEMP B-TREE/);
		});

	for (const [name, words] of TWINS)
		test(`and the same report, in ${name}, is found along ${TWIN_INDEX}`, () => {
			const plan = run(`EXPLAIN QUERY PLAN ${statementOf(name, words)};`);
			assert.match(plan, new RegExp(`SEARCH r USING INDEX ${TWIN_INDEX} \\(domain_id=\\? AND reporter_id=\\?`));
		});
});

describe('A page of a long list on PostgreSQL', { skip: findPostgres() ? false : 'there is no PostgreSQL here' }, () => {
	let place;
	let server;
	let account;
	before(async () => {
		server = await startPostgres();
		place = new Place({ EDS_DATABASE_URL: server.url });
		fill(place, (text) => psql(server.url, text), true);
		account = `'${psql(server.url, "SELECT id FROM accounts WHERE name = 'a'")}'`;
	});
	after(async () => {
		place?.remove();
		await server?.stop();
	});

	for (const [name, words, , index, values] of LISTS)
		test(`of ${name} is read along ${index}, ordered by ${words}`, () => {
			const plan = psql(server.url, `SET plan_cache_mode = force_custom_plan; PREPARE page AS ${statementOf(name, words)};
				EXPLAIN EXECUTE page (${values(account).join(', ')})`);
			assert.match(plan, new RegExp(`Index Scan (Backward )?using ${index} on `));
			if (name !== 'domains-list') assert.doesNotMatch(plan, /Sort Key/);
		});

	for (const [name, words] of TWINS)
		test(`and the same report, in ${name}, is found along ${TWIN_INDEX}`, () => {
			const plan = psql(server.url, `SET plan_cache_mode = force_custom_plan; PREPARE twin AS ${statementOf(name, words)};
				EXPLAIN EXECUTE twin ('${ID}', 'dmarc', 'id-7', 'Receiver', 1, 2)`);
			assert.match(plan, new RegExp(`Index Scan using ${TWIN_INDEX} on `));
		});
});
