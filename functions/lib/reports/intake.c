#include "functions/lib/reports/intake.h"

#include <stdio.h>
#include <string.h>

#include "functions/lib/reports/container.h"
#include "functions/lib/reports/foreign.h"
#include "functions/lib/reports/mails.h"

bool eds_intake_goes_on(const struct eds_intake *intake)
{
	return !intake->spent && !intake->cut;
}

bool eds_intake_member(struct eds_intake *intake)
{
	unsigned max = intake->of_file ? EDS_FILE_MEMBERS_MAX : EDS_REPORT_MEMBERS_MAX;

	if (intake->members++ < max)
		return true;
	intake->spent = true;
	return false;
}

bool eds_intake_skips(const struct eds_intake *intake)
{
	return intake->count < intake->skip;
}

void eds_intake_report(
	struct eds_intake *intake, const struct eds_report *report, enum eds_report_fault fault)
{
	if (intake->count == intake->skip + EDS_REPORTS_MAX) {
		intake->cut = true;
		return;
	}
	intake->count++;
	intake->last = fault;
	if (intake->count > intake->skip)
		intake->report(intake->arg, report, fault);
}

/* Hands out the fault of a part that was not read, in the form of a report. */
static void give(struct eds_intake *intake, const char *text, const char *file)
{
	struct eds_report report = {.fault = text, .file = file, .policy = {.pct = -1}};

	eds_intake_report(intake, &report, intake->reason);
}

void eds_intake_pass_over(
	struct eds_intake *intake, enum eds_report_fault fault, const char *text, const char *file)
{
	bool each = intake->of_file && fault > EDS_FAULT_NO_REPORT;

	if (each ? intake->spent && intake->last == fault : intake->reason > EDS_FAULT_NO_REPORT)
		return;
	if (text == NULL)
		text = eds_report_fault_sentence(fault);
	intake->reason = fault;
	if (each) {
		give(intake, text, file);
		return;
	}
	snprintf(intake->reason_text, sizeof intake->reason_text, "%s", text);
	snprintf(intake->reason_file, sizeof intake->reason_file, "%s", file);
}

/* Hands out the reason when the mail had no report, and also after reports when a limit stopped the
 * reading. For an uploaded file, such reasons have already been handed out. */
static void give_reason(struct eds_intake *intake)
{
	if (intake->count > 0 &&
		(intake->of_file || !intake->spent || intake->last == intake->reason))
		return;
	if (intake->reason == EDS_FAULT_NONE)
		eds_intake_pass_over(intake, EDS_FAULT_NO_REPORT, NULL, "");
	give(intake, intake->reason_text, intake->reason_file);
}

void eds_intake_mail(struct eds_intake *intake, const char *mail, size_t length)
{
	struct eds_memory_source memory;

	if (!intake->tls_alone && eds_container_kind(mail, length) == EDS_CONTAINER_OTHER) {
		if (!eds_intake_foreign(intake, mail, length, ""))
			eds_mails_read(intake, mail, length, 0);
	} else {
		eds_memory_source_init(&memory, mail, length);
		eds_intake_container(intake, &memory.source, "", 0);
	}
	give_reason(intake);
}
