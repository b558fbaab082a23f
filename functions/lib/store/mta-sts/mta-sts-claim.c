#include <sha2.h>
#include <string.h>

#include "functions/lib/store/mta-sts/mta-sts-claim.h"
#include "functions/lib/store/mta-sts/mta-sts-row.h"
#include "functions/lib/store/transaction.h"
#include "runtime/time.h"

enum {
	MONTHS_KEPT = 14, /* number of complete months (30 days each) for which the ids of deleted
			   * rows are kept, besides the current month */
	FORGOTTEN_AT_ONCE = 1000,
};

#define MONTH_MS (INT64_C(30) * 24 * 3600 * 1000)

/* clang-format off */
/* The domain_id of the row with the name $1 for which the policy id $2 was issued. */
#define ISSUER \
	"(SELECT i.domain_id FROM mta_sts_ids i JOIN mta_sts m ON m.domain_id = i.domain_id WHERE" \
	" i.policy_id = $2 AND m.name = $1)"
static const struct eds_db_statement PROVE = {"mta-sts-prove",
	"UPDATE mta_sts"
	" SET look_due = 0, proven = CASE WHEN domain_id = " ISSUER " THEN 1 ELSE 0 END,"
	" kept_out = CASE WHEN domain_id = " ISSUER " THEN 0 ELSE 1 END"
	" WHERE name = $1 AND EXISTS " ISSUER};

static const struct eds_db_statement LOOKED = {"mta-sts-looked",
	"UPDATE mta_sts"
	" SET look_due = 0, kept_out = $2"
	" WHERE name = $1 AND (look_due = 1 OR kept_out <> $2)"};

/* Finds out whether an id is that of a deleted row. The statement names each month, so that the
 * database can use the primary key, which begins with the month. */
static const struct eds_db_statement IS_PAST = {"mta-sts-is-past",
	"SELECT 1 FROM mta_sts_past"
	" WHERE digest = $1 AND month IN (CAST($2 AS BIGINT), $2 - 1, $2 - 2, $2 - 3, $2 - 4,"
	" $2 - 5, $2 - 6, $2 - 7, $2 - 8, $2 - 9, $2 - 10, $2 - 11, $2 - 12, $2 - 13, $2 - 14)"
	" LIMIT 1"};

static const struct eds_db_statement IDS = {"mta-sts-ids",
	"SELECT policy_id FROM mta_sts_ids WHERE domain_id = $1"};

static const struct eds_db_statement KEEP_PAST = {"mta-sts-keep-past",
	"INSERT INTO mta_sts_past (month, digest) VALUES ($1, $2) ON CONFLICT DO NOTHING"};

static const struct eds_db_statement LOOK_AGAIN = {"mta-sts-look-again",
	"UPDATE mta_sts"
	" SET look_due = 1, due_at_ms = $3, leased_until_ms = 0"
	" WHERE name = $1 AND domain_id <> $2 AND proven = 0 AND enabled = 1 AND hosted = 1"};

static const struct eds_db_statement HAS_OLD = {"mta-sts-has-old",
	"SELECT 1 FROM mta_sts_past WHERE month < $1 LIMIT 1"};

static const struct eds_db_statement FORGET_OLD = {"mta-sts-forget-old",
	"DELETE FROM mta_sts_past"
	" WHERE month < $1 AND digest IN (SELECT digest FROM mta_sts_past WHERE month < $1"
	" LIMIT $2)"};
/* clang-format on */

static int64_t this_month(void)
{
	return rt_wall_ms() / MONTH_MS;
}

/* The digest of a name, a space and an id. Names and ids contain no space, so the text is
 * unambiguous. */
static int64_t digest_of(const char *name, const char *id)
{
	uint8_t bytes[SHA256_DIGEST_LENGTH];
	uint64_t digest = 0;
	SHA2_CTX sha;

	SHA256Init(&sha);
	SHA256Update(&sha, (const uint8_t *)name, strlen(name));
	SHA256Update(&sha, (const uint8_t *)" ", 1);
	SHA256Update(&sha, (const uint8_t *)id, strlen(id));
	SHA256Final(bytes, &sha);
	for (size_t i = 0; i < sizeof digest; i++)
		digest = digest << 8 | bytes[i];
	return (int64_t)(digest >> 1);
}

static enum eds_db_result is_past(
	struct eds_store *store, const char *name, const char *id, bool *past)
{
	struct eds_db_query *query;
	enum eds_db_result result = eds_db_query(store->db, &IS_PAST,
		EDS_DB_VALUES(
			eds_db_int_value(digest_of(name, id)), eds_db_int_value(this_month())),
		&query);

	eds_db_end(query);
	*past = result == EDS_DB_ROW;
	return *past ? EDS_DB_OK : result;
}

enum eds_db_result eds_store_mta_sts_shown(
	struct eds_store *store, const char *name, const char *id)
{
	enum eds_db_result result = EDS_DB_OK;
	int64_t issued = 0;
	bool past = false;

	if (id != NULL)
		result = eds_db_execute(store->db, &PROVE,
			EDS_DB_VALUES(eds_db_text_value(name), eds_db_text_value(id)), &issued);
	if (result != EDS_DB_OK || issued > 0)
		return result;
	if (id != NULL)
		result = is_past(store, name, id, &past);
	if (result != EDS_DB_OK)
		return result;
	return eds_db_execute(store->db, &LOOKED,
		EDS_DB_VALUES(eds_db_text_value(name), eds_db_int_value(past)), NULL);
}

bool eds_mta_sts_is_settled(const struct eds_mta_sts *config, const char *id)
{
	return !config->look_due && config->proven && !config->kept_out && id != NULL &&
		strcmp(id, config->policy_id) == 0;
}

struct looks {
	const struct eds_mta_sts_look *items;
	size_t count;
};

static rt_status write_looks(struct rt_ctx *ctx, struct eds_store *store, void *arg)
{
	const struct looks *looks = arg;
	enum eds_db_result result = EDS_DB_OK;

	for (size_t i = 0; i < looks->count && result == EDS_DB_OK; i++)
		result = eds_store_mta_sts_shown(store, looks->items[i].name, looks->items[i].id);
	return result == EDS_DB_OK ? RT_OK : eds_store_failed(ctx, store, result);
}

rt_status eds_store_mta_sts_look(struct rt_ctx *ctx, struct eds_store *store,
	const struct eds_mta_sts_look *looks, size_t count)
{
	struct looks all = {looks, count};

	return count > 0 ? eds_store_write_guarded(ctx, store, write_looks, &all) : RT_OK;
}

rt_status eds_store_mta_sts_look_again(
	struct rt_ctx *ctx, struct eds_store *store, const char *name, const char *domain_id)
{
	enum eds_db_result result = eds_db_execute(store->db, &LOOK_AGAIN,
		EDS_DB_VALUES(eds_db_text_value(name), eds_db_text_value(domain_id),
			eds_db_int_value(rt_wall_ms())),
		NULL);

	return result == EDS_DB_OK ? RT_OK : eds_store_failed(ctx, store, result);
}

/* Reads all ids first, so that no query is open while the caller writes. */
static rt_status read_ids(struct rt_ctx *ctx, struct eds_store *store,
	const struct eds_domain *domain, const char ***ids, size_t *count)
{
	size_t room = 0;
	struct eds_db_query *query;
	enum eds_db_result result = eds_db_query(
		store->db, &IDS, EDS_DB_VALUES(eds_db_text_value(domain->id)), &query);

	*ids = NULL;
	for (*count = 0; result == EDS_DB_ROW; (*count)++) {
		*ids = rt_grow(ctx, *ids, *count, &room, sizeof **ids);
		(*ids)[*count] = eds_db_text(ctx, query, EDS_DB_ONLY);
		result = eds_db_next(query);
	}
	eds_db_end(query);
	return result == EDS_DB_OK ? RT_OK : eds_store_failed(ctx, store, result);
}

rt_status eds_store_mta_sts_leave(
	struct rt_ctx *ctx, struct eds_store *store, const struct eds_domain *domain)
{
	enum eds_db_result result = EDS_DB_OK;
	const char **ids;
	size_t count;

	RT_TRY(read_ids(ctx, store, domain, &ids, &count));
	for (size_t i = 0; i < count && result == EDS_DB_OK; i++)
		result = eds_db_execute(store->db, &KEEP_PAST,
			EDS_DB_VALUES(eds_db_int_value(this_month()),
				eds_db_int_value(digest_of(domain->name, ids[i]))),
			NULL);
	if (result != EDS_DB_OK)
		return eds_store_failed(ctx, store, result);
	return eds_store_mta_sts_look_again(ctx, store, domain->name, domain->id);
}

rt_status eds_store_mta_sts_forget(struct rt_ctx *ctx, struct eds_store *store)
{
	struct eds_db_value last = eds_db_int_value(this_month() - MONTHS_KEPT);
	struct eds_db_query *query;
	enum eds_db_result result = eds_db_query(store->db, &HAS_OLD, &last, 1, &query);

	eds_db_end(query);
	if (result == EDS_DB_ROW)
		result = eds_db_execute(store->db, &FORGET_OLD,
			EDS_DB_VALUES(last, eds_db_int_value(FORGOTTEN_AT_ONCE)), NULL);
	return result == EDS_DB_OK ? RT_OK : eds_store_failed(ctx, store, result);
}
