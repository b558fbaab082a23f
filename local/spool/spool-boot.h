/* Which boot of the machine this is, for data that a power failure may have lost. */
#ifndef RUNNER_SPOOL_BOOT_H
#define RUNNER_SPOOL_BOOT_H

#include <stdbool.h>

enum {
	SPOOL_BOOT_BYTES = 48,
};

/* The file of the kernel with the boot's id. */
#define SPOOL_BOOT_FILE "/proc/sys/kernel/random/boot_id"

/* The id of this boot, as the file has it, with zeros behind it. A unit of systemd may hide the
 * file (ProcSubset=pid); then the variable BOOT_ID has it (%b in the unit). False when neither
 * does. */
bool spool_boot(const char *file, char id[SPOOL_BOOT_BYTES]);

#endif
