/* Writes whole numbers in decimal digits, for hot paths where a printf format would cost most of
 * the time. */
#ifndef RT_DECIMAL_H
#define RT_DECIMAL_H

#include <stdint.h>

enum {
	RT_DECIMAL_MAX = 20, /* octets of the longest number with its sign */
};

/* Writes the number, with leading zeros if it has fewer digits, so that its text ends just before
 * end; returns its start. */
char *rt_decimal(char *end, uint64_t number, int digits);

/* The same with a minus sign if the number is negative. */
char *rt_decimal_signed(char *end, int64_t number);

#endif
