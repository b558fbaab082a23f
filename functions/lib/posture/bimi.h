/* BIMI records: the address of a domain's logo (draft-brand-indicators-for-message-identification).
 *
 *     default._bimi.example.com TXT "v=BIMI1; l=https://example.com/logo.svg; a=https://…/vmc.pem"
 *
 * Reads only the record; fetches neither logo nor certificate.
 */
#ifndef EDS_POSTURE_BIMI_H
#define EDS_POSTURE_BIMI_H

#include "functions/lib/dns/dns.h"

enum eds_bimi {
	EDS_BIMI_NONE,     /* there is no record of this version */
	EDS_BIMI_LOGO,     /* there is one record, with a logo */
	EDS_BIMI_DECLINED, /* there is one record with an empty l=: the domain does not take part */
	EDS_BIMI_SEVERAL,
	EDS_BIMI_SYNTAX,   /* the record has a part that is not tag=value, or has no l= */
	EDS_BIMI_LOCATION, /* l= or a= is not an https: URI */
};

/* Reads the answer for TXT at default._bimi.DOMAIN; the answer need not have records. Sets *record
 * to the record of this version, of several to the last one; to NULL if there is none. */
enum eds_bimi eds_bimi_read(
	const struct eds_dns_answer *answer, const struct eds_dns_record **record);

#endif
