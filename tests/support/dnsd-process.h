/* Starts the scripted DNS server (dnsd.c) for a unit test and makes it the process's resolver. */
#ifndef DNSD_PROCESS_H
#define DNSD_PROCESS_H

#include <stddef.h>
#include <sys/types.h>

struct dnsd {
	pid_t pid;
	int input; /* the server ends when this is closed, so also when the test dies */
	char folder[64];
	char zone_path[96];
	char log_path[96];
	char address[64]; /* "127.0.0.1:5353" */
};

/* Serves the lines and sets EDS_DNS_SERVERS. Ends the test program when it cannot. */
void dnsd_start(struct dnsd *dnsd, const char *lines);

/* Replaces the served lines, from the next query on, and forgets the logged queries. */
void dnsd_publish(struct dnsd *dnsd, const char *lines);

/* Queries logged so far: all, or those equal to "name TYPE". */
size_t dnsd_queries(const struct dnsd *dnsd, const char *query);

void dnsd_stop(struct dnsd *dnsd);

#endif
