#ifndef EDS_STORE_AUDIT_ENTRY_H
#define EDS_STORE_AUDIT_ENTRY_H

#include <stdint.h>

/* A line of the audit log. */
struct eds_audit_entry {
	const char *id; /* UUIDv7 */
	int64_t at_ms;
	const char *account_id; /* set for a new entry; NULL in a list */
	const char *token_id;
	const char *token_name;
	const char *action;  /* operationId in openapi.yaml: "deleteSelector" */
	const char *domain;  /* name of the domain; NULL when the change is about the whole
			      * account */
	const char *subject; /* the changed selector, alert, reporter or token; NULL when the domain
			      * or the account itself changed */
};

#endif
