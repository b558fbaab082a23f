/* Parses one line of the scripted DNS server's file (dnsd-zone.h describes its form). */
#ifndef DNSD_LINE_H
#define DNSD_LINE_H

#include "tests/support/dnsd-zone.h"

enum {
	ZONE_DATA_MAX = 65535 - 512, /* octets of the data of one record */
};

struct zone_line {
	bool empty; /* the line is empty or a comment */
	bool global;
	bool has_record;
	bool has_behavior;
	uint8_t name[ZONE_NAME_MAX];
	/* the record of the line; its data is valid until the next call */
	struct zone_record record;
	struct zone_behavior behavior;
};

/* Parses the line, and changes text. Returns NULL, or a description of the error in the line. */
const char *zone_line_parse(char *text, struct zone_line *line);

#endif
