/* The entry of the audit log that transactions write (audit.h). Only the files of this folder
 * include it. */
#ifndef EDS_STORE_AUDIT_WRITE_H
#define EDS_STORE_AUDIT_WRITE_H

#include "functions/lib/store/connection.h"

/* Sets the domain and subject of the current request's entry when the request path does not name
 * them, for example for an object that the request creates. NULL keeps the known value. Does
 * nothing without an entry. The texts must live as long as the event. */
void eds_store_audit_about(struct eds_store *store, const char *domain, const char *subject);

/* Writes the entry that is due, if any. Must be the last step of the transaction. */
RT_MUST_USE rt_status eds_store_audit_write(struct rt_ctx *ctx, struct eds_store *store);

#endif
