/* Writes a selector's row and a line of its history, within the caller's transaction. Only the
 * files of the store include this header. */
#ifndef EDS_STORE_SELECTOR_CHANGE_H
#define EDS_STORE_SELECTOR_CHANGE_H

#include "functions/lib/store/domains/domain.h"
#include "functions/lib/store/selectors/selector-check.h"
#include "functions/lib/store/transaction.h"

/* Adds a line to the selector's history, and keeps only the latest EDS_SELECTOR_HISTORY_MAX lines.
 * name is in lower case. Two changes within a millisecond become one line. changed_before: the
 * history may already have lines. */
RT_MUST_USE enum eds_db_result eds_store_selector_remember(struct eds_store *store,
	const char *domain_id, const char *name, const struct eds_selector_check *check,
	bool changed_before);

/* Adds a new selector, named as given, with its first check. Adds the first line of its history,
 * unless the state of the check is "unknown". EDS_DB_UNIQUE when the domain already has the
 * selector, EDS_DB_FOREIGN_KEY when the domain has been deleted. */
RT_MUST_USE enum eds_db_result eds_store_selector_insert(struct rt_ctx *ctx,
	struct eds_store *store, const struct eds_domain *domain, const char *name, bool manual,
	const struct eds_selector_check *check, int64_t next_at_ms);

#endif
