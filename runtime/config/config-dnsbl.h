/* Parses the values of EDS_DNSBL_…. */
#ifndef RT_CONFIG_DNSBL_H
#define RT_CONFIG_DNSBL_H

#include "runtime/config/config-form.h"

/* Parses ZONE[=codes[,v6]], for example "zen.example=2-11,30,v6". An empty text switches the list
 * off (zone ""). Without codes every answer from 127.0.0.2 to 127.0.0.255 means listed. */
bool rt_dnsbl_parse(const char *text, struct rt_dnsbl *dnsbl);

#endif
