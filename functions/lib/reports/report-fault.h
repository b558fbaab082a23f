/* Why a report was not read, or only in part: the codes of reader.h that the child finds, as it
 * sends them to its parent. */
#ifndef EDS_REPORT_FAULT_H
#define EDS_REPORT_FAULT_H

#include "functions/lib/reports/reader.h"

enum eds_report_fault {
	EDS_FAULT_NONE,
	EDS_FAULT_NO_REPORT,
	EDS_FAULT_MALFORMED,
	EDS_FAULT_TRUNCATED,
	EDS_FAULT_DOCTYPE,
	EDS_FAULT_TOO_LARGE,
	EDS_FAULT_BOMB,
	EDS_FAULT_TOO_DEEP,
	EDS_FAULT_TEXT_TOO_LONG,
	EDS_FAULT_ENCODING,
	EDS_FAULT_NO_DOMAIN,
	EDS_FAULT_ARCHIVE_DAMAGED,
	EDS_FAULT_ARCHIVE_MEMBERS,
	EDS_FAULT_MAIL_LIMITS,
	EDS_FAULTS,
};

/* The code of a fault, "report-doctype", and the sentence for it; NULL for EDS_FAULT_NONE. */
const char *eds_report_fault_code(enum eds_report_fault fault);
const char *eds_report_fault_sentence(enum eds_report_fault fault);

#endif
