/* The state of the reading of one mail, in the child: how much of its limits is used, and where its
 * reports go.
 *
 *     intake.c      the mail or file: a report itself, or mails (mails.h) in MIME (mime.h)
 *     container.c   a part, by its first octets: gzip, zip, tar (archive.h), XML
 *                   (xml.h, xml-texts.h), JSON (tls-rpt.h)
 *
 * Parts that are not reports (text, HTML, pictures, the files that macOS adds to a zip) are
 * skipped. When a part looks like a report but cannot be read, its fault is kept as the reason, in
 * case no report is found. In an uploaded file each such part is handed out like a report with a
 * fault: whoever uploads a file with many reports must learn which of them are missing.
 */
#ifndef EDS_REPORTS_INTAKE_H
#define EDS_REPORTS_INTAKE_H

#include "functions/lib/reports/mime-scan.h"
#include "functions/lib/reports/source.h"

struct eds_intake {
	/* Takes a report, or the reason why one was not read. `report` is valid only during the
	 * call. */
	void (*report)(void *arg, const struct eds_report *report, enum eds_report_fault fault);
	void *arg;
	bool tls_alone;       /* only JSON, or one gzip of it, is read; no mail, zip or XML */
	bool of_file;         /* an uploaded file, which may have more members than a mail; it may
			       * also be a mailbox file, an archive of mails, or several texts in a
			       * row */
	unsigned skip;        /* number of reports at the beginning that are not handed out */
	bool by_parser_alone; /* all XML is read by the parser, none by xml-plain.h, so that tests
			       * can compare the results of both */

	uint64_t expanded;          /* octets expanded from containers */
	unsigned members;           /* members of zips, tars and mailbox files read so far */
	size_t other;               /* octets read so far of XML that has no report */
	struct eds_mime_cost mails; /* cost of the mails read so far */
	unsigned count;             /* reports handed out or skipped */
	bool cut;                   /* the mail or file has more reports than were handed out */
	bool spent; /* a limit of the whole mail was reached: nothing more is read */
	enum eds_report_fault last;   /* fault of the last report handed out */
	enum eds_report_fault reason; /* the reason that is kept in case no report is found
				       * (eds_intake_pass_over); EDS_FAULT_NONE if there is none
				       * yet */
	char reason_text[EDS_REPORT_TEXT_MAX + 1];
	char reason_file[EDS_REPORT_TEXT_MAX + 1];
};

/* Reads a mail, a posted body or an uploaded file. Hands out at least one report or reason, or
 * skips at least one. */
void eds_intake_mail(struct eds_intake *intake, const char *mail, size_t length);

/* True when the next report is one of those that are skipped; the reader then only needs to find
 * the beginning of that report. */
bool eds_intake_skips(const struct eds_intake *intake);
/* False when no further report is wanted, because a limit was reached or there are enough
 * reports. */
bool eds_intake_goes_on(const struct eds_intake *intake);
/* Counts a member of an archive or of a mailbox file; false, and nothing more is read, when there
 * are too many. */
bool eds_intake_member(struct eds_intake *intake);
void eds_intake_report(
	struct eds_intake *intake, const struct eds_report *report, enum eds_report_fault fault);
/* Keeps the reason why a part that looks like a report cannot be read as one. The first reason
 * stays, but EDS_FAULT_NO_REPORT is replaced by any later reason. In an uploaded file, each reason
 * but EDS_FAULT_NO_REPORT is handed out at once; a limit that ended the reading is handed out once.
 * text: a sentence with the reason; NULL for the usual sentence about the fault. */
void eds_intake_pass_over(
	struct eds_intake *intake, enum eds_report_fault fault, const char *text, const char *file);

#endif
