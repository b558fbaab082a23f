/* DKIM selectors as the API shows them:
 *
 *     {"selector": "s1", "valid": true, "keyType": "rsa", "keySize": 2048, "errors": [],
 *      "warnings": []}                                                  (when registered)
 *     {…, "addedManually": true, "checkedAt": "2026-01-31T23:59:59Z", "state": "active",
 *      "evidence": {"firstSeen": null, "lastSeen": null, "passCount": 0, "failCount": 0,
 *                   "cname": null, "record": "v=DKIM1; p=…", "keyHash": "9f86…",
 *                   "keySince": "2026-01-31T23:59:59Z", "keyAgeDays": 0}} (in the list)
 *
 * state: active (valid, seen in a report of the last 30 days), unused (valid, not seen), revoked,
 * invalid, unknown (DNS has given no answer yet). Written as text: what is stored of a check is
 * JSON already, and lists are long. What depends on the day and on other domains is warned of in
 * the list: key-old (the same for more than a year), key-shared (with another domain of the
 * account).
 */
#ifndef EDS_DKIM_SELECTOR_JSON_H
#define EDS_DKIM_SELECTOR_JSON_H

#include "functions/lib/store/selectors/selector.h"
#include "runtime/buffer.h"
#include "runtime/event/event.h"

enum {
	SELECTOR_TIME_BYTES = 32,
};

/* What a report must have named after this time to be active, ms. */
int64_t selector_active_since(void);

/* {"data": …} under way. */
struct selector_body {
	struct rt_buffer text;
	int64_t time_ms; /* the time written last: in a list most are of the same second */
	char time[SELECTOR_TIME_BYTES];
};

void selector_body_begin(struct rt_ctx *ctx, struct selector_body *body);
RT_MUST_USE rt_status selector_body_respond(
	struct rt_ctx *ctx, struct selector_body *body, struct rt_response *res, int status);

/* Of a selector and its latest check: the ETag of the form of the registration. */
const char *selector_etag(
	struct rt_ctx *ctx, const char *name, const struct eds_selector_check *check);

/* The form of the registration, of the list, and a line of the history. */
void selector_write_check(
	struct selector_body *body, const char *name, const struct eds_selector_check *check);
void selector_write_entry(struct selector_body *body, const struct eds_selector *selector);
void selector_write_change(struct selector_body *body, const struct eds_selector_change *change);

#endif
