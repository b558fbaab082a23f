/* Declarations for config.c and for the parsers in the files config-….c. */
#ifndef RT_CONFIG_FORM_H
#define RT_CONFIG_FORM_H

#include "runtime/config/config.h"

/* A parser that config.c calls has the form const char *parse(const char *text, void *field). The
 * parser stores the value of the setting in *field and returns NULL. If the text has the wrong
 * form, the parser returns a description of the right form. */

/* The name of setting i, from 0; NULL past the last. */
const char *rt_config_name(size_t i);

/* Returns a copy of the text; the copy lives as long as the process. */
char *rt_config_keep(const char *text);

#endif
