#include "runtime/utf8.h"

#include <stdbool.h>

static bool continuation(const unsigned char *c, size_t count)
{
	for (size_t i = 1; i <= count; i++)
		if ((c[i] & 0xc0) != 0x80)
			return false;
	return true;
}

size_t rt_utf8_length(const char *text, size_t available)
{
	const unsigned char *c = (const unsigned char *)text;

	if (available == 0)
		return 0;
	if (c[0] < 0x80)
		return 1;
	if (c[0] >= 0xc2 && c[0] <= 0xdf && available >= 2 && continuation(c, 1))
		return 2;
	if ((c[0] & 0xf0) == 0xe0 && available >= 3 && continuation(c, 2)) {
		bool overlong = c[0] == 0xe0 && c[1] < 0xa0;
		bool surrogate = c[0] == 0xed && c[1] > 0x9f;

		return overlong || surrogate ? 0 : 3;
	}
	if (c[0] >= 0xf0 && c[0] <= 0xf4 && available >= 4 && continuation(c, 3)) {
		bool overlong = c[0] == 0xf0 && c[1] < 0x90;
		bool beyond = c[0] == 0xf4 && c[1] > 0x8f;

		return overlong || beyond ? 0 : 4;
	}
	return 0;
}
