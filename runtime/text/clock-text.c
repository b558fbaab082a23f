#include "runtime/text/clock-text.h"

char *rt_clock_text(struct rt_clock_text *clock, time_t seconds)
{
	struct tm utc;

	if (seconds == clock->made_at)
		return clock->text;
	gmtime_r(&seconds, &utc);
	strftime(clock->text, sizeof clock->text, clock->format, &utc);
	clock->made_at = seconds;
	return clock->text;
}
