/* bootstrap as a client of the Lambda Runtime API. */
#ifndef RT_BOOTSTRAP_LAMBDA_H
#define RT_BOOTSTRAP_LAMBDA_H

#include "runtime/adapter/bootstrap.h"

/* Both serve the one function of the manifest until SIGTERM and give the exit status. */
int bootstrap_lambda(struct bootstrap_api *api, struct manifest *manifest);

/* Tells the platform, and the log, why events cannot be served at all; gives the exit status. type
 * is "Category.Reason". */
int bootstrap_lambda_refuse(struct bootstrap_api *api, const char *type, const char *reason);

#endif
