/* Several reports in one text, one after the other, as `cat` and `zcat` write them. */
#ifndef EDS_REPORTS_XML_TEXTS_H
#define EDS_REPORTS_XML_TEXTS_H

#include "functions/lib/reports/intake.h"

/* Reads each report of the text as eds_xml_read() does. A report ends with the end tag of its
 * feedback element; another report follows when the next character is "<". A text in UTF-16 is read
 * as a single report. */
void eds_xml_texts_read(struct eds_intake *intake, struct eds_source *source, const char *file);

#endif
