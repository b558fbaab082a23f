#include "functions/lib/store/accounts/audit-write.h"

#include "functions/lib/store/accounts/audit-entry.h"
#include "functions/lib/store/accounts/audit.h"

/* When the answer to a commit is lost, the entry may be stored although the commit counts as
 * failed. If a later transaction of the event then writes the entry again, INSERT does nothing. */
static const struct eds_db_statement INSERT = {"audit-insert",
	"INSERT INTO audit_log (account_id, id, at_ms, token_id, token_name, action, domain,"
	" subject)"
	" VALUES ($1, $2, $3, $4, $5, $6, $7, $8)"
	" ON CONFLICT (account_id, id) DO NOTHING"};

void eds_store_audit_about(struct eds_store *store, const char *domain, const char *subject)
{
	if (store->entry == NULL)
		return;
	if (domain != NULL)
		store->entry->domain = domain;
	if (subject != NULL)
		store->entry->subject = subject;
}

rt_status eds_store_audit_write(struct rt_ctx *ctx, struct eds_store *store)
{
	const struct eds_audit_entry *entry = store->entry;
	enum eds_db_result result;

	if (entry == NULL)
		return RT_OK;
	result = eds_db_execute(store->db, &INSERT,
		EDS_DB_VALUES(eds_db_text_value(entry->account_id), eds_db_text_value(entry->id),
			eds_db_int_value(entry->at_ms), eds_db_text_value(entry->token_id),
			eds_db_text_value(entry->token_name), eds_db_text_value(entry->action),
			eds_db_text_value(entry->domain), eds_db_text_value(entry->subject)),
		NULL);
	if (result != EDS_DB_OK)
		return eds_store_failed(ctx, store, result);
	return eds_store_audit_trim_sometimes(ctx, store, entry->account_id);
}
