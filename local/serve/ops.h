/* The operations port: /healthz (503 while the runner stops, and with the reason while mail waits
 * for something that is away), /metrics (Prometheus text), the routes of "ops" triggers, and for
 * clients on this machine alone /events and /events/{id}, which `runner replay` reads. */
#ifndef RUNNER_OPS_H
#define RUNNER_OPS_H

#include "local/serve/intake.h"
#include "runtime/host/gateway/gateway.h"
#include "runtime/host/gateway/recent.h"

struct ops {
	struct gateway *gateway;
	const struct recent *recent;
	struct intake *intake; /* NULL: no mail is taken */
	const char *sandbox;   /* how mail is read (confinement.h); NULL: nothing reads any */
	bool draining;         /* /healthz says so, so that no new work is sent here */
	struct bytes fields;
	struct bytes body;
};

void ops_init(struct ops *ops, struct gateway *gateway, const struct recent *recent);
void ops_done(struct ops *ops);

/* An http_on_request with the ops as arg. */
void ops_on_request(void *arg, struct http_exchange *exchange, const struct http_request *request);

#endif
