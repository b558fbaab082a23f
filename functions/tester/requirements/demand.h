/* How a message stands to one thing that is demanded of it. */
#ifndef TESTER_DEMAND_H
#define TESTER_DEMAND_H

enum demand_state {
	DEMAND_MET,
	DEMAND_MISSED,
	DEMAND_UNDECIDED, /* what it hangs on could not be judged */
	DEMAND_NOT_APPLICABLE,
};

/* One of them with what was seen, a sentence, and what to do: NULL where nothing is. */
struct demand {
	enum demand_state state;
	const char *evidence;
	const char *advice;
};

#endif
