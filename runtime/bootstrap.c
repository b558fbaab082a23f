#include "runtime/bootstrap.h"

#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/config.h"

enum {
	EXIT_USAGE = 64,
};

static const char usage[] =
	"usage: bootstrap [FUNCTION]\n"
	"\n"
	"Keeps the function's program warm and feeds it events: those of the Lambda Runtime API "
	"if\n"
	"AWS_LAMBDA_RUNTIME_API names one, else those of HTTP requests and CloudEvents on PORT. "
	"The\n"
	"function is the argument, else _HANDLER, else K_SERVICE. Its program and manifest.json "
	"lie\n"
	"in $LAMBDA_TASK_ROOT/functions, in the folder functions beside bootstrap, or beside it.\n"
	"SIGTERM ends it once what runs is answered.\n"
	"\n"
	"exit status: 0 ended by SIGTERM; 1 could not serve; 64 wrong arguments; 78 wrong "
	"configuration\n";

/* Leaves a manifest of the one function; what else was read lives as long as the process. NULL, or
 * what is wrong as "Category.Reason" with a sentence. */
static const char *describe(struct manifest *only, const char *name, char error[MANIFEST_ERROR_MAX])
{
	const char *root = getenv("LAMBDA_TASK_ROOT");
	const struct manifest_function *function;
	const struct manifest *manifest;
	char folder[PATH_MAX];

	snprintf(folder, sizeof folder, "%s/functions", root == NULL ? "" : root);
	manifest = manifest_read_folder(root == NULL ? NULL : folder, error);
	if (manifest == NULL)
		return "Runtime.ConfigInvalid";
	function = manifest_find(manifest, name);
	snprintf(error, MANIFEST_ERROR_MAX, "manifest.json names no function \"%.200s\"", name);
	if (function == NULL)
		return "Runtime.NoSuchHandler";
	only->count = 1;
	only->functions[0] = *function;
	return NULL;
}

static int serve_lambda(const char *address, const char *name)
{
	static struct bootstrap_api api;
	static struct manifest manifest;
	char error[MANIFEST_ERROR_MAX];
	const char *wrong;
	int status;

	if (!bootstrap_api_init(&api, address)) {
		fprintf(stderr, "bootstrap: AWS_LAMBDA_RUNTIME_API is no IP:PORT: %s\n", address);
		return RT_EXIT_CONFIG;
	}
	wrong = describe(&manifest, name, error);
	status = wrong == NULL ? bootstrap_lambda(&api, &manifest)
			       : bootstrap_lambda_refuse(&api, wrong, error);
	bootstrap_api_done(&api);
	return status;
}

static int serve_http(const char *port, const char *name)
{
	static struct manifest manifest;
	char error[MANIFEST_ERROR_MAX];

	rt_config_require();
	if (describe(&manifest, name, error) == NULL)
		return bootstrap_http(&manifest, port);
	fprintf(stderr, "bootstrap: %s\n", error);
	return RT_EXIT_CONFIG;
}

int main(int argc, char **argv)
{
	const char *address = getenv("AWS_LAMBDA_RUNTIME_API");
	const char *port = getenv("PORT");
	const char *name = argc > 1 ? argv[1] : getenv("_HANDLER");

	if (name == NULL)
		name = getenv("K_SERVICE");
	if (argc > 1 && strcmp(argv[1], "--help") == 0)
		return fputs(usage, stdout) < 0;
	if (argc > 2 || name == NULL || name[0] == '-' || (address == NULL && port == NULL)) {
		fputs(usage, stderr);
		return EXIT_USAGE;
	}
	signal(SIGPIPE, SIG_IGN);
	return address != NULL ? serve_lambda(address, name) : serve_http(port, name);
}
