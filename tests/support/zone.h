/* DNS from a table, for tests of code that asks through struct eds_lookup.
 *
 *     zone_load(&zone, "example.com TXT v=spf1 mx -all\n"
 *                      "example.com MX 10 mail.example.com\n"
 *                      "mail.example.com A 192.0.2.1\n"
 *                      "down.example.com FAIL SERVFAIL\n");
 *
 * A name without a line does not exist. A line with FAIL answers the questions for those types that
 * have no record of that name.
 */
#ifndef TESTS_ZONE_H
#define TESTS_ZONE_H

#include "functions/lib/dns/lookup.h"

enum {
	ZONE_RECORDS_MAX = 4096,
	ZONE_CNAMES_MAX = 8,
};

struct zone_entry {
	const char *name; /* without a final dot */
	enum eds_dns_type type;
	bool fails;
	const char *reason; /* the reason of a failure */
	struct eds_dns_record record;
};

struct zone {
	struct rt_ctx *ctx;
	struct zone_entry *entries;
	size_t count;
	size_t asked; /* number of questions so far */
};

void zone_init(struct zone *zone, struct rt_ctx *ctx);

/* One record per line; a line that is not a record is ignored. */
void zone_load(struct zone *zone, const char *lines);

/* data is an address, a host name ("10 mail.example.com" for MX), or text. */
void zone_add(struct zone *zone, const char *name, enum eds_dns_type type, const void *data,
	size_t length);
void zone_fail(struct zone *zone, const char *name, const char *reason);

struct eds_lookup zone_lookup(struct zone *zone);

#endif
