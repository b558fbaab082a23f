/* The network that an address belongs to and who runs it, by DNS: the zone that EDS_ASN_ZONE names
 * answers as Team Cymru's asn.cymru.com does.
 *
 *     1.2.0.192.origin.ZONE  TXT "64500 | 192.0.2.0/24 | US | arin | 2010-01-01"
 *     AS64500.ZONE           TXT "64500 | US | arin | 2010-01-01 | EXAMPLE-NET, US"
 *
 * Addresses of IPv6 stand below origin6.ZONE, by nibbles. Where the variable is empty nothing is
 * asked: the zone's operator would learn who sends in the domain's name.
 */
#ifndef EDS_REPORTS_SOURCE_NETWORK_H
#define EDS_REPORTS_SOURCE_NETWORK_H

#include "functions/lib/dns/dns.h"
#include "functions/lib/store/reports/report-sources.h"

/* Asks for both, unless no zone is set. */
void report_network_start(struct rt_ctx *ctx, struct eds_dns *dns, const struct rt_ip *ip);

/* Sets network, asn and as_name of the source by what is there; *is_open when an answer is not. */
void report_network_read(struct rt_ctx *ctx, struct eds_dns *dns, const struct rt_ip *ip,
	struct eds_report_source *source, bool *is_open);

#endif
