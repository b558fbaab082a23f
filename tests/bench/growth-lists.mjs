// The lists whose growth is measured, and how they are filled.
const DAY_MS = 24 * 3600 * 1000;
const HOUR_MS = 3600 * 1000;
const now = Date.now();
const today = Math.floor(now / DAY_MS);

const HEAD = '0193490a-2b1c-7c4d-8e5f-';
export const ID = `${HEAD}000000000000`;
export const OFTEN = 'r0007919.example'; // the reporter of every second report, beginning with the first

// The measured lists. most: the default limit of the number of items in such a list; 0 for no limit.
export const LISTS = [
	{ name: 'domains', program: 'domains-list', query: {}, most: 0 },
	{ name: 'domains, the newest first', program: 'domains-list', query: { sort: '-createdAt' }, most: 0 },
	{ name: 'selectors', program: 'dkim-selectors-list', query: {}, most: 200 },
	{ name: 'selectors, the newest first', program: 'dkim-selectors-list', query: { sort: '-createdAt' }, most: 200 },
	{ name: 'history of the DNS setup', program: 'posture-history', query: {}, most: 500 },
	{ name: 'reports', program: 'reports-list', query: {}, most: 100000 },
	{ name: 'reports of a time', program: 'reports-list', query: { from: new Date(now - 30 * DAY_MS).toISOString().slice(0, 10) }, most: 100000 },
	{ name: 'reports of a reporter', program: 'reports-list', query: { reporter: OFTEN }, most: 100000 },
	{ name: 'reporters', program: 'reports-reporters-list', query: {}, most: 0 },
	{ name: 'audit log', program: 'tokens-log', query: {}, most: 10000 },
];

const series = (last) => `WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${last})`;

// The statements that fill the lists, for SQLite or PostgreSQL. Rows are inserted in the order of their ids,
// as in a real service.
export function FILLS(count, onPostgres) {
	const number = onPostgres ? "lpad(to_hex(i), 12, '0')" : "printf('%012x', i)";
	const key = onPostgres ? "lpad(CAST(i * 7919 % 1000003 AS TEXT), 7, '0')" : "printf('%07d', i * 7919 % 1000003)";
	const id = `'${HEAD}' || ${number}`;
	const at = `${now - HOUR_MS} - (${count} - i)`;
	const account = "(SELECT id FROM accounts WHERE name = 'a')";
	return [
		`INSERT INTO domains (id, account_id, name, created_at_ms) SELECT '${ID}', ${account}, 'a.example.com', 1`,
		...(count > 1 ? [`INSERT INTO domains (id, account_id, name, created_at_ms) ${series(count - 1)}
			SELECT ${id}, ${account}, 'd' || ${key} || '.example.com', ${at} FROM n`] : []),
		`INSERT INTO posture (domain_id, name, due_at_ms) SELECT id, name, 1 FROM domains WHERE TRUE ON CONFLICT (domain_id) DO NOTHING`,
		`INSERT INTO dkim_selectors (domain_id, name, shown, domain, manual, created_at_ms, due_at_ms, checked_at_ms, changed_at_ms, probed_at_ms,
			digest, wildcard, first_seen_at_ms, last_seen_at_ms, pass_count, fail_count, state, key_bits, errors, warnings)
			${series(count)} SELECT '${ID}', 's' || ${key}, 's' || ${key}, 'a.example.com', 1, ${at}, ${now + DAY_MS}, ${now}, 1, ${now}, 0, 0, 0, 0, 0, 0,
			'unknown', 0, '[]', '[]' FROM n`,
		`INSERT INTO posture_changes (domain_id, id, changed_at_ms, item, old_state, old_record, old_findings, new_state, new_record, new_findings)
			${series(count)} SELECT '${ID}', ${id}, ${at}, 'spf', 'valid', 'v=spf1 -all', '', 'valid', 'v=spf1 mx -all', '' FROM n`,
		`INSERT INTO report_reporters (domain_id, reporter, standing, first_seen_at_ms, last_seen_at_ms, verified_at_ms, verified_reports, other_reports)
			${series(count)} SELECT '${ID}', 'r' || ${key} || '.example', '', 1, ${at}, ${at}, 1, 0 FROM n`,
		`INSERT INTO reports (domain_id, id, identity, message_id, received_at_ms, kind, state, mail_from, begins_at_ms, ends_at_ms, records, total,
			passed, failed, discovered, selectors, detail, packed, summed)
			${series(count)} SELECT '${ID}', ${id}, ${id}, ${id}, ${at}, 'dmarc', 'read', 'noreply@reporter.example', ${(today - 2) * DAY_MS},
			${(today - 1) * DAY_MS}, 1, 3, 3, 0, '[]', '[]', '{}', 1, 1 FROM n`,
		`INSERT INTO report_origins (domain_id, report_id, reporter, verified, spf, dkim, dmarc, body_id, outcomes)
			${series(count)} SELECT '${ID}', ${id}, CASE WHEN i % 2 = 1 THEN '${OFTEN}' ELSE 'r' || ${key} || '.example' END, 1, 'pass', 'pass', 'pass', NULL, '' FROM n`,
		`INSERT INTO audit_log (account_id, id, at_ms, token_id, token_name, action, domain, subject)
			${series(count)} SELECT ${account}, ${id}, ${at}, 't', 't', 'registerSelector', 'a.example.com', 's' || i FROM n`,
	];
}
