/* Limits how often clients have messages analyzed again: in each session one reanalysis at a time,
 * with a pause after it; for each client an hourly limit over all of its sessions. */
#ifndef EDS_SESSION_REANALYSIS_H
#define EDS_SESSION_REANALYSIS_H

#include "functions/lib/store/store.h"

/* Takes the right to analyze a live session's message again. Only one caller at a time has this
 * right, for EDS_REANALYZE_LEASE_MS at most. The client (an IPv4 address or an IPv6 /64) may take
 * the right per_hour times in an hour; per_hour is 0 for no limit. Errors, those of RT_LIMIT with
 * retry_after_s:
 *
 *     RT_NOT_FOUND "session-not-found"
 *     RT_LIMIT "reanalyzed-just-now"   another caller has the right, or gave it back less than
 *                                      EDS_REANALYZE_PAUSE_MS ago
 *     RT_LIMIT "too-many-reanalyses"   the client, or its IPv6 /48, has reached its hourly limit
 */
RT_MUST_USE rt_status eds_store_reanalysis_begin(struct rt_ctx *ctx, struct eds_store *store,
	const char *test_id, const char *client, int per_hour);
RT_MUST_USE rt_status eds_store_reanalysis_end(
	struct rt_ctx *ctx, struct eds_store *store, const char *test_id);

#endif
