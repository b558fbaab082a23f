/* Checks the parts that the service depends on: database, mail store, resolver, the spool and the
 * helper programs of this machine. */
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
	bool database_answers; /* the database answers, even if a full disk allows only reading */
	bool spool_takes_mail; /* the spool accepts mail, even if files in it are damaged */
	bool spool_damaged;    /* the spool has damaged files */
	int64_t backup_age_s;  /* seconds since the latest backup; -1 if none are made */
	/* how late each kind of work is; valid if the database answers */
	struct eds_backlog backlog;
};

/* Asks each part and fills *state. Never fails: a reason is set for a part that does not answer
 * within a few seconds, for a part whose disk has less than 1 MiB free, for a spool that cannot be
 * written or holds damaged mail, and for a helper that cannot be executed. */
void service_look(struct rt_ctx *ctx, struct service_state *state);

/* The name of the part: "database", "mailStore", "dns", "spool" or "helpers". */
const char *service_part_name(enum service_part part);

#endif
