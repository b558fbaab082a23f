/* The texts of a line as the store keeps them (functions/lib/store/reports/report.h). */
#ifndef EDS_REPORTS_LINE_READ_H
#define EDS_REPORTS_LINE_READ_H

#include "functions/reports/line.h"

/* What the store's texts of a line say. */
bool report_line_was_read(const struct eds_report_line *line);
bool report_line_was_refused(const struct eds_report_line *line);
bool report_line_is_dmarc(const struct eds_report_line *line);

/* Of eds_report_origin and eds_reporter: the owner wants nothing of it. */
bool report_standing_is_blocked(const char *standing);

#endif
