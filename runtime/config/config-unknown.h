/* Finds environment variables that look like settings but are not. */
#ifndef RT_CONFIG_UNKNOWN_H
#define RT_CONFIG_UNKNOWN_H

#include "runtime/config/config.h"

/* Returns the number of environment variables EDS_… that are not settings. For each of them it
 * calls found() with the name and with the setting that was probably meant (NULL if none is close).
 * Leaves out the variables that have another purpose: EDS_TEST_… and EDS_TIMEOUT_MS, those of the
 * command eds, and those that Kubernetes sets for a service named eds. */
size_t rt_config_unknown(
	char **environment, void (*found)(const char *name, size_t length, const char *like));

#endif
