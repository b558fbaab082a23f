#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "local/commands.h"
#include "local/invoke.h"
#include "local/single-run.h"
#include "runtime/config/config.h"
#include "runtime/event/handler.h"
#include "runtime/host/manifest.h"

enum {
	READ_BYTES = 64 * 1024,
};

static const char usage[] =
	"usage: runner invoke NAME [EVENT] [--functions DIR]\n\nRuns the function once, with the "
	"event on its standard input, and prints its answer. EVENT is\na file, or - for standard "
	"input; without one the event is {}. The time-out and the memory\nlimit are those that "
	"the manifest gives for the function.\n\nexit status: that of the function (0 done, 1 "
	"failed); 124 when it ran out of time; 127 when it\ncould not be started; 128 plus the "
	"number of a signal when the signal ended it.\n\nTry:  echo '{\"action\":\"migrate\"}' | "
	"runner invoke admin -\n      runner event schedule | runner invoke tester-expire -\n";

static bool read_event(const char *file, struct rt_buffer *event)
{
	int fd = strcmp(file, "-") == 0 ? STDIN_FILENO : open(file, O_RDONLY | O_CLOEXEC);
	ssize_t got = fd < 0 ? -1 : 1;

	while (got > 0) {
		char *room = rt_buffer_room(event, READ_BYTES);

		if (room == NULL)
			errno = EFBIG;
		got = room == NULL ? -1 : read(fd, room, READ_BYTES);
		if (got > 0)
			rt_buffer_used(event, (size_t)got);
	}
	if (got < 0)
		fprintf(stderr, "runner invoke: the event %s cannot be read: %s\n", file,
			strerror(errno));
	if (fd > STDIN_FILENO)
		close(fd);
	return got == 0;
}

static void print_answer(const struct rt_buffer *answer)
{
	fwrite(answer->bytes, 1, answer->length, stdout);
	if (answer->length > 0 && answer->bytes[answer->length - 1] != '\n')
		putchar('\n');
	fflush(stdout);
}

static int invoke(const struct manifest *manifest, const char *name, const char *file)
{
	const struct manifest_function *function = manifest_find(manifest, name);
	struct rt_buffer event, answer;
	int status = 1;

	if (function == NULL) {
		fprintf(stderr, "runner invoke: there is no function %s; see runner routes\n",
			name);
		return RUNNER_EXIT_USAGE;
	}
	rt_buffer_init_heap(&event, RT_EVENT_BYTES_MAX + READ_BYTES);
	rt_buffer_init_heap(&answer, SINGLE_RUN_ANSWER_MAX);
	if (file == NULL)
		rt_buffer_text(&event, "{}");
	if (file == NULL || read_event(file, &event)) {
		status = single_run(function, event.bytes, event.length, &answer);
		print_answer(&answer);
	}
	rt_buffer_done(&event);
	rt_buffer_done(&answer);
	return status;
}

int invoke_main(int argc, char **argv)
{
	struct command_options options;
	struct manifest *manifest;
	int status;

	if (!command_options(&argc, argv, &options))
		return RUNNER_EXIT_USAGE;
	if (options.help || argc < 2 || argc > 3) {
		fputs(usage, options.help ? stdout : stderr);
		return options.help ? 0 : RUNNER_EXIT_USAGE;
	}
	rt_config_require();
	manifest = manifest_load_folder(options.functions);
	status = invoke(manifest, argv[1], argc == 3 ? argv[2] : NULL);
	manifest_free(manifest);
	return status;
}
