#include "local/eds/upload.h"

#include <string.h>

#include "local/eds/client.h"
#include "local/eds/file.h"
#include "local/eds/request.h"
#include "local/eds/show.h"
#include "runtime/json-format.h"

enum {
	/* maximum size of a file that this program reads; the service has a limit of its own */
	FILE_BYTES_MAX = 32 * 1024 * 1024,
	FIRST_FILE = 1, /* index of the first file among the words, after DOMAIN */
	/* additional time that the service may need for a file of 200 reports, s */
	READING_S = 60,
};

struct upload {
	struct cli_call *call;
	const char *path;
	size_t accepted, duplicate, refused; /* numbers of reports with each outcome */
};

static void count(struct upload *upload, const char *outcome)
{
	if (outcome != NULL && strcmp(outcome, "accepted") == 0)
		upload->accepted++;
	else if (outcome != NULL && strcmp(outcome, "duplicate") == 0)
		upload->duplicate++;
	else
		upload->refused++;
}

/* Prints a line like "a.zip (b.xml): accepted, dmarc of Receiver from 2026-01-31 00:00"; for a
 * refused report "a.zip (b.xml): refused: REASON". */
static void print_report(const struct cli_call *call, const char *file, const json_t *report)
{
	const json_t *period = json_object_get(report, "period");
	const char *inner = rt_json_string(report, "file");

	cli_print(call, "%s", file);
	if (inner != NULL && strcmp(inner, file) != 0)
		cli_print(call, " (%s)", cli_text(call, report, "file"));
	cli_print(call, ": %s", cli_text(call, report, "outcome"));
	if (json_is_object(json_object_get(report, "reason")))
		cli_print(call, ": %s\n", cli_text(call, report, "reason"));
	else
		cli_print(call, ", %s of %s from %s\n", cli_text(call, report, "kind"),
			cli_text(call, report, "organization"), cli_time(call, period, "begin"));
}

static int show_reports(struct upload *upload, const char *file, const json_t *reports)
{
	size_t refused = upload->refused;

	for (size_t i = 0; i < json_array_size(reports); i++) {
		const json_t *report = json_array_get(reports, i);

		count(upload, rt_json_string(report, "outcome"));
		print_report(upload->call, file, report);
	}
	return upload->refused > refused ? CLI_NOT_WELL : CLI_DONE;
}

static void print_line(
	const struct cli_call *call, const char *file, const char *name, const json_t *value)
{
	json_t *line = json_object();
	const char *text;
	size_t length;

	rt_json_set_text(call->ctx, line, "path", file);
	rt_json_set(line, name, json_deep_copy(value));
	text = rt_json_format(call->ctx, line, &length);
	cli_print_json(call, text, length);
}

/* Prints why there is no answer for the file, or why it was not sent. */
static void complain(const struct cli_call *call, const char *file, const char *detail)
{
	json_t *problem = json_object();

	cli_complain(call, "%s", detail);
	rt_json_set_text(call->ctx, problem, "detail", detail);
	if (call->json)
		print_line(call, file, "problem", problem);
	json_decref(problem);
}

/* Prints that the service refused the file or failed. With --json this function prints the JSON
 * line, because the line has the file's name, which cli_refusal() does not know. */
static int refusal(struct cli_call *call, const char *file, const struct cli_answer *answer)
{
	bool json = call->json;
	int status;

	if (answer->json == NULL) {
		complain(call, file,
			rt_printf(call->ctx, "%s was not accepted: the answer is not JSON", file));
	} else {
		cli_complain(call, "%s was not accepted", file);
		if (json)
			print_line(call, file, "problem", answer->json);
	}
	call->json = false;
	status = cli_refusal(call, answer);
	call->json = json;
	return status;
}

static int send_file(struct upload *upload, const char *file, long *http_status)
{
	struct cli_call *call = upload->call;
	struct cli_request request = {.method = "POST",
		.path = upload->path,
		.type = "application/octet-stream",
		.wait_s = READING_S};
	struct cli_answer answer;
	struct rt_buffer body;
	const json_t *reports;
	const char *problem = cli_read_file(call, file, "reports", FILE_BYTES_MAX, &body);
	int status;

	if (problem != NULL) {
		complain(call, file, problem);
		return CLI_USAGE;
	}
	request.body = body.bytes;
	request.length = body.length;
	status = cli_send(call, &request, &answer);
	if (status != CLI_DONE) {
		complain(call, file, call->ctx->failure.detail);
		return status;
	}
	*http_status = answer.status;
	reports = json_object_get(answer.json, "data");
	if (answer.status / 100 != 2 || reports == NULL)
		return refusal(call, file, &answer);
	if (call->json)
		print_line(call, file, "data", reports);
	return show_reports(upload, file, reports);
}

/* True if the next file may succeed: the failure was about this file, not about the token, the
 * domain or the service. */
static bool goes_on(int status, long http_status)
{
	if (status == CLI_UNAVAILABLE)
		return false;
	return status != CLI_REFUSED || http_status == 400 || http_status == 413 ||
		http_status == 415;
}

int cli_upload(struct cli_call *call)
{
	struct upload upload = {.call = call};
	bool more = true;
	int worst = cli_request_path(call, &upload.path);

	if (worst != CLI_DONE)
		return worst;
	for (size_t i = FIRST_FILE; more && i < call->word_count; i++) {
		long http_status = 0;
		int status = send_file(&upload, call->words[i], &http_status);

		worst = status > worst ? status : worst;
		more = goes_on(status, http_status);
	}
	cli_print(call, "%zu accepted, %zu duplicate, %zu refused\n", upload.accepted,
		upload.duplicate, upload.refused);
	return worst;
}
