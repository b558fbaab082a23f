/* Runs bootstrap as a client of the Lambda Runtime API. */
#ifndef RT_BOOTSTRAP_LAMBDA_H
#define RT_BOOTSTRAP_LAMBDA_H

#include "runtime/adapter/bootstrap.h"

/* Serves the only function of the manifest until SIGTERM; returns the exit status. */
int bootstrap_lambda(struct bootstrap_api *api, struct manifest *manifest);

/* Reports to the platform and the log why no event can be served; returns the exit status. type is
 * "Category.Reason". */
int bootstrap_lambda_refuse(struct bootstrap_api *api, const char *type, const char *reason);

#endif
