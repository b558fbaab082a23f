/* The Host field of a request, and the authority of a target in absolute form (RFC 9110 section
 * 7.2, RFC 3986 section 3.2): a name or an address, with a port or without.
 *
 *     example.com:8080   192.0.2.1   [2001:db8::1]:443
 */
#ifndef HOST_HTTP_HOST_H
#define HOST_HTTP_HOST_H

#include "runtime/host/http/http.h"

enum {
	HTTP_HOST_NAME_MAX = 255,
};

/* The name or address alone, an IPv6 address without its brackets; false when it is no host. Of
 * what RFC 3986 allows in a name, percent-encoding and sub-delims are in no host's name. */
bool http_host_split(const struct http_span *host, struct http_span *name);

/* Whether a request is meant for this service: a listener on loopback serves whoever sits at the
 * machine, and a page of a stranger, whose name was made to lead here, must read nothing of it.
 * There the host is an address, localhost, that of EDS_BASE_URL or EDS_POLICY_HOST; elsewhere, and
 * behind EDS_TRUSTED_PROXIES, it may be any. */
bool http_host_is_ours(const struct http_request *request);

#endif
