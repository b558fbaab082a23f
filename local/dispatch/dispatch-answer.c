#include "local/dispatch/dispatch-answer.h"

#include <jansson.h>
#include <stdio.h>
#include <string.h>

static void say(char reason[DISPATCH_REASON_MAX], const char *text)
{
	snprintf(reason, DISPATCH_REASON_MAX, "%s", text);
}

/* Judges an errorType by its first part, which is the category of the failure
 * (runtime/event/problem.h). */
static enum dispatch_verdict judge_error(const char *type)
{
	static const char temporary[] = "temporary.";
	static const char later[] = "later.";

	if (type != NULL && strncmp(type, temporary, sizeof temporary - 1) == 0)
		return DISPATCH_NOT_NOW;
	return type != NULL && strncmp(type, later, sizeof later - 1) == 0 ? DISPATCH_PUT_OFF
									   : DISPATCH_FAILED;
}

/* Sets *verdict. Returns the answer as a JSON object that the caller must release. When the
 * function did not process the event, returns NULL, and reason gets a sentence. */
static json_t *read_good_answer(enum pool_outcome outcome, const char *text, size_t length,
	enum dispatch_verdict *verdict, char reason[DISPATCH_REASON_MAX])
{
	static const char *const failures[] = {
		[POOL_ANSWERED] = "the function's answer is not a JSON object",
		[POOL_CRASHED] = "the function ended without an answer",
		[POOL_TIMED_OUT] = "the function did not answer in time",
		[POOL_BUSY] = "too many events wait for the function",
		[POOL_ABSENT] = "the function's program cannot be started",
	};
	json_t *answer = NULL;
	const char *type;
	const char *message;

	say(reason, failures[outcome]);
	*verdict = outcome == POOL_ABSENT ? DISPATCH_NOT_NOW : DISPATCH_FAILED;
	if (outcome == POOL_ANSWERED)
		answer = json_loadb(text, length, JSON_REJECT_DUPLICATES, NULL);
	type = json_string_value(json_object_get(answer, "errorType"));
	if (json_object_get(answer, "errorType") != NULL) {
		message = json_string_value(json_object_get(answer, "errorMessage"));
		snprintf(reason, DISPATCH_REASON_MAX, "%s: %s", type != NULL ? type : "error",
			message != NULL ? message : "no message");
		*verdict = judge_error(type);
	} else if (json_is_object(answer)) {
		*verdict = DISPATCH_DEALT_WITH;
		return answer;
	}
	json_decref(answer);
	return NULL;
}

enum dispatch_verdict dispatch_judge(enum pool_outcome outcome, const char *text, size_t length,
	char reason[DISPATCH_REASON_MAX])
{
	enum dispatch_verdict verdict;

	json_decref(read_good_answer(outcome, text, length, &verdict, reason));
	return verdict;
}

bool dispatch_answer_is_good(enum pool_outcome outcome, const char *text, size_t length,
	char reason[DISPATCH_REASON_MAX])
{
	return dispatch_judge(outcome, text, length, reason) == DISPATCH_DEALT_WITH;
}

static uint64_t read_octets(const json_t *answer, const char *member)
{
	json_int_t octets = json_integer_value(json_object_get(answer, member));

	return octets > 0 ? (uint64_t)octets : 0;
}

static bool read_stored(const json_t *answer, uint64_t stored[HELD_LEVELS])
{
	const json_t *members = json_object_get(answer, "stored");

	stored[HELD_NETWORK] = read_octets(members, "network");
	stored[HELD_SITE] = read_octets(members, "site");
	stored[HELD_ALL] = read_octets(members, "all");
	return json_is_object(members);
}

bool dispatch_read_stored(const char *text, size_t length, uint64_t stored[HELD_LEVELS])
{
	json_t *answer = json_loadb(text, length, JSON_REJECT_DUPLICATES, NULL);
	bool found = read_stored(answer, stored);

	json_decref(answer);
	return found;
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
	result->bounds.max_bytes = (size_t)read_octets(answer, "maxBytes");
	result->tells_stored = read_stored(answer, result->bounds.stored);
	if (result->function != NULL && result->function->mail)
		result->answer = ACCEPT_TAKEN;
	else
		say(result->text, "mail-accept names no function that takes mail");
}

void dispatch_read_accept(const struct manifest *manifest, enum pool_outcome outcome,
	const char *text, size_t length, struct accept_result *result)
{
	enum dispatch_verdict verdict;
	json_t *answer = read_good_answer(outcome, text, length, &verdict, result->text);

	result->answer = ACCEPT_FAILED;
	result->function = NULL;
	result->bounds = (struct smtp_bounds){0};
	result->tells_stored = false;
	if (answer != NULL)
		read_accept(manifest, answer, result);
	json_decref(answer);
}
