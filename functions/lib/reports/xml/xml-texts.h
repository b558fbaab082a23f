/* Several reports in one text, one after the other, as `cat` and `zcat` write them. */
#ifndef EDS_REPORTS_XML_TEXTS_H
#define EDS_REPORTS_XML_TEXTS_H

#include "functions/lib/reports/intake.h"

/* Reads each report of the text as eds_xml_read() does. The end tag of a report's feedback element
 * ends it; another text follows when the next character is "<". Texts in UTF-16 are one report. */
void eds_xml_texts_read(struct eds_intake *intake, struct eds_source *source, const char *file);

#endif
