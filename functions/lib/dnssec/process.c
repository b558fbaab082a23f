#include "functions/lib/dnssec/process.h"
#include "runtime/time.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "functions/lib/dnssec/wire.h"
#include "functions/lib/sandbox/helper-program.h"
#include "runtime/config/config.h"
#include "runtime/kernel.h"
#include "runtime/log.h"

enum {
	READY_MS = 5000,  /* how long the validator may take to start: a thousand times the usual
			   * time */
	PAUSE_MS = 10000, /* when the validator has ended, pause before the next start; the pause
			   * limits how often an attacker can crash it */
	SERVER_MAX = 80,
};

/* The keys of the root zone, as of 2024 (https://data.iana.org/root-anchors/root-anchors.xml). */
static const char root_anchors[] =
	". DS 20326 8 2 "
	"E06D44B80B8F1D39A95C0B0D7C65D08458E880409BBC683457104237C7F8EC8D\n"
	". DS 38696 8 2 "
	"683D2D0ACB8C9B712A1948B27F741219298D0A450D612C483AF444A4C0FB2B16\n";

static struct {
	pid_t pid; /* process id of the validator; 0 while none runs */
	int socket;
	int64_t ended_ms; /* when the last validator ended, on the monotonic clock; 0 if none has */
} validator;

int eds_validator_fd(void)
{
	return validator.pid != 0 ? validator.socket : -1;
}

void eds_validator_end(void)
{
	if (validator.pid == 0)
		return;
	close(validator.socket);
	kill(validator.pid, SIGKILL);
	while (waitpid(validator.pid, NULL, 0) < 0 && errno == EINTR)
		continue;
	validator.pid = 0;
	validator.ended_ms = rt_monotonic_ms();
}

/* The validator inherits only its socket. Its standard descriptors can be neither read nor written,
 * even where there is no /dev/null; it has no environment, and no signal is blocked or ignored. The
 * exec closes all other descriptors of ours. */
static bool spawn(const char *path, int socket)
{
	char *const arguments[] = {"eds-validator", NULL};
	char *const environment[] = {NULL};
	posix_spawn_file_actions_t actions;
	posix_spawnattr_t attributes;
	sigset_t set;
	int error;

	posix_spawn_file_actions_init(&actions);
	posix_spawnattr_init(&attributes);
	posix_spawn_file_actions_adddup2(&actions, socket, EDS_VALIDATOR_FD);
	for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
		posix_spawn_file_actions_addopen(&actions, fd, "/", O_PATH, 0);
	sigemptyset(&set);
	posix_spawnattr_setsigmask(&attributes, &set);
	sigfillset(&set);
	posix_spawnattr_setsigdefault(&attributes, &set);
	posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
	error = posix_spawn(&validator.pid, path, &actions, &attributes, arguments, environment);
	posix_spawnattr_destroy(&attributes);
	posix_spawn_file_actions_destroy(&actions);
	if (error != 0)
		validator.pid = 0;
	return error == 0;
}

/* Writes the servers that EDS_DNS_SERVERS names. If it names none, the validator uses the system's
 * servers. */
static size_t write_servers(char *text, size_t size)
{
	const char *at = rt_config()->dns_servers;
	size_t used = 0;

	while (*at != '\0') {
		size_t length = strcspn(at, ", ");
		char server[SERVER_MAX];

		eds_validator_server(at, length, server, sizeof server);
		if (length > 0 && used + strlen(server) + 2 < size)
			used += (size_t)snprintf(text + used, size - used, "%s ", server);
		at += length;
		at += strspn(at, ", ");
	}
	return used;
}

/* Writes the anchors of EDS_DNSSEC_ANCHORS, or those of the root. False for a file that cannot be
 * read, is empty or is too long. */
static bool write_anchors(char *text, size_t size, size_t *length)
{
	const char *path = rt_config()->dnssec_anchors;
	FILE *file;

	if (path[0] == '\0') {
		*length = sizeof root_anchors - 1;
		memcpy(text, root_anchors, sizeof root_anchors - 1);
		return true;
	}
	file = fopen(path, "re");
	if (file == NULL)
		return false;
	*length = fread(text, 1, size, file);
	fclose(file);
	return *length > 0 && *length < size;
}

static bool send_setup(void)
{
	char text[EDS_VALIDATOR_SETUP_MAX];
	size_t length = write_servers(text, 1024);
	size_t more;

	length += (size_t)snprintf(text + length, sizeof text - length, "\n%s\n",
		rt_sandbox_word(rt_config()->sandbox));
	if (!write_anchors(text + length, sizeof text - length, &more))
		return false;
	length += more;
	return send(validator.socket, text, length, MSG_NOSIGNAL) == (ssize_t)length;
}

static bool is_ready(void)
{
	struct pollfd waits = {.fd = validator.socket, .events = POLLIN};
	char text[EDS_VALIDATOR_MESSAGE_MAX];
	ssize_t got;

	if (poll(&waits, 1, READY_MS) != 1)
		return false;
	got = recv(validator.socket, text, sizeof text - 1, MSG_DONTWAIT);
	if (got <= 0)
		return false;
	text[got] = '\0';
	rt_log_line(RT_LOG_DEBUG, NULL, NULL, "the DNSSEC validator reports: %s", text);
	return strncmp(text, "ready", 5) == 0;
}

/* Returns NULL when the validator runs, else the reason why not. */
static const char *start(void)
{
	static char missing[EDS_HELPER_PATH_MAX + 64];
	char path[EDS_HELPER_PATH_MAX];
	int pair[2];
	bool started;

	if (!eds_helper_find("eds-validator", path)) {
		snprintf(missing, sizeof missing, "%s cannot be executed: %s", path,
			strerror(errno));
		return missing;
	}
	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair) != 0)
		return "no socket could be made";
	started = spawn(path, pair[1]);
	close(pair[1]);
	validator.socket = pair[0];
	if (!started) {
		close(pair[0]);
		return "it could not be executed";
	}
	if (!send_setup())
		return "the file of trust anchors cannot be read or is too long, or the validator "
		       "ended";
	return is_ready() ? NULL
			  : "it did not accept EDS_DNSSEC_ANCHORS or EDS_DNS_SERVERS, or could not "
			    "be confined";
}

bool eds_validator_start(void)
{
	const char *why;

	if (validator.pid != 0)
		return true;
	if (validator.ended_ms != 0 && rt_monotonic_ms() - validator.ended_ms < PAUSE_MS)
		return false;
	why = start();
	if (why == NULL)
		return true;
	rt_log_line(RT_LOG_WARNING, NULL, NULL,
		"DNSSEC is not validated: eds-validator does not start, as %s", why);
	eds_validator_end();
	validator.ended_ms = rt_monotonic_ms();
	return false;
}
