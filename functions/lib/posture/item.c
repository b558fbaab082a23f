#include "functions/lib/posture/item.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { MESSAGE_MAX = 1024 };

struct eds_posture_finding *eds_look_find(struct eds_look *look, enum eds_posture_state state,
	const char *code, const char *advice, const char *format, ...)
{
	struct eds_posture_item *item = look->item;
	struct eds_posture_finding *finding;
	char message[MESSAGE_MAX];
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(message, sizeof message, format, arguments);
	va_end(arguments);
	if (item->count < EDS_POSTURE_FINDINGS_MAX)
		item->count++;
	finding = &item->findings[item->count - 1];
	*finding = (struct eds_posture_finding){.state = state,
		.code = code,
		.message = rt_strdup(look->ctx, message),
		.advice = advice};
	if (state > item->state)
		item->state = state;
	return finding;
}

void eds_look_unanswered(struct eds_look *look, const char *code, const char *name)
{
	eds_look_find(look, EDS_POSTURE_UNKNOWN, code,
		look->resolver_is_away ? "Try again in a moment."
				       : "Try again in a moment; if this persists, check the name "
					 "servers responsible for this name.",
		"DNS gave no answer for %s.", name);
}

void eds_look_show(struct eds_look *look, const char *text, size_t length)
{
	struct eds_posture_item *item = look->item;
	size_t before = item->record != NULL ? strlen(item->record) : 0;
	char *line;

	if (before + length + 1 > EDS_POSTURE_RECORD_MAX)
		return;
	line = rt_memdup(look->ctx, text, length);
	for (size_t i = 0; i < length; i++)
		if (line[i] < ' ' || line[i] > '~')
			line[i] = '?';
	item->record = before > 0 ? rt_printf(look->ctx, "%s\n%s", item->record, line) : line;
}

const char *eds_look_name(const struct eds_look *look, const char *label)
{
	return rt_printf(look->ctx, "%s.%s", label, look->domain);
}

bool eds_look_is_plain(const char *text, size_t length)
{
	for (size_t i = 0; i < length; i++)
		if (text[i] < ' ' || text[i] > '~')
			return false;
	return true;
}
