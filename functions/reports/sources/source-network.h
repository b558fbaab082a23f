/* Looks up in DNS the network of an address, and the network's operator. The zone in EDS_ASN_ZONE
 * answers in the format of Team Cymru's asn.cymru.com.
 *
 *     1.2.0.192.origin.ZONE  TXT "64500 | 192.0.2.0/24 | US | arin | 2010-01-01"
 *     AS64500.ZONE           TXT "64500 | US | arin | 2010-01-01 | EXAMPLE-NET, US"
 *
 * IPv6 addresses are below origin6.ZONE, by nibbles. The operator of the zone learns from the
 * questions which addresses send in the domain's name. If EDS_ASN_ZONE is empty, no questions are
 * sent.
 */
#ifndef EDS_REPORTS_SOURCE_NETWORK_H
#define EDS_REPORTS_SOURCE_NETWORK_H

#include "functions/lib/dns/dns.h"
#include "functions/lib/store/reports/report-sources.h"

/* Starts the lookups of the network and of its operator; does nothing if EDS_ASN_ZONE
 * is not set. */
void report_network_start(struct rt_ctx *ctx, struct eds_dns *dns, const struct rt_ip *ip);

/* Sets network, asn and as_name of the source from the answers that have arrived; sets *is_open if
 * an answer is missing. */
void report_network_read(struct rt_ctx *ctx, struct eds_dns *dns, const struct rt_ip *ip,
	struct eds_report_source *source, bool *is_open);

#endif
