#include "functions/lib/reports/container.h"

#include <string.h>

#include "functions/lib/reports/archive.h"
#include "functions/lib/reports/foreign.h"
#include "functions/lib/reports/intake.h"
#include "functions/lib/reports/mails.h"
#include "functions/lib/reports/tls-rpt.h"
#include "functions/lib/reports/xml/xml-texts.h"
#include "functions/lib/reports/xml/xml.h"

static bool begins(const char *bytes, size_t length, const char *magic, size_t magic_length)
{
	return length >= magic_length && memcmp(bytes, magic, magic_length) == 0;
}
#define BEGINS(magic) begins(bytes, length, (magic), sizeof(magic) - 1)

/* True for the header of a tar: its mark is "ustar" and a NUL in POSIX, "ustar" and spaces in GNU
 * (POSIX.1-2017, pax, "ustar Interchange Format"). */
static bool is_tar(const char *bytes, size_t length)
{
	const char *mark;

	if (length < EDS_CONTAINER_TAR_MARK + 8)
		return false;
	mark = bytes + EDS_CONTAINER_TAR_MARK;
	return memcmp(mark, "ustar\00000", 8) == 0 || memcmp(mark, "ustar  ", 8) == 0;
}

/* Detects XML and JSON by the first character after a byte order mark and white space. */
static enum eds_container text_kind(const char *bytes, size_t length)
{
	size_t at = BEGINS("\xef\xbb\xbf") ? 3 : 0;

	while (at < length && at < EDS_CONTAINER_LOOK && strchr(" \t\r\n", bytes[at]) != NULL &&
		bytes[at] != '\0')
		at++;
	if (at == length)
		return EDS_CONTAINER_OTHER;
	if (bytes[at] == '<')
		return EDS_CONTAINER_XML;
	return bytes[at] == '{' ? EDS_CONTAINER_JSON : EDS_CONTAINER_OTHER;
}

enum eds_container eds_container_kind(const char *bytes, size_t length)
{
	if (BEGINS("\x1f\x8b"))
		return EDS_CONTAINER_GZIP;
	if (BEGINS("PK\x03\x04") || BEGINS("PK\x05\x06"))
		return EDS_CONTAINER_ZIP;
	if (is_tar(bytes, length))
		return EDS_CONTAINER_TAR;
	if (BEGINS("\0\0\xfe\xff") || BEGINS("\0\0\0<") || BEGINS("Lo\xa7\x94"))
		return EDS_CONTAINER_XML;
	if (BEGINS("\xff\xfe") || BEGINS("\xfe\xff") || BEGINS("<\0") || BEGINS("\0<"))
		return EDS_CONTAINER_XML;
	return text_kind(bytes, length);
}

static void read_member(
	struct eds_intake *intake, struct eds_source *member, const char *file, unsigned level)
{
	if (eds_mails_are_in(intake, member, level))
		eds_mails_read_member(intake, member, file, level);
	else
		eds_intake_container(intake, member, file, level);
}

/* Keeps the fault that ended the reading of an archive. begun: the archive gave a report or a
 * fault before. */
static void end_members(
	struct eds_intake *intake, enum eds_report_fault fault, const char *file, bool begun)
{
	bool rest = begun && intake->of_file && fault == EDS_FAULT_ARCHIVE_DAMAGED;

	if (fault != EDS_FAULT_NONE)
		eds_intake_pass_over(intake, fault,
			rest ? "The zip or tar is damaged or encrypted after its first files; "
			       "what follows these files was not read."
			     : NULL,
			file);
}

static void read_members(struct eds_intake *intake, struct eds_source *source,
	enum eds_container kind, const char *file, unsigned level)
{
	struct eds_archive *archive = eds_archive_open(intake, source, kind);
	unsigned before = intake->count;
	struct eds_source *member;
	const char *name;

	while (eds_intake_goes_on(intake) &&
		(member = eds_archive_member(archive, &name)) != NULL) {
		read_member(intake, member, name, level + 1);
		eds_source_drain(member);
	}
	end_members(intake, eds_archive_fault(archive), file, intake->count > before);
	eds_archive_close(archive);
}

/* In an uploaded file, a fault of the gzip is not handed out if the content of the gzip has been
 * handed out as a report or as a fault. */
static void read_gzip(
	struct eds_intake *intake, struct eds_source *source, const char *file, unsigned level)
{
	struct eds_archive *archive = eds_archive_open(intake, source, EDS_CONTAINER_GZIP);
	const char *name;
	struct eds_source *content = eds_archive_member(archive, &name);
	unsigned before = intake->count;

	if (content != NULL)
		read_member(intake, content, file, level + 1);
	if (eds_archive_fault(archive) != EDS_FAULT_NONE &&
		(!intake->of_file || intake->count == before))
		eds_intake_pass_over(intake, eds_archive_fault(archive), NULL, file);
	eds_archive_close(archive);
}

static bool holds_files(enum eds_container kind)
{
	return kind == EDS_CONTAINER_GZIP || kind == EDS_CONTAINER_ZIP || kind == EDS_CONTAINER_TAR;
}

/* Keeps the reason why a posted archive is not read: over HTTPS only TLS reports are accepted, and
 * in one gzip file at most. */
static void pass_over_posted(struct eds_intake *intake, enum eds_container kind)
{
	if (kind == EDS_CONTAINER_GZIP)
		eds_intake_pass_over(intake, EDS_FAULT_TOO_DEEP, NULL, "");
	else if (kind != EDS_CONTAINER_OTHER)
		eds_intake_pass_over(intake, EDS_FAULT_NO_REPORT,
			"Only TLS reports are accepted over HTTPS, as JSON or as one gzip file of it.",
			"");
}

void eds_intake_container(
	struct eds_intake *intake, struct eds_source *source, const char *file, unsigned level)
{
	const char *block;
	size_t length = eds_source_peek(source, &block);
	enum eds_container kind = eds_container_kind(block, length);

	if (!eds_intake_goes_on(intake))
		return;
	if (intake->tls_alone && kind != EDS_CONTAINER_JSON &&
		(kind != EDS_CONTAINER_GZIP || level > 0)) {
		pass_over_posted(intake, kind);
		return;
	}
	if (level >= EDS_REPORT_CONTAINERS_MAX && holds_files(kind)) {
		eds_intake_pass_over(intake, EDS_FAULT_TOO_DEEP, NULL, file);
		return;
	}
	switch (kind) {
	case EDS_CONTAINER_GZIP:
		read_gzip(intake, source, file, level);
		break;
	case EDS_CONTAINER_ZIP:
	case EDS_CONTAINER_TAR:
		read_members(intake, source, kind, file, level);
		break;
	case EDS_CONTAINER_XML:
		if (intake->of_file)
			eds_xml_texts_read(intake, source, file);
		else
			eds_xml_read(intake, source, file);
		break;
	case EDS_CONTAINER_JSON:
		eds_tls_rpt_read(intake, source, file);
		break;
	case EDS_CONTAINER_OTHER:
		eds_intake_foreign(intake, block, length, file);
		break;
	}
}
