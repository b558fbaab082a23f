#include "functions/lib/reports/foreign.h"

#include <stdio.h>
#include <string.h>

/* The first octets of these formats. */
static const struct {
	const char *name;
	const char *magic;
	size_t length;
} formats[] = {
	{"the format xz",
		"\xfd"
		"7zXZ",
		5},
	{"the format bzip2", "BZh", 3},
	{"the format zstd", "\x28\xb5\x2f\xfd", 4},
	{"the format 7z", "7z\xbc\xaf\x27\x1c", 6},
	{"the format rar", "Rar!\x1a\x07", 6},
	{"Outlook's format of attachments (winmail.dat)", "\x78\x9f\x3e\x22", 4},
	{"Outlook's format of mails (.msg)", "\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", 8},
};

bool eds_intake_foreign(
	struct eds_intake *intake, const char *bytes, size_t length, const char *file)
{
	char sentence[EDS_REPORT_TEXT_MAX + 1];

	for (size_t i = 0; i < sizeof formats / sizeof formats[0]; i++) {
		if (length < formats[i].length ||
			memcmp(bytes, formats[i].magic, formats[i].length) != 0)
			continue;
		snprintf(sentence, sizeof sentence,
			"No report was found: files in %s are not read. This service reads XML, "
			"JSON, gzip, zip, tar and mails (.eml).",
			formats[i].name);
		eds_intake_pass_over(intake, EDS_FAULT_NO_REPORT, sentence, file);
		return true;
	}
	return false;
}
