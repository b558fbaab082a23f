#include <stdio.h>

#include "local/commands.h"
#include "local/routes.h"
#include "runtime/host/manifest.h"

static const char usage[] =
	"usage: runner routes [--functions DIR]\n\nLists every function of the manifest with its "
	"trigger: a route of the HTTP port, a route of\nthe operations port (ops), a schedule, "
	"mail, or none (run it with runner invoke).\n";

static void print_function(const struct manifest_function *function)
{
	for (size_t i = 0; i < function->route_count; i++)
		printf("%-9s %-7s %-52s %s\n", function->operations ? "ops" : "http",
			function->routes[i].method, function->routes[i].path, function->name);
	if (function->schedule != NULL)
		printf("%-9s %-60s %s\n", "schedule", function->schedule, function->name);
	if (function->mail)
		printf("%-9s %-60s %s\n", "mail", "", function->name);
	if (function->route_count == 0 && function->schedule == NULL && !function->mail)
		printf("%-9s %-60s %s\n", "direct", "", function->name);
}

int routes_main(int argc, char **argv)
{
	struct command_options options;
	struct manifest *manifest;

	if (!command_options(&argc, argv, &options))
		return RUNNER_EXIT_USAGE;
	if (options.help || argc > 1) {
		fputs(usage, options.help ? stdout : stderr);
		return options.help ? 0 : RUNNER_EXIT_USAGE;
	}
	manifest = manifest_load_folder(options.functions);
	for (size_t i = 0; i < manifest->count; i++)
		print_function(&manifest->functions[i]);
	manifest_free(manifest);
	return 0;
}
