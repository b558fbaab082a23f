/* EDS_TITLE. */
#ifndef RT_CONFIG_TITLE_H
#define RT_CONFIG_TITLE_H

#include "runtime/config/config-form.h"

/* One line of UTF-8 that may stand in a page as it is: nothing in it needs to be escaped. */
const char *rt_form_title(const char *text, void *field);

#endif
