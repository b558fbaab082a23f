/* The operations port: /healthz, /metrics (Prometheus text), and the routes of "ops" triggers. */
#ifndef RUNNER_OPS_H
#define RUNNER_OPS_H

#include "runtime/host/gateway.h"

struct ops {
	struct gateway *gateway;
	bool draining; /* /healthz says so, so that no new work is sent here */
	struct bytes fields;
	struct bytes body;
};

void ops_init(struct ops *ops, struct gateway *gateway);
void ops_done(struct ops *ops);

/* An http_on_request with the ops as arg. */
void ops_on_request(void *arg, struct http_exchange *exchange, const struct http_request *request);

#endif
