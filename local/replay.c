#include <errno.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "local/commands.h"
#include "local/replay.h"
#include "local/single-run.h"
#include "runtime/config/config.h"
#include "runtime/host/gateway/recent.h"
#include "runtime/host/listen.h"

enum {
	READ_BYTES = 16 * 1024,
	WAIT_SECONDS = 10,
	ID_MAX = 200,
};

static const char usage[] =
	"usage: runner replay [ID] [--functions DIR]\n\nRuns an event again that the runner "
	"serving on EDS_OPS_LISTEN has handled: ID is its\nrequest id, messageId or number. Prints "
	"the function's new answer, and says on standard error\nwhether the answer is the same as "
	"before. Without ID it lists the last events, the newest\nfirst. The runner does not "
	"keep tokens and cookies: an event that had some is replayed\nwithout them.\n\nexit "
	"status: that of the function; 1 when there is no such event or no runner.\n\nTry:  runner "
	"replay\n";

static int complain(const char *what, const char *why)
{
	fprintf(stderr, "runner replay: %s%s\n", what, why);
	return 1;
}

static int connect_to_runner(void)
{
	const struct timeval wait = {.tv_sec = WAIT_SECONDS};
	struct sockaddr_storage address;
	socklen_t length;
	int fd;

	if (!listen_parse(rt_config()->ops_listen, &address, &length))
		return -1;
	fd = socket(address.ss_family, SOCK_STREAM | SOCK_CLOEXEC, 0);
	if (fd >= 0 &&
		(setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &wait, sizeof wait) != 0 ||
			connect(fd, (struct sockaddr *)&address, length) != 0)) {
		close(fd);
		return -1;
	}
	return fd;
}

/* Asks the runner and reads the whole answer; false when there is none. */
static bool ask(int fd, const char *id, struct rt_buffer *answer)
{
	char request[ID_MAX + 100];
	ssize_t got = 1;

	snprintf(request, sizeof request,
		"GET /events%s%s HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n",
		id[0] == '\0' ? "" : "/", id);
	if (write(fd, request, strlen(request)) != (ssize_t)strlen(request))
		return false;
	while (got > 0) {
		char *room = rt_buffer_room(answer, READ_BYTES);

		got = room == NULL ? -1 : read(fd, room, READ_BYTES);
		if (got > 0)
			rt_buffer_used(answer, (size_t)got);
	}
	rt_buffer_add(answer, "", 1);
	return got == 0 && !answer->overflow;
}

static bool has_status(const struct rt_buffer *answer, int status)
{
	char line[32];

	snprintf(line, sizeof line, "HTTP/1.1 %d ", status);
	return strncmp(answer->bytes, line, strlen(line)) == 0;
}

/* Gets the event, or the list of events, that the runner keeps; NULL after printing an error on
 * standard error. */
static json_t *fetch(const char *id)
{
	int fd = connect_to_runner();
	struct rt_buffer answer;
	const char *body = NULL;
	json_t *value = NULL;

	if (fd < 0) {
		complain("no runner serves on EDS_OPS_LISTEN: ", strerror(errno));
		return NULL;
	}
	rt_buffer_init_heap(&answer, RECENT_TEXT_MAX + READ_BYTES);
	if (ask(fd, id, &answer))
		body = strstr(answer.bytes, "\r\n\r\n");
	if (body != NULL && has_status(&answer, 200))
		value = json_loads(body, 0, NULL);
	if (value == NULL && id[0] != '\0' && body != NULL && has_status(&answer, 404))
		complain("the runner has kept no event ", id);
	else if (value == NULL)
		complain("what answers on EDS_OPS_LISTEN is not a runner: ",
			rt_config()->ops_listen);
	rt_buffer_done(&answer);
	close(fd);
	return value;
}

static const char *text_of(const json_t *event, const char *name)
{
	const char *text = json_string_value(json_object_get(event, name));

	return text == NULL ? "-" : text;
}

static int list_events(void)
{
	json_t *answer = fetch("");
	const json_t *events = json_object_get(answer, "events");

	for (size_t i = 0; i < json_array_size(events); i++) {
		const json_t *event = json_array_get(events, i);

		printf("%-6lld %-20s %-10s %-26s %s%s\n",
			(long long)json_integer_value(json_object_get(event, "number")),
			text_of(event, "receivedAt"), text_of(event, "outcome"),
			text_of(event, "function"), text_of(event, "id"),
			json_is_true(json_object_get(event, "again")) ? " (given again)" : "");
	}
	json_decref(answer);
	return answer == NULL ? 1 : 0;
}

static void compare(const json_t *kept, const struct rt_buffer *answer)
{
	json_t *now = json_loadb(
		answer->bytes == NULL ? "" : answer->bytes, answer->length, JSON_DECODE_ANY, NULL);
	const json_t *then = json_object_get(kept, "answer");
	char *text = json_dumps(then, JSON_COMPACT | JSON_ENCODE_ANY);

	if (now != NULL && json_equal(now, then))
		fprintf(stderr, "runner replay: the same answer as at %s\n",
			text_of(kept, "receivedAt"));
	else
		fprintf(stderr, "runner replay: the outcome at %s was %s: %s\n",
			text_of(kept, "receivedAt"), text_of(kept, "outcome"),
			text == NULL ? "" : text);
	free(text);
	json_decref(now);
}

static int replay(const struct manifest *manifest, const json_t *kept)
{
	const struct manifest_function *function = manifest_find(
		manifest, text_of(kept, "function"));
	char *event = json_dumps(json_object_get(kept, "event"), JSON_COMPACT | JSON_ENCODE_ANY);
	struct rt_buffer answer;
	int status = 1;

	if (function == NULL || event == NULL) {
		free(event);
		return complain("there is no longer a function ", text_of(kept, "function"));
	}
	rt_buffer_init_heap(&answer, SINGLE_RUN_ANSWER_MAX);
	status = single_run(function, event, strlen(event), &answer);
	if (answer.length > 0)
		fwrite(answer.bytes, 1, answer.length, stdout);
	fflush(stdout);
	compare(kept, &answer);
	rt_buffer_done(&answer);
	free(event);
	return status;
}

static int replay_one(const char *functions, const char *id)
{
	struct manifest *manifest;
	json_t *kept;
	int status;

	if (id[0] == '\0' || strlen(id) > ID_MAX || strpbrk(id, "/?# \r\n") != NULL)
		return complain("this is not an id: ", id);
	kept = fetch(id);
	if (kept == NULL)
		return 1;
	manifest = manifest_load_folder(functions);
	status = replay(manifest, kept);
	manifest_free(manifest);
	json_decref(kept);
	return status;
}

int replay_main(int argc, char **argv)
{
	struct command_options options;

	if (!command_options(&argc, argv, &options))
		return RUNNER_EXIT_USAGE;
	if (options.help || argc > 2) {
		fputs(usage, options.help ? stdout : stderr);
		return options.help ? 0 : RUNNER_EXIT_USAGE;
	}
	rt_config_require();
	return argc == 1 ? list_events() : replay_one(options.functions, argv[1]);
}
