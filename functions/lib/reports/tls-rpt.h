/* Reads the JSON of an SMTP TLS report (RFC 8460 section 4). Such reports are small, so each is
 * read as a whole, up to EDS_REPORT_JSON_MAX. */
#ifndef EDS_REPORTS_TLS_RPT_H
#define EDS_REPORTS_TLS_RPT_H

#include "functions/lib/reports/intake.h"

/* Hands the report, or the reason why it was not read, to intake->report. JSON that does not look
 * like a report is skipped. */
void eds_tls_rpt_read(struct eds_intake *intake, struct eds_source *source, const char *file);

#endif
