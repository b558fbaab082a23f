#include "functions/lib/store/tester/client-use.h"
#include "runtime/time.h"

#include <stdio.h>
#include <string.h>

#include "functions/lib/network.h"
#include "functions/lib/store/transaction.h"

/* Counts a use. A client's row has the time until which the client's limit is partly used up. Each
 * use moves this time forward by $3, which is an hour divided by the number of uses allowed in an
 * hour. The time may be at most $4, an hour, after now ($2). */
static const struct eds_db_statement COUNT = {"client-use",
	"INSERT INTO reanalysis_clients (client, used_until_ms)"
	" VALUES ($1, CAST($2 AS BIGINT) + CAST($3 AS BIGINT))"
	" ON CONFLICT (client) DO UPDATE SET used_until_ms = CASE"
	" WHEN reanalysis_clients.used_until_ms > $2 THEN reanalysis_clients.used_until_ms"
	" ELSE $2 END + $3"
	" WHERE reanalysis_clients.used_until_ms + $3 <= CAST($2 AS BIGINT) + CAST($4 AS BIGINT)"
	" OR reanalysis_clients.used_until_ms <= $2"
	" RETURNING used_until_ms"};

static const struct eds_db_statement USED = {
	"client-used", "SELECT used_until_ms FROM reanalysis_clients WHERE client = $1"};

enum { HOUR_MS = 3600 * 1000 };

struct counting {
	enum eds_client_use use;
	const char *client; /* the client, or the network around it */
	const char *domain; /* the domain's id and a space; "" when domains have no limits of their
			     * own */
	int per_hour;
	bool is_site;
};

/* The key of the row that counts this kind of use. Keys for reanalyses have no prefix, because
 * earlier releases used none. */
static const char *row_name(struct rt_ctx *ctx, const struct counting *counting)
{
	static const char *const kinds[] = {[EDS_CLIENT_REANALYSIS] = "",
		[EDS_CLIENT_CHECK] = "check ",
		[EDS_CLIENT_UPLOAD] = "message ",
		[EDS_CLIENT_SESSION] = "session ",
		[EDS_CLIENT_REPORT] = "report "};

	return rt_printf(ctx, "%s%s%s", kinds[counting->use], counting->domain, counting->client);
}

/* Notes the limit for the header of the response. The name of the limit is the kind of use, for
 * example "checks". "-of-all-domains" is appended for reports about all domains together, and
 * "-network" for the network around a client. used_ms: the used part of the hour. */
static void note(struct rt_ctx *ctx, const struct counting *counting, int64_t used_ms)
{
	static const char *const names[] = {[EDS_CLIENT_REANALYSIS] = "reanalyses",
		[EDS_CLIENT_CHECK] = "checks",
		[EDS_CLIENT_UPLOAD] = "messages",
		[EDS_CLIENT_SESSION] = "sessions",
		[EDS_CLIENT_REPORT] = "reports"};
	const bool is_all = counting->use == EDS_CLIENT_REPORT && *counting->domain == '\0';
	const int64_t share_ms = HOUR_MS / counting->per_hour;
	const int64_t left = (HOUR_MS - used_ms) / share_ms;
	struct rt_limit limit = {.quota = counting->per_hour,
		.window_s = HOUR_MS / 1000,
		.left = left > 0 ? (int)left : 0,
		.restored_s = (int)((left > 0 ? used_ms : used_ms + share_ms - HOUR_MS) + 999) /
			1000};

	snprintf(limit.name, sizeof limit.name, "%s%s%s", names[counting->use],
		is_all ? "-of-all-domains" : "", counting->is_site ? "-network" : "");
	rt_note_limit(ctx, &limit);
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
			"at most %d messages an hour can be uploaded", counting->per_hour);
	case EDS_CLIENT_SESSION:
		return rt_fail(ctx, RT_LIMIT, "too-many-sessions",
			"at most %d test addresses an hour can be made", counting->per_hour);
	case EDS_CLIENT_REPORT:
		return rt_fail(ctx, RT_LIMIT, "too-many-reports",
			"at most %d reports an hour%s can be posted", counting->per_hour,
			*counting->domain != '\0' ? " about one domain" : "");
	case EDS_CLIENT_REANALYSIS:
		break;
	}
	return rt_fail(ctx, RT_LIMIT, "too-many-reanalyses",
		"at most %d messages an hour can be analyzed again", counting->per_hour);
}

static rt_status refuse(struct rt_ctx *ctx, struct eds_store *store,
	const struct counting *counting, int64_t now_ms)
{
	int64_t wait_ms = 0;
	struct eds_db_query *query;
	enum eds_db_result result = eds_db_query(store->db, &USED,
		EDS_DB_VALUES(eds_db_text_value(row_name(ctx, counting))), &query);

	if (result == EDS_DB_ROW)
		wait_ms = eds_db_int(query, EDS_DB_ONLY) + HOUR_MS / counting->per_hour - HOUR_MS -
			now_ms;
	eds_db_end(query);
	if (result != EDS_DB_ROW)
		return eds_store_failed(ctx, store, result);
	/* after a clock was set back, the computed wait is longer than the true wait */
	if (wait_ms > HOUR_MS)
		wait_ms = HOUR_MS;
	ctx->failure.retry_after_s = wait_ms > 1000 ? (int)(wait_ms + 999) / 1000 : 1;
	note(ctx, counting, wait_ms + HOUR_MS - HOUR_MS / counting->per_hour);
	return refuse_use(ctx, counting);
}

static rt_status count_network(
	struct rt_ctx *ctx, struct eds_store *store, const struct counting *counting)
{
	int64_t now_ms = rt_wall_ms();
	struct eds_db_query *query;
	enum eds_db_result result = eds_db_query(store->db, &COUNT,
		EDS_DB_VALUES(eds_db_text_value(row_name(ctx, counting)), eds_db_int_value(now_ms),
			eds_db_int_value(HOUR_MS / counting->per_hour), eds_db_int_value(HOUR_MS)),
		&query);
	bool counted = result == EDS_DB_ROW;

	if (counted) {
		note(ctx, counting, eds_db_int(query, EDS_DB_ONLY) - now_ms);
		result = eds_db_next(query);
	}
	eds_db_end(query);
	if (result != EDS_DB_OK)
		return eds_store_failed(ctx, store, result);
	return counted ? RT_OK : refuse(ctx, store, counting, now_ms);
}

/* The /48 around "2001:db8:0:5::/64"; NULL for IPv4. */
static const char *site_of(struct rt_ctx *ctx, const char *client)
{
	struct eds_networks networks;
	char *address = rt_strdup(ctx, client);

	address[strcspn(address, "/")] = '\0';
	eds_networks_of(ctx, address, &networks);
	return networks.site;
}

/* A /48, which a provider gives to one customer, has 65,536 /64 networks, each of which is a
 * client. All of them together have only twice the limit of one client. */
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
	site.is_site = true;
	return site.client != NULL ? count_network(ctx, store, &site) : RT_OK;
}

rt_status eds_store_client_count(struct rt_ctx *ctx, struct eds_store *store,
	enum eds_client_use use, const char *client, int per_hour)
{
	struct counting counting = {
		.use = use, .client = client, .domain = "", .per_hour = per_hour};

	return count(ctx, store, &counting);
}

rt_status eds_store_client_use(struct rt_ctx *ctx, struct eds_store *store, enum eds_client_use use,
	const char *client, int per_hour)
{
	struct counting counting = {
		.use = use, .client = client, .domain = "", .per_hour = per_hour};

	return eds_store_write(ctx, store, count, &counting);
}

static rt_status count_report(struct rt_ctx *ctx, struct eds_store *store, void *arg)
{
	const struct counting *counting = arg;
	struct counting all = *counting;

	all.domain = "";
	all.per_hour *= EDS_REPORT_CLIENT_SHARES;
	RT_TRY(count(ctx, store, arg));
	return count(ctx, store, &all);
}

rt_status eds_store_client_report(struct rt_ctx *ctx, struct eds_store *store,
	const char *domain_id, const char *client, int per_hour)
{
	struct counting counting = {.use = EDS_CLIENT_REPORT,
		.client = client,
		.domain = rt_printf(ctx, "%s ", domain_id),
		.per_hour = per_hour};

	return eds_store_write(ctx, store, count_report, &counting);
}
