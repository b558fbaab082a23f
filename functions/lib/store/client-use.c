#include "functions/lib/store/client-use.h"

#include <string.h>

#include "functions/lib/network.h"
#include "functions/lib/store/transaction.h"

/* A client's row says until when its share is used up: each use moves it on by its part of an
 * hour, and it may lie an hour ahead at most. */
static const struct eds_db_statement COUNT = {"client-use",
	"INSERT INTO reanalysis_clients (client, used_until_ms)"
	" VALUES ($1, CAST($2 AS BIGINT) + CAST($3 AS BIGINT)) ON CONFLICT (client) DO UPDATE"
	" SET used_until_ms = CASE WHEN reanalysis_clients.used_until_ms > $2"
	" THEN reanalysis_clients.used_until_ms ELSE $2 END + $3"
	" WHERE reanalysis_clients.used_until_ms + $3 <= CAST($2 AS BIGINT) + CAST($4 AS BIGINT)"
	" OR reanalysis_clients.used_until_ms <= $2"};

static const struct eds_db_statement USED = {
	"client-used", "SELECT used_until_ms FROM reanalysis_clients WHERE client = $1"};

enum { HOUR_MS = 3600 * 1000 };

struct counting {
	enum eds_client_use use;
	const char *client; /* or the network around it */
	int per_hour;
};

/* The row of a kind of use. Those of analyses have the bare client, as ever. */
static const char *row_name(struct rt_ctx *ctx, const struct counting *counting)
{
	static const char *const kinds[] = {[EDS_CLIENT_REANALYSIS] = "",
		[EDS_CLIENT_CHECK] = "check ",
		[EDS_CLIENT_UPLOAD] = "message ",
		[EDS_CLIENT_SESSION] = "session "};

	return rt_printf(ctx, "%s%s", kinds[counting->use], counting->client);
}

static rt_status refuse_use(struct rt_ctx *ctx, const struct counting *counting)
{
	switch (counting->use) {
	case EDS_CLIENT_CHECK:
		return rt_fail(ctx, RT_LIMIT, "too-many-checks",
			"at most %d domains an hour can be checked without an account",
			counting->per_hour);
	case EDS_CLIENT_UPLOAD:
		return rt_fail(ctx, RT_LIMIT, "too-many-messages",
			"at most %d messages an hour can be handed in", counting->per_hour);
	case EDS_CLIENT_SESSION:
		return rt_fail(ctx, RT_LIMIT, "too-many-sessions",
			"at most %d test addresses an hour can be made", counting->per_hour);
	case EDS_CLIENT_REANALYSIS:
		break;
	}
	return rt_fail(ctx, RT_LIMIT, "too-many-reanalyses",
		"at most %d messages an hour can be analysed anew", counting->per_hour);
}

static rt_status refuse(struct rt_ctx *ctx, struct eds_store *store,
	const struct counting *counting, int64_t now_ms)
{
	int64_t wait_ms = 0;
	struct eds_db_query *query;
	enum eds_db_result result = eds_db_query(store->db, &USED,
		EDS_DB_VALUES(eds_db_text_value(row_name(ctx, counting))), &query);

	if (result == EDS_DB_ROW)
		wait_ms = eds_db_int(query, 0) + HOUR_MS / counting->per_hour - HOUR_MS - now_ms;
	eds_db_end(query);
	if (result != EDS_DB_ROW)
		return eds_store_failed(ctx, store, result);
	if (wait_ms > HOUR_MS) /* a clock was set back */
		wait_ms = HOUR_MS;
	ctx->failure.retry_after_s = wait_ms > 1000 ? (int)(wait_ms + 999) / 1000 : 1;
	return refuse_use(ctx, counting);
}

static rt_status count_network(
	struct rt_ctx *ctx, struct eds_store *store, const struct counting *counting)
{
	int64_t now_ms = rt_wall_ms();
	int64_t changed = 0;
	enum eds_db_result result = eds_db_execute(store->db, &COUNT,
		EDS_DB_VALUES(eds_db_text_value(row_name(ctx, counting)), eds_db_int_value(now_ms),
			eds_db_int_value(HOUR_MS / counting->per_hour), eds_db_int_value(HOUR_MS)),
		&changed);

	if (result != EDS_DB_OK)
		return eds_store_failed(ctx, store, result);
	return changed == 1 ? RT_OK : refuse(ctx, store, counting, now_ms);
}

/* The /48 around "2001:db8:0:5::/64"; NULL where there is none. */
static const char *site_of(struct rt_ctx *ctx, const char *client)
{
	struct eds_networks networks;
	char *address = rt_strdup(ctx, client);

	address[strcspn(address, "/")] = '\0';
	eds_networks_of(ctx, address, &networks);
	return networks.site;
}

/* A provider's customer has 65,536 networks of a /64: all together have two shares. */
static rt_status count(struct rt_ctx *ctx, struct eds_store *store, void *arg)
{
	const struct counting *counting = arg;
	struct counting site = *counting;

	if (counting->per_hour == 0)
		return RT_OK;
	if (counting->use != EDS_CLIENT_SESSION)
		RT_TRY(count_network(ctx, store, counting));
	site.client = site_of(ctx, counting->client);
	site.per_hour *= EDS_SITE_SHARES;
	return site.client != NULL ? count_network(ctx, store, &site) : RT_OK;
}

rt_status eds_store_client_count(struct rt_ctx *ctx, struct eds_store *store,
	enum eds_client_use use, const char *client, int per_hour)
{
	struct counting counting = {.use = use, .client = client, .per_hour = per_hour};

	return count(ctx, store, &counting);
}

rt_status eds_store_client_use(struct rt_ctx *ctx, struct eds_store *store, enum eds_client_use use,
	const char *client, int per_hour)
{
	struct counting counting = {.use = use, .client = client, .per_hour = per_hour};

	return eds_store_write(ctx, store, count, &counting);
}
