/* Names in the environment that look like settings and are none. */
#ifndef RT_CONFIG_UNKNOWN_H
#define RT_CONFIG_UNKNOWN_H

#include "runtime/config/config.h"

/* How many variables EDS_… of the environment are none of ours: found is called with the name of
 * each, and with the setting that it probably should be (NULL for none). What Kubernetes says of a
 * service that is called eds does not count. */
size_t rt_config_unknown(
	char **environment, void (*found)(const char *name, size_t length, const char *like));

#endif
