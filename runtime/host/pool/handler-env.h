/* The environment and the memory limit of a handler process. */
#ifndef HOST_HANDLER_ENV_H
#define HOST_HANDLER_ENV_H

#include "runtime/host/manifest.h"

enum {
	HANDLER_ENV_MAX = 256, /* maximum number of variables in an environment */
};

/* Makes the environment, a NULL-terminated array of "NAME=value". Ends the process when out of
 * memory. The environment has
 * - the settings that the manifest names for the function, EDS_LOG_LEVEL and EDS_SANDBOX;
 * - AWS_* if the function has EDS_MAIL_STORE, or an EDS_DATABASE_URL that names an AWS secret;
 * - PG* if the function has EDS_DATABASE_URL;
 * - the variables of the system and the sanitizers, and the function's time-out, EDS_TIMEOUT_MS. */
const char **handler_env_new(const struct manifest_function *function);
void handler_env_free(const char **environment);

/* The RLIMIT_DATA of the function, bytes; 0 for none, as in sanitizer builds, whose shadow memory
 * is huge. */
size_t handler_data_limit(const struct manifest_function *function);

#endif
