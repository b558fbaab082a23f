#include "functions/lib/reports/xml/xml-repair.h"

#include <ctype.h>
#include <stdint.h>
#include <string.h>

#include "runtime/text/utf8.h"

#define ONES 0x0101010101010101ULL
#define HIGHS 0x8080808080808080ULL

/* True when one of the eight octets at `at` is an ampersand or, if `octets` is true, is not
 * ASCII. */
static bool word_is_special(const char *at, bool octets)
{
	uint64_t word;
	uint64_t ampersands;

	memcpy(&word, at, sizeof word);
	ampersands = word ^ (ONES * '&');
	ampersands = (ampersands - ONES) & ~ampersands;
	return ((ampersands | (octets ? word : 0)) & HIGHS) != 0;
}

/* The index of the next octet that must be examined; length when there is none. */
static size_t next_special(const char *bytes, size_t at, size_t length, bool octets)
{
	while (length - at >= sizeof(uint64_t) && !word_is_special(bytes + at, octets))
		at += sizeof(uint64_t);
	while (at < length && bytes[at] != '&' && !(octets && (unsigned char)bytes[at] >= 0x80))
		at++;
	return at;
}

enum verdict {
	SOUND, /* the next *octets octets are valid */
	BROKEN,
	UNKNOWN, /* the block ends before the next octets can be judged */
};

static bool is_reference(const char *name, size_t length)
{
	static const char *const names[] = {"amp", "lt", "gt", "quot", "apos"};
	bool hexadecimal = length > 1 && name[1] == 'x';

	for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
		if (strlen(names[i]) == length && memcmp(names[i], name, length) == 0)
			return true;
	if (name[0] != '#' || length == (hexadecimal ? 2 : 1))
		return false;
	for (size_t i = hexadecimal ? 2 : 1; i < length; i++)
		if (!(hexadecimal ? isxdigit((unsigned char)name[i])
				  : isdigit((unsigned char)name[i])))
			return false;
	return true;
}

static enum verdict judge_ampersand(const char *at, size_t left, size_t *octets)
{
	size_t look = left < EDS_XML_LOOK_MAX ? left : EDS_XML_LOOK_MAX;
	const char *end = memchr(at, ';', look);

	if (end == NULL)
		return look < EDS_XML_LOOK_MAX ? UNKNOWN : BROKEN;
	*octets = (size_t)(end - at) + 1;
	return *octets > 2 && is_reference(at + 1, *octets - 2) ? SOUND : BROKEN;
}

/* Judges the octets of a character; XML also forbids U+FFFE and U+FFFF. */
static enum verdict judge_octet(const char *at, size_t left, size_t *octets)
{
	*octets = rt_utf8_length(at, left);
	if (*octets == 3 && memcmp(at, "\xef\xbf", 2) == 0 && (unsigned char)at[2] >= 0xbe)
		return BROKEN;
	if (*octets > 0)
		return SOUND;
	return left < 4 && (unsigned char)at[0] >= 0xc0 ? UNKNOWN : BROKEN;
}

static bool put_right(struct eds_xml_repair *repair, char octet)
{
	static const char replacement[] = RT_UTF8_REPLACEMENT;
	static const char ampersand[] = "&amp;";

	if (octet == '&' && repair->in_cdata)
		return repair->take(repair->arg, "&", 1);
	if (++repair->repairs > EDS_XML_REPAIRS_MAX)
		return false;
	if (octet == '&')
		return repair->take(repair->arg, ampersand, sizeof ampersand - 1);
	return repair->take(repair->arg, replacement, sizeof replacement - 1);
}

/* Passes on the octets that can be judged; *used is their number. */
static bool pass(
	struct eds_xml_repair *repair, const char *bytes, size_t length, bool last, size_t *used)
{
	size_t begin = 0;
	size_t at = 0;

	while ((at = next_special(bytes, at, length, repair->octets)) < length) {
		size_t octets = 1;
		enum verdict verdict = bytes[at] == '&'
			? judge_ampersand(bytes + at, length - at, &octets)
			: judge_octet(bytes + at, length - at, &octets);

		if (verdict == UNKNOWN && !last)
			break;
		if (verdict == SOUND) {
			at += octets;
			continue;
		}
		if ((at > begin && !repair->take(repair->arg, bytes + begin, at - begin)) ||
			!put_right(repair, bytes[at]))
			return false;
		begin = ++at;
	}
	*used = at;
	return at == begin || repair->take(repair->arg, bytes + begin, at - begin);
}

/* Judges the rest of the last block together with the beginning of this block. *used: how many
 * octets of this block were used. */
static bool pass_carried(
	struct eds_xml_repair *repair, const char *bytes, size_t length, bool last, size_t *used)
{
	size_t room = sizeof repair->carry - repair->carried;
	size_t added = length < room ? length : room;
	size_t passed = 0;

	memcpy(repair->carry + repair->carried, bytes, added);
	if (!pass(repair, repair->carry, repair->carried + added, last && added == length, &passed))
		return false;
	if (passed >= repair->carried) {
		*used = passed - repair->carried;
		repair->carried = 0;
		return true;
	}
	*used = added; /* the octets are too few to judge all of them, so the rest waits for the
			* next block */
	repair->carried += added - passed;
	memmove(repair->carry, repair->carry + passed, repair->carried);
	return true;
}

bool eds_xml_repair(struct eds_xml_repair *repair, const char *bytes, size_t length, bool last)
{
	size_t used = 0;
	size_t passed = 0;

	if (repair->carried > 0 && !pass_carried(repair, bytes, length, last, &used))
		return false;
	if (used == length)
		return true;
	if (!pass(repair, bytes + used, length - used, last, &passed))
		return false;
	repair->carried += length - used - passed;
	memcpy(repair->carry, bytes + used + passed, repair->carried);
	return true;
}
