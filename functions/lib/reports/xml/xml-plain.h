/* Reads a record of a DMARC report without the parser when the record is plain, as nearly all are:
 * ASCII, tags with neither prefix nor attributes, no reference, comment or CDATA. Most octets of a
 * report are in such records, and the parser needs five times as long for them. All other records,
 * also those that are not well-formed, are left to the parser, which decides what they mean. */
#ifndef EDS_XML_PLAIN_H
#define EDS_XML_PLAIN_H

#include "functions/lib/reports/xml/aggregate.h"

enum {
	EDS_XML_PLAIN_DEPTH_MAX = 8,         /* maximum depth of nested elements; the record itself
					      * counts as one, and five are usual */
	EDS_XML_PLAIN_BYTES_MAX = 16 * 1024, /* maximum number of octets of a record and of the text
					      * before it, together */
};

#define EDS_XML_PLAIN_TAG "<record>"

enum eds_xml_plain {
	EDS_XML_PLAIN_READ,
	EDS_XML_PLAIN_OTHER, /* the next record is not plain */
	EDS_XML_PLAIN_CUT,   /* the octets end before it is clear whether the next record is
			      * plain */
};

/* The extent of a record that was read, and of the text before the record. That text has no
 * meaning. */
struct eds_xml_plain_extent {
	size_t octets;
	size_t lines; /* number of line ends among the octets */
};

/* Reads the next record. When it is not plain, the aggregate may contain a part of it; beginning
 * another record drops that part. */
enum eds_xml_plain eds_xml_plain_record(struct eds_aggregate *aggregate, const char *bytes,
	size_t length, struct eds_xml_plain_extent *extent);

#endif
