/* Runs bootstrap as an HTTP server on PORT, for Cloud Run and Knative. */
#ifndef RT_BOOTSTRAP_HTTP_H
#define RT_BOOTSTRAP_HTTP_H

#include "runtime/adapter/bootstrap.h"

/* Serves the only function of the manifest until SIGTERM; returns the exit status. */
int bootstrap_http(struct manifest *manifest, const char *port);

#endif
