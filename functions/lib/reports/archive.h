/* Expands gzip, zip and tar block by block (libarchive); the limits of reader.h count the expanded
 * octets. Zips are read from front to back by their local headers, so members cannot overlap
 * (overlapping members are how some zip bombs work). */
#ifndef EDS_REPORTS_ARCHIVE_H
#define EDS_REPORTS_ARCHIVE_H

#include "functions/lib/reports/container.h"
#include "functions/lib/reports/intake.h"

struct eds_archive;

/* Opens an archive of kind EDS_CONTAINER_GZIP, _ZIP or _TAR. Never NULL; the caller closes it. */
struct eds_archive *eds_archive_open(
	struct eds_intake *intake, struct eds_source *source, enum eds_container kind);
/* The next file in the archive, or NULL at the end or at a fault. The file and its name are valid
 * until the next call. A gzip has one member, without a name. A folder is a member without octets,
 * like an empty file. */
struct eds_source *eds_archive_member(struct eds_archive *archive, const char **name);
/* The fault that ended the reading early; EDS_FAULT_NONE at the regular end. */
enum eds_report_fault eds_archive_fault(const struct eds_archive *archive);
void eds_archive_close(struct eds_archive *archive);

#endif
