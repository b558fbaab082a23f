/* Whether a message meets one demand of a mailbox provider. */
#ifndef TESTER_DEMAND_H
#define TESTER_DEMAND_H

enum demand_state {
	DEMAND_MET,
	DEMAND_MISSED,
	DEMAND_UNDECIDED, /* something that the demand depends on could not be judged */
	DEMAND_NOT_APPLICABLE,
};

struct demand {
	enum demand_state state;
	const char *evidence; /* a sentence that says what was seen */
	const char *advice;   /* a sentence that says what to do; NULL: nothing */
};

#endif
