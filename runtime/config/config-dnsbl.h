/* The form of EDS_DNSBL_…: ZONE[=codes[,v6]]. */
#ifndef RT_CONFIG_DNSBL_H
#define RT_CONFIG_DNSBL_H

#include "runtime/config/config-form.h"

/* ZONE[=codes[,v6]], e.g. "zen.example=2-11,30,v6". Empty text switches the list off (zone "").
 * Without codes every answer 127.0.0.2 to .255 counts. */
bool rt_dnsbl_parse(const char *text, struct rt_dnsbl *dnsbl);

#endif
