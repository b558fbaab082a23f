#include <openssl/crypto.h>
#include <sha2.h>
#include <string.h>

#include "functions/lib/store/alerts/alert-mail-link.h"
#include "functions/lib/store/alerts/alert-mail-row.h"
#include "runtime/time.h"

static const struct eds_db_statement LOOK = {"alert-mail-look",
	"SELECT 1"
	" FROM alert_mails"
	" WHERE alert_id = $1 AND token_digest = $2 AND token_until_ms > $3"};

static const struct eds_db_statement CONFIRM = {"alert-mail-confirm",
	"UPDATE alert_mails"
	" SET confirmed_at_ms = $3, token_digest = '', token_until_ms = 0"
	" WHERE alert_id = $1 AND token_digest = $2 AND token_until_ms > $3"};

static const struct eds_db_statement SECRET = {"alert-mail-secret",
	"SELECT a.secret FROM alerts a JOIN alert_mails m ON m.alert_id = a.id WHERE a.id = $1"};

static const struct eds_db_statement LEAVE = {"alert-mail-leave",
	"UPDATE alerts"
	" SET active = 0, reason_code = 'receiver-unsubscribed',"
	" reason = 'Somebody who reads the mail of this address has switched the alert off"
	" with the link in a mail.'"
	" WHERE id = $1"};

struct link {
	const char *alert_id;
	const char *token;
};

static rt_status not_valid(struct rt_ctx *ctx)
{
	return rt_fail(ctx, RT_NOT_FOUND, "link-not-valid",
		"this link is not valid: it was used already, is too old, or is incomplete");
}

static rt_status confirm(struct rt_ctx *ctx, struct eds_store *store, void *arg)
{
	const struct link *link = arg;
	char digest[SHA256_DIGEST_STRING_LENGTH];
	int64_t changed = 0;
	enum eds_db_result result = eds_db_execute(store->db, &CONFIRM,
		EDS_DB_VALUES(eds_db_text_value(link->alert_id),
			eds_db_text_value(SHA256Data(
				(const uint8_t *)link->token, strlen(link->token), digest)),
			eds_db_int_value(rt_wall_ms())),
		&changed);

	if (result != EDS_DB_OK)
		return eds_store_failed(ctx, store, result);
	return changed > 0 ? RT_OK : not_valid(ctx);
}

static rt_status look(struct rt_ctx *ctx, struct eds_store *store, const struct link *link)
{
	char digest[SHA256_DIGEST_STRING_LENGTH];
	bool has = false;

	SHA256Data((const uint8_t *)link->token, strlen(link->token), digest);
	RT_TRY(eds_store_has_row(ctx, store, &LOOK,
		EDS_DB_VALUES(eds_db_text_value(link->alert_id), eds_db_text_value(digest),
			eds_db_int_value(rt_wall_ms())),
		&has));
	return has ? RT_OK : not_valid(ctx);
}

rt_status eds_store_alert_mail_confirm(struct rt_ctx *ctx, struct eds_store *store,
	const char *alert_id, const char *token, bool looks)
{
	struct link link = {alert_id, token};

	return looks ? look(ctx, store, &link) : eds_store_write(ctx, store, confirm, &link);
}

/* Compares in constant time, so that the time does not reveal where the two secrets differ. */
static rt_status check_secret(struct rt_ctx *ctx, struct eds_store *store, const struct link *link)
{
	struct eds_db_query *query;
	enum eds_db_result result = eds_db_query(
		store->db, &SECRET, EDS_DB_VALUES(eds_db_text_value(link->alert_id)), &query);
	const char *secret = result == EDS_DB_ROW ? eds_db_text(ctx, query, EDS_DB_ONLY) : "";

	eds_db_end(query);
	if (result != EDS_DB_ROW && result != EDS_DB_OK)
		return eds_store_failed(ctx, store, result);
	if (secret[0] == '\0' || strlen(secret) != strlen(link->token) ||
		CRYPTO_memcmp(secret, link->token, strlen(secret)) != 0)
		return not_valid(ctx);
	return RT_OK;
}

static rt_status leave(struct rt_ctx *ctx, struct eds_store *store, void *arg)
{
	const struct link *link = arg;
	enum eds_db_result result;

	RT_TRY(check_secret(ctx, store, link));
	result = eds_db_execute(
		store->db, &LEAVE, EDS_DB_VALUES(eds_db_text_value(link->alert_id)), NULL);
	if (result != EDS_DB_OK)
		return eds_store_failed(ctx, store, result);
	return eds_alert_mail_unconfirm(ctx, store, link->alert_id);
}

rt_status eds_store_alert_mail_leave(struct rt_ctx *ctx, struct eds_store *store,
	const char *alert_id, const char *secret, bool looks)
{
	struct link link = {alert_id, secret};

	return looks ? check_secret(ctx, store, &link) : eds_store_write(ctx, store, leave, &link);
}
