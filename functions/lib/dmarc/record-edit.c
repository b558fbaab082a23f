#include <string.h>
#include <strings.h>

#include "functions/lib/dmarc/discover.h"
#include "functions/lib/dmarc/record-edit.h"

static bool is_plain(const char *text)
{
	for (; *text; text++)
		if (*text < ' ' || *text > '~')
			return false;
	return true;
}

static const char *skip_space(const char *at)
{
	while (*at == ' ' || *at == '\t')
		at++;
	return at;
}

/* Finds the first part of the record with this tag; later ones do not count. The value ends at the
 * semicolon, without surrounding space. */
const char *eds_dmarc_tag_value(const char *record, const char *tag, size_t *length)
{
	size_t size = strlen(tag);

	for (const char *part = record; part != NULL;) {
		const char *at = skip_space(part);

		if (strncasecmp(at, tag, size) == 0 && *skip_space(at + size) == '=') {
			at = skip_space(skip_space(at + size) + 1);
			*length = strcspn(at, ";");
			while (*length > 0 && (at[*length - 1] == ' ' || at[*length - 1] == '\t'))
				--*length;
			return at;
		}
		part = strchr(part, ';');
		part = part != NULL ? part + 1 : NULL;
	}
	return NULL;
}

const char *eds_dmarc_record_with(
	struct rt_ctx *ctx, const char *record, const char *tag, const char *value)
{
	size_t length;
	const char *at = eds_dmarc_tag_value(record, tag, &length);

	if (at == NULL || !is_plain(record))
		return NULL;
	return rt_printf(ctx, "%.*s%s%s", (int)(at - record), record, value, at + length);
}

static bool is_tag(const char *part, const char *const *names)
{
	const char *at = skip_space(part);

	for (; *names != NULL; names++)
		if (strncasecmp(at, *names, strlen(*names)) == 0 &&
			*skip_space(at + strlen(*names)) == '=')
			return true;
	return false;
}

const char *eds_dmarc_record_without(
	struct rt_ctx *ctx, const char *record, const char *const *names)
{
	const char *kept = "";

	if (!is_plain(record))
		return NULL;
	for (const char *part = record; *part != '\0';) {
		size_t length = strcspn(part, ";");

		if (*skip_space(part) != ';' && *skip_space(part) != '\0' && !is_tag(part, names))
			kept = rt_printf(ctx, "%s%s%.*s", kept, kept[0] != '\0' ? ";" : "",
				(int)length, part);
		part += length + (part[length] == ';');
	}
	return kept;
}

const char *eds_dmarc_record_add_rua(struct rt_ctx *ctx, const char *record, const char *address)
{
	size_t length;
	const char *at = eds_dmarc_tag_value(record, "rua", &length);
	size_t end = strlen(record);

	if (!is_plain(record))
		return NULL;
	if (at != NULL)
		return rt_printf(ctx, "%.*s%smailto:%s%s", (int)(at - record + (ptrdiff_t)length),
			record, length > 0 ? "," : "", address, at + length);
	while (end > 0 && strchr("; \t", record[end - 1]) != NULL)
		end--;
	return rt_printf(ctx, "%.*s; rua=mailto:%s", (int)end, record, address);
}
