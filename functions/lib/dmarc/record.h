/* Reading one DMARC record (RFC 9989 sections 4.7 and 4.8).
 *
 *     dmarc-record = "v" equals %s"DMARC1" *(dmarc-sep dmarc-tag) [dmarc-sep] *WSP
 *     dmarc-tag    = 1*ALPHA equals 1*dmarc-value
 */
#ifndef EDS_DMARC_RECORD_H
#define EDS_DMARC_RECORD_H

#include "functions/lib/dmarc/discover.h"
#include "functions/lib/dmarc/dmarc.h"

/* Reads a record. An unusable record gives no policy, but its psd= is read, since the walk uses
 * it. */
enum eds_dmarc_text eds_dmarc_record_read(
	struct rt_ctx *ctx, const char *text, size_t length, struct eds_dmarc_record *record);

/* True for a usable DMARC record; false for any other text, or for a record that must be
 * ignored. */
bool eds_dmarc_record_parse(
	struct rt_ctx *ctx, const char *text, size_t length, struct eds_dmarc_record *record);

#endif
