/* Whole numbers in decimal digits, where a format would cost more than all the rest. */
#ifndef RT_DECIMAL_H
#define RT_DECIMAL_H

#include <stdint.h>

enum {
	RT_DECIMAL_MAX = 20, /* octets of the longest, with its sign */
};

/* Writes the number so that it ends before end, with so many digits at least, and gives its start.
 */
char *rt_decimal(char *end, uint64_t number, int digits);

/* The same with a sign where it is negative. */
char *rt_decimal_signed(char *end, int64_t number);

#endif
