/* Records every HTTP request: in the counters of /metrics, and as a line in the log.
 *
 *     {"time":…,"level":"info","function":"tester-session-get","requestId":"…","traceId":"…",
 *      "method":"GET","path":"/api/inbound-tester/sessions/{testId}","status":200,"durationMs":0.412,
 *      "bytes":1804,"client":"192.0.2.1","message":"request answered"}
 */
#ifndef HOST_ACCESS_H
#define HOST_ACCESS_H

#include <stdint.h>

#include "runtime/host/metrics.h"

enum {
	ACCESS_PATH_MAX =
		256, /* of a path in the log, without its query, which may contain secrets */
	ACCESS_STATUSES_MAX = 16,
};

/* The counters of one function; zeroed at first except for the name. */
struct access_stats {
	const char *function; /* "none" for requests that reached no function */
	struct metric *seconds;
	struct {
		int status;
		struct metric *count;
	} statuses[ACCESS_STATUSES_MAX];
};

struct access_entry {
	const char *method; /* "-" when the request could not be parsed */
	const char *path;
	const char *client; /* the client behind trusted proxies */
	const char *request_id;
	const char *trace_id; /* "" for none */
	int status;
	int64_t started_us; /* monotonic */
	size_t body_bytes;  /* of the answer */
};

void access_record(struct access_stats *stats, const struct access_entry *entry);

int64_t access_now_us(void);

#endif
