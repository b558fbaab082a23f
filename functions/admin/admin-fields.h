/* Reads and checks the members of admin's input. Each function fails with RT_BAD_INPUT
 * "field-invalid" and a sentence that names the member. */
#ifndef EDS_ADMIN_FIELDS_H
#define EDS_ADMIN_FIELDS_H

#include "functions/lib/store/accounts/account.h"
#include "runtime/json.h"

/* Reads a name of 1 to EDS_ACCOUNT_NAME_MAX octets without control characters. */
RT_MUST_USE rt_status eds_admin_name(
	struct rt_ctx *ctx, const json_t *input, const char *field, const char **name);

/* Reads "plan": free or paid. */
RT_MUST_USE rt_status eds_admin_plan(struct rt_ctx *ctx, const json_t *input, enum eds_plan *plan);

/* Reads "expiresAt": an RFC 3339 time in the future; absent or null means never (0). */
RT_MUST_USE rt_status eds_admin_expiry(
	struct rt_ctx *ctx, const json_t *input, int64_t *expires_at_ms);

#endif
