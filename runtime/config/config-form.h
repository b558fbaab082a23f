/* What config.c and the readers of single forms (config-….c) share. */
#ifndef RT_CONFIG_FORM_H
#define RT_CONFIG_FORM_H

#include "runtime/config/config.h"

/* Forms as config.c has them: each keeps the text in *(const char **)field, and returns what it
 * should have been where it is not of that form, else NULL. */

/* Of setting i, from 0; NULL past the last. */
const char *rt_config_name(size_t i);

/* A copy that lives as long as the process. */
char *rt_config_keep(const char *text);

#endif
