/* A handler process as its supervisor (runner, bootstrap) sees it.
 *
 * The supervisor has the event loop; this code runs one child, with non-blocking pipes.
 * process-lines.h describes the protocol. */
#ifndef RT_PROCESS_H
#define RT_PROCESS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct rt_begun;

enum {
	RT_ANSWER_BYTES_MAX = 6 * 1024 * 1024 + 64 * 1024,
	RT_PROCESS_EVENTS_MAX = 8, /* maximum number of events in the pipe of one handler */
	/* exit status when the program cannot be executed, or ld.so does not find a library */
	RT_PROCESS_NOT_STARTED = 127,
};

/* An event that the handler has not answered. */
struct rt_process_event {
	uint64_t number;
	bool framed;   /* the body of the event's answer may be separate from its JSON */
	size_t start;  /* index in send of the event's line, which stays there until the answer */
	size_t length; /* octets of the event's text */
};

struct rt_process {
	pid_t pid;       /* id of the process; 0: none runs */
	int in;          /* descriptor to which events are written */
	int out;         /* descriptor from which answers are read */
	uint64_t number; /* number of the latest event */
	/* the events in the pipe; the first is the current one */
	struct rt_process_event events[RT_PROCESS_EVENTS_MAX];
	size_t event_count;
	/* the page of begun.h; NULL: the kernel does not support it, or spec did not ask for it */
	struct rt_begun *begun;
	bool reads_page; /* the program is known to read the page before it begins an event */
	/* counts of the latest answer, valid as long as the answer; "" if none */
	const char *counts;
	char *line; /* bytes read so far */
	size_t line_length;
	size_t line_capacity;
	size_t line_taken;    /* octets at the start of line that belong to returned answers */
	size_t line_searched; /* octets after line_taken that are known to have no line end */
	char *send;           /* lines of events; those before send_offset are written */
	size_t send_length;
	size_t send_capacity;
	size_t send_offset;
};

struct rt_process_spec {
	const char *path;
	const char *argument; /* the only argument: "--kept" for a function; NULL for none */
	const char *const
		*environment;    /* the child's whole environment: "NAME=value", NULL-terminated */
	size_t data_limit_bytes; /* RLIMIT_DATA; 0 for none */
	bool shares_page;        /* the child shares the page of begun.h */
	bool reads_page;         /* an earlier process of the same program has read the page */
};

/* Starts the process; false with errno on failure. The child is killed when its parent dies, if the
 * kernel supports that (rt_end_with()). It has its own process group, and no descriptors except 0,
 * 1, 2 and that of the page. */
bool rt_process_start(struct rt_process *process, const struct rt_process_spec *spec);

/* Kills the process group, closes the pipes and reaps the child; returns its wait status, 0 when
 * none ran. */
int rt_process_stop(struct rt_process *process);

#endif
