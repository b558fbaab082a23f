/* Searches the parts of a mail for reports (GMime). */
#ifndef EDS_REPORTS_MIME_H
#define EDS_REPORTS_MIME_H

#include "functions/lib/reports/intake.h"

/* Initializes GMime; to be called before the first fork. */
void eds_mime_init(void);

/* level: number of containers around the mail. */
void eds_mime_read(struct eds_intake *intake, const char *mail, size_t length, unsigned level);

#endif
