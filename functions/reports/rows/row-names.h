/* The API's names for the disposition and the class of a row. */
#ifndef EDS_REPORTS_ROW_NAMES_H
#define EDS_REPORTS_ROW_NAMES_H

#include "functions/lib/reports/report.h"

/* The name of a disposition, such as "none"; and of a class, such as "passed". */
const char *report_disposition_name(enum eds_report_disposition disposition);
const char *report_class_name(enum eds_report_class class);

#endif
