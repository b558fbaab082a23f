/* Fills in and writes the audit log's entry of the current request, within a transaction (audit.h).
 * Only the files of the store include this header. */
#ifndef EDS_STORE_AUDIT_WRITE_H
#define EDS_STORE_AUDIT_WRITE_H

#include "functions/lib/store/connection.h"

/* Sets the domain and subject of the current request's entry when the request path does not name
 * them, for example for an object that the request creates. NULL keeps the known value. Does
 * nothing if the request has no entry. The texts must live as long as the event. */
void eds_store_audit_about(struct eds_store *store, const char *domain, const char *subject);

/* Writes the entry of the current request if it has one that has not been written yet. Must be the
 * last step of the transaction. */
RT_MUST_USE rt_status eds_store_audit_write(struct rt_ctx *ctx, struct eds_store *store);

#endif
