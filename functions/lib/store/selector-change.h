/* A line of a selector's history, written within the transaction that changes the selector. Only
 * the files of this folder include it. */
#ifndef EDS_STORE_SELECTOR_CHANGE_H
#define EDS_STORE_SELECTOR_CHANGE_H

#include "functions/lib/store/selector.h"
#include "functions/lib/store/transaction.h"

/* name in lower case. Two changes within a millisecond are one. */
RT_MUST_USE enum eds_db_result eds_store_selector_remember(struct eds_store *store,
	const char *domain_id, const char *name, const struct eds_selector_check *check);

#endif
