/* Reads the stored texts of a report's line in the log of its domain
 * (functions/lib/store/reports/report.h). */
#ifndef EDS_REPORTS_LINE_READ_H
#define EDS_REPORTS_LINE_READ_H

#include "functions/reports/line.h"

/* Test the state or the kind of a report's line. */
bool report_line_was_read(const struct eds_report_line *line);
bool report_line_was_refused(const struct eds_report_line *line);
bool report_line_is_dmarc(const struct eds_report_line *line);

/* True if the owner has blocked the reporter. standing: as in eds_report_origin and eds_reporter.
 */
bool report_standing_is_blocked(const char *standing);

#endif
