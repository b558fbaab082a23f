#include "functions/lib/dkim/selector-state.h"

#include <string.h>

static const char *const state_names[] = {
	[EDS_SELECTOR_UNKNOWN] = "unknown",
	[EDS_SELECTOR_VALID] = "valid",
	[EDS_SELECTOR_REVOKED] = "revoked",
	[EDS_SELECTOR_INVALID] = "invalid",
};

const char *eds_selector_state_name(enum eds_selector_state state)
{
	return state_names[state];
}

enum eds_selector_state eds_selector_state_read(const char *name)
{
	for (int state = EDS_SELECTOR_VALID; state <= EDS_SELECTOR_INVALID; state++)
		if (strcmp(state_names[state], name) == 0)
			return (enum eds_selector_state)state;
	return EDS_SELECTOR_UNKNOWN;
}
