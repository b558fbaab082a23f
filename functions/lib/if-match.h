/* A change that is asked for of one version alone (RFC 9110 section 13.1.1): two people who change
 * the same thing do not undo each other's work unseen.
 *
 *     If-Match: "9c1185a5c5e9fc54"
 *
 * The version is that of the ETag which GET shows, read once more within the transaction of the
 * change.
 */
#ifndef EDS_IF_MATCH_H
#define EDS_IF_MATCH_H

#include "functions/lib/store/store.h"
#include "runtime/event/event.h"

/* Reads what there is now and says its ETag; may run several times. */
typedef rt_status (*eds_version)(
	struct rt_ctx *ctx, struct eds_store *store, void *arg, const char **etag);

/* Right before the change, which is the event's next transaction. Without If-Match nothing is read.
 * RT_CONFLICT "version-changed" (412) here, or from the change; RT_BAD_INPUT "if-match-invalid";
 * what version returns. */
RT_MUST_USE rt_status eds_if_match(struct rt_ctx *ctx, const struct rt_request *req,
	struct eds_store *store, eds_version version, void *arg);

#endif
