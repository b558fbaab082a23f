/* Reads files that the user names on the command line. */
#ifndef CLI_FILE_H
#define CLI_FILE_H

#include "local/eds/command.h"
#include "runtime/buffer.h"

/* Reads the file, or standard input for "-", into out, which is initialized here and can hold
 * bytes_max octets. what: what the file has, for the error "FILE is too large for a message".
 * Returns NULL, or an error message if the file cannot be read, is empty or is too large. */
const char *cli_read_file(const struct cli_call *call, const char *file, const char *what,
	size_t bytes_max, struct rt_buffer *out);

#endif
