#include "functions/lib/reports/intake.h"

#include <stdio.h>
#include <string.h>

#include "functions/lib/reports/container.h"
#include "functions/lib/reports/mime.h"

bool eds_intake_goes_on(const struct eds_intake *intake)
{
	return !intake->spent && !intake->cut;
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

void eds_intake_pass_over(
	struct eds_intake *intake, enum eds_report_fault fault, const char *text, const char *file)
{
	if (intake->reason > EDS_FAULT_NO_REPORT)
		return;
	if (text == NULL)
		text = eds_report_fault_sentence(fault);
	intake->reason = fault;
	snprintf(intake->reason_text, sizeof intake->reason_text, "%s", text);
	snprintf(intake->reason_file, sizeof intake->reason_file, "%s", file);
}

/* Hands out the reason as the last item if the mail had no report, or if a limit stopped the
 * reading after some reports. */
static void give_reason(struct eds_intake *intake)
{
	struct eds_report report = {.file = intake->reason_file, .policy = {.pct = -1}};

	if (intake->count > 0 && (!intake->spent || intake->last == intake->reason))
		return;
	if (intake->reason == EDS_FAULT_NONE)
		eds_intake_pass_over(intake, EDS_FAULT_NO_REPORT, NULL, "");
	report.fault = intake->reason_text;
	eds_intake_report(intake, &report, intake->reason);
}

void eds_intake_mail(struct eds_intake *intake, const char *mail, size_t length)
{
	struct eds_memory_source memory;

	if (!intake->tls_alone && eds_container_kind(mail, length) == EDS_CONTAINER_OTHER) {
		eds_mime_read(intake, mail, length);
	} else {
		eds_memory_source_init(&memory, mail, length);
		eds_intake_container(intake, &memory.source, "", 0);
	}
	give_reason(intake);
}
