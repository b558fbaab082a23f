#include "functions/lib/sandbox/helper.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "functions/lib/sandbox/verifier.h"
#include "runtime/config.h"

enum {
	PATH_BYTES_MAX = 4096,
	SILENCE_MS = 8000, /* a thousand times what a message takes */
};

/* One helper a process: like the database and the resolver it outlives the event. */
static struct {
	pid_t pid; /* 0: none runs */
	int control;
} helper;

static struct eds_helper_spec usual = {.silence_ms = SILENCE_MS};
static const struct eds_helper_spec *chosen;

/* The program at the place given from the folder of this one. */
static bool find(char path[PATH_BYTES_MAX], const char *place)
{
	ssize_t length = readlink("/proc/self/exe", path, PATH_BYTES_MAX - 1);
	char *name;

	if (length <= 0)
		return false;
	path[length] = '\0';
	name = strrchr(path, '/');
	if (name == NULL || (size_t)(name + 1 - path) + strlen(place) >= PATH_BYTES_MAX)
		return false;
	memcpy(name + 1, place, strlen(place) + 1);
	return access(path, X_OK) == 0;
}

const struct eds_helper_spec *eds_helper_spec(void)
{
	static char path[PATH_BYTES_MAX];

	if (chosen != NULL)
		return chosen;
	if (usual.path == NULL &&
		(find(path, "eds-verifier") || find(path, "../libexec/eds-verifier")))
		usual.path = path;
	usual.confined = rt_config()->sandbox_required;
	return usual.path == NULL ? NULL : &usual;
}

void eds_helper_use(const struct eds_helper_spec *spec)
{
	eds_helper_end();
	chosen = spec;
}

void eds_helper_end(void)
{
	if (helper.pid == 0)
		return;
	close(helper.control);
	kill(helper.pid, SIGKILL);
	while (waitpid(helper.pid, NULL, 0) < 0 && errno == EINTR)
		continue;
	helper.pid = 0;
}

/* Nothing but the control socket; standard error too where a sanitizer may have something to say.
 */
static void plan_descriptors(posix_spawn_file_actions_t *actions, int control, bool confined)
{
	posix_spawn_file_actions_adddup2(actions, control, EDS_HELPER_CONTROL_FD);
	posix_spawn_file_actions_addclose(actions, STDIN_FILENO);
	posix_spawn_file_actions_addclose(actions, STDOUT_FILENO);
	if (confined)
		posix_spawn_file_actions_addclose(actions, STDERR_FILENO);
	posix_spawn_file_actions_addclosefrom_np(actions, EDS_HELPER_CONTROL_FD + 1);
}

/* No signal blocked or ignored, whatever this process does with them. */
static void plan_signals(posix_spawnattr_t *attributes)
{
	sigset_t set;

	sigemptyset(&set);
	posix_spawnattr_setsigmask(attributes, &set);
	sigfillset(&set);
	posix_spawnattr_setsigdefault(attributes, &set);
	posix_spawnattr_setflags(attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
}

static bool spawn(const struct eds_helper_spec *spec, int control)
{
	char name[] = "eds-verifier";
	char argument[] = EDS_HELPER_FREE_ARGUMENT;
	char *const arguments[] = {name, spec->confined ? NULL : argument, NULL};
	char *const environment[] = {NULL};
	posix_spawn_file_actions_t actions;
	posix_spawnattr_t attributes;
	int error;

	posix_spawn_file_actions_init(&actions);
	posix_spawnattr_init(&attributes);
	plan_descriptors(&actions, control, spec->confined);
	plan_signals(&attributes);
	error = posix_spawn(&helper.pid, spec->path, &actions, &attributes, arguments, environment);
	posix_spawnattr_destroy(&attributes);
	posix_spawn_file_actions_destroy(&actions);
	if (error != 0)
		helper.pid = 0;
	return error == 0;
}

bool eds_helper_start(void)
{
	const struct eds_helper_spec *spec = eds_helper_spec();
	int pair[2];
	bool started;

	if (helper.pid != 0)
		return true;
	if (spec == NULL || socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair) != 0)
		return false;
	started = spawn(spec, pair[1]);
	close(pair[1]);
	if (started)
		helper.control = pair[0];
	else
		close(pair[0]);
	return started;
}

static bool send_request(uint32_t command, int time_ms, const int *fds)
{
	union {
		struct cmsghdr header;
		char bytes[CMSG_SPACE(EDS_HELPER_FDS * sizeof(int))];
	} control = {.bytes = {0}};
	struct eds_helper_request request = {.command = command, .time_ms = time_ms};
	struct iovec part = {.iov_base = &request, .iov_len = sizeof request};
	struct msghdr message = {.msg_iov = &part, .msg_iovlen = 1};

	if (fds != NULL) {
		message.msg_control = control.bytes;
		message.msg_controllen = sizeof control.bytes;
		control.header.cmsg_level = SOL_SOCKET;
		control.header.cmsg_type = SCM_RIGHTS;
		control.header.cmsg_len = CMSG_LEN(EDS_HELPER_FDS * sizeof(int));
		memcpy(CMSG_DATA(&control.header), fds, EDS_HELPER_FDS * sizeof(int));
	}
	return sendmsg(helper.control, &message, MSG_NOSIGNAL | MSG_DONTWAIT) ==
		(ssize_t)sizeof request;
}

/* A kept helper may have died since the last message: then a new one gets the request. */
bool eds_helper_run(int data, int message, int time_ms)
{
	const int fds[EDS_HELPER_FDS] = {data, message};
	bool kept = helper.pid != 0;

	if (!eds_helper_start())
		return false;
	if (send_request(EDS_HELPER_RUN, time_ms, fds))
		return true;
	eds_helper_end();
	return kept && eds_helper_start() && send_request(EDS_HELPER_RUN, time_ms, fds);
}

void eds_helper_stop_child(void)
{
	if (helper.pid != 0 && !send_request(EDS_HELPER_STOP, 0, NULL))
		eds_helper_end();
}

bool eds_helper_wait(int max_ms, int *wait_status)
{
	struct pollfd control = {.fd = helper.control, .events = POLLIN};
	int64_t until_ms = rt_monotonic_ms() + max_ms;
	int32_t status;
	int ready;

	if (helper.pid == 0)
		return false;
	do {
		int64_t left_ms = until_ms - rt_monotonic_ms();

		ready = poll(&control, 1, left_ms > 0 ? (int)left_ms : 0);
	} while (ready < 0 && errno == EINTR);
	if (ready == 0)
		return false;
	if (recv(helper.control, &status, sizeof status, MSG_DONTWAIT) != (ssize_t)sizeof status) {
		eds_helper_end();
		return false;
	}
	*wait_status = status;
	return true;
}
