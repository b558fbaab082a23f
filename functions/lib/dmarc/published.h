/* The DMARC record of a domain and its report addresses (RFC 9989 sections 4.7 and 4.10). */
#ifndef EDS_PUBLISHED_H
#define EDS_PUBLISHED_H

#include "functions/lib/dmarc/dmarc.h"

/* Finds the record by a walk from the domain, which is normalized. Waits for DNS. */
void eds_dmarc_find(struct rt_ctx *ctx, struct eds_dns *dns, const char *domain,
	struct eds_dmarc_published *published);

/* The valid mailto: addresses of the tag "rua" or "ruf" of a record. Returns their number. */
size_t eds_dmarc_destinations(struct rt_ctx *ctx, const char *record, const char *tag,
	struct eds_dmarc_destination list[EDS_DMARC_DESTINATIONS_MAX]);

#endif
