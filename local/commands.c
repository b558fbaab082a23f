#include "local/commands.h"

#include <stdio.h>
#include <string.h>

static bool is_option(const char *argument)
{
	return argument[0] == '-' && argument[1] != '\0';
}

static unsigned part_named(const char *name, size_t length)
{
	static const struct {
		const char *name;
		unsigned part;
	} parts[] = {
		{"http", COMMAND_HTTP}, {"smtp", COMMAND_SMTP}, {"schedule", COMMAND_SCHEDULE}};

	for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++)
		if (strlen(parts[i].name) == length && memcmp(parts[i].name, name, length) == 0)
			return parts[i].part;
	return 0;
}

/* Reads a list like "smtp,schedule" (enum command_parts); 0 when one part is unknown. */
static unsigned parts_named(const char *list)
{
	unsigned parts = 0;

	for (;;) {
		size_t length = strcspn(list, ",");
		unsigned part = part_named(list, length);

		if (part == 0)
			return 0;
		parts |= part;
		if (list[length] == '\0')
			return parts;
		list += length + 1;
	}
}

static bool take_only(struct command_options *options, const char *list)
{
	options->parts = parts_named(list);
	options->only = true;
	if (options->parts == 0)
		fprintf(stderr,
			"runner serve: --only takes some of http, smtp and schedule, with commas "
			"between them\n");
	return options->parts != 0;
}

bool command_options(int *argc, char **argv, struct command_options *options)
{
	int left = 1;
	bool only_arguments = false;

	*options = (struct command_options){.parts = COMMAND_ALL};
	for (int i = 1; i < *argc; i++) {
		if (only_arguments || !is_option(argv[i])) {
			argv[left++] = argv[i];
		} else if (strcmp(argv[i], "--") == 0) {
			only_arguments = true;
		} else if (strcmp(argv[i], "--help") == 0 || strcmp(argv[i], "-h") == 0) {
			options->help = true;
		} else if (strcmp(argv[i], "--functions") == 0 && i + 1 < *argc) {
			options->functions = argv[++i];
		} else if (strcmp(argv[i], "--bootstrap") == 0 && strcmp(argv[0], "serve") == 0) {
			options->bootstrap = true;
		} else if (strcmp(argv[i], "--renew") == 0 && strcmp(argv[0], "serve") == 0) {
			options->renew = true;
		} else if (strcmp(argv[i], "--only") == 0 && i + 1 < *argc &&
			strcmp(argv[0], "serve") == 0) {
			if (!take_only(options, argv[++i]))
				return false;
		} else {
			fprintf(stderr,
				"runner %s: %s is unknown or lacks its value; see runner %s "
				"--help\n",
				argv[0], argv[i], argv[0]);
			return false;
		}
	}
	*argc = left;
	return true;
}
