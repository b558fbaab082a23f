/* The rows of a DMARC report, or the sums of a day, as one text, which takes a single row in the
 * database. The text begins with the combinations of signing and sending domains ("auths"), in the
 * form of report-rows.h, each combination once. After an empty line there is one line for each row:
 * disposition, class, the number of the row's combination of domains, messages, source.
 *
 *     example.com dkim+example.com
 *     example.com spf+bounce.example.com
 *
 *     1 1 0 250 192.0.2.1
 *     1 1 1 3 2001:db8::1
 *     0 0 1 2
 *
 * In a text about reporters, "1" (the reports are verified) and "0" take the place of the
 * combinations of domains, and the reporter takes the place of the source. Reading stops at damage
 * in the text.
 */
#ifndef EDS_STORE_REPORT_PACK_H
#define EDS_STORE_REPORT_PACK_H

#include "functions/lib/store/reports/report.h"
#include "functions/lib/store/reports/tally.h"

enum {
	EDS_PACK_BYTES_MAX = 64 * 1024 * 1024, /* maximum length of one text */
	EDS_PACK_RECENT = 8, /* maximum number of auths that are found by the pointer to their
			      * octets, without a hash */
};

struct eds_pack_row {
	int disposition; /* an enum eds_report_disposition */
	int class;       /* an enum eds_report_class */
	size_t auth;     /* index in auths of the pack */
	int64_t messages;
	const char *source; /* source of the row, without a NUL at the end */
	size_t source_length;
};

/* A text that is being read. The text must stay in memory. */
struct eds_pack {
	struct eds_tally_name *auths;
	size_t auth_count;
	const char *at;
};

void eds_pack_open(struct rt_ctx *ctx, struct eds_pack *pack, const char *text);
bool eds_pack_next(struct eds_pack *pack, struct eds_pack_row *row);

/* Adds up the messages of rows that are equal otherwise. */
struct eds_pack_sums {
	struct rt_ctx *ctx;
	struct eds_tally sources;
	struct eds_tally auths;
	struct eds_tally cells;
	int64_t *messages; /* messages of each distinct row */
	size_t room;
	struct eds_pack_recent {
		struct eds_tally_name auth;
		uint32_t number;
	} recent[EDS_PACK_RECENT]; /* recently added auths, by the pointer to their octets */
};

void eds_pack_sums_init(struct rt_ctx *ctx, struct eds_pack_sums *sums);
/* Adds a row with the auth `auth`; ignores row->auth. The octets of the auth must not change while
 * rows are added. */
void eds_pack_sums_add(struct eds_pack_sums *sums, const struct eds_pack_row *row,
	const struct eds_tally_name *auth);
void eds_pack_sums_add_all(struct rt_ctx *ctx, struct eds_pack_sums *sums, const char *text);
const char *eds_pack_sums_text(struct eds_pack_sums *sums);

/* Returns sum + messages, or INT64_MAX on overflow. messages must not be negative. */
int64_t eds_pack_plus(int64_t sum, int64_t messages);

#endif
