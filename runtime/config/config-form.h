/* What config.c and the readers of single forms (config-….c) share. */
#ifndef RT_CONFIG_FORM_H
#define RT_CONFIG_FORM_H

#include "runtime/config/config.h"

/* ZONE[=codes[,v6]], e.g. "zen.example=2-11,30,v6". Empty text switches the list off (zone "").
 * Without codes every answer 127.0.0.2 to .255 counts. */
bool rt_dnsbl_parse(const char *text, struct rt_dnsbl *dnsbl);

/* "domains=10,checks=60": members in any order; what is left out keeps what quota has. */
bool rt_quota_parse(const char *text, struct rt_quota *quota);

/* "network=256,all=4096" in MiB, kept in octets; the same. */
bool rt_mail_quota_parse(const char *text, struct rt_mail_quota *quota);

/* "smtp://127.0.0.1:25", "smtps://user:password@mail.example.com". Empty text is none. */
bool rt_relay_parse(const char *text, struct rt_relay *relay);

/* An address without quotes or comment: what may stand between the < > of a header field. */
bool rt_config_is_address(const char *text);

/* The length of HOST or HOST:PORT at the beginning, 0 when there is none; *host is that of the host
 * alone, an IPv6 address with its brackets (RFC 3986 section 3.2). */
size_t rt_config_authority(const char *text, size_t *host);

/* Forms as config.c has them: each keeps the text in *(const char **)field, and returns what it
 * should have been where it is not of that form, else NULL. */

/* One line of UTF-8 that may stand in a page as it is: nothing in it needs to be escaped. */
const char *rt_form_title(const char *text, void *field);

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

/* Of setting i, from 0; NULL past the last. */
const char *rt_config_name(size_t i);

/* A copy that lives as long as the process. */
char *rt_config_keep(const char *text);

#endif
