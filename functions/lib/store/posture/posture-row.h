/* The columns of a row of the table posture, and functions that read and make such a row. Only the
 * files of the store include this header. */
#ifndef EDS_STORE_POSTURE_ROW_H
#define EDS_STORE_POSTURE_ROW_H

#include "functions/lib/store/posture/posture.h"
#include "functions/lib/store/transaction.h"

/* clang-format off */
#define EDS_POSTURE_COLUMNS(FIRST, NEXT) \
	FIRST(EDS_POSTURE_ROW_STATE, "state") \
	NEXT(EDS_POSTURE_ROW_CHECKED_AT_MS, "checked_at_ms") \
	NEXT(EDS_POSTURE_ROW_CHANGED_AT_MS, "changed_at_ms") \
	NEXT(EDS_POSTURE_ROW_ITEMS, "items") \
	NEXT(EDS_POSTURE_ROW_RECORDS, "records")
enum { EDS_DB_NAMES(EDS_POSTURE_COLUMNS) EDS_POSTURE_COLUMN_COUNT };
/* clang-format on */

void eds_store_posture_read(
	struct rt_ctx *ctx, struct eds_db_query *query, struct eds_posture_kept *kept);

/* Makes a domain's row: within the transaction that makes the domain, or when the row is read or
 * claimed and an earlier release made the domain without one. Does nothing when the domain already
 * has a row or does not exist. */
RT_MUST_USE rt_status eds_store_posture_make(
	struct rt_ctx *ctx, struct eds_store *store, const char *domain_id);

/* Writes the changes that one check found, within the transaction that writes its outcome, and
 * removes the oldest changes when the domain has more than EDS_POSTURE_HISTORY_MAX. */
RT_MUST_USE enum eds_db_result eds_store_posture_remember(
	struct eds_store *store, const struct eds_posture_due *due);

#endif
