/* Whether mail servers do STARTTLS with a certificate that names them (RFC 8461 section 4.2), each
 * asked once however many domains it serves.
 *
 * Some machines may not connect to port 25 at all: when the first servers asked all keep silent,
 * the others are not waited for, and are unknown.
 */
#ifndef EDS_MTASTS_PROBE_H
#define EDS_MTASTS_PROBE_H

#include "functions/lib/mtasts/seen.h"

struct eds_fetcher;
struct eds_probes;

enum {
	EDS_PROBES_AT_ONCE = 64,
	EDS_PROBES_SILENT_MAX = 16, /* that many without one that answers: the port is blocked */
};

struct eds_probes *eds_probes_new(struct rt_ctx *ctx, struct eds_fetcher *fetcher);

/* mx: host is set, the rest is filled in before done is called: by a turn of the fetcher, or at
 * once when the server was asked before. */
void eds_probes_ask(
	struct eds_probes *probes, struct eds_mtasts_mx *mx, void (*done)(void *arg), void *arg);

/* Begins what there is a place for; to be called before each turn. */
void eds_probes_turn(struct eds_probes *probes);

/* What has not begun ends as unknown. */
void eds_probes_cancel(struct eds_probes *probes);

#endif
