#include "functions/lib/reports/report-fault.h"

static const struct {
	const char *code;
	const char *sentence;
} faults[EDS_FAULTS] = {
	[EDS_FAULT_NO_REPORT] = {"no-report", "No report was found."},
	[EDS_FAULT_MALFORMED] = {"report-malformed",
		"The text does not have the form of a report."},
	[EDS_FAULT_TRUNCATED] = {"report-truncated", "The report ends in the middle."},
	[EDS_FAULT_DOCTYPE] = {"report-doctype",
		"The report declares a document type, which no report needs and which attackers "
		"use."},
	[EDS_FAULT_TOO_LARGE] = {"report-too-large",
		"The report expands to more than 64 MiB, alone or with the files next to it."},
	[EDS_FAULT_BOMB] = {"report-bomb",
		"The report expands to more than 500 times the size it was sent in."},
	[EDS_FAULT_TOO_DEEP] = {"report-too-deep",
		"The elements or containers of the report are nested too deeply."},
	[EDS_FAULT_TEXT_TOO_LONG] = {"report-text-too-long",
		"The report has a text or a tag of more than 64 KiB."},
	[EDS_FAULT_ENCODING] = {"report-encoding",
		"The report is in a character encoding that is not supported."},
	[EDS_FAULT_NO_DOMAIN] = {"report-no-domain",
		"The report does not say which domain it is about."},
	[EDS_FAULT_ARCHIVE_DAMAGED] = {"archive-damaged",
		"The gzip, zip or tar around the report is damaged, empty or encrypted."},
	[EDS_FAULT_ARCHIVE_MEMBERS] = {"archive-members",
		"The zip, tar or mailbox has more members than this service reads."},
	[EDS_FAULT_MAIL_LIMITS] = {"mail-limits",
		"The mail has more parts, levels or header octets than any report needs."},
};

const char *eds_report_fault_code(enum eds_report_fault fault)
{
	return faults[fault].code;
}

const char *eds_report_fault_sentence(enum eds_report_fault fault)
{
	return faults[fault].sentence;
}
