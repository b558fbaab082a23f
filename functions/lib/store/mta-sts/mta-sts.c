/* Makes, reads and changes MTA-STS configurations. */
#include <string.h>

#include "functions/lib/mta-sts/policy-id.h"
#include "functions/lib/store/alerts/alert-tell.h"
#include "functions/lib/store/mta-sts/mta-sts-claim.h"
#include "functions/lib/store/mta-sts/mta-sts-row.h"
#include "functions/lib/store/transaction.h"
#include "runtime/time.h"

/* clang-format off */
static const struct eds_db_statement MAKE = {"mta-sts-make",
	"INSERT INTO mta_sts (domain_id, name, hosted, policy_id, updated_at_ms, due_at_ms,"
	" changed_at_ms)"
	" SELECT d.id, d.name, CASE WHEN a.plan = 'paid' THEN 1 ELSE 0 END, $2, d.created_at_ms,"
	" d.created_at_ms, d.created_at_ms"
	" FROM domains d"
	" JOIN accounts a ON a.id = d.account_id"
	" WHERE d.id = $1"
	" ON CONFLICT (domain_id) DO NOTHING"};

static const struct eds_db_statement ISSUE = {"mta-sts-issue",
	"INSERT INTO mta_sts_ids (domain_id, policy_id, issued_at_ms) VALUES ($1, $2, $3)"};

/* Removes all ids but the newest $2. Also keeps the current id $4, which may not be among the
 * newest after an error of the clock, and the id that the TXT record showed last: that id keeps
 * other accounts from serving the name. */
static const struct eds_db_statement FORGET_IDS = {"mta-sts-forget-ids",
	"DELETE FROM mta_sts_ids"
	" WHERE domain_id = $1 AND policy_id <> $4 AND policy_id NOT IN"
	" (SELECT dns_id FROM mta_sts WHERE domain_id = $1 AND dns_id IS NOT NULL)"
	" AND policy_id IN (SELECT policy_id FROM mta_sts_ids WHERE domain_id = $1"
	" ORDER BY issued_at_ms DESC, policy_id DESC LIMIT $3 OFFSET $2)"};

static const struct eds_db_statement GET = {"mta-sts-get",
	"SELECT " EDS_DB_LIST(EDS_MTA_STS_COLUMNS) " FROM mta_sts WHERE domain_id = $1"};

static const struct eds_db_statement GET_WITH_PLAN = {"mta-sts-get-with-plan",
	"SELECT " EDS_DB_LIST(EDS_MTA_STS_COLUMNS) ", (SELECT a.plan FROM domains d"
	" JOIN accounts a ON a.id = d.account_id WHERE d.id = domain_id)"
	" FROM mta_sts"
	" WHERE domain_id = $1"};

/* A change of due_at_ms ends the lease of a check. leased_until_ms = 0 ends the lease even if
 * the new due_at_ms equals the old one. */
static const struct eds_db_statement UPDATE = {"mta-sts-update",
	"UPDATE mta_sts"
	" SET enabled = $2, mode = $3, max_age_s = $4, mx_patterns = $5, hosted = $6,"
	" policy_id = $7, updated_at_ms = $8, enforce_held_until_ms = $9, changed_at_ms = $8,"
	" due_at_ms = $8, leased_until_ms = 0, look_due = $10, none_until_ms = $11,"
	" hosting_ends_at_ms = $12"
	" WHERE domain_id = $1"};
/* clang-format on */

char *eds_store_patterns_text(struct rt_ctx *ctx, const struct eds_mx_patterns *patterns)
{
	size_t length = 0;
	char *text;
	char *end;

	for (size_t i = 0; i < patterns->count; i++)
		length += strlen(patterns->items[i]) + 1;
	text = rt_alloc(ctx, length + 1);
	end = text;
	for (size_t i = 0; i < patterns->count; i++) {
		if (i > 0)
			*end++ = ' ';
		end = stpcpy(end, patterns->items[i]);
	}
	return text;
}

struct eds_mx_patterns eds_store_patterns_read(struct rt_ctx *ctx, const char *text)
{
	struct eds_mx_patterns patterns = {0};
	const char **items;
	size_t room = 1;

	for (const char *at = text; *at != '\0'; at++)
		room += *at == ' ';
	items = rt_alloc_array(ctx, room, sizeof *items);
	while (*text != '\0') {
		size_t length = strcspn(text, " ");

		items[patterns.count++] = rt_memdup(ctx, text, length);
		text += length + (text[length] == ' ');
	}
	patterns.items = items;
	return patterns;
}

static void read_observed(
	struct rt_ctx *ctx, struct eds_db_query *query, struct eds_mta_sts_observed *observed)
{
	observed->checked_at_ms = eds_db_int(query, EDS_MTA_STS_ROW_CHECKED_AT_MS);
	observed->dns_id = eds_db_text(ctx, query, EDS_MTA_STS_ROW_DNS_ID);
	observed->policy_fetched = eds_db_int(query, EDS_MTA_STS_ROW_POLICY_FETCHED) != 0;
	observed->policy_mode = eds_db_text(ctx, query, EDS_MTA_STS_ROW_POLICY_MODE);
	observed->valid = eds_db_int(query, EDS_MTA_STS_ROW_VALID) != 0;
	observed->errors = eds_db_text(ctx, query, EDS_MTA_STS_ROW_ERRORS);
	observed->evidence = eds_db_text(ctx, query, EDS_MTA_STS_ROW_EVIDENCE);
}

void eds_store_mta_sts_read(
	struct rt_ctx *ctx, struct eds_db_query *query, struct eds_mta_sts *config)
{
	*config = (struct eds_mta_sts){
		.domain_id = eds_db_text(ctx, query, EDS_MTA_STS_ROW_DOMAIN_ID),
		.name = eds_db_text(ctx, query, EDS_MTA_STS_ROW_NAME),
		.enabled = eds_db_int(query, EDS_MTA_STS_ROW_ENABLED) != 0,
		.mode = eds_store_mta_sts_mode(eds_db_text(ctx, query, EDS_MTA_STS_ROW_MODE),
			eds_db_int(query, EDS_MTA_STS_ROW_NONE_UNTIL_MS)),
		.max_age_s = eds_db_int(query, EDS_MTA_STS_ROW_MAX_AGE_S),
		.patterns = eds_store_patterns_read(
			ctx, eds_db_text(ctx, query, EDS_MTA_STS_ROW_MX_PATTERNS)),
		.hosted = eds_db_int(query, EDS_MTA_STS_ROW_HOSTED) != 0,
		.policy_id = eds_db_text(ctx, query, EDS_MTA_STS_ROW_POLICY_ID),
		.updated_at_ms = eds_db_int(query, EDS_MTA_STS_ROW_UPDATED_AT_MS),
		.enforce_held_until_ms = eds_db_int(query, EDS_MTA_STS_ROW_ENFORCE_HELD_UNTIL_MS),
		.proven = eds_db_int(query, EDS_MTA_STS_ROW_PROVEN) != 0,
		.changed_at_ms = eds_db_int(query, EDS_MTA_STS_ROW_CHANGED_AT_MS),
		.fetched_at_ms = eds_db_int(query, EDS_MTA_STS_ROW_FETCHED_AT_MS),
		.look_due = eds_db_int(query, EDS_MTA_STS_ROW_LOOK_DUE) != 0,
		.kept_out = eds_db_int(query, EDS_MTA_STS_ROW_KEPT_OUT) != 0,
		.none_until_ms = eds_db_int(query, EDS_MTA_STS_ROW_NONE_UNTIL_MS),
		.hosting_ends_at_ms = eds_db_int(query, EDS_MTA_STS_ROW_HOSTING_ENDS_AT_MS),
	};
	read_observed(ctx, query, &config->observed);
}

static rt_status issue(struct rt_ctx *ctx, struct eds_store *store, const char *domain_id,
	const char *policy_id, int64_t now_ms)
{
	enum eds_db_result result = eds_db_execute(store->db, &ISSUE,
		EDS_DB_VALUES(eds_db_text_value(domain_id), eds_db_text_value(policy_id),
			eds_db_int_value(now_ms)),
		NULL);

	if (result == EDS_DB_FOREIGN_KEY)
		return eds_store_no_domain(ctx);
	if (result == EDS_DB_OK)
		result = eds_db_execute(store->db, &FORGET_IDS,
			EDS_DB_VALUES(eds_db_text_value(domain_id),
				eds_db_int_value(EDS_POLICY_IDS_KEPT), eds_db_int_value(INT32_MAX),
				eds_db_text_value(policy_id)),
			NULL);
	return result == EDS_DB_OK ? RT_OK : eds_store_failed(ctx, store, result);
}

rt_status eds_store_mta_sts_make(struct rt_ctx *ctx, struct eds_store *store, const char *domain_id)
{
	int64_t now_ms = rt_wall_ms();
	const char *policy_id = eds_policy_id_new(ctx, now_ms);
	int64_t made = 0;
	enum eds_db_result result = eds_db_execute(store->db, &MAKE,
		EDS_DB_VALUES(eds_db_text_value(domain_id), eds_db_text_value(policy_id)), &made);

	if (result != EDS_DB_OK)
		return eds_store_failed(ctx, store, result);
	return made > 0 ? issue(ctx, store, domain_id, policy_id, now_ms) : RT_OK;
}

/* Reads a configuration. with_plan: also reads the current plan of the account. RT_NOT_FOUND when
 * there is no row. */
static rt_status read_config(struct rt_ctx *ctx, struct eds_store *store,
	const struct eds_domain *domain, bool with_plan, struct eds_mta_sts *config)
{
	struct eds_db_query *query;
	enum eds_db_result result = eds_db_query(store->db, with_plan ? &GET_WITH_PLAN : &GET,
		EDS_DB_VALUES(eds_db_text_value(domain->id)), &query);
	enum eds_plan plan = domain->plan;
	bool known = true;

	*config = (struct eds_mta_sts){0};
	if (result == EDS_DB_ROW)
		eds_store_mta_sts_read(ctx, query, config);
	if (result == EDS_DB_ROW && with_plan)
		known = eds_plan_parse(eds_db_text(ctx, query, EDS_MTA_STS_COLUMN_COUNT), &plan);
	eds_db_end(query);
	if (result == EDS_DB_OK)
		return eds_store_no_domain(ctx);
	if (result != EDS_DB_ROW || !known)
		return eds_store_failed(ctx, store, result);
	config->plan = plan;
	return RT_OK;
}

enum eds_policy_mode eds_store_mta_sts_mode(const char *mode, int64_t none_until_ms)
{
	enum eds_policy_mode named = eds_policy_mode_named(mode);

	/* mode none is stored as mode testing with a none_until_ms above 0. A program of an earlier
	 * release, which does not know mode none, may have changed testing to enforce; then the
	 * mode is enforce. */
	return named == EDS_POLICY_TESTING && none_until_ms > 0 ? EDS_POLICY_NONE : named;
}

static const char *mode_column(enum eds_policy_mode mode)
{
	return eds_policy_mode_name(mode == EDS_POLICY_NONE ? EDS_POLICY_TESTING : mode);
}

static rt_status write_config(
	struct rt_ctx *ctx, struct eds_store *store, const struct eds_mta_sts *config)
{
	enum eds_db_result result = eds_db_execute(store->db, &UPDATE,
		EDS_DB_VALUES(eds_db_text_value(config->domain_id),
			eds_db_int_value(config->enabled),
			eds_db_text_value(mode_column(config->mode)),
			eds_db_int_value(config->max_age_s),
			eds_db_text_value(eds_store_patterns_text(ctx, &config->patterns)),
			eds_db_int_value(config->hosted), eds_db_text_value(config->policy_id),
			eds_db_int_value(config->updated_at_ms),
			eds_db_int_value(config->enforce_held_until_ms),
			eds_db_int_value(config->look_due), eds_db_int_value(config->none_until_ms),
			eds_db_int_value(config->hosting_ends_at_ms)),
		NULL);

	return result == EDS_DB_OK ? RT_OK : eds_store_failed(ctx, store, result);
}

struct update {
	const struct eds_domain *domain;
	eds_mta_sts_edit edit; /* the change to make; NULL to only make a missing row */
	void *arg;
	struct eds_mta_sts *after;
};

static rt_status write_changes(struct rt_ctx *ctx, struct eds_store *store,
	const struct eds_mta_sts *before, struct eds_mta_sts *after)
{
	bool same_id = before->policy_id != NULL &&
		strcmp(after->policy_id, before->policy_id) == 0;
	bool same_host = before->enabled == after->enabled && before->hosted == after->hosted;

	if (same_id && same_host)
		return RT_OK;
	if (!same_id)
		RT_TRY(issue(ctx, store, after->domain_id, after->policy_id, after->updated_at_ms));
	if (!same_host) {
		/* the TXT record must be read again, because another row may have been proven in
		 * the meantime */
		after->look_due = !after->proven;
		RT_TRY(eds_store_mta_sts_look_again(ctx, store, after->name, after->domain_id));
	}
	RT_TRY(write_config(ctx, store, after));
	return eds_store_alert_tell(ctx, store, after->domain_id, &after->news);
}

/* A program of the previous release may still run and create domains without a configuration. The
 * configuration of such a domain is created when it is first read. */
static rt_status read_or_make(struct rt_ctx *ctx, struct eds_store *store,
	const struct eds_domain *domain, struct eds_mta_sts *config)
{
	rt_status status = read_config(ctx, store, domain, true, config);

	if (status != RT_NOT_FOUND)
		return status;
	rt_fail_clear(ctx);
	RT_TRY(eds_store_mta_sts_make(ctx, store, domain->id));
	return read_config(ctx, store, domain, true, config);
}

static rt_status update(struct rt_ctx *ctx, struct eds_store *store, void *arg)
{
	const struct update *u = arg;
	struct eds_mta_sts before;

	RT_TRY(read_or_make(ctx, store, u->domain, &before));
	*u->after = before;
	if (u->edit == NULL)
		return RT_OK;
	RT_TRY(u->edit(ctx, u->after, u->arg));
	return write_changes(ctx, store, &before, u->after);
}

rt_status eds_store_mta_sts_update(struct rt_ctx *ctx, struct eds_store *store,
	const struct eds_domain *domain, eds_mta_sts_edit edit, void *arg,
	struct eds_mta_sts *after)
{
	struct update u = {.domain = domain, .edit = edit, .arg = arg, .after = after};

	return eds_store_write(ctx, store, update, &u);
}

rt_status eds_store_mta_sts_get(struct rt_ctx *ctx, struct eds_store *store,
	const struct eds_domain *domain, struct eds_mta_sts *config)
{
	rt_status status = read_config(ctx, store, domain, false, config);

	if (status != RT_NOT_FOUND)
		return status;
	rt_fail_clear(ctx);
	return eds_store_mta_sts_update(ctx, store, domain, NULL, NULL, config);
}
