#include "local/commands.h"

#include <stdio.h>
#include <string.h>

static bool is_option(const char *argument)
{
	return argument[0] == '-' && argument[1] != '\0';
}

bool command_options(int *argc, char **argv, struct command_options *options)
{
	int left = 1;
	bool only_arguments = false;

	*options = (struct command_options){.functions = NULL};
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
