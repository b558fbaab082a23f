#include "local/eds/file.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "runtime/ctx.h"

enum {
	READ_BYTES = 64 * 1024,
};

/* Reads the file, to its end or until `out` is full. Returns 0, or errno. */
static int read_all(const char *file, struct rt_buffer *out)
{
	FILE *in;
	char text[READ_BYTES];
	size_t got;
	int error;

	errno = 0;
	in = strcmp(file, "-") == 0 ? stdin : fopen(file, "re");
	while (in != NULL && !out->overflow && (got = fread(text, 1, sizeof text, in)) > 0)
		rt_buffer_add(out, text, got);
	error = in == NULL || ferror(in) ? errno : 0;
	if (in != NULL && in != stdin)
		fclose(in);
	return error;
}

const char *cli_read_file(const struct cli_call *call, const char *file, const char *what,
	size_t bytes_max, struct rt_buffer *out)
{
	int error;

	rt_buffer_init(out, call->ctx, bytes_max);
	error = read_all(file, out);
	if (error != 0)
		return rt_printf(call->ctx, "%s cannot be read: %s", file, strerror(error));
	if (out->overflow)
		return rt_printf(call->ctx, "%s is too large for %s", file, what);
	return out->length == 0 ? rt_printf(call->ctx, "%s is empty", file) : NULL;
}
