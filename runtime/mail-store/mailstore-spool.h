/* The spool's place beside the mail store. The runner (local/spool) keeps acknowledged mail there;
 * a function only looks whether something in it needs a person. */
#ifndef RT_MAILSTORE_SPOOL_H
#define RT_MAILSTORE_SPOOL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define RT_SPOOL_ENDING ".spool"
/* In the spool: files with mail that was acknowledged and can no longer be read. */
#define RT_SPOOL_DAMAGED "damaged"
/* In the spool: an empty file whose time is that of the latest backup (infra/systemd/backup); of
 * 1970 while none has succeeded. Missing where no backups are made. */
#define RT_SPOOL_BACKUP "backup-made"

enum {
	RT_SPOOL_PATH_MAX = 4096,
};

/* file:var/mail -> var/mail.spool; a store elsewhere has its spool in var/mail.spool as well. False
 * when the path is too long. */
bool rt_spool_folder(char folder[RT_SPOOL_PATH_MAX]);

/* The number of files in RT_SPOOL_DAMAGED of the spool with this path; 0 when there is no such
 * folder or it cannot be read. */
size_t rt_spool_damaged(const char *folder);

/* Seconds since the latest backup, as RT_SPOOL_BACKUP of the spool with this path tells; -1 when it
 * is missing. */
int64_t rt_spool_backup_age_s(const char *folder);

#endif
