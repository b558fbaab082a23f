/* Parses EDS_BASE_URL, EDS_CONTACT, EDS_IMPRINT_URL, EDS_PRIVACY_URL and EDS_RSPAMD. Each rt_form_…
 * function has the form of a parser in config-form.h. */
#ifndef RT_CONFIG_URL_H
#define RT_CONFIG_URL_H

#include "runtime/config/config-form.h"

/* The length of HOST or HOST:PORT at the start of text, 0 when there is none; *host is the length
 * of the host alone, including the brackets of an IPv6 address (RFC 3986 section 3.2). */
size_t rt_config_authority(const char *text, size_t *host);

/* Accepts an origin such as "https://example.com:8443"; stores it without trailing slashes. */
const char *rt_form_origin(const char *text, void *field);

/* Accepts a link such as "https://example.com/imprint?language=en", or "". In an HTML attribute
 * only its & needs escaping. */
const char *rt_form_link(const char *text, void *field);

/* Accepts a link, a mail address or "". */
const char *rt_form_contact(const char *text, void *field);

/* Accepts a link without a query, or ""; stores it without trailing slashes. Requests to rspamd
 * pass their parameters in header fields. */
const char *rt_form_rspamd(const char *text, void *field);

#endif
