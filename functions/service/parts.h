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
	const char *reason[SERVICE_PARTS]; /* why the part does not work; NULL: it works */
	int ms[SERVICE_PARTS];             /* time until the part answered or the check gave up */
	bool database_answers;             /* true even when it can only be read */
	bool spool_takes_mail;             /* true even when files in it are damaged */
	bool spool_damaged;
	int64_t backup_age_s;       /* since the latest backup; -1 where none are made */
	struct eds_backlog backlog; /* valid when the database answers */
};

/* Asks each part and fills *state. Never fails: the state "away" is given to a part that does not
 * answer within a few seconds, whose disk is full, to a spool that cannot be written or holds
 * damaged mail, and to a helper that cannot be executed. */
void service_look(struct rt_ctx *ctx, struct service_state *state);

/* "database", "mailStore", "dns", "spool", "helpers" */
const char *service_part_name(enum service_part part);

#endif
