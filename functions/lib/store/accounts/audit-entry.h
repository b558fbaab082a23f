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
	const char *action;  /* "deleteSelector": its operationId in openapi.yaml */
	const char *domain;  /* domain name; NULL: the change is about the whole account */
	const char *subject; /* the selector, alert, reporter or token; NULL: the domain itself */
};

#endif
