/* systemd's journal, by its native protocol (systemd's "Native Journal Protocol"): one datagram for
 * each entry, with a line "NAME=value" for each field. So journalctl can search by each member of a
 * log line:
 *
 *     journalctl -u eds EDS_FUNCTION=tester-analyze EDS_TRACE_ID=…
 */
#ifndef RT_JOURNAL_H
#define RT_JOURNAL_H

#include <stdbool.h>
#include <stddef.h>

enum {
	/* maximum length of a field's name, octets; the journal sets this limit */
	RT_JOURNAL_NAME_MAX = 64,
};

/* Converts "traceId" to "EDS_TRACE_ID", cut to the maximum. */
void rt_journal_name(const char *member, char name[RT_JOURNAL_NAME_MAX + 1]);

/* Sends an entry; never waits. False when the journal did not accept it, for example because there
 * is no journal or it is overloaded. */
bool rt_journal_send(const char *entry, size_t length);

/* For tests: uses the socket with this path (borrowed) instead of /run/systemd/journal/socket. NULL
 * switches back to the journal's socket. */
void rt_journal_use(const char *path);

#endif
