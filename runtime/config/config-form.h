/* Shared by config.c and the parsers of single forms (config-….c). */
#ifndef RT_CONFIG_FORM_H
#define RT_CONFIG_FORM_H

#include "runtime/config/config.h"

/* Parsers as config.c uses them: each keeps the text in *(const char **)field and returns NULL, or
 * a description of the expected form when the text does not have it. */

/* The name of setting i, from 0; NULL past the last. */
const char *rt_config_name(size_t i);

/* A copy that lives as long as the process. */
char *rt_config_keep(const char *text);

#endif
