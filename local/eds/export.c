#include "local/eds/export.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "local/eds/arguments.h"
#include "local/eds/client.h"
#include "local/eds/commands.h"
#include "local/eds/request.h"
#include "local/eds/show.h"
#include "local/eds/text.h"

enum {
	PATH_BYTES_MAX = 4096,
	TRIES = 4,   /* maximum number of tries for a page; the first page of a file gets one */
	PAUSE_S = 1, /* pause before the second try; doubles with each further try */
	PAUSE_LONGEST_S = 120, /* longest pause that the service may ask for, s */
};

struct export
{
	struct cli_call *call;
	char path[PATH_BYTES_MAX]; /* path of the next page to ask for; "" after the last */
	/* cursor of the next page; "" before eds has printed a page, and when no cursor can give
	 * the rest */
	char cursor[PATH_BYTES_MAX];
	bool csv;
	/* the first page of the file, which in CSV has the line of column names, was printed by
	 * this command or, with --cursor, by an earlier one */
	bool has_head;
	int pause_s; /* pause before another try of the page, s; 0: no other try */
	int status;
};

/* True if the answer is a page of an export. A page of CSV begins with a quote. Other pages begin
 * with a brace, or are empty. An error page of a proxy does neither. */
static bool is_page(const struct export *export, const struct cli_answer *answer)
{
	if (answer->status != 200)
		return false;
	return answer->length == 0 ? !export->csv : answer->body[0] == (export->csv ? '"' : '{');
}

/* Prints a page. For a terminal the text is cleaned, like all text from the service; a file gets
 * the text unchanged. */
static bool print_page(const struct cli_call *call, const char *text, size_t length)
{
	if (isatty(STDOUT_FILENO)) {
		text = cli_clean(call->ctx, text, length, CLI_MANY_LINES);
		length = strlen(text);
	}
	return fwrite(text, 1, length, stdout) == length && fflush(stdout) == 0;
}

/* The body to print. Each page of CSV begins with the line of column names. This line is left out
 * when the file has it already. */
static const char *after_head(const struct export *export, const char *body)
{
	const char *end = export->csv && export->has_head ? strchr(body, '\n') : NULL;

	return end != NULL ? end + 1 : body;
}

static int take_page(
	struct export *export, const struct cli_call *call, const struct cli_answer *answer)
{
	const char *body = after_head(export, answer->body);
	const char *next = answer->next != NULL ? answer->next : "";
	const char *cursor = answer->cursor != NULL ? answer->cursor : "";

	if (!print_page(call, body, answer->length - (size_t)(body - answer->body))) {
		cli_complain(call, "the file cannot be written, and is not complete: %s",
			strerror(errno));
		/* a part of this page may be in the file, so the page cannot be printed again */
		export->cursor[0] = '\0';
		return CLI_UNAVAILABLE;
	}
	export->has_head = true;
	if (strlen(next) >= sizeof export->path || strlen(cursor) >= sizeof export->cursor) {
		cli_complain(call, "%s names a next page whose path is too long", call->url);
		return CLI_UNAVAILABLE;
	}
	snprintf(export->path, sizeof export->path, "%s", next);
	snprintf(export->cursor, sizeof export->cursor, "%s", cursor);
	return CLI_DONE;
}

/* The pause before the page is asked for again, s. 0 when no other try is made, because the answer
 * would be the same, or because the service asks for a pause that is too long. */
static int pause_after(const struct cli_answer *answer, int usual_s)
{
	if (answer->status != 429 && answer->status / 100 != 5)
		return 0;
	if (answer->retry_after_s > PAUSE_LONGEST_S)
		return 0;
	return answer->retry_after_s > 0 ? answer->retry_after_s : usual_s;
}

/* Asks for a page once. The caller sets export->pause_s to the usual pause; the function replaces
 * it by the pause before the next try. */
static rt_status ask_for_page(struct rt_ctx *ctx, void *arg)
{
	struct export *export = arg;
	struct cli_call call = *export->call;
	const struct cli_request request = {.method = "GET", .path = export->path};
	struct cli_answer answer;
	RT_JSON_MEMORY(ctx);

	call.ctx = ctx;
	export->status = cli_send(&call, &request, &answer);
	if (export->status != CLI_DONE) {
		cli_complain(&call, "%s", ctx->failure.detail);
		return RT_OK;
	}
	export->pause_s = is_page(export, &answer) ? 0 : pause_after(&answer, export->pause_s);
	export->status = is_page(export, &answer) ? take_page(export, &call, &answer)
						  : cli_refusal(&call, &answer);
	return RT_OK;
}

/* Asks for the next page. For every page but the first of the file it tries again when the service
 * fails: a long export should not end because the service is restarted meanwhile. */
static rt_status take_next(struct export *export)
{
	bool is_first = !export->has_head;
	int usual_s = PAUSE_S;

	for (int tries = 1;; tries++) {
		export->pause_s = usual_s;
		RT_TRY(rt_run_apart(export->call->ctx, ask_for_page, export));
		rt_fail_clear(export->call->ctx);
		if (export->status == CLI_DONE || export->pause_s == 0 || is_first ||
			tries == TRIES)
			return RT_OK;
		cli_complain(export->call, "eds tries again in %d s", export->pause_s);
		sleep((unsigned)export->pause_s);
		usual_s *= 2;
	}
}

static const char *format_of(const struct cli_call *call)
{
	const char *format = cli_given(call, "format");

	return format != NULL ? format : call->command->usual->value;
}

/* Sets the path of the first page from the options. Without the option --format, the format is the
 * one that the description of the command names. */
static int begin(struct export *export)
{
	struct cli_call *call = export->call;
	const char *path;
	int status = cli_request_path(call, &path);
	const char *what = cli_given(call, "by") != NULL ? "sums" : "rows";

	if (status != CLI_DONE)
		return status;
	export->csv = strcmp(format_of(call), "csv") == 0;
	export->has_head = cli_given(call, "cursor") != NULL;
	if ((size_t)snprintf(export->path, sizeof export->path, "%s&what=%s", path, what) >=
		sizeof export->path)
		return cli_usage(call, "an option is too long");
	return CLI_DONE;
}

int cli_export(struct cli_call *call)
{
	struct export export = {.call = call};

	if (call->json)
		return cli_usage(call,
			"--json is of no use here; --format jsonl prints a line of "
			"JSON for each row");
	export.status = begin(&export);
	while (export.status == CLI_DONE && export.path[0] != '\0')
		if (take_next(&export) != RT_OK)
			export.status = CLI_UNAVAILABLE;
	if (export.status != CLI_DONE && export.cursor[0] != '\0')
		cli_complain(call,
			"the file is not complete; the same command with --cursor %s prints the "
			"rest",
			export.cursor);
	return export.status;
}
