#include "local/spool/spool-boot.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
	DIGITS = 32,
};

static bool read_file(const char *file, char id[SPOOL_BOOT_BYTES])
{
	int fd = open(file, O_RDONLY | O_CLOEXEC);
	bool found;

	if (fd < 0)
		return false;
	found = read(fd, id, SPOOL_BOOT_BYTES - 1) > 0;
	close(fd);
	return found;
}

/* Reads the variable BOOT_ID, which has the digits of the id without the hyphens. */
static bool read_variable(char id[SPOOL_BOOT_BYTES])
{
	const char *digits = getenv("BOOT_ID");

	if (digits == NULL || strlen(digits) != DIGITS)
		return false;
	snprintf(id, SPOOL_BOOT_BYTES, "%.8s-%.4s-%.4s-%.4s-%.12s\n", digits, digits + 8,
		digits + 12, digits + 16, digits + 20);
	return true;
}

bool spool_boot(const char *file, char id[SPOOL_BOOT_BYTES])
{
	memset(id, 0, SPOOL_BOOT_BYTES);
	return read_file(file, id) || read_variable(id);
}
