#include <errno.h>
#include <event2/event.h>
#include <jansson.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>

#include "local/carrier.h"
#include "local/commands.h"
#include "local/intake.h"
#include "local/ops.h"
#include "local/schedule.h"
#include "local/single-run.h"
#include "runtime/config.h"
#include "runtime/host/gateway.h"
#include "runtime/log.h"

#define FIRST_ACCOUNT "dev"

enum {
	DESCRIPTORS = 8192,
	DRAIN_LOOK_MS = 20, /* how often it is looked whether all is done */
	DRAIN_MAX_MS =
		18000, /* then it ends with what is left; spooled mail is sent at the next start */
	EXIT_FAILED = 1,
};

static const char usage[] =
	"usage: runner serve [--functions DIR] [--bootstrap]\n\n"
	"Brings the database up to date (an empty one gets the account `" FIRST_ACCOUNT
	"` and a token, shown once), then serves the functions of the folder (by "
	"default\n`functions` beside the runner): HTTP on EDS_HTTP_LISTEN, mail on "
	"EDS_SMTP_LISTEN, health and\nmetrics on EDS_OPS_LISTEN, and their schedules. Port 0 "
	"picks a free one. The first line of\nstandard output names the addresses as JSON; logs "
	"go to standard error, a JSON object a line.\n\nWith --bootstrap each function runs as it is "
	"deployed: behind the cloud adapter (the bootstrap\nbeside the runner), over a Lambda Runtime "
	"API of the runner's own.\n\nSIGTERM or SIGINT ends it: it stops "
	"accepting, finishes what runs, and exits with 0 within\n20 seconds; a second signal "
	"ends it at once.\n\nexit status: 0 ended by a signal; 1 could not start; 64 wrong "
	"arguments; 78 wrong configuration\n";

struct serving {
	struct event_base *base;
	struct manifest *manifest;
	struct pools *pools;
	struct command_options options;
	struct carrier carrier;
	struct gateway *gateway;
	struct gateway *ops_gateway;
	struct recent *recent;
	struct ops ops;
	struct http_server *http;
	struct http_server *ops_http;
	struct intake *intake;
	struct schedule *schedule;
	struct event *terminate;
	struct event *interrupt;
	struct event *look;
	int64_t drain_by_ms; /* 0 while serving */
	bool intake_drained;
	bool pools_draining;
};

static int print_usage(FILE *to, int status)
{
	fputs(usage, to);
	return status;
}

/* Each connection and each handler takes descriptors. */
static void raise_descriptor_limit(void)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur >= DESCRIPTORS)
		return;
	limit.rlim_cur = limit.rlim_max < DESCRIPTORS ? limit.rlim_max : DESCRIPTORS;
	setrlimit(RLIMIT_NOFILE, &limit);
}

static void explain_failed_migration(const struct bytes *answer)
{
	json_t *value = json_loadb(answer->data, answer->length, 0, NULL);
	const char *sentence = json_string_value(json_object_get(value, "errorMessage"));

	/* a sentence of the function's is in its own log line already */
	fprintf(stderr, "runner: the database cannot be brought up to date%s\n",
		sentence == NULL ? ": the function admin failed" : "; see above");
	json_decref(value);
}

/* The migration's answer has a token when it made the first account of an empty database. */
static void show_first_token(const struct bytes *migration, const char *http)
{
	json_t *value = json_loadb(migration->data, migration->length, 0, NULL);
	const char *token = json_string_value(json_object_get(value, "token"));

	if (token != NULL)
		printf("\nThe account `" FIRST_ACCOUNT "` was made. Its token, shown this once, is "
		       "in this line:\n"
		       "  curl -H 'Authorization: Bearer %s' http://%s/api/v1/domains\n",
			token, http);
	json_decref(value);
}

static bool migrate(const struct manifest *manifest, struct bytes *answer)
{
	static const char event[] = "{\"action\":\"migrate\",\"firstAccount\":\"" FIRST_ACCOUNT
				    "\"}";
	const struct manifest_function *admin = manifest_find(manifest, "admin");
	int status;

	if (admin == NULL)
		return true;
	status = single_run(admin, event, sizeof event - 1, answer);
	if (status != 0)
		explain_failed_migration(answer);
	return status == 0;
}

static void on_pools_drained(void *arg)
{
	struct serving *serving = arg;

	event_base_loopbreak(serving->base);
}

static void on_intake_drained(void *arg)
{
	struct serving *serving = arg;

	serving->intake_drained = true;
}

/* The pools go on until nobody is left who could ask them. */
static void on_look(evutil_socket_t fd, short what, void *arg)
{
	struct serving *serving = arg;

	(void)fd;
	(void)what;
	if (rt_monotonic_ms() >= serving->drain_by_ms) {
		rt_log_line(RT_LOG_WARNING, NULL, NULL, "not all work was done in time");
		event_base_loopbreak(serving->base);
	}
	if (serving->pools_draining || !serving->intake_drained ||
		http_server_connections(serving->http) > 0)
		return;
	serving->pools_draining = true;
	pools_drain(serving->pools, on_pools_drained, serving);
}

static void on_signal(evutil_socket_t number, short what, void *arg)
{
	struct serving *serving = arg;
	struct timeval look = {0, DRAIN_LOOK_MS * 1000};

	(void)what;
	if (serving->drain_by_ms != 0) {
		event_base_loopbreak(serving->base);
		return;
	}
	rt_log_line(RT_LOG_INFO, NULL, NULL, "stopping: %s", strsignal((int)number));
	serving->drain_by_ms = rt_monotonic_ms() + DRAIN_MAX_MS;
	serving->ops.draining = true;
	http_server_drain(serving->http);
	schedule_stop(serving->schedule);
	intake_drain(serving->intake, on_intake_drained, serving);
	event_add(serving->look, &look);
}

static struct http_server *open_server(struct serving *serving, const char *variable,
	const char *address, http_on_request on_request, void *arg)
{
	char error[LISTEN_ERROR_MAX];
	struct http_server *server = http_server_new(
		serving->base, address, on_request, arg, error);

	if (server == NULL)
		fprintf(stderr, "runner: %s: %s\n", variable, error);
	return server;
}

static bool carry_through_bootstrap(struct serving *serving)
{
	if (carrier_init(&serving->carrier, serving->pools, serving->options.functions))
		return true;
	fprintf(stderr, "runner: %s: %m\n", serving->carrier.bootstrap);
	return false;
}

static bool start(struct serving *serving)
{
	const struct rt_config *config = rt_config();

	serving->base = event_base_new();
	serving->recent = recent_new();
	serving->pools = pools_new(serving->base, serving->manifest);
	serving->gateway = gateway_new(serving->pools, serving->manifest, false);
	serving->ops_gateway = gateway_new(serving->pools, serving->manifest, true);
	pools_keep_recent(serving->pools, serving->recent);
	if (serving->options.bootstrap && !carry_through_bootstrap(serving))
		return false;
	ops_init(&serving->ops, serving->ops_gateway, serving->recent);
	serving->http = open_server(serving, "EDS_HTTP_LISTEN", config->http_listen,
		gateway_on_request, serving->gateway);
	if (serving->http == NULL)
		return false;
	serving->ops_http = open_server(
		serving, "EDS_OPS_LISTEN", config->ops_listen, ops_on_request, &serving->ops);
	if (serving->ops_http == NULL)
		return false;
	serving->intake = intake_start(serving->base, serving->pools, serving->manifest);
	if (serving->intake == NULL)
		return false;
	serving->schedule = schedule_start(serving->base, serving->pools, serving->manifest);
	return serving->schedule != NULL;
}

static void listen_to_signals(struct serving *serving)
{
	signal(SIGPIPE, SIG_IGN);
	serving->terminate = evsignal_new(serving->base, SIGTERM, on_signal, serving);
	serving->interrupt = evsignal_new(serving->base, SIGINT, on_signal, serving);
	serving->look = event_new(serving->base, -1, EV_PERSIST, on_look, serving);
	event_add(serving->terminate, NULL);
	event_add(serving->interrupt, NULL);
}

/* First the addresses for programs, then what a person wants to know. */
static void print_banner(const struct serving *serving, const struct bytes *migration)
{
	const struct rt_config *config = rt_config();
	const char *http = http_server_address(serving->http);
	const char *ops = http_server_address(serving->ops_http);
	const char *colon = strrchr(config->smtp_listen, ':');
	char smtp[LISTEN_TEXT_MAX];

	snprintf(smtp, sizeof smtp, "%.*s:%d", (int)(colon - config->smtp_listen),
		config->smtp_listen, intake_port(serving->intake));
	printf("{\"http\":\"%s\",\"smtp\":\"%s\",\"ops\":\"%s\"}\n", http, smtp, ops);
	printf("\neds serves HTTP on http://%s, mail on smtp://%s,\n"
	       "health and metrics on http://%s/healthz and /metrics.\n",
		http, smtp, ops);
	show_first_token(migration, http);
	printf("\nTry a deliverability test: make an address, send to it, look at the result.\n"
	       "  curl -X POST http://%s/api/inbound-tester/sessions\n"
	       "  curl smtp://%s --mail-from me@example.com --mail-rcpt TESTID@%s --crlf -T "
	       "message.eml\n"
	       "  curl http://%s/api/inbound-tester/sessions/TESTID\n\n",
		http, smtp, config->tester_domain, http);
	fflush(stdout);
}

static void finish(struct serving *serving)
{
	/* First, since those who still wait for a handler are told. */
	pools_free(serving->pools);
	if (serving->http != NULL)
		http_server_free(serving->http);
	if (serving->ops_http != NULL)
		http_server_free(serving->ops_http);
	if (serving->schedule != NULL)
		schedule_free(serving->schedule);
	if (serving->intake != NULL)
		intake_free(serving->intake);
	gateway_free(serving->gateway);
	gateway_free(serving->ops_gateway);
	ops_done(&serving->ops);
	recent_free(serving->recent);
	if (serving->look != NULL) {
		event_free(serving->terminate);
		event_free(serving->interrupt);
		event_free(serving->look);
	}
	event_base_free(serving->base);
}

static void on_log(evutil_socket_t fd, short what, void *arg)
{
	(void)fd;
	(void)what;
	(void)arg;
	rt_log_flush();
}

static void log_soon(void *arg)
{
	event_active(arg, EV_TIMEOUT, 0);
}

/* What a turn of the loop has to say is written at its end. */
static void run_loop(struct serving *serving)
{
	struct event *log = event_new(serving->base, -1, 0, on_log, NULL);

	rt_log_hold(log_soon, log);
	event_base_dispatch(serving->base);
	rt_log_hold(NULL, NULL);
	event_free(log);
}

static int serve(struct serving *serving, const struct bytes *migration)
{
	bool started = start(serving);

	if (started) {
		listen_to_signals(serving);
		print_banner(serving, migration);
		run_loop(serving);
		rt_log_line(RT_LOG_INFO, NULL, NULL, "stopped");
	}
	finish(serving);
	return started ? 0 : EXIT_FAILED;
}

static void warn_unknown(const char *name, size_t length)
{
	rt_log_line(RT_LOG_WARNING, NULL, NULL, "%.*s is no variable of the configuration",
		(int)length, name);
}

int serve_main(int argc, char **argv)
{
	static struct serving serving;
	struct command_options *options = &serving.options;
	struct bytes migration;
	int status = EXIT_FAILED;

	if (!command_options(&argc, argv, options))
		return RUNNER_EXIT_USAGE;
	if (options->help || argc > 1)
		return options->help ? print_usage(stdout, 0)
				     : print_usage(stderr, RUNNER_EXIT_USAGE);
	rt_config_require();
	rt_config_unknown(warn_unknown);
	raise_descriptor_limit();
	serving.manifest = manifest_load_folder(options->functions);
	bytes_init(&migration, SINGLE_RUN_ANSWER_MAX);
	if (migrate(serving.manifest, &migration))
		status = serve(&serving, &migration);
	bytes_done(&migration);
	manifest_free(serving.manifest);
	return status;
}
