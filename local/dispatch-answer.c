#include "local/dispatch-answer.h"

#include <jansson.h>
#include <stdio.h>
#include <string.h>

static void say(char reason[DISPATCH_REASON_MAX], const char *text)
{
	snprintf(reason, DISPATCH_REASON_MAX, "%s", text);
}

/* The answer as an object to be released, or NULL with a reason. */
static json_t *read_good_answer(enum pool_outcome outcome, const char *text, size_t length,
	char reason[DISPATCH_REASON_MAX])
{
	static const char *const failures[] = {
		[POOL_ANSWERED] = "the function's answer is no JSON object",
		[POOL_CRASHED] = "the function ended without an answer",
		[POOL_TIMED_OUT] = "the function did not answer in time",
		[POOL_BUSY] = "too many events wait for the function",
	};
	json_t *answer = NULL;
	const char *type;
	const char *message;

	say(reason, failures[outcome]);
	if (outcome == POOL_ANSWERED)
		answer = json_loadb(text, length, JSON_REJECT_DUPLICATES, NULL);
	type = json_string_value(json_object_get(answer, "errorType"));
	if (json_object_get(answer, "errorType") != NULL) {
		message = json_string_value(json_object_get(answer, "errorMessage"));
		snprintf(reason, DISPATCH_REASON_MAX, "%s: %s", type != NULL ? type : "error",
			message != NULL ? message : "no message");
	} else if (json_is_object(answer)) {
		return answer;
	}
	json_decref(answer);
	return NULL;
}

bool dispatch_answer_is_good(enum pool_outcome outcome, const char *text, size_t length,
	char reason[DISPATCH_REASON_MAX])
{
	json_t *answer = read_good_answer(outcome, text, length, reason);

	json_decref(answer);
	return answer != NULL;
}

static void read_accept(
	const struct manifest *manifest, const json_t *answer, struct accept_result *result)
{
	const json_t *accept = json_object_get(answer, "accept");
	const char *reason = json_string_value(json_object_get(answer, "reason"));
	const char *function = json_string_value(json_object_get(answer, "function"));

	if (json_is_false(accept)) {
		result->answer = ACCEPT_REFUSED;
		say(result->text, reason != NULL ? reason : "");
		return;
	}
	if (json_is_true(accept) && function != NULL)
		result->function = manifest_find(manifest, function);
	if (result->function != NULL && result->function->mail)
		result->answer = ACCEPT_TAKEN;
	else
		say(result->text, "mail-accept names no function that takes mail");
}

void dispatch_read_accept(const struct manifest *manifest, enum pool_outcome outcome,
	const char *text, size_t length, struct accept_result *result)
{
	json_t *answer = read_good_answer(outcome, text, length, result->text);

	result->answer = ACCEPT_FAILED;
	result->function = NULL;
	if (answer != NULL)
		read_accept(manifest, answer, result);
	json_decref(answer);
}
