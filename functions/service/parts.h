/* The parts that the service depends on, each asked once: database, mail store, resolver, the spool
 * and the helper programs of this machine. */
#ifndef SERVICE_PARTS_H
#define SERVICE_PARTS_H

#include "functions/lib/store/backlog.h"

enum service_part {
	SERVICE_DATABASE,
	SERVICE_MAIL_STORE,
	SERVICE_DNS,
	SERVICE_SPOOL,
	SERVICE_HELPERS,
	SERVICE_PARTS,
};

struct service_state {
	const char *reason[SERVICE_PARTS]; /* why the part is away; NULL: it does its work */
	int ms[SERVICE_PARTS];             /* time until the part answered or the check gave up */
	bool database_answers;             /* though perhaps to reads alone, on a full disk */
	bool spool_takes_mail;             /* though files in it may be damaged */
	bool spool_damaged;
	struct eds_backlog backlog; /* valid when the database answers */
};

/* Asks each part and fills *state. Never fails: a part that does not answer within a few seconds is
 * away, and so is one whose disk is full, a spool that cannot be written or holds damaged mail, or
 * a helper that cannot be executed. */
void service_look(struct rt_ctx *ctx, struct service_state *state);

/* "database", "mailStore", "dns", "spool", "helpers" */
const char *service_part_name(enum service_part part);

#endif
