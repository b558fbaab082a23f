// The domains of the measurement of scale, as in a service that has run for a long time: every check
// was made before, and each is due at its own moment of the hour or the day.
import { MAIL_HOST, sqlIsOn, sqlName, sqlPolicyId } from './scale-names.mjs';

const HOUR_MS = 60 * 60 * 1000;
const DAY_MS = 24 * HOUR_MS;
const INDEXES = ['dkim_selectors_by_due', 'dkim_selectors_by_key', 'mta_sts_by_due', 'mta_sts_by_name', 'posture_by_due'];

// Ids have the length of real ones and, like those, sort by time.
const ID_HEAD = '0190b6a0-4c7e-7000-8000-';
export const idOf = (i) => ID_HEAD + i.toString(16).padStart(12, '0');
const id = (i) => `'${ID_HEAD}' || lpad(to_hex(${i}), 12, '0')`;

const on = (text, otherwise) => `CASE WHEN ${sqlIsOn} THEN ${text} ELSE ${otherwise} END`;

const COLUMNS = `domain_id, name, shown, domain, manual, created_at_ms, due_at_ms, checked_at_ms, changed_at_ms, probed_at_ms, digest,
	wildcard, first_seen_at_ms, last_seen_at_ms, pass_count, fail_count, state, key_type, key_bits, errors, warnings,
	record, key_hash, key_since_ms, record_digest, key_digest`;

// Three selectors for each domain from first to last: two valid ones, and one whose key is long gone.
const selectors = (first, last, startMs) => `INSERT INTO dkim_selectors (${COLUMNS})
	SELECT ${id('i')}, s, s, 'd' || i || CASE WHEN s = 'old' THEN '.gone' ELSE '.live' END, 1, 1,
		${startMs} + CAST(random() * CASE WHEN s = 'old' THEN ${DAY_MS} ELSE ${HOUR_MS} END AS BIGINT),
		${startMs}, ${startMs - 30 * DAY_MS}, coalesce(f.probed_at_ms, 0), coalesce(f.digest, 0), coalesce(f.wildcard, 0), 0, 0, 0, 0,
		coalesce(f.state, 'unknown'), f.key_type, coalesce(f.key_bits, 0), coalesce(f.errors, '[]'), coalesce(f.warnings, '[]'),
		f.record, f.key_hash, coalesce(f.key_since_ms, 0), coalesce(f.record_digest, 0), coalesce(f.key_digest, 0)
	FROM generate_series(${first}, ${last}) i CROSS JOIN (VALUES ('s1'), ('s2'), ('old')) AS v (s)
	LEFT JOIN dkim_selectors f ON f.domain_id = ${id(1)} AND f.name = s`;

const domains = (first, last) => `INSERT INTO domains (id, account_id, name, created_at_ms)
	SELECT ${id('i')}, 'a', ${sqlName}, 1 FROM generate_series(${first}, ${last}) i`;

// If MTA-STS of a domain is switched on, its last check found no fault.
const configurations = (first, last, startMs) => `INSERT INTO mta_sts (domain_id, name, enabled, hosted, mx_patterns, policy_id, updated_at_ms,
		due_at_ms, changed_at_ms, proven, checked_at_ms, fetched_at_ms, dns_id, policy_fetched, policy_mode, valid, errors, evidence)
	SELECT ${id('i')}, ${sqlName}, ${on(1, 0)}, ${on(1, 0)}, ${on(`'${MAIL_HOST}'`, "''")}, ${sqlPolicyId}, 1,
		${startMs} + CAST(random() * ${on(HOUR_MS, DAY_MS)} AS BIGINT), 1, ${on('coalesce(f.proven, 0)', 0)},
		coalesce(f.checked_at_ms, 0), ${on('coalesce(f.fetched_at_ms, 0)', 0)}, ${on(sqlPolicyId, 'NULL')},
		${on('coalesce(f.policy_fetched, 0)', 0)}, ${on('f.policy_mode', 'NULL')}, ${on('coalesce(f.valid, 0)', 0)}, '[]',
		${on("coalesce(f.evidence, '{}')", "'{}'")}
	FROM generate_series(${first}, ${last}) i LEFT JOIN mta_sts f ON f.domain_id = ${id(1)}`;
const policyIds = (last) => `INSERT INTO mta_sts_ids (domain_id, policy_id, issued_at_ms)
	SELECT ${id('i')}, ${sqlPolicyId}, 1 FROM generate_series(1, ${last}) i`;

// Each domain has a fault, so that it is checked hourly.
const postures = (first, last, startMs) => `INSERT INTO posture (domain_id, name, due_at_ms, state, checked_at_ms, changed_at_ms, items, records)
	SELECT ${id('i')}, ${sqlName}, ${startMs} + CAST(random() * ${HOUR_MS} AS BIGINT), coalesce(f.state, 'unknown'),
		coalesce(f.checked_at_ms, 0), coalesce(f.changed_at_ms, 0), coalesce(f.items, '[]'), coalesce(f.records, '[]')
	FROM generate_series(${first}, ${last}) i LEFT JOIN posture f ON f.domain_id = ${id(1)}`;

// The real job checks the first domain, and all others start with a copy of its state.
export async function fill(service, count, startMs) {
	service.sql(`INSERT INTO accounts (id, name, plan, created_at_ms) VALUES ('a', 'scale', 'paid', 1);
		${domains(1, 1)}; ${selectors(1, 1, startMs - DAY_MS)}; ${postures(1, 1, startMs - DAY_MS)};
		${configurations(1, 1, startMs - DAY_MS)}`);
	const { checked } = await service.run('dkim-recheck', startMs);
	if (checked !== 3) throw new Error(`${checked} selectors were checked`);
	const looks = await service.run('posture-check', startMs);
	if (looks.checked !== 1) throw new Error(`${looks.checked} domains were looked at`);
	const policies = await service.run('mta-sts-check', startMs);
	if (policies.checked !== 1 || service.sql('SELECT valid FROM mta_sts') !== '1') throw new Error(`${JSON.stringify(policies)}: ${service.sql('SELECT * FROM mta_sts')}`);
	const definitions = service.sql(`SELECT indexdef FROM pg_indexes WHERE indexname IN (${INDEXES.map((name) => `'${name}'`)})`).split('\n');
	service.sql(`DROP INDEX ${INDEXES}; ANALYZE dkim_selectors`);
	const half = Math.floor(count / 2);
	const parts = [domains(2, count), selectors(2, half, startMs), selectors(half + 1, count, startMs), configurations(2, count, startMs), policyIds(count),
		postures(2, half, startMs), postures(half + 1, count, startMs)];
	await Promise.all(parts.map((part) => service.sqlBeside(`SET session_replication_role = replica; ${part}`)));
	await Promise.all(definitions.map((definition) => service.sqlBeside(definition)));
	service.sql(`CREATE TABLE lateness (hour BIGINT, late_s BIGINT, checks BIGINT);
		CREATE UNLOGGED TABLE due (domain_id TEXT, name TEXT, due_at_ms BIGINT)`);
	service.sql('VACUUM (ANALYZE)');
	service.sql('CHECKPOINT');
}
