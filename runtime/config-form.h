/* What config.c and the reader of EDS_DNSBL_x share. */
#ifndef RT_CONFIG_FORM_H
#define RT_CONFIG_FORM_H

#include "runtime/config.h"

/* ZONE[=codes[,v6]], e.g. "zen.example=2-11,30,v6". Empty text switches the list off (zone "").
 * Without codes every answer 127.0.0.2 to .255 counts. */
bool rt_dnsbl_parse(const char *text, struct rt_dnsbl *dnsbl);

/* A copy that lives as long as the process. */
char *rt_config_keep(const char *text);

#endif
