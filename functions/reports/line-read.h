/* Reads the stored texts of a line (functions/lib/store/reports/report.h). */
#ifndef EDS_REPORTS_LINE_READ_H
#define EDS_REPORTS_LINE_READ_H

#include "functions/reports/line.h"

/* Tests of a line's state and kind. */
bool report_line_was_read(const struct eds_report_line *line);
bool report_line_was_refused(const struct eds_report_line *line);
bool report_line_is_dmarc(const struct eds_report_line *line);

/* For the standing in eds_report_origin and eds_reporter: the owner has blocked the reporter. */
bool report_standing_is_blocked(const char *standing);

#endif
