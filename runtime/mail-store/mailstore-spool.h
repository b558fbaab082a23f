/* Finds the spool, a folder beside the mail store. The runner (local/spool) keeps acknowledged mail
 * in it; functions only check whether something in it needs an administrator. */
#ifndef RT_MAILSTORE_SPOOL_H
#define RT_MAILSTORE_SPOOL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define RT_SPOOL_ENDING ".spool"
/* Folder in the spool for files that can no longer be read but may contain acknowledged mail. */
#define RT_SPOOL_DAMAGED "damaged"
/* Empty file in the spool, which infra/systemd/backup creates when it first runs. The modification
 * time is that of the latest backup that succeeded, or is in 1970 before the first success. */
#define RT_SPOOL_BACKUP "backup-made"

enum {
	RT_SPOOL_PATH_MAX = 4096,
};

/* Writes the path of the spool: var/mail.spool for EDS_MAIL_STORE=file:var/mail, and also for a
 * mail store on another machine. False when the path is too long. */
bool rt_spool_folder(char folder[RT_SPOOL_PATH_MAX]);

/* The number of files in RT_SPOOL_DAMAGED of the spool with this path; 0 when there is no such
 * folder or it cannot be read. */
size_t rt_spool_damaged(const char *folder);

/* Seconds since the latest backup, from the file RT_SPOOL_BACKUP in the spool with this path; -1
 * when the file is missing. */
int64_t rt_spool_backup_age_s(const char *folder);

#endif
