/* Which encoding the XML of a report is in: by its first octets (XML 1.0 appendix F), and for the
 * supersets of ASCII by what it declares. */
#ifndef EDS_XML_ENCODING_H
#define EDS_XML_ENCODING_H

#include <stdbool.h>
#include <stddef.h>

struct eds_xml_encoding {
	const char *name; /* as expat wants it; NULL when there is none */
	size_t skip;      /* octets before the first that counts: byte order mark, white space */
	bool repair;      /* UTF-8 or said to be: see xml-repair.h */
	bool ascii;       /* an ampersand is one octet */
};

/* What says that it is ASCII, nothing, or something unheard of is read as UTF-8: reports are in
 * ASCII but for names. */
struct eds_xml_encoding eds_xml_encoding_of(const char *bytes, size_t length);

#endif
