/* The name servers of a domain, each asked by itself: a resolver asks any of them, so one that does
 * not answer, does not serve the zone (a lame delegation, RFC 1912 section 2.8) or has other
 * records makes mail fail at times only.
 *
 * A server is judged only beside another that answers from the same network, as the fault may be
 * ours: no way out for IPv6, or a firewall that lets only the resolver ask.
 */
#ifndef EDS_POSTURE_NAME_SERVERS_H
#define EDS_POSTURE_NAME_SERVERS_H

#include "functions/lib/posture/item.h"

/* Adds findings to the zone item. */
void eds_look_name_servers(struct eds_look *look);

#endif
