#include "functions/lib/finding.h"
#include "runtime/json-format.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

void eds_finding_add(struct rt_ctx *ctx, struct eds_findings *findings, const char *code,
	const char *format, ...)
{
	char message[1024];
	va_list arguments;

	if (findings->count == EDS_FINDINGS_MAX)
		return;
	va_start(arguments, format);
	vsnprintf(message, sizeof message, format, arguments);
	va_end(arguments);
	findings->items[findings->count++] = (struct eds_finding){
		.code = code, .message = rt_strdup(ctx, message)};
}

bool eds_finding_has(const struct eds_findings *findings, const char *code)
{
	for (size_t i = 0; i < findings->count; i++)
		if (strcmp(findings->items[i].code, code) == 0)
			return true;
	return false;
}

json_t *eds_findings_json(struct rt_ctx *ctx, const struct eds_findings *findings)
{
	json_t *array = json_array();

	for (size_t i = 0; i < findings->count; i++) {
		json_t *item = json_object();

		rt_json_set_text(ctx, item, "code", findings->items[i].code);
		rt_json_set_text(ctx, item, "message", findings->items[i].message);
		rt_json_append(array, item);
	}
	return array;
}
