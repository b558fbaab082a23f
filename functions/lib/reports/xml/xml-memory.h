/* Capped memory for the XML parser, which keeps every name that it has seen: a report has few, an
 * attack may have millions. */
#ifndef EDS_XML_MEMORY_H
#define EDS_XML_MEMORY_H

#include <expat.h>

enum {
	EDS_XML_MEMORY_MAX = 1024 * 1024, /* maximum memory of one parser, in octets; a report takes
					   * about 100 KB */
};

/* For XML_ParserCreate_MM(). Past the cap the parser ends with XML_ERROR_NO_MEMORY. Only one parser
 * may exist at a time, because the count is global to the process. At its end a parser frees all of
 * its memory, so the count is then zero again. */
extern const XML_Memory_Handling_Suite eds_xml_memory;

#endif
