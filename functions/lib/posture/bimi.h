/* BIMI records: where the logo of a domain lies
 * (draft-brand-indicators-for-message-identification).
 *
 *     default._bimi.example.com TXT "v=BIMI1; l=https://example.com/logo.svg; a=https://…/vmc.pem"
 *
 * Only the record is read; neither logo nor certificate is fetched.
 */
#ifndef EDS_POSTURE_BIMI_H
#define EDS_POSTURE_BIMI_H

#include "functions/lib/dns/dns.h"

enum eds_bimi {
	EDS_BIMI_NONE,     /* no record of this version */
	EDS_BIMI_LOGO,     /* one, with a logo */
	EDS_BIMI_DECLINED, /* one with an empty l=: the domain takes no part */
	EDS_BIMI_SEVERAL,
	EDS_BIMI_SYNTAX,   /* a part that is no tag=value, or no l= */
	EDS_BIMI_LOCATION, /* l= or a= is no https: URI */
};

/* answer: of TXT at default._bimi.DOMAIN, found or not. record: the one that was read, or NULL. */
enum eds_bimi eds_bimi_read(
	const struct eds_dns_answer *answer, const struct eds_dns_record **record);

#endif
