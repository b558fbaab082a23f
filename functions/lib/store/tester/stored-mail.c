#include <string.h>

#include "functions/lib/store/tester/stored-mail-change.h"
#include "runtime/time.h"

/* Values that rows have instead of a network. ALL marks the sum over all mail. DROPPED marks a
 * message that eds_store_mail_drop() recorded and that takes no space. */
#define ALL ""
#define DROPPED "dropped"

static const int64_t kept_ms = EDS_SESSION_LIFETIME_MS + 3600 * 1000;

/* clang-format off */
static const struct eds_db_statement KEEP = {"stored-keep",
	"INSERT INTO stored_mail (message_id, own, site, octets, kept_until_ms)"
	" VALUES ($1, $2, $3, $4, $5)"
	" ON CONFLICT DO NOTHING"};

static const struct eds_db_statement ADD = {"stored-add",
	"INSERT INTO stored_mail_sums (network, part, octets)"
	" VALUES ($1, $2, $3)"
	" ON CONFLICT (network, part)"
	" DO UPDATE SET octets = stored_mail_sums.octets + excluded.octets"};

static const struct eds_db_statement TAKE = {"stored-take",
	"UPDATE stored_mail_sums SET octets = octets - $3 WHERE network = $1 AND part = $2"};

static const struct eds_db_statement DROP_EMPTY = {"stored-drop-empty",
	"DELETE FROM stored_mail_sums WHERE network = $1 AND part = $2 AND octets <= 0"};

#define GONE_COLUMNS(FIRST, NEXT) \
	FIRST(GONE_OWN, "own") \
	NEXT(GONE_SITE, "site") \
	NEXT(GONE_OCTETS, "octets")
enum { EDS_DB_NAMES(GONE_COLUMNS) };

static const struct eds_db_statement GONE = {"stored-gone",
	"DELETE FROM stored_mail WHERE message_id = $1 RETURNING " EDS_DB_LIST(GONE_COLUMNS)};

#define SUM_COLUMNS(FIRST, NEXT) \
	FIRST(SUM_OWN, "CAST(coalesce(sum(CASE WHEN network = $1 THEN octets ELSE 0 END)," \
		" 0) AS BIGINT)") \
	NEXT(SUM_SITE, "CAST(coalesce(sum(CASE WHEN network = $2 THEN octets ELSE 0 END)," \
		" 0) AS BIGINT)") \
	NEXT(SUM_ALL, "CAST(coalesce(sum(CASE WHEN network = '" ALL "' THEN octets ELSE 0 END)," \
		" 0) AS BIGINT)")
enum { EDS_DB_NAMES(SUM_COLUMNS) };

static const struct eds_db_statement SUMS = {"stored-sums",
	"SELECT " EDS_DB_LIST(SUM_COLUMNS)
	" FROM stored_mail_sums"
	" WHERE network IN ($1, $2, '" ALL "')"};

static const struct eds_db_statement IS_DROPPED = {"stored-is-dropped",
	"SELECT 1 FROM stored_mail WHERE message_id = $1 AND own = '" DROPPED "'"};

static const struct eds_db_statement OLD = {"stored-old",
	"SELECT message_id"
	" FROM stored_mail"
	" WHERE kept_until_ms <= $1"
	" ORDER BY kept_until_ms"
	" LIMIT $2"};
/* clang-format on */

/* A message and the sums in which it counts. */
struct stored {
	const char *networks[3]; /* networks of the sums; the last is NULL for IPv4, which has no
				  * /48 */
	int64_t part;
	int64_t octets;
};

/* Lists the sums in the order that all processes use, so that two processes, each with one message,
 * cannot deadlock. */
static struct stored stored_of(
	const char *message_id, const char *own, const char *site, int64_t octets)
{
	struct stored stored = {.networks = {ALL, own, site}, .octets = octets};

	for (const char *c = message_id; *c != '\0'; c++)
		stored.part = (stored.part * 31 + (unsigned char)*c) % EDS_STORED_PARTS;
	return stored;
}

static enum eds_db_result change_sums(struct eds_store *store,
	const struct eds_db_statement *statement, const struct stored *stored, bool with_octets)
{
	enum eds_db_result result = EDS_DB_OK;

	for (size_t i = 0; i < 3 && result == EDS_DB_OK; i++) {
		const struct eds_db_value values[] = {
			eds_db_text_value(stored->networks[i]),
			eds_db_int_value(stored->part),
			eds_db_int_value(stored->octets),
		};

		if (stored->networks[i] != NULL)
			result = eds_db_execute(
				store->db, statement, values, with_octets ? 3 : 2, NULL);
	}
	return result;
}

rt_status eds_store_mail_kept(struct rt_ctx *ctx, struct eds_store *store, const char *message_id,
	const struct eds_networks *networks, size_t octets)
{
	int64_t blocks = ((int64_t)octets + EDS_STORED_BLOCK - 1) / EDS_STORED_BLOCK;
	struct stored stored = stored_of(
		message_id, networks->own, networks->site, blocks * EDS_STORED_BLOCK);
	int64_t added = 0;
	enum eds_db_result result = eds_db_execute(store->db, &KEEP,
		EDS_DB_VALUES(eds_db_text_value(message_id), eds_db_text_value(networks->own),
			eds_db_text_value(networks->site), eds_db_int_value(stored.octets),
			eds_db_int_value(rt_wall_ms() + kept_ms)),
		&added);

	if (result == EDS_DB_OK && added > 0)
		result = change_sums(store, &ADD, &stored, true);
	return result == EDS_DB_OK ? RT_OK : eds_store_failed(ctx, store, result);
}

rt_status eds_store_mail_gone(struct rt_ctx *ctx, struct eds_store *store, const char *message_id)
{
	struct stored stored = {.octets = 0};
	struct eds_db_query *query;
	enum eds_db_result result = eds_db_query(
		store->db, &GONE, EDS_DB_VALUES(eds_db_text_value(message_id)), &query);

	if (result == EDS_DB_ROW) {
		stored = stored_of(message_id, eds_db_text(ctx, query, GONE_OWN),
			eds_db_text(ctx, query, GONE_SITE), eds_db_int(query, GONE_OCTETS));
		result = eds_db_next(query);
	}
	eds_db_end(query);
	if (result == EDS_DB_OK && stored.octets > 0)
		result = change_sums(store, &TAKE, &stored, true);
	if (result == EDS_DB_OK && stored.octets > 0)
		result = change_sums(store, &DROP_EMPTY, &stored, false);
	return result == EDS_DB_OK ? RT_OK : eds_store_failed(ctx, store, result);
}

rt_status eds_store_stored_mail(struct rt_ctx *ctx, struct eds_store *store,
	const struct eds_networks *networks, struct eds_stored_mail *stored)
{
	const char *site = networks->site != NULL ? networks->site : networks->own;
	struct eds_db_query *query;
	enum eds_db_result result = eds_db_query(store->db, &SUMS,
		EDS_DB_VALUES(eds_db_text_value(networks->own), eds_db_text_value(site)), &query);

	*stored = (struct eds_stored_mail){.own = 0};
	if (result == EDS_DB_ROW) {
		stored->own = eds_db_int(query, SUM_OWN);
		stored->site = networks->site != NULL ? eds_db_int(query, SUM_SITE) : 0;
		stored->all = eds_db_int(query, SUM_ALL);
	}
	eds_db_end(query);
	return result == EDS_DB_ROW ? RT_OK : eds_store_failed(ctx, store, result);
}

rt_status eds_store_mail_drop(struct rt_ctx *ctx, struct eds_store *store, const char *message_id)
{
	enum eds_db_result result = eds_db_execute(store->db, &KEEP,
		EDS_DB_VALUES(eds_db_text_value(message_id), eds_db_text_value(DROPPED),
			eds_db_text_value(NULL), eds_db_int_value(0),
			eds_db_int_value(rt_wall_ms() + kept_ms)),
		NULL);

	return result == EDS_DB_OK ? RT_OK : eds_store_failed(ctx, store, result);
}

rt_status eds_store_mail_was_dropped(
	struct rt_ctx *ctx, struct eds_store *store, const char *message_id, bool *dropped)
{
	struct eds_db_query *query;
	enum eds_db_result result = eds_db_query(
		store->db, &IS_DROPPED, EDS_DB_VALUES(eds_db_text_value(message_id)), &query);

	*dropped = result == EDS_DB_ROW;
	eds_db_end(query);
	if (result != EDS_DB_ROW && result != EDS_DB_OK)
		return eds_store_failed(ctx, store, result);
	return RT_OK;
}

struct old {
	const char *ids[EDS_EXPIRE_BATCH];
	size_t count;
};

static rt_status forget_old(struct rt_ctx *ctx, struct eds_store *store, void *arg)
{
	const struct old *old = arg;

	for (size_t i = 0; i < old->count; i++)
		RT_TRY(eds_store_mail_gone(ctx, store, old->ids[i]));
	return RT_OK;
}

rt_status eds_store_stored_mail_expire(struct rt_ctx *ctx, struct eds_store *store)
{
	struct old *old = rt_alloc(ctx, sizeof *old);
	struct eds_db_query *query;
	enum eds_db_result result = eds_db_query(store->db, &OLD,
		EDS_DB_VALUES(eds_db_int_value(rt_wall_ms()), eds_db_int_value(EDS_EXPIRE_BATCH)),
		&query);

	for (old->count = 0; result == EDS_DB_ROW && old->count < EDS_EXPIRE_BATCH;
		result = eds_db_next(query))
		old->ids[old->count++] = eds_db_text(ctx, query, EDS_DB_ONLY);
	eds_db_end(query);
	if (result != EDS_DB_OK && result != EDS_DB_ROW)
		return eds_store_failed(ctx, store, result);
	return old->count > 0 ? eds_store_write_guarded(ctx, store, forget_old, old) : RT_OK;
}
