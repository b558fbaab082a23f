#include "runtime/host/job-answer.h"

#include <jansson.h>
#include <stdio.h>

#include "runtime/host/metrics.h"
#include "runtime/time.h"

enum {
	LABELS_MAX = 128,
};

bool job_is_done(const char *text, size_t length)
{
	json_t *answer = json_loadb(text, length, JSON_ALLOW_NUL, NULL);
	bool done = json_is_object(answer) && json_object_get(answer, "errorType") == NULL &&
		json_array_size(json_object_get(answer, "batchItemFailures")) == 0;

	json_decref(answer);
	return done;
}

void job_succeeded_at(const struct manifest_function *function, int64_t epoch_ms)
{
	char labels[LABELS_MAX];

	snprintf(labels, sizeof labels, "function=\"%s\"", function->name);
	metric_set(metric_gauge("eds_schedule_last_success_timestamp_seconds",
			   "Unix time of the last scheduled run that succeeded, or of the "
			   "start of the runner if no run has succeeded yet.",
			   labels),
		(uint64_t)(epoch_ms / 1000));
}

static void show_number(struct job_numbers *numbers, const struct manifest_function *function,
	const char *name, json_int_t value)
{
	char labels[LABELS_MAX];
	struct metric *metric;

	if (value < 0 || numbers->count == JOB_NUMBERS_MAX)
		return;
	snprintf(labels, sizeof labels, "function=\"%s\",number=\"%s\"", function->name, name);
	metric = metric_gauge(
		"eds_schedule_answer", "A number in the answer of a job's latest run.", labels);
	metric_set(metric, (uint64_t)value);
	numbers->shown[numbers->count++] = metric;
}

void job_succeeded(struct job_numbers *numbers, const struct manifest_function *function,
	const char *text, size_t length)
{
	json_t *answer;
	const char *name;
	json_t *value;

	if (function->schedule == NULL)
		return;
	job_succeeded_at(function, rt_wall_ms());
	while (numbers->count > 0)
		metric_set(numbers->shown[--numbers->count], 0);
	answer = json_loadb(text, length, 0, NULL);
	json_object_foreach(answer, name, value)
	{
		if (json_is_integer(value))
			show_number(numbers, function, name, json_integer_value(value));
	}
	json_decref(answer);
}
