/* Reads queries and writes replies for the scripted DNS server. */
#ifndef DNSD_REPLY_H
#define DNSD_REPLY_H

#include "tests/support/dnsd-zone.h"

enum {
	MESSAGE_MAX = 65535,
	REPLY_CHAIN_MAX = 32, /* maximum number of CNAMEs that are followed */
};

struct query {
	uint8_t name[ZONE_NAME_MAX]; /* the name in lower case */
	uint16_t type;
	size_t question_end; /* offset in the message */
	bool edns;
	size_t udp_bytes; /* the maximum that the client accepts over UDP */
};

struct reply {
	uint8_t bytes[MESSAGE_MAX];
	size_t length; /* 0: no reply */
	int delay_ms;
};

/* False when the message is no query this server understands. */
bool query_read(const uint8_t *message, size_t length, struct query *query);

void reply_write(struct zone *zone, const uint8_t *message, const struct query *query, bool tcp,
	struct reply *reply);

/* Writes "name TYPE" and a newline for the log; returns the length. */
size_t query_format(const struct query *query, char text[ZONE_NAME_MAX + 32]);

#endif
