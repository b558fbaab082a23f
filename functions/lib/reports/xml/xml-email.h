/* Corrects the address of a reporter that is written as in the From field of a mail, which is not
 * valid XML:
 *
 *     <email>Reports <dmarc@reporter.example></email>
 */
#ifndef EDS_REPORTS_XML_EMAIL_H
#define EDS_REPORTS_XML_EMAIL_H

#include <stdbool.h>
#include <stddef.h>

enum {
	EDS_XML_EMAIL_MAX = 512, /* octets of the longest text that is corrected */
	EDS_XML_EMAIL_ESCAPED = EDS_XML_EMAIL_MAX * 4,
};

/* True when the first block of a report has an address that is written like a tag; the text of the
 * email element is then between *begin and *end. */
bool eds_xml_email_is_bare(const char *block, size_t length, size_t *begin, size_t *end);

/* Escapes the text for XML and sets *length to the octets of the result; escaped has room for
 * EDS_XML_EMAIL_ESCAPED. */
void eds_xml_email_escape(const char *text, size_t octets, char *escaped, size_t *length);

#endif
