/* Mail alerts: asks addresses for confirmation and plans the next mail. */
#include "functions/lib/store/alerts/alert-mail-row.h"
#include "runtime/time.h"
#include "runtime/uuid.h"

#include <string.h>

#include "functions/lib/random-text.h"
#include "functions/lib/store/alerts/alert-origin.h"
#include "functions/lib/store/alerts/outbox-add.h"

enum {
	ID_BYTES = 16,
	DAY_MS = 24 * 3600 * 1000,
	DAY_S = 24 * 3600,
};

/* clang-format off */
static const struct eds_db_statement INSERT = {"alert-mail-insert",
	"INSERT INTO alert_mails (alert_id, account_id) VALUES ($1, $2)"};

static const struct eds_db_statement UNCONFIRM = {"alert-mail-unconfirm",
	"UPDATE alert_mails"
	" SET confirmed_at_ms = 0, token_digest = '', due_at_ms = 0, held_until_ms = 0, tries = 0"
	" WHERE alert_id = $1"};

static const struct eds_db_statement RENEW_LINK = {"alert-mail-renew-link",
	"UPDATE alerts SET secret = $2 WHERE id = $1"};

static const struct eds_db_statement ASK = {"alert-mail-ask",
	"INSERT INTO alert_mail_asks (id, account_id, address, asked_at_ms)"
	" VALUES ($1, $2, $3, $4)"};

#define ASKED_COLUMNS(FIRST, NEXT) \
	FIRST(ASKED_COUNT, "count(*)") \
	NEXT(ASKED_OLDEST_MS, "coalesce(min(asked_at_ms), 0)")
enum { EDS_DB_NAMES(ASKED_COLUMNS) };

/* The number of confirmation mails since $2, the new one included, and the time of the oldest. */
#define ASKED_TEXT "SELECT " EDS_DB_LIST(ASKED_COLUMNS) " FROM alert_mail_asks WHERE asked_at_ms > $2"
static const struct eds_db_statement ASKED_ADDRESS = {
	"alert-mail-asked-address", ASKED_TEXT " AND address = $1"};
static const struct eds_db_statement ASKED_ACCOUNT = {
	"alert-mail-asked-account", ASKED_TEXT " AND account_id = $1"};
static const struct eds_db_statement ASKED_OWN_ADDRESS = {
	"alert-mail-asked-own-address", ASKED_TEXT " AND address = $1 AND account_id = $3"};

/* Counts the confirmation mails to a domain; $1 is "%@example.com". Reads the mails by the index
 * of times, because a day has few mails. */
static const struct eds_db_statement ASKED_DOMAIN = {
	"alert-mail-asked-domain", ASKED_TEXT " AND address LIKE $1"};
static const struct eds_db_statement ASKED_OWN_DOMAIN = {
	"alert-mail-asked-own-domain", ASKED_TEXT " AND address LIKE $1 AND account_id = $3"};

static const struct eds_db_statement PLAN = {"alert-mail-plan",
	"UPDATE alert_mails"
	" SET due_at_ms = coalesce((SELECT min(mail_at_ms) + $3 FROM outbox WHERE origin = $2"
	" AND state = 'waiting' AND mail_at_ms > 0), 0)"
	" WHERE alert_id = $1"};

static const struct eds_db_statement NEXT = {"alert-mail-next",
	"SELECT CASE WHEN held_until_ms > due_at_ms THEN held_until_ms ELSE due_at_ms END"
	" FROM alert_mails"
	" WHERE alert_id = $1 AND due_at_ms > 0"};
/* clang-format on */

static rt_status execute(struct rt_ctx *ctx, struct eds_store *store,
	const struct eds_db_statement *statement, const struct eds_db_value *values, size_t count)
{
	enum eds_db_result result = eds_db_execute(store->db, statement, values, count, NULL);

	return result == EDS_DB_OK ? RT_OK : eds_store_failed(ctx, store, result);
}

bool eds_alert_is_mail(const char *url)
{
	return strncmp(url, EDS_ALERT_MAILTO, strlen(EDS_ALERT_MAILTO)) == 0;
}

const char *eds_alert_mail_address(const struct eds_alert *alert)
{
	return eds_alert_is_mail(alert->url) ? alert->url + strlen(EDS_ALERT_MAILTO) : NULL;
}

rt_status eds_alert_mail_add(
	struct rt_ctx *ctx, struct eds_store *store, const char *account_id, const char *alert_id)
{
	return execute(ctx, store, &INSERT,
		EDS_DB_VALUES(eds_db_text_value(alert_id), eds_db_text_value(account_id)));
}

rt_status eds_alert_mail_unconfirm(
	struct rt_ctx *ctx, struct eds_store *store, const char *alert_id)
{
	RT_TRY(execute(ctx, store, &UNCONFIRM, EDS_DB_VALUES(eds_db_text_value(alert_id))));
	return eds_store_outbox_drop(ctx, store, eds_alert_origin(ctx, alert_id));
}

rt_status eds_alert_mail_renew_link(
	struct rt_ctx *ctx, struct eds_store *store, const char *alert_id)
{
	const char *secret = eds_random_base32(ctx, EDS_ALERT_LINK_BYTES);

	return execute(ctx, store, &RENEW_LINK,
		EDS_DB_VALUES(eds_db_text_value(alert_id), eds_db_text_value(secret)));
}

/* A confirmation mail that is to be sent if the limits allow it. */
struct ask {
	struct rt_ctx *ctx;
	struct eds_store *store;
	const char *account_id;
	const char *mailbox;
	const char *domain; /* pattern for addresses of the same domain: "%@example.com" */
	int64_t now_ms;
};

struct asked {
	int64_t count;
	int64_t oldest_ms;
};

/* Uses the statement to count the confirmation mails of the last `days` days. own: the statement
 * has the account as its third value. */
static rt_status count_asked(const struct ask *ask, const struct eds_db_statement *statement,
	bool own, const char *whose, int64_t days, struct asked *asked)
{
	const struct eds_db_value values[] = {
		eds_db_text_value(whose),
		eds_db_int_value(ask->now_ms - days * DAY_MS),
		eds_db_text_value(ask->account_id),
	};
	struct eds_db_query *query;
	enum eds_db_result result = eds_db_query(
		ask->store->db, statement, values, own ? 3 : 2, &query);

	asked->count = result == EDS_DB_ROW ? eds_db_int(query, ASKED_COUNT) : 0;
	asked->oldest_ms = result == EDS_DB_ROW ? eds_db_int(query, ASKED_OLDEST_MS) : 0;
	eds_db_end(query);
	return result == EDS_DB_ROW ? RT_OK : eds_store_failed(ask->ctx, ask->store, result);
}

static rt_status refuse(
	const struct ask *ask, const struct asked *asked, int64_t days, const char *detail)
{
	ask->ctx->failure.retry_after_s = (int)((asked->oldest_ms - ask->now_ms) / 1000 +
		days * DAY_S + 1);
	return rt_fail(ask->ctx, RT_LIMIT, "too-many-confirmations", "%s", detail);
}

/* Checks the limits per address. They are higher for an account that has caused no other
 * confirmation mail to the address in EDS_ALERT_ASKS_LONG_DAYS, so that other accounts cannot keep
 * the account from confirming its own address. */
static rt_status check_address(const struct ask *ask)
{
	static const char detail[] =
		"this mail address has received the maximum number of confirmation mails: 3 in a "
		"day or 20 in 30 days; 10 in a day or 60 in 30 days if the account asks this "
		"address for the first time";
	struct asked own;
	struct asked asked;
	bool first;

	RT_TRY(count_asked(
		ask, &ASKED_OWN_ADDRESS, true, ask->mailbox, EDS_ALERT_ASKS_LONG_DAYS, &own));
	first = own.count == 1;
	RT_TRY(count_asked(ask, &ASKED_ADDRESS, false, ask->mailbox, 1, &asked));
	if (asked.count > (first ? EDS_ALERT_ASKS_ADDRESS_FIRST : EDS_ALERT_ASKS_ADDRESS))
		return refuse(ask, &asked, 1, detail);
	RT_TRY(count_asked(
		ask, &ASKED_ADDRESS, false, ask->mailbox, EDS_ALERT_ASKS_LONG_DAYS, &asked));
	if (asked.count > (first ? EDS_ALERT_ASKS_LONG_FIRST : EDS_ALERT_ASKS_LONG))
		return refuse(ask, &asked, EDS_ALERT_ASKS_LONG_DAYS, detail);
	return RT_OK;
}

static rt_status check_account(const struct ask *ask)
{
	struct asked asked;

	RT_TRY(count_asked(ask, &ASKED_ACCOUNT, false, ask->account_id, 1, &asked));
	if (asked.count <= EDS_ALERT_ASKS_ACCOUNT)
		return RT_OK;
	return refuse(
		ask, &asked, 1, "at most 10 confirmation mails a day are sent for an account");
}

/* Checks the limit per domain. An account may always cause EDS_ALERT_ASKS_DOMAIN_OWN mails, so that
 * some accounts cannot keep all others from confirming addresses of a domain. */
static rt_status check_domain(const struct ask *ask)
{
	struct asked own;
	struct asked asked;

	RT_TRY(count_asked(ask, &ASKED_OWN_DOMAIN, true, ask->domain, 1, &own));
	if (own.count <= EDS_ALERT_ASKS_DOMAIN_OWN)
		return RT_OK;
	RT_TRY(count_asked(ask, &ASKED_DOMAIN, false, ask->domain, 1, &asked));
	if (asked.count <= EDS_ALERT_ASKS_DOMAIN)
		return RT_OK;
	return refuse(ask, &asked, 1,
		"addresses of this domain have received the maximum number of confirmation mails: "
		"100 in a day, and this account has caused at least 2 of them");
}

/* The mailbox that an address most likely leads to: in lower case, without a detail ("+news", RFC
 * 5233), and without dots, which the largest provider ignores. If each spelling of an address were
 * counted apart, somebody could be mailed without a limit. */
static const char *mailbox_of(struct rt_ctx *ctx, const char *address)
{
	char *mailbox = rt_lower(ctx, address);
	const char *at = strrchr(mailbox, '@');
	size_t local = 0;

	for (const char *from = mailbox; from < at && (*from != '+' || local == 0); from++)
		if (*from != '.')
			mailbox[local++] = *from;
	memmove(mailbox + local, at, strlen(at) + 1);
	return mailbox;
}

static rt_status count_ask(
	struct rt_ctx *ctx, struct eds_store *store, const char *account_id, const char *address)
{
	struct ask ask = {.ctx = ctx,
		.store = store,
		.account_id = account_id,
		.mailbox = mailbox_of(ctx, address),
		.now_ms = rt_wall_ms()};

	ask.domain = rt_printf(ctx, "%%%s", strrchr(ask.mailbox, '@'));
	RT_TRY(execute(ctx, store, &ASK,
		EDS_DB_VALUES(eds_db_text_value(eds_random_base32(ctx, ID_BYTES)),
			eds_db_text_value(account_id), eds_db_text_value(ask.mailbox),
			eds_db_int_value(ask.now_ms))));
	RT_TRY(check_address(&ask));
	RT_TRY(check_account(&ask));
	return check_domain(&ask);
}

rt_status eds_alert_mail_ask(struct rt_ctx *ctx, struct eds_store *store, const char *account_id,
	const struct eds_alert *alert)
{
	int64_t now_ms = rt_wall_ms();
	const struct eds_outbox_item item = {
		.origin = eds_alert_origin(ctx, alert->id),
		.event = rt_printf(ctx, EDS_ALERT_CONFIRMATION " %s", rt_uuid(ctx)),
		.account_id = account_id,
		.url = alert->url,
		.secret = "",
		.body = "", /* the token is made when the mail is sent; only its digest is kept */
		.by_mail = true,
		.due_at_ms = now_ms - EDS_ALERT_MAIL_WAIT_MS,
		.until_ms = now_ms + EDS_OUTBOX_LIFE_MS,
		.forget_at_ms = now_ms + EDS_ALERT_LOG_MS,
	};

	RT_TRY(count_ask(ctx, store, account_id, eds_alert_mail_address(alert)));
	RT_TRY(eds_store_outbox_drop(ctx, store, item.origin));
	RT_TRY(eds_store_outbox_add(ctx, store, &item));
	return eds_alert_mail_plan(ctx, store, alert->id);
}

rt_status eds_alert_mail_plan(struct rt_ctx *ctx, struct eds_store *store, const char *alert_id)
{
	return execute(ctx, store, &PLAN,
		EDS_DB_VALUES(eds_db_text_value(alert_id),
			eds_db_text_value(eds_alert_origin(ctx, alert_id)),
			eds_db_int_value(EDS_ALERT_MAIL_WAIT_MS)));
}

rt_status eds_alert_mail_next(
	struct rt_ctx *ctx, struct eds_store *store, const char *alert_id, int64_t *next_ms)
{
	struct eds_db_query *query;
	enum eds_db_result result = eds_db_query(
		store->db, &NEXT, EDS_DB_VALUES(eds_db_text_value(alert_id)), &query);

	*next_ms = result == EDS_DB_ROW ? eds_db_int(query, EDS_DB_ONLY) : 0;
	eds_db_end(query);
	return result == EDS_DB_ROW || result == EDS_DB_OK ? RT_OK
							   : eds_store_failed(ctx, store, result);
}

rt_status eds_alert_check_confirmed(struct rt_ctx *ctx, const struct eds_alert *alert)
{
	if (!eds_alert_is_mail(alert->url) || alert->confirmed_at_ms > 0)
		return RT_OK;
	return rt_fail(ctx, RT_CONFLICT, "alert-not-confirmed",
		"nothing is sent to the address until somebody has followed the link that was "
		"mailed to it");
}
