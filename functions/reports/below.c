#include "functions/reports/below.h"

#include <string.h>

bool report_is_below(const char *name, const char *parent)
{
	size_t length = strlen(name);
	size_t parent_length = strlen(parent);

	return length > parent_length + 1 && name[length - parent_length - 1] == '.' &&
		strcmp(name + length - parent_length, parent) == 0;
}
