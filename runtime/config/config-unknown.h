/* Finds environment variables that look like settings but are not. */
#ifndef RT_CONFIG_UNKNOWN_H
#define RT_CONFIG_UNKNOWN_H

#include "runtime/config/config.h"

/* Returns the number of environment variables EDS_… that are not settings. Calls found with the
 * name of each, and with the setting that was probably meant (NULL if none is close). Variables
 * that Kubernetes sets for a service named eds do not count. */
size_t rt_config_unknown(
	char **environment, void (*found)(const char *name, size_t length, const char *like));

#endif
