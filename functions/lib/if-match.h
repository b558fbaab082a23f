/* Lets a change apply only to the version that the request names (RFC 9110 section 13.1.1), so that
 * two people who change the same thing do not silently overwrite each other's work.
 *
 *     If-Match: "9c1185a5c5e9fc54"
 *
 * The version is the ETag of an earlier answer that shows the resource. The current ETag is read
 * again within the transaction of the change.
 */
#ifndef EDS_IF_MATCH_H
#define EDS_IF_MATCH_H

#include "functions/lib/store/store.h"
#include "runtime/event/event.h"

/* Reads the current state and gives its ETag; may run several times. */
typedef rt_status (*eds_version)(
	struct rt_ctx *ctx, struct eds_store *store, void *arg, const char **etag);

/* To be called right before the change, which must be the event's next transaction. Does nothing
 * for a request without If-Match. Fails as version() does, and with RT_BAD_INPUT "if-match-invalid"
 * or RT_CONFLICT "version-changed" (412). The change, too, can fail with "version-changed". */
RT_MUST_USE rt_status eds_if_match(struct rt_ctx *ctx, const struct rt_request *req,
	struct eds_store *store, eds_version version, void *arg);

#endif
