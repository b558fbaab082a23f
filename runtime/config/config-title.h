/* Parses EDS_TITLE. */
#ifndef RT_CONFIG_TITLE_H
#define RT_CONFIG_TITLE_H

#include "runtime/config/config-form.h"

/* Accepts one line of UTF-8 that needs no escaping in an HTML page. */
const char *rt_form_title(const char *text, void *field);

#endif
