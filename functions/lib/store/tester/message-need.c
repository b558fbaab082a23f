#include "functions/lib/store/tester/message-need.h"
#include "runtime/time.h"

#include "functions/lib/store/transaction.h"

static const struct eds_db_statement SESSION_NEEDS = {"message-session-needs",
	"SELECT 1"
	" FROM tester_sessions s"
	" WHERE s.test_id = $1 AND s.expires_at_ms > $3"
	" AND (EXISTS (SELECT 1 FROM tester_messages m WHERE m.test_id = s.test_id"
	" AND m.message_id = $2 AND m.result LIKE '{%')"
	" OR (NOT EXISTS (SELECT 1 FROM tester_messages k WHERE k.test_id = s.test_id"
	" AND k.message_id = $2) AND (SELECT count(*) FROM tester_messages o"
	" WHERE o.test_id = s.test_id) < $4))"};

static const struct eds_db_statement DOMAIN_NEEDS = {"message-domain-needs",
	"SELECT 1"
	" FROM domains d"
	" WHERE d.id = $1 AND NOT EXISTS (SELECT 1 FROM reports r WHERE r.domain_id = d.id"
	" AND r.message_id = $2)"};

rt_status eds_store_session_needs_message(struct rt_ctx *ctx, struct eds_store *store,
	const char *test_id, const char *message_id, bool *needs)
{
	return eds_store_has_row(ctx, store, &SESSION_NEEDS,
		EDS_DB_VALUES(eds_db_text_value(test_id), eds_db_text_value(message_id),
			eds_db_int_value(rt_wall_ms()), eds_db_int_value(EDS_SESSION_MESSAGES_MAX)),
		needs);
}

rt_status eds_store_domain_needs_message(struct rt_ctx *ctx, struct eds_store *store,
	const char *domain_id, const char *message_id, bool *needs)
{
	return eds_store_has_row(ctx, store, &DOMAIN_NEEDS,
		EDS_DB_VALUES(eds_db_text_value(domain_id), eds_db_text_value(message_id)), needs);
}
