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
	/* Room for a path in the log, octets. The path is logged without its query, which may
	 * contain secrets. */
	ACCESS_PATH_MAX = 256,
	ACCESS_STATUSES_MAX = 16,
};

/* The counters of one function. Zeroed at the start, except for the name. */
struct access_stats {
	/* name of the function; "none" for requests that reached no function */
	const char *function;
	struct metric *seconds;
	struct {
		int status;
		struct metric *count;
	} statuses[ACCESS_STATUSES_MAX];
};

struct access_entry {
	const char *method; /* the method; "-" when the request could not be parsed */
	const char *path;
	/* address of the client, as named by the trusted proxy if there is one */
	const char *client;
	const char *request_id;
	const char *trace_id; /* trace id of the request; "" for none */
	int status;
	int64_t started_us; /* when the request began to arrive, monotonic */
	size_t body_bytes;  /* octets of the answer's body */
};

void access_record(struct access_stats *stats, const struct access_entry *entry);

/* The current time of the monotonic clock, as for started_us. */
int64_t access_now_us(void);

#endif
