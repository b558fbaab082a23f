#include "runtime/slips.h"

#include <stdbool.h>
#include <string.h>

enum {
	NEAR_PART = 3, /* a near word differs in at most a third of the octets of the longer word */
};

static size_t least(size_t a, size_t b)
{
	return a < b ? a : b;
}

/* The last three rows of the table of distances between the beginnings of the two words `word` and
 * `known`. A row stands for a beginning of `word`, a column for a beginning of `known`. */
struct rows {
	/* for a beginning of word that is two octets shorter than that of row */
	size_t before[RT_SLIPS_WORD_MAX + 1];
	size_t above[RT_SLIPS_WORD_MAX + 1]; /* for one that is one octet shorter */
	size_t row[RT_SLIPS_WORD_MAX + 1];
};

static bool are_exchanged(const char *word, const char *known, size_t i, size_t column)
{
	return i > 1 && column > 1 && word[i - 1] == known[column - 2] &&
		word[i - 2] == known[column - 1];
}

static void fill_row(
	struct rows *rows, const char *word, size_t i, const char *known, size_t columns)
{
	rows->row[0] = i;
	for (size_t column = 1; column <= columns; column++) {
		size_t replaced = rows->above[column - 1] + (word[i - 1] != known[column - 1]);
		size_t slips = least(
			replaced, least(rows->above[column], rows->row[column - 1]) + 1);

		if (are_exchanged(word, known, i, column))
			slips = least(slips, rows->before[column - 2] + 1);
		rows->row[column] = slips;
	}
}

size_t rt_slips(const char *word, size_t length, const char *known)
{
	size_t columns = strlen(known);
	struct rows rows = {0};

	if (length > RT_SLIPS_WORD_MAX || columns > RT_SLIPS_WORD_MAX)
		return RT_SLIPS_WORD_MAX;
	for (size_t column = 0; column <= columns; column++)
		rows.row[column] = column;
	for (size_t i = 1; i <= length; i++) {
		memcpy(rows.before, rows.above, sizeof rows.before);
		memcpy(rows.above, rows.row, sizeof rows.above);
		fill_row(&rows, word, i, known, columns);
	}
	return rows.row[columns];
}

void rt_meant_offer(struct rt_meant *meant, const char *known)
{
	size_t longer = strlen(known) > meant->length ? strlen(known) : meant->length;
	size_t slips = rt_slips(meant->word, meant->length, known);

	if (slips == RT_SLIPS_WORD_MAX || slips * NEAR_PART > longer ||
		(meant->found != NULL && slips >= meant->slips))
		return;
	meant->found = known;
	meant->slips = slips;
}
