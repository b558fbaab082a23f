/* The parts that the service depends on: database, mail store and resolver, each asked once. */
#ifndef SERVICE_PARTS_H
#define SERVICE_PARTS_H

#include "functions/lib/store/backlog.h"

enum service_part {
	SERVICE_DATABASE,
	SERVICE_MAIL_STORE,
	SERVICE_DNS,
	SERVICE_PARTS,
};

struct service_state {
	const char *reason[SERVICE_PARTS]; /* why the part is away; NULL: it does its work */
	int ms[SERVICE_PARTS];             /* how long it took to answer or to be given up */
	bool database_answers;             /* though perhaps to reads alone, on a full disk */
	struct eds_backlog backlog;        /* valid when the database answers */
};

/* Asks each part and fills *state. Never fails: a part that does not answer within a few seconds is
 * away, and so is one whose disk is full. */
void service_look(struct rt_ctx *ctx, struct service_state *state);

/* "database", "mailStore", "dns" */
const char *service_part_name(enum service_part part);

#endif
