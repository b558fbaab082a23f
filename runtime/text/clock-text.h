/* The current time as text. It is formatted only once a second, because logs and answers need it
 * thousands of times. */
#ifndef RT_CLOCK_TEXT_H
#define RT_CLOCK_TEXT_H

#include <time.h>

enum {
	RT_CLOCK_TEXT_MAX = 40,
};

struct rt_clock_text {
	const char *format; /* format of strftime(); the time is UTC */
	time_t made_at;
	char text[RT_CLOCK_TEXT_MAX];
};

/* Formats the time. seconds: epoch. The text is valid until the next call. */
char *rt_clock_text(struct rt_clock_text *clock, time_t seconds);

#endif
