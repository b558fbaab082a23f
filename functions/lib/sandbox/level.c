#include "functions/lib/sandbox/level.h"

const char *eds_level_word(enum eds_level level)
{
	static const char *const words[] = {[EDS_LEVEL_NONE] = "none",
		[EDS_LEVEL_LIMITS] = "limits",
		[EDS_LEVEL_FILTER] = "filter"};

	return words[level];
}
