/* Rows of DMARC reports as one text, which costs a database one row however many they are: those
 * of a report, or the sums of a day. First who signed and who sent, each once, as report-rows.h
 * says; after an empty line a line for each row: disposition, class, the number of who signed and
 * sent, messages, source.
 *
 *     example.com dkim+example.com
 *     example.com spf+bounce.example.com
 *
 *     1 1 0 250 192.0.2.1
 *     1 1 1 3 2001:db8::1
 *     0 0 1 2
 *
 * In a text of reporters the reporter stands for the source, and "1" for who signed if the report
 * is verified, else "0". A text that is damaged ends at the damage. Only the files of this folder
 * include it.
 */
#ifndef EDS_STORE_REPORT_PACK_H
#define EDS_STORE_REPORT_PACK_H

#include "functions/lib/store/reports/report.h"
#include "functions/lib/store/reports/tally.h"

enum {
	EDS_PACK_BYTES_MAX = 64 * 1024 * 1024, /* of one text */
};

struct eds_pack_row {
	int disposition; /* enum eds_report_disposition */
	int class;       /* enum eds_report_class */
	size_t auth;     /* number in the pack */
	int64_t messages;
	const char *source; /* not ended by NUL */
	size_t source_length;
};

/* Reads a text, which has to stay. */
struct eds_pack {
	struct eds_tally_name *auths;
	size_t auth_count;
	const char *at;
};

void eds_pack_open(struct rt_ctx *ctx, struct eds_pack *pack, const char *text);
bool eds_pack_next(struct eds_pack *pack, struct eds_pack_row *row);

/* Sums up rows that agree in all but their messages. */
struct eds_pack_sums {
	struct rt_ctx *ctx;
	struct eds_tally sources;
	struct eds_tally auths;
	struct eds_tally cells;
	int64_t *messages; /* of each cell */
	size_t room;
};

void eds_pack_sums_init(struct rt_ctx *ctx, struct eds_pack_sums *sums);
/* The row's own auth is not looked at. */
void eds_pack_sums_add(struct eds_pack_sums *sums, const struct eds_pack_row *row,
	const struct eds_tally_name *auth);
void eds_pack_sums_add_all(struct rt_ctx *ctx, struct eds_pack_sums *sums, const char *text);
const char *eds_pack_sums_text(struct eds_pack_sums *sums);

/* Adds messages that are not negative; what is more than a number holds stays the greatest. */
int64_t eds_pack_plus(int64_t sum, int64_t messages);

#endif
