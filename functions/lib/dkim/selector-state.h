/* The state of a selector, and the word that the store keeps for it. This file is separate from
 * selector.h, so that programs that show a stored check are linked without the resolver. */
#ifndef EDS_DKIM_SELECTOR_STATE_H
#define EDS_DKIM_SELECTOR_STATE_H

enum eds_selector_state {
	EDS_SELECTOR_UNKNOWN, /* DNS was not asked yet, or gave no answer */
	EDS_SELECTOR_VALID,
	EDS_SELECTOR_REVOKED, /* p= is empty */
	EDS_SELECTOR_INVALID,
};

/* The words of the states in the store: "unknown", "valid", "revoked", "invalid". Any other text is
 * EDS_SELECTOR_UNKNOWN. */
const char *eds_selector_state_name(enum eds_selector_state state);
enum eds_selector_state eds_selector_state_read(const char *name);

#endif
