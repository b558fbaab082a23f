/* The operations port: /healthz (503 while the runner stops; 503 with the reason while mail waits
 * for a part that does not work), /metrics (Prometheus text), the routes of "ops" triggers, and,
 * only for clients on this machine, /events and /events/{id}, which `runner replay` reads. */
#ifndef RUNNER_OPS_H
#define RUNNER_OPS_H

#include "local/serve/intake.h"
#include "runtime/host/gateway/gateway.h"
#include "runtime/host/gateway/recent.h"
#include "runtime/host/metrics.h"

struct ops {
	struct gateway *gateway;
	const struct recent *recent;
	struct intake *intake; /* receives mail; NULL: this runner receives none */
	const char *sandbox;   /* confinement level; NULL as in confinement.h */
	/* the runner is stopping and only finishes what it has begun; /healthz reports that, so
	 * that load balancers send no new work */
	bool draining;
	struct metric *time;
	struct rt_buffer fields;
	struct rt_buffer body;
};

void ops_init(struct ops *ops, struct gateway *gateway, const struct recent *recent);
void ops_done(struct ops *ops);

/* Handles a request; has the type http_on_request, with the ops as arg. */
void ops_on_request(void *arg, struct http_exchange *exchange, const struct http_request *request);

#endif
