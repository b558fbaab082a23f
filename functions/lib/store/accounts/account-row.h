/* An account as statements select it: id, name, plan, created_at_ms, from a column on. Only the
 * files of this folder include it. */
#ifndef EDS_STORE_ACCOUNT_ROW_H
#define EDS_STORE_ACCOUNT_ROW_H

#include "functions/lib/store/accounts/account.h"
#include "functions/lib/store/db/db.h"

#define EDS_ACCOUNT_COLUMNS "a.id, a.name, a.plan, a.created_at_ms"

void eds_store_account_read(
	struct rt_ctx *ctx, struct eds_db_query *query, int column, struct eds_account *account);

#endif
