/* systemd's journal, by its native protocol (systemd's "Native Journal Protocol"): one datagram for
 * each entry, "NAME=value" a line. So journalctl can search by each member of a log line:
 *
 *     journalctl -u eds EDS_FUNCTION=tester-analyze EDS_TRACE_ID=…
 */
#ifndef RT_JOURNAL_H
#define RT_JOURNAL_H

#include <stdbool.h>
#include <stddef.h>

enum {
	RT_JOURNAL_NAME_MAX = 64, /* octets, as the journal takes them */
};

/* Converts "traceId" to "EDS_TRACE_ID", cut to the maximum. */
void rt_journal_name(const char *member, char name[RT_JOURNAL_NAME_MAX + 1]);

/* Sends an entry. False when it was not taken: there is no journal, or it does not keep up. Never
 * waits. */
bool rt_journal_send(const char *entry, size_t length);

/* For tests: another socket than /run/systemd/journal/socket, borrowed; NULL for that one. */
void rt_journal_use(const char *path);

#endif
