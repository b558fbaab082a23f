#include "functions/reports/sources/source-operator.h"

#include "functions/reports/sources/source-words.h"

const struct eds_sender *report_source_operator(
	struct rt_ctx *ctx, const struct eds_report_source *source)
{
	const struct eds_sender *sender = source->name != NULL && *source->name != '\0'
		? eds_sender_of(source->name)
		: NULL;

	for (size_t i = 0; i < source->auth_count && sender == NULL; i++) {
		struct report_word word;

		for (const char *at = report_word_first(source->auths[i].auth);
			sender == NULL && report_word_read(ctx, &at, &word);)
			if (word.passed && word.is_spf)
				sender = eds_sender_of(word.domain);
	}
	return sender;
}

enum report_source_class report_source_class(
	struct rt_ctx *ctx, const struct eds_report_source *source)
{
	const struct eds_sender *sender = report_source_operator(ctx, source);
	const struct eds_report_sum *sum = &source->sum;

	if ((sender != NULL && sender->kind == EDS_SENDER_FORWARDER) ||
		sum->forwarded > sum->passed + sum->failed)
		return REPORT_SOURCE_FORWARDER;
	return sender != NULL ? REPORT_SOURCE_SERVICE : REPORT_SOURCE_UNKNOWN;
}

const char *report_source_class_name(enum report_source_class class)
{
	static const char *const names[] = {
		[REPORT_SOURCE_SERVICE] = "service",
		[REPORT_SOURCE_UNKNOWN] = "unknown",
		[REPORT_SOURCE_FORWARDER] = "forwarder",
	};

	return names[class];
}
