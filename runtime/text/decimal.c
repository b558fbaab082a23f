#include "runtime/text/decimal.h"

char *rt_decimal(char *end, uint64_t number, int digits)
{
	for (; digits > 0 || number > 0; digits--, number /= 10)
		*--end = (char)('0' + number % 10);
	return end;
}

char *rt_decimal_signed(char *end, int64_t number)
{
	char *start = rt_decimal(end, number < 0 ? 0 - (uint64_t)number : (uint64_t)number, 1);

	if (number < 0)
		*--start = '-';
	return start;
}
