#include "tests/support/dnsd-process.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static _Noreturn void fail(const char *what)
{
	perror(what);
	exit(EXIT_FAILURE);
}

static void write_zone(const struct dnsd *dnsd, const char *lines)
{
	char fresh[128];
	FILE *file;

	snprintf(fresh, sizeof fresh, "%s.new", dnsd->zone_path);
	file = fopen(fresh, "w");
	if (file == NULL || fputs(lines, file) < 0 || fclose(file) != 0)
		fail("zone file");
	if (rename(fresh, dnsd->zone_path) != 0)
		fail("zone file");
}

/* The path of tests/support/dnsd, beside tests/unit/ in the build. */
static void program_path(char path[512])
{
	ssize_t length = readlink("/proc/self/exe", path, 400);

	if (length < 0)
		fail("/proc/self/exe");
	path[length] = '\0';
	*strrchr(path, '/') = '\0';
	strcat(path, "/../support/dnsd");
}

static void run(const struct dnsd *dnsd, int input, int output)
{
	char program[512];

	program_path(program);
	if (dup2(input, STDIN_FILENO) < 0 || dup2(output, STDOUT_FILENO) < 0)
		fail("dup2");
	closefrom(STDERR_FILENO + 1);
	execl(program, program, "--log", dnsd->log_path, dnsd->zone_path, (char *)NULL);
	perror(program);
	_exit(EXIT_FAILURE);
}

static void read_address(struct dnsd *dnsd, int output)
{
	FILE *file = fdopen(output, "r");

	if (file == NULL || fscanf(file, "{\"address\":\"%63[0-9.:]\"}", dnsd->address) != 1)
		fail("dnsd did not start");
	fclose(file);
}

void dnsd_start(struct dnsd *dnsd, const char *lines)
{
	int input[2];
	int output[2];

	strcpy(dnsd->folder, "/tmp/dnsd-XXXXXX");
	if (mkdtemp(dnsd->folder) == NULL || pipe(input) != 0 || pipe(output) != 0)
		fail("dnsd");
	snprintf(dnsd->zone_path, sizeof dnsd->zone_path, "%s/zone", dnsd->folder);
	snprintf(dnsd->log_path, sizeof dnsd->log_path, "%s/log", dnsd->folder);
	write_zone(dnsd, lines);
	dnsd->pid = fork();
	if (dnsd->pid < 0)
		fail("fork");
	if (dnsd->pid == 0)
		run(dnsd, input[0], output[1]);
	close(input[0]);
	close(output[1]);
	dnsd->input = input[1];
	read_address(dnsd, output[0]);
	setenv("EDS_DNS_SERVERS", dnsd->address, 1);
}

void dnsd_publish(struct dnsd *dnsd, const char *lines)
{
	if (truncate(dnsd->log_path, 0) != 0)
		fail("log");
	write_zone(dnsd, lines);
}

size_t dnsd_queries(const struct dnsd *dnsd, const char *query)
{
	FILE *file = fopen(dnsd->log_path, "r");
	char line[512];
	size_t count = 0;

	if (file == NULL)
		fail("log");
	while (fgets(line, sizeof line, file) != NULL) {
		line[strcspn(line, "\n")] = '\0';
		count += query == NULL || strcmp(line, query) == 0;
	}
	fclose(file);
	return count;
}

void dnsd_stop(struct dnsd *dnsd)
{
	close(dnsd->input);
	waitpid(dnsd->pid, NULL, 0);
	unlink(dnsd->zone_path);
	unlink(dnsd->log_path);
	rmdir(dnsd->folder);
}
