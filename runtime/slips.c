#include "runtime/slips.h"

#include <string.h>

static size_t least(size_t a, size_t b)
{
	return a < b ? a : b;
}

size_t rt_slips(const char *word, size_t length, const char *known)
{
	size_t columns = strlen(known);
	size_t row[RT_SLIPS_WORD_MAX + 1];

	if (length > RT_SLIPS_WORD_MAX || columns > RT_SLIPS_WORD_MAX)
		return RT_SLIPS_WORD_MAX;
	for (size_t column = 0; column <= columns; column++)
		row[column] = column;
	for (size_t i = 1; i <= length; i++) {
		size_t above_left = row[0];

		row[0] = i;
		for (size_t column = 1; column <= columns; column++) {
			size_t replaced = above_left + (word[i - 1] != known[column - 1]);

			above_left = row[column];
			row[column] = least(replaced, least(row[column], row[column - 1]) + 1);
		}
	}
	return row[columns];
}
