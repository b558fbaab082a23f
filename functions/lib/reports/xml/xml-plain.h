/* Reads a record of a DMARC report without the parser when it is written as nearly all are: ASCII,
 * tags without prefix and attributes, no reference, comment or CDATA. Most octets of a report are
 * in such records, and the parser needs five times as long for them. Whatever is not plain, or not
 * well-formed, is left to the parser: it decides what such a record means. */
#ifndef EDS_XML_PLAIN_H
#define EDS_XML_PLAIN_H

#include "functions/lib/reports/xml/aggregate.h"

enum {
	EDS_XML_PLAIN_DEPTH_MAX = 8,         /* elements, with the record; five are usual */
	EDS_XML_PLAIN_BYTES_MAX = 16 * 1024, /* octets of a record, with the text before */
};

#define EDS_XML_PLAIN_TAG "<record>"

enum eds_xml_plain {
	EDS_XML_PLAIN_READ,
	EDS_XML_PLAIN_OTHER, /* not a plain record */
	EDS_XML_PLAIN_CUT,   /* the octets end before this can be said */
};

/* What was read: a record, with the text before it, which means nothing. */
struct eds_xml_plain_extent {
	size_t octets;
	size_t lines; /* line ends among them */
};

/* Reads the next record. When it is not plain, the aggregate may contain a part of it; beginning
 * another record drops that part. */
enum eds_xml_plain eds_xml_plain_record(struct eds_aggregate *aggregate, const char *bytes,
	size_t length, struct eds_xml_plain_extent *extent);

#endif
