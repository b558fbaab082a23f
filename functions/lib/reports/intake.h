/* One mail on its way through the readers, in the child: what has been spent of its limits, and
 * where its reports go.
 *
 *     intake.c      the mail: raw, or MIME (mime.h)
 *     container.c   a part, by its first octets: gzip, zip, tar (archive.h), XML
 *                   (xml.h), JSON (tls-rpt.h)
 *
 * Parts that are no reports (text, HTML, pictures, what a Mac puts into a zip) are passed over.
 * What comes near to one and fails is kept as the reason in case nothing better is found.
 */
#ifndef EDS_REPORTS_INTAKE_H
#define EDS_REPORTS_INTAKE_H

#include "functions/lib/reports/source.h"

struct eds_intake {
	/* Takes a report, or the reason why one was not read; it holds for the call alone. */
	void (*report)(void *arg, const struct eds_report *report, enum eds_report_fault fault);
	void *arg;
	bool tls_alone; /* JSON or one gzip of it is read, no mail, zip or XML */
	bool of_file;   /* somebody hands it in, who may have more members in it */
	unsigned skip;  /* reports that are not handed out, from the first */

	uint64_t expanded; /* octets that left containers */
	unsigned members;  /* of zips and tars */
	unsigned count;    /* reports handed out, or skipped */
	bool cut;          /* there were more */
	bool spent;        /* a limit of the mail as a whole was reached: no more is read */
	enum eds_report_fault last;   /* of the report handed out last */
	enum eds_report_fault reason; /* of the best that was no report */
	char reason_text[EDS_REPORT_TEXT_MAX + 1];
	char reason_file[EDS_REPORT_TEXT_MAX + 1];
};

/* Reads a mail; at least one report or reason is handed out. */
void eds_intake_mail(struct eds_intake *intake, const char *mail, size_t length);

/* False when no more reports are wanted. */
bool eds_intake_goes_on(const struct eds_intake *intake);
void eds_intake_report(
	struct eds_intake *intake, const struct eds_report *report, enum eds_report_fault fault);
/* Keeps the reason why something that may have been meant as a report is none; the first stays,
 * but any is better than EDS_FAULT_NO_REPORT. text: NULL for the usual sentence. */
void eds_intake_pass_over(
	struct eds_intake *intake, enum eds_report_fault fault, const char *text, const char *file);

#endif
