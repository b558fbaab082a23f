/* Reads the plain records of a report (xml-plain.h) on the way to the parser, which gets all other
 * octets in their order. The parser is between two elements where a record is left out, so it goes
 * on as if the record had never been there. The beginning of a record that continues in the next
 * block is held back until that block comes. */
#ifndef EDS_XML_RECORDS_H
#define EDS_XML_RECORDS_H

#include "functions/lib/reports/xml/xml-plain.h"

enum {
	/* The number of misses after which all records go to the parser. Two events count as a
	 * miss: a search finds the next record after octets that are not a plain record, or many
	 * held octets are examined again and the record still does not end in them. */
	EDS_XML_RECORDS_MISSES_MAX = 16,
};

struct eds_xml_records {
	/* Gives the next octets to the parser; false: the caller must stop. */
	bool (*pass)(void *arg, const char *bytes, size_t length);
	/* Returns the report to which a plain record may now be added; NULL when the next octets
	 * must go to the parser. A record may be added when the parser is directly within the
	 * feedback element and has processed all octets passed to it so far, so that it holds no
	 * unfinished token. */
	struct eds_aggregate *(*between)(void *arg);
	/* Called for each record that was read without the parser. */
	void (*read)(void *arg, const struct eds_xml_plain_extent *extent);
	void *arg;
	unsigned misses;
	size_t held;
	char block[EDS_XML_PLAIN_BYTES_MAX]; /* begins with the octets held back; the next octets
					      * are copied behind them */
};

/* Reads the plain records in the octets and passes the other octets on. False when pass() returned
 * false. */
bool eds_xml_records(struct eds_xml_records *records, const char *bytes, size_t length);

/* Passes on the octets held back, at the end of the report. */
bool eds_xml_records_end(struct eds_xml_records *records);

#endif
