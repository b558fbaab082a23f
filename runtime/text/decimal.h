/* Writes whole numbers in decimal digits, for frequent calls in which printf would take most of the
 * time. */
#ifndef RT_DECIMAL_H
#define RT_DECIMAL_H

#include <stdint.h>

enum {
	RT_DECIMAL_MAX = 20, /* octets of the longest number with its sign */
};

/* Writes the number so that its text ends just before end; returns the start of the text. digits:
 * minimum number of digits, filled with leading zeros. */
char *rt_decimal(char *end, uint64_t number, int digits);

/* Writes a number with a minus sign if it is negative; otherwise as rt_decimal(). */
char *rt_decimal_signed(char *end, int64_t number);

#endif
