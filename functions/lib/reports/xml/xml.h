/* Reads the XML of a DMARC aggregate report as a stream: records in the usual form by a scanner
 * (xml-plain.h), everything else by expat. */
#ifndef EDS_REPORTS_XML_H
#define EDS_REPORTS_XML_H

#include "functions/lib/reports/intake.h"

/* Passes to intake->report() the report, or the reason why the report cannot be read. Skips XML
 * without a feedback element in its first EDS_REPORT_PROLOG_MAX octets. */
void eds_xml_read(struct eds_intake *intake, struct eds_source *source, const char *file);

#endif
