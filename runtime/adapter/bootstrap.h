/* bootstrap: the cloud adapter. It keeps one function's program running as a child process and
 * feeds it events.
 *
 *     AWS_LAMBDA_RUNTIME_API=127.0.0.1:9001 _HANDLER=tester-analyze bootstrap
 *     PORT=8080 bootstrap tester-session-get
 *
 * Events come from the Lambda Runtime API, or from HTTP requests, as on Cloud Run and Knative.
 * infra/README.md describes the deployment.
 */
#ifndef RT_BOOTSTRAP_H
#define RT_BOOTSTRAP_H

#include "runtime/adapter/bootstrap-api.h"
#include "runtime/host/manifest.h"

enum {
	BOOTSTRAP_EXIT_FAILED = 1,
	BOOTSTRAP_EXIT_USAGE = 64,
};

#endif
