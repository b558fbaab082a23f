/* The entry of the audit log that transactions write (audit.h). Only the files of this folder
 * include it. */
#ifndef EDS_STORE_AUDIT_WRITE_H
#define EDS_STORE_AUDIT_WRITE_H

#include "functions/lib/store/connection.h"

/* What the request under way is about, where its path does not say so, as of what it makes; NULL
 * leaves what is known. Nothing without an entry. The texts must live as long as the event. */
void eds_store_audit_about(struct eds_store *store, const char *domain, const char *subject);

/* Within a transaction, as the last of it: writes the entry that is due, if any. */
RT_MUST_USE rt_status eds_store_audit_write(struct rt_ctx *ctx, struct eds_store *store);

#endif
