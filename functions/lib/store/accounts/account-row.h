/* The columns that statements select for an account. Only the files of the store include this
 * header. */
#ifndef EDS_STORE_ACCOUNT_ROW_H
#define EDS_STORE_ACCOUNT_ROW_H

#include "functions/lib/store/accounts/account.h"
#include "functions/lib/store/db/db.h"

/* clang-format off */
#define EDS_ACCOUNT_COLUMNS(FIRST, NEXT) \
	FIRST(EDS_ACCOUNT_ROW_ID, "a.id") \
	NEXT(EDS_ACCOUNT_ROW_NAME, "a.name") \
	NEXT(EDS_ACCOUNT_ROW_PLAN, "a.plan") \
	NEXT(EDS_ACCOUNT_ROW_CREATED_AT_MS, "a.created_at_ms")
enum { EDS_DB_NAMES(EDS_ACCOUNT_COLUMNS) };
/* clang-format on */

/* Reads an account from a row. before: number of columns of the row before those of the account. */
void eds_store_account_read(
	struct rt_ctx *ctx, struct eds_db_query *query, int before, struct eds_account *account);

#endif
