/* EDS_BASE_URL, EDS_CONTACT, EDS_IMPRINT_URL, EDS_PRIVACY_URL and EDS_RSPAMD. */
#ifndef RT_CONFIG_URL_H
#define RT_CONFIG_URL_H

#include "runtime/config/config-form.h"

/* The length of HOST or HOST:PORT at the beginning, 0 when there is none; *host is that of the host
 * alone, an IPv6 address with its brackets (RFC 3986 section 3.2). */
size_t rt_config_authority(const char *text, size_t *host);

/* "https://example.com:8443", kept without the slashes behind it. */
const char *rt_form_origin(const char *text, void *field);

/* "https://example.com/imprint?language=en" or "": nothing in it needs to be escaped in an
 * attribute but the &. */
const char *rt_form_link(const char *text, void *field);

/* The same, or a mail address. */
const char *rt_form_contact(const char *text, void *field);

/* A link without a query, or "", kept without the slashes behind it: what is asked of it is said in
 * header fields. */
const char *rt_form_rspamd(const char *text, void *field);

#endif
