/* Detects the encoding of a report's XML by its first octets (XML 1.0 appendix F), and for
 * supersets of ASCII by its declaration. */
#ifndef EDS_XML_ENCODING_H
#define EDS_XML_ENCODING_H

#include <stdbool.h>
#include <stddef.h>

struct eds_xml_encoding {
	const char *name; /* name of the encoding as expat expects it; NULL when unsupported */
	size_t skip;      /* octets to skip at the start: byte order mark, white space */
	bool repair;      /* read as UTF-8, so invalid octets are repaired (xml-repair.h) */
	bool ascii;       /* the encoding is a superset of ASCII, in which an ampersand is one
			   * octet */
};

/* XML that declares ASCII, nothing, or an unknown encoding is read as UTF-8: reports are in ASCII
 * except for names. */
struct eds_xml_encoding eds_xml_encoding_of(const char *bytes, size_t length);

#endif
