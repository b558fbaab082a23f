/* Octets that are pulled, block by block, through the layers around a report: message, MIME part,
 * gzip, zip member. What a layer gives is not held in memory as a whole, except a mail in an
 * archive or in a part (mails.h) and a report in JSON. */
#ifndef EDS_REPORTS_SOURCE_H
#define EDS_REPORTS_SOURCE_H

#include "functions/lib/reports/report-fault.h"

enum {
	EDS_SOURCE_BLOCK = 64 * 1024, /* octets per block, when the layer can choose */
};

struct eds_source {
	/* Gives the next block, valid until the next call, and returns the number of its octets; 0
	 * at the end, or when a fault was set. */
	size_t (*pull)(struct eds_source *source, const char **block);
	enum eds_report_fault fault;
	const char *held; /* a block that was peeked at but not read, unless held_length is 0 */
	size_t held_length;
};

size_t eds_source_read(struct eds_source *source, const char **block);
/* Gives the block that will be read next, but does not read it. */
size_t eds_source_peek(struct eds_source *source, const char **block);
/* Reads and drops the rest, so that limits apply to it too. */
void eds_source_drain(struct eds_source *source);

/* A source of octets in memory. */
struct eds_memory_source {
	struct eds_source source;
	const char *at;
	size_t left;
};
void eds_memory_source_init(struct eds_memory_source *memory, const char *bytes, size_t length);

#endif
