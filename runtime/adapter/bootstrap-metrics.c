#include "runtime/adapter/bootstrap-metrics.h"

#include <stdbool.h>
#include <string.h>

#include "runtime/version.h"

enum {
	METRICS_MAX = 100, /* maximum number of metrics in a line of CloudWatch's embedded metric
			      format */
};

static bool ends_with(const char *text, const char *end)
{
	size_t length = strlen(text);

	return length > strlen(end) && strcmp(text + length - strlen(end), end) == 0;
}

static const char *unit_of(const char *name)
{
	if (ends_with(name, "Milliseconds"))
		return "Milliseconds";
	return ends_with(name, "Seconds") ? "Seconds" : "Count";
}

static void add_numbers(json_t *line, json_t *metrics, const json_t *answer)
{
	const char *name;
	json_t *value;

	json_object_foreach((json_t *)answer, name, value)
	{
		if (!json_is_integer(value) || json_array_size(metrics) == METRICS_MAX)
			continue;
		json_array_append_new(
			metrics, json_pack("{s:s, s:s}", "Name", name, "Unit", unit_of(name)));
		json_object_set(line, name, value);
	}
}

char *bootstrap_metrics_line(const char *name, const json_t *answer, int64_t now_ms)
{
	json_t *line = json_object();
	json_t *metrics = json_array();
	char *text = NULL;

	add_numbers(line, metrics, answer);
	if (json_array_size(metrics) > 0) {
		json_object_set_new(line, "_aws",
			json_pack("{s:I, s:[{s:s, s:[[s]], s:O}]}", "Timestamp", (json_int_t)now_ms,
				"CloudWatchMetrics", "Namespace", "eds", "Dimensions",
				"FunctionName", "Metrics", metrics));
		json_object_set_new(line, "FunctionName", json_string(name));
		json_object_set_new(line, "version", json_string(rt_version()));
		text = json_dumps(line, JSON_COMPACT);
	}
	json_decref(metrics);
	json_decref(line);
	return text;
}
