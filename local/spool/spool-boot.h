/* Identifies the current boot of the machine. Data that was not synced is valid only within one
 * boot, because a power failure may have lost it. */
#ifndef RUNNER_SPOOL_BOOT_H
#define RUNNER_SPOOL_BOOT_H

#include <stdbool.h>

enum {
	SPOOL_BOOT_BYTES = 48, /* octets of an id together with the zeros after it */
};

/* The file in which the kernel shows the id of the boot. */
#define SPOOL_BOOT_FILE "/proc/sys/kernel/random/boot_id"

/* Writes the id of this boot into `id`, in the form that the file has, with zeros after it. A unit
 * of systemd may hide the file (ProcSubset=pid); then the id is taken from the variable BOOT_ID (%b
 * in the unit). False when both are missing. */
bool spool_boot(const char *file, char id[SPOOL_BOOT_BYTES]);

#endif
