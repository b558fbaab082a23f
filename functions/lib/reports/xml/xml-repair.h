/* What reporters write into XML though it forbids it, put right on the way to the parser: octets
 * that are no UTF-8 become U+FFFD, an ampersand that begins no reference becomes &amp;. What needs
 * no repair, and that is nearly all, is passed on in place. */
#ifndef EDS_XML_REPAIR_H
#define EDS_XML_REPAIR_H

#include <stdbool.h>
#include <stddef.h>

enum {
	EDS_XML_LOOK_MAX = 16,        /* octets needed to judge one place */
	EDS_XML_REPAIRS_MAX = 100000, /* of one report */
};

struct eds_xml_repair {
	/* Takes the next octets; false: no more are wanted. */
	bool (*take)(void *arg, const char *bytes, size_t length);
	void *arg;
	bool octets;   /* to be repaired: false in an encoding of one octet a character */
	bool in_cdata; /* where an ampersand is allowed; set by whoever parses what take() gets */
	unsigned repairs;
	char carry[2 * EDS_XML_LOOK_MAX]; /* the end of a block, not judged yet */
	size_t carried;
};

/* False when take() wants no more, or there is too much to repair. last: nothing follows. */
bool eds_xml_repair(struct eds_xml_repair *repair, const char *bytes, size_t length, bool last);

#endif
