#include "functions/lib/reports/xml/xml-records.h"

#include <string.h>

enum {
	HELD_OFTEN = 256, /* when at most this many octets are held back, examining them again does
			   * not count as a miss (xml-records.h) */
};

static enum eds_xml_plain look(
	struct eds_xml_records *records, const char *bytes, size_t length, size_t *used)
{
	struct eds_aggregate *aggregate = records->misses < EDS_XML_RECORDS_MISSES_MAX
		? records->between(records->arg)
		: NULL;
	struct eds_xml_plain_extent extent = {0, 0};
	enum eds_xml_plain result;

	if (aggregate == NULL)
		return EDS_XML_PLAIN_OTHER;
	result = eds_xml_plain_record(aggregate, bytes, length, &extent);
	if (result == EDS_XML_PLAIN_READ)
		records->read(records->arg, &extent);
	*used = extent.octets;
	return result;
}

/* Passes the octets before the next record on to the parser. */
static bool pass_other(
	struct eds_xml_records *records, const char *bytes, size_t length, size_t *used)
{
	static const char tag[] = EDS_XML_PLAIN_TAG;
	const char *next = NULL;

	if (records->misses < EDS_XML_RECORDS_MISSES_MAX)
		next = memmem(bytes + 1, length - 1, tag, sizeof tag - 1);
	records->misses += next != NULL;
	*used = next == NULL ? length : (size_t)(next - bytes);
	return records->pass(records->arg, bytes, *used);
}

static bool read_or_pass(
	struct eds_xml_records *records, const char *bytes, size_t length, size_t *used)
{
	switch (look(records, bytes, length, used)) {
	case EDS_XML_PLAIN_READ:
		return true;
	case EDS_XML_PLAIN_CUT:
		if (length >= sizeof records->block)
			break;
		memcpy(records->block, bytes, length);
		records->held = *used = length;
		return true;
	case EDS_XML_PLAIN_OTHER:
		break;
	}
	return pass_other(records, bytes, length, used);
}

/* Examines the octets held back together with the octets of the next block. *used: how many octets
 * of that block were used. */
static bool read_held(
	struct eds_xml_records *records, const char *bytes, size_t length, size_t *used)
{
	size_t held = records->held;
	size_t room = sizeof records->block - held;
	size_t added = length < room ? length : room;
	size_t read = 0;
	enum eds_xml_plain result;

	memcpy(records->block + held, bytes, added);
	result = look(records, records->block, held + added, &read);
	if (result == EDS_XML_PLAIN_CUT && added < room) {
		/* with tiny blocks the same octets would be examined again and again */
		records->misses += held > HELD_OFTEN;
		records->held += added;
		*used = length;
		return true;
	}
	records->held = 0;
	if (result != EDS_XML_PLAIN_READ)
		read = 0;
	*used = read > held ? read - held : 0;
	return read >= held || records->pass(records->arg, records->block + read, held - read);
}

bool eds_xml_records(struct eds_xml_records *records, const char *bytes, size_t length)
{
	size_t at = 0;

	if (records->held > 0 && !read_held(records, bytes, length, &at))
		return false;
	while (at < length) {
		size_t used = 0;

		if (!read_or_pass(records, bytes + at, length - at, &used))
			return false;
		at += used;
	}
	return true;
}

bool eds_xml_records_end(struct eds_xml_records *records)
{
	size_t held = records->held;

	records->held = 0;
	return held == 0 || records->pass(records->arg, records->block, held);
}
