#include <string.h>

#include "functions/reports/line-read.h"
#include "functions/reports/line.h"

bool report_line_was_read(const struct eds_report_line *line)
{
	return strcmp(line->state, "read") == 0;
}

bool report_line_was_refused(const struct eds_report_line *line)
{
	return strcmp(line->state, "refused") == 0;
}

bool report_line_is_dmarc(const struct eds_report_line *line)
{
	return strcmp(line->kind, "dmarc") == 0;
}

bool report_standing_is_blocked(const char *standing)
{
	return strcmp(standing, "blocked") == 0;
}
