/* Reads mails: a single mail, the mails of a mailbox file, or a mail in an archive. */
#ifndef EDS_REPORTS_MAILS_H
#define EDS_REPORTS_MAILS_H

#include "functions/lib/reports/intake.h"

/* True when a member of an archive, or a part of a mail, is to be read as mails: only in an
 * uploaded file, which may contain mails that somebody has saved. A mail begins with the name of a
 * field and a colon (RFC 5322 section 2.2), and a mailbox file with "From ". level: number of
 * containers around the member or part. */
bool eds_mails_are_in(const struct eds_intake *intake, struct eds_source *source, unsigned level);

/* Reads a mail. In an uploaded file, octets that begin with "From " are a mailbox file (mbox, RFC
 * 4155). Each further mail in it begins with such a line after an empty line. level: number of
 * containers around the octets. */
void eds_mails_read(struct eds_intake *intake, const char *bytes, size_t length, unsigned level);

/* Reads a mail or a mailbox file that is a member of an archive or a part of a mail. */
void eds_mails_read_member(
	struct eds_intake *intake, struct eds_source *source, const char *file, unsigned level);

#endif
