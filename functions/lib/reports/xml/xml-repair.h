/* Corrects octets that reporters write although XML forbids them, on the way to the parser: octets
 * that are not UTF-8, or that encode U+FFFE or U+FFFF, become U+FFFD, and an ampersand that begins
 * no reference becomes &amp;. Text that needs no repair, which is nearly all, is passed on in
 * place. */
#ifndef EDS_XML_REPAIR_H
#define EDS_XML_REPAIR_H

#include <stdbool.h>
#include <stddef.h>

enum {
	EDS_XML_LOOK_MAX = 16,        /* maximum number of octets that are examined to judge the
				       * character at their start */
	EDS_XML_REPAIRS_MAX = 100000, /* maximum number of repairs of one report */
};

struct eds_xml_repair {
	/* Takes the next octets; false: the caller must stop. */
	bool (*take)(void *arg, const char *bytes, size_t length);
	void *arg;
	bool octets;   /* invalid UTF-8 is repaired; false for encodings with one octet per
			* character */
	bool in_cdata; /* within CDATA, where an ampersand is allowed; set by the parser that take()
			* feeds */
	unsigned repairs;
	char carry[2 * EDS_XML_LOOK_MAX]; /* octets at the end of a block that were not judged
					   * yet */
	size_t carried;
};

/* Repairs and passes on octets. False when take() returned false, or when the report needs more
 * than EDS_XML_REPAIRS_MAX repairs. last: these are the last octets of the report. */
bool eds_xml_repair(struct eds_xml_repair *repair, const char *bytes, size_t length, bool last);

#endif
