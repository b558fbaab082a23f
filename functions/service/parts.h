/* What the service needs of others, each asked once: the database, the mail store, the resolver. */
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
	const char *reason[SERVICE_PARTS]; /* why the part is away; NULL: it answered */
	int ms[SERVICE_PARTS];             /* until it did, or was given up */
	struct eds_backlog backlog;        /* of a database that answered */
};

/* Never fails: what does not answer within a few seconds is away. */
void service_look(struct rt_ctx *ctx, struct service_state *state);

/* "database", "mailStore", "dns" */
const char *service_part_name(enum service_part part);

#endif
