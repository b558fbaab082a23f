#include "runtime/adapter/bootstrap.h"
#include "runtime/adapter/bootstrap-http.h"
#include "runtime/adapter/bootstrap-lambda.h"

#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "runtime/config/config.h"
#include "runtime/host/beside.h"
#include "runtime/kernel.h"
#include "runtime/version.h"

static const char usage[] =
	"usage: bootstrap [FUNCTION | --version]\n\n"
	"Keeps the function's program warm and feeds it events. The events come from the Lambda\n"
	"Runtime API if AWS_LAMBDA_RUNTIME_API is set, else from HTTP requests and CloudEvents\n"
	"on PORT.\n"
	"The function is named by the argument, else by _HANDLER, else by K_SERVICE. Its program\n"
	"and manifest.json lie in $LAMBDA_TASK_ROOT/functions, or in $LAMBDA_TASK_ROOT, or in the\n"
	"folder functions beside bootstrap. After SIGTERM bootstrap answers the running events\n"
	"and ends.\n\n"
	"exit status: 0 ended by SIGTERM; 1 could not serve; 64 wrong arguments; 78 wrong "
	"configuration\n";

/* Returns the manifest, narrowed to the function `name`. On failure returns NULL, and stores a
 * sentence in error and the type of the error ("Category.Reason") in *wrong. */
static struct manifest *describe(
	const char *name, char error[MANIFEST_ERROR_MAX], const char **wrong)
{
	const char *root = getenv("LAMBDA_TASK_ROOT");
	struct manifest *manifest;
	char folder[PATH_MAX];

	snprintf(folder, sizeof folder, "%s/functions", root == NULL ? "" : root);
	if (root != NULL && access(folder, F_OK) != 0)
		snprintf(folder, sizeof folder, "%s", root);
	manifest = manifest_read_folder(root == NULL ? NULL : folder, error);
	*wrong = "Runtime.ConfigInvalid";
	if (manifest == NULL || manifest_narrow(manifest, name))
		return manifest;
	manifest_free(manifest);
	*wrong = "Runtime.NoSuchHandler";
	snprintf(error, MANIFEST_ERROR_MAX, "manifest.json names no function \"%.200s\"", name);
	return NULL;
}

static int serve_lambda(const char *address, const char *name)
{
	static struct bootstrap_api api;
	char error[MANIFEST_ERROR_MAX];
	struct manifest *manifest;
	const char *wrong;
	int status;

	if (!bootstrap_api_init(&api, address)) {
		fprintf(stderr, "bootstrap: AWS_LAMBDA_RUNTIME_API is not IP:PORT: %s\n", address);
		return RT_EXIT_CONFIG;
	}
	manifest = describe(name, error, &wrong);
	status = manifest != NULL ? bootstrap_lambda(&api, manifest)
				  : bootstrap_lambda_refuse(&api, wrong, error);
	manifest_free(manifest);
	bootstrap_api_done(&api);
	return status;
}

static int serve_http(const char *port, const char *name)
{
	char error[MANIFEST_ERROR_MAX];
	struct manifest *manifest;
	const char *wrong;
	int status = RT_EXIT_CONFIG;

	rt_config_require();
	manifest = describe(name, error, &wrong);
	if (manifest != NULL)
		status = bootstrap_http(manifest, port);
	else
		fprintf(stderr, "bootstrap: %s\n", error);
	manifest_free(manifest);
	return status;
}

/* Uses the certificate authorities of the package, for systems that have none, unless EDS_CA_FILE
 * names others. */
static void use_own_authorities(void)
{
	char path[PATH_MAX];

	path_beside(path, "ca-certificates.crt");
	if (access(path, R_OK) == 0)
		setenv("EDS_CA_FILE", path, 0);
}

int main(int argc, char **argv)
{
	const char *address;
	const char *port;
	const char *name;

	rt_hide_memory();
	rt_hide_environment();
	address = getenv("AWS_LAMBDA_RUNTIME_API");
	port = getenv("PORT");
	if (rt_version_asked(argc, argv))
		return 0;
	name = argc > 1 ? argv[1] : getenv("_HANDLER");
	if (name == NULL)
		name = getenv("K_SERVICE");
	if (name != NULL && strcmp(name, "--help") == 0)
		return fputs(usage, stdout) < 0;
	if (argc > 2 || name == NULL || name[0] == '-' || (address == NULL && port == NULL)) {
		fputs(usage, stderr);
		return BOOTSTRAP_EXIT_USAGE;
	}
	signal(SIGPIPE, SIG_IGN);
	use_own_authorities();
	return address != NULL ? serve_lambda(address, name) : serve_http(port, name);
}
