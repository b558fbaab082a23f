#include <idn2.h>
#include <string.h>

#include "functions/lib/mail/domain.h"
#include "functions/lib/mail/from.h"
#include "runtime/text/ascii.h"

enum {
	NAME_MAX_BYTES = 253,      /* octets of a name in text without the final dot (RFC 1035
				    * section 2.3.4) */
	LABEL_MAX_BYTES = 63,      /* octets of a label in text (RFC 1035 section 2.3.4) */
	GIVEN_MAX_BYTES = 4 * 256, /* maximum number of octets of a name in UTF-8; a longer name has
				    * no A-label form of at most 253 octets */
};

static bool is_label_octet(char c)
{
	return (c >= 'a' && c <= 'z') || rt_is_digit(c) || c == '-' || c == '_';
}

/* True for one label, which must not begin or end with a hyphen (RFC 5321 section 4.1.2,
 * Let-dig). */
static bool is_label(const char *label, size_t length)
{
	if (length == 0 || length > LABEL_MAX_BYTES)
		return false;
	for (size_t i = 0; i < length; i++)
		if (!is_label_octet(label[i]))
			return false;
	return label[0] != '-' && label[length - 1] != '-';
}

/* True for a label of digits only. A name whose last label has only digits may be an IPv4 address,
 * such as 192.0.2.1. */
static bool is_numeric(const char *label, size_t length)
{
	for (size_t i = 0; i < length; i++)
		if (!rt_is_digit(label[i]))
			return false;
	return true;
}

static bool is_name(const char *name)
{
	if (strlen(name) > NAME_MAX_BYTES)
		return false;
	for (;;) {
		size_t length = strcspn(name, ".");

		if (!is_label(name, length))
			return false;
		if (name[length] == '\0')
			return !is_numeric(name, length);
		name += length + 1;
	}
}

static bool is_ascii(const char *name)
{
	for (; *name != '\0'; name++)
		if ((unsigned char)*name > 127)
			return false;
	return true;
}

/* Converts U-labels to A-labels (RFC 5891), with the mapping of UTS 46, so that case and width do
 * not matter. The mapping can produce characters such as '/' or '@', so the caller checks the
 * result. */
static char *to_a_labels(struct rt_ctx *ctx, const char *name)
{
	uint8_t *ascii = NULL;
	char *copy;
	int code = idn2_lookup_u8(
		(const uint8_t *)name, &ascii, IDN2_NFC_INPUT | IDN2_NONTRANSITIONAL);

	if (code == IDN2_MALLOC) /* ends the process: running out of memory says nothing about the
				  * name */
		rt_out_of_memory();
	if (code != IDN2_OK)
		return NULL;
	copy = rt_strdup(ctx, (const char *)ascii);
	idn2_free(ascii);
	return copy;
}

char *eds_domain_normalize(struct rt_ctx *ctx, const char *name, size_t length)
{
	char *copy;

	if (length == 0 || length > GIVEN_MAX_BYTES || memchr(name, '\0', length))
		return NULL;
	copy = rt_memdup(ctx, name, length);
	if (!is_ascii(copy))
		copy = to_a_labels(ctx, copy);
	if (copy == NULL)
		return NULL;
	copy = rt_lower(ctx, copy);
	length = strlen(copy);
	if (length > 0 && copy[length - 1] == '.')
		copy[length - 1] = '\0';
	return is_name(copy) ? copy : NULL;
}

char *eds_domain_unicode(struct rt_ctx *ctx, const char *name)
{
	char *unicode = NULL;
	char *copy;
	int code = idn2_to_unicode_8z8z(name, &unicode, 0);

	if (code == IDN2_MALLOC)
		rt_out_of_memory();
	if (code != IDN2_OK)
		return rt_strdup(ctx, name);
	copy = rt_strdup(ctx, unicode);
	idn2_free(unicode);
	return copy;
}

/* The mapping of UTS 46 accepts only whole labels, which cannot begin or end with a hyphen, so dots
 * and hyphens at both ends of the part are set aside first. */
char *eds_domain_part_unicode(struct rt_ctx *ctx, const char *part)
{
	char *lower = rt_lower(ctx, part);
	size_t begin = strspn(lower, ".-");
	size_t end = strlen(lower);
	const char *labels;

	while (end > begin && strchr(".-", lower[end - 1]) != NULL)
		end--;
	if (is_ascii(lower) || end - begin > GIVEN_MAX_BYTES)
		return lower;
	labels = to_a_labels(ctx, rt_memdup(ctx, lower + begin, end - begin));
	if (labels == NULL)
		return lower;
	return rt_printf(
		ctx, "%.*s%s%s", (int)begin, lower, eds_domain_unicode(ctx, labels), lower + end);
}

char *eds_address_domain(struct rt_ctx *ctx, const char *address)
{
	const char *at = strrchr(address, '@');

	return at ? eds_domain_normalize(ctx, at + 1, strlen(at + 1)) : NULL;
}
