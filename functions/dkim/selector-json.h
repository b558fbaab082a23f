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
 * invalid, unknown (DNS has given no answer yet, or gave none to a check that was asked for just
 * now). The list adds warnings that depend on the day or on other domains: key-old (the same key
 * for more than a year), key-shared (with another domain of the account). The answers are written
 * as text, because a stored check is JSON text already, and lists are long.
 */
#ifndef EDS_DKIM_SELECTOR_JSON_H
#define EDS_DKIM_SELECTOR_JSON_H

#include "functions/lib/store/selectors/selector.h"
#include "runtime/buffer.h"
#include "runtime/event/event.h"

enum {
	SELECTOR_TIME_BYTES = 32,
};

/* A valid selector is active when a report named it after this time, epoch ms. */
int64_t selector_active_since(void);

/* An answer {"data": …} that is being written. */
struct selector_body {
	struct rt_buffer text;
	/* epoch ms of the time that the member `time` shows as text; the text is reused, since most
	 * selectors of a list were checked in the same second */
	int64_t time_ms;
	char time[SELECTOR_TIME_BYTES];
};

void selector_body_begin(struct rt_ctx *ctx, struct selector_body *body);
RT_MUST_USE rt_status selector_body_respond(
	struct rt_ctx *ctx, struct selector_body *body, struct rt_response *res, int status);

/* The ETag of a selector with its latest check, made from the text that selector_write_check()
 * writes. */
const char *selector_etag(
	struct rt_ctx *ctx, const char *name, const struct eds_selector_check *check);

/* Append to the body: a selector as the registration shows it; a selector as the list shows it; a
 * row of a selector's history. */
void selector_write_check(
	struct selector_body *body, const char *name, const struct eds_selector_check *check);
void selector_write_entry(struct selector_body *body, const struct eds_selector *selector);
void selector_write_change(struct selector_body *body, const struct eds_selector_change *change);

#endif
