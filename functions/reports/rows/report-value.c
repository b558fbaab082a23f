#include "functions/reports/rows/report-value.h"

#include <stddef.h>

/* 10^12, the greatest count that is stored */
#define COUNT_MAX UINT64_C(1000000000000)

const char *report_text(const char *text)
{
	return text != NULL && *text != '\0' ? text : NULL;
}

int64_t report_count(uint64_t count)
{
	return (int64_t)(count < COUNT_MAX ? count : COUNT_MAX);
}
