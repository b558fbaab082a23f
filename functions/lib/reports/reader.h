/* Reads the reports in a mail. A report may be any part of a MIME message, or its body, and may be
 * in gzip, zip or tar files, which may be nested. An uploaded file may also be a mailbox file
 * (mbox), an archive of mails, or several reports in XML one after the other. Formats are detected
 * by the first octets, never by file names.
 *
 * The mail is read in the sandbox (functions/lib/sandbox): a separate helper program
 * (libexec/eds-report-reader) forks one child for each mail. The child has a seccomp filter,
 * rlimits, its socket and the message. Its answers are validated here. Only that program contains
 * GMime, libarchive and expat.
 *
 * A report that was not read carries one of these codes:
 *
 *     no-report            nothing in the mail is a report
 *     report-malformed     its XML or JSON is not well-formed, or its XML has too many different
 *                          names or too many forbidden octets
 *     report-truncated     it ends in the middle
 *     report-doctype       it declares a document type: entities could grow without bound
 *     report-too-large     expanded, it is larger than EDS_REPORT_BYTES_MAX, or in JSON larger
 *                          than EDS_REPORT_JSON_MAX
 *     report-bomb          it expands to more than EDS_REPORT_RATIO_MAX times its size
 *     report-too-deep      elements or containers are nested too deeply
 *     report-text-too-long one text or attribute is longer than EDS_REPORT_ELEMENT_MAX
 *     report-encoding      its character encoding is not supported
 *     report-no-domain     it does not say which domain it is about
 *     archive-damaged      the gzip, zip or tar around it cannot be read, or is encrypted
 *     archive-members      there are more members than EDS_REPORT_MEMBERS_MAX in a mail, or than
 *                          EDS_FILE_MEMBERS_MAX in an uploaded file
 *     mail-limits          the mail has too many parts, levels or header octets, or is too large
 *     reader-crashed       the child crashed or ended too early
 *     reader-hung          the child was silent for too long
 *     reader-lied          the child sent something that an intact child never sends
 *     out-of-time          the time of the event was over before the child was done
 */
#ifndef EDS_REPORTS_READER_H
#define EDS_REPORTS_READER_H

#include "functions/lib/reports/report.h"
#include "runtime/ctx.h"

enum {
	EDS_REPORT_BYTES_MAX = 64 * 1024 * 1024, /* maximum number of octets expanded from all
						  * containers of a mail together; a tar does not
						  * expand */
	EDS_REPORT_RATIO_MAX = 500, /* maximum number of octets expanded per octet received; checked
				     * when more than EDS_REPORT_RATIO_FREE octets are expanded */
	EDS_REPORT_RATIO_FREE = 4 * 1024 * 1024,
	EDS_REPORT_MEMBERS_MAX = 100,       /* maximum number of members of all zips and tars of a
					     * mail */
	EDS_FILE_MEMBERS_MAX = 1000,        /* maximum number of members of all zips, tars and
					     * mailbox files of an uploaded file */
	EDS_REPORT_CONTAINERS_MAX = 4,      /* maximum depth of nested containers: a gzip in a gzip
					     * in a zip has depth 3 */
	EDS_REPORT_DEPTH_MAX = 32,          /* maximum depth of nested XML elements */
	EDS_REPORT_ELEMENT_MAX = 64 * 1024, /* maximum number of octets of one text, or of one tag
					     * with its attributes */
	EDS_REPORT_JSON_MAX = 1024 * 1024,
	EDS_REPORT_OBJECTS_MAX = 32768,     /* maximum number of objects and lists in a JSON
					     * report */
	EDS_REPORT_HEADER_MAX = 256 * 1024, /* maximum number of octets of one header block */
	EDS_REPORT_FIELD_MAX = 32 * 1024,   /* maximum number of octets of one field */
	EDS_REPORT_PARTS_MAX = 1000,        /* maximum number of parts of a mail */
	EDS_FILE_PARTS_MAX = 10000,         /* maximum number of parts of all mails of an uploaded
					     * file */
	EDS_FILE_FIELDS_MAX = 100000,       /* maximum number of header fields of all mails of an
					     * uploaded file */
	EDS_FILE_HEADERS_MAX = 16 * 1024 * 1024, /* maximum number of octets of these fields */
	EDS_REPORT_PROLOG_MAX = 1024 *
		1024, /* maximum number of octets of XML before the feedback element */
	EDS_FILE_OTHER_MAX = 8 * 1024 * 1024, /* maximum number of octets of XML without a report in
					       * an uploaded file; each call of
					       * eds_report_read_file() reads all of it again */
	EDS_REPORT_LEVELS_MAX = 64,           /* maximum depth of nested multiparts and messages */
};

/* Reads the reports in a mail: message_bytes octets from the start of message_fd; the descriptor
 * stays open. The event owns the result. Faults of the mail are in the result. Fails with
 * RT_INTERNAL "sandbox-violation" (the filter killed the child, which is a fault of this service;
 * the event is retried), with RT_TEMPORARY "sandbox-unavailable" (no helper can be started), and
 * with RT_INTERNAL "sandbox-unavailable" (the child is not confined). */
RT_MUST_USE rt_status eds_report_read(
	struct rt_ctx *ctx, int message_fd, size_t message_bytes, struct eds_reports *out);

/* Reads a posted TLS report (RFC 8460 section 5.4): JSON, or one gzip of it. A gzip in a gzip gives
 * "report-too-deep". Anything else is not examined, and gives "no-report". Fails as
 * eds_report_read() does. */
RT_MUST_USE rt_status eds_report_read_tls(
	struct rt_ctx *ctx, int body_fd, size_t body_bytes, struct eds_reports *out);

/* Reads the reports in an uploaded file, which may contain more than EDS_REPORTS_MAX: skips the
 * first `skip` reports, which earlier calls have returned. out->cut is true when there are more.
 * Fails as eds_report_read() does. */
RT_MUST_USE rt_status eds_report_read_file(
	struct rt_ctx *ctx, int file_fd, size_t file_bytes, unsigned skip, struct eds_reports *out);

/* For rt_prepare(): starts this process's helper before the first mail (eds_helper_prepare). */
void eds_report_reader_warm(void);

#endif
