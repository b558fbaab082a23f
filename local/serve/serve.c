#include <errno.h>
#include <event2/event.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "local/commands.h"
#include "local/serve/again.h"
#include "local/serve/banner.h"
#include "local/serve/carrier.h"
#include "local/serve/confinement.h"
#include "local/serve/descriptors.h"
#include "local/serve/first-token.h"
#include "local/serve/gzip.h"
#include "local/serve/intake.h"
#include "local/serve/manifest-watch.h"
#include "local/serve/migration.h"
#include "local/serve/ops.h"
#include "local/serve/places.h"
#include "local/serve/schedule.h"
#include "local/serve/serve-usage.h"
#include "local/serve/serve.h"
#include "local/single-run.h"
#include "runtime/config/config-unknown.h"
#include "runtime/config/config.h"
#include "runtime/host/gateway/gateway.h"
#include "runtime/host/listen-passed.h"
#include "runtime/host/listen.h"
#include "runtime/host/loop.h"
#include "runtime/host/metrics.h"
#include "runtime/host/pool/pool-room.h"
#include "runtime/kernel.h"
#include "runtime/log.h"
#include "runtime/time.h"
#include "runtime/version.h"

enum {
	DRAIN_LOOK_MS = 20, /* pause between two checks for finished work */
	/* maximum time for the work in progress when the runner stops; mail that is then still in
	 * the spool is processed after the next start */
	DRAIN_MAX_MS = 18000,
	EXIT_FAILED = 1,
	LABEL_MAX = 64,
};

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
	struct first_token token;
	const char *sandbox; /* level of confinement (confinement.h) */
	struct http_server *http;
	struct http_server *ops_http;
	struct intake *intake;
	struct schedule *schedule;
	struct event *terminate;
	struct event *interrupt;
	struct event *look;
	/* state of the manifest's file before it was read, for the watch */
	struct stat manifest_seen;
	struct manifest_watch *watch; /* watches the manifest; NULL without --renew */
	/* when the runner ends at the latest, monotonic; 0 while serving */
	int64_t drain_by_ms;
	bool intake_drained;
	bool pools_draining;
	bool changed; /* the manifest has changed, so the runner ends and starts again */
};

static int print_usage(FILE *to, int status)
{
	fputs(serve_usage, to);
	return status;
}

/* Proves the level of confinement, which is shown in the first log line, in /healthz and in
 * /metrics. */
static bool prove_confinement(struct serving *serving)
{
	const char *level;
	struct rt_log_field fields[] = {
		{.name = "version", .text = rt_version()}, {.name = "sandbox"}};
	char label[LABEL_MAX];

	if (!confinement_prove(serving->manifest, &level))
		return false;
	fields[1].text = level;
	rt_log_fields(RT_LOG_INFO, NULL, NULL, fields, level == NULL ? 1 : 2, "starting");
	if (level != NULL) {
		snprintf(label, sizeof label, "level=\"%s\"", level);
		metric_set(metric_gauge("eds_sandbox_level",
				   "Confinement of the programs that read mail: 1 for the proven "
				   "level.",
				   label),
			1);
	}
	serving->sandbox = level;
	return true;
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

/* Checks whether the work is finished. The pools are drained last, since requests and mail that are
 * being received still submit events. */
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
		(serving->http != NULL && http_server_connections(serving->http) > 0))
		return;
	serving->pools_draining = true;
	pools_drain(serving->pools, on_pools_drained, serving);
}

static void stop(struct serving *serving, const char *why)
{
	struct timeval look = {0, DRAIN_LOOK_MS * 1000};

	rt_log_line(RT_LOG_INFO, NULL, NULL, "stopping: %s", why);
	serving->drain_by_ms = rt_monotonic_ms() + DRAIN_MAX_MS;
	serving->ops.draining = true;
	if (serving->http != NULL)
		http_server_drain(serving->http);
	gateway_stop_waiting(serving->gateway);
	if (serving->schedule != NULL)
		schedule_stop(serving->schedule);
	if (serving->intake != NULL)
		intake_drain(serving->intake, on_intake_drained, serving);
	serving->intake_drained = serving->intake == NULL;
	event_add(serving->look, &look);
}

static void on_signal(evutil_socket_t number, short what, void *arg)
{
	struct serving *serving = arg;

	(void)what;
	serving->changed = false;
	if (serving->drain_by_ms != 0)
		event_base_loopbreak(serving->base);
	else
		stop(serving, strsignal((int)number));
}

static void on_changed(void *arg)
{
	struct serving *serving = arg;

	if (serving->drain_by_ms != 0)
		return;
	serving->changed = true;
	stop(serving, "the manifest has changed");
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

static void smtp_address(const struct serving *serving, char address[LISTEN_TEXT_MAX])
{
	const char *listen = rt_config()->smtp_listen;
	const char *colon = strrchr(listen, ':');

	snprintf(address, LISTEN_TEXT_MAX, "%.*s:%d", (int)(colon - listen), listen,
		intake_port(serving->intake));
}

/* Gives the functions the SMTP address that they show to people. The setting of the operator lacks
 * the real port if it names port 0. */
static void tell_functions_the_address(const struct serving *serving)
{
	char smtp[LISTEN_TEXT_MAX];
	char text[LISTEN_TEXT_MAX];

	smtp_address(serving, smtp);
	if (setenv("EDS_SMTP_LISTEN", banner_reached(smtp, text), 1) == 0)
		pools_renew_environment(serving->pools);
}

static bool start_parts(struct serving *serving, unsigned parts)
{
	if (parts & COMMAND_HTTP) {
		serving->http = open_server(serving, "EDS_HTTP_LISTEN", rt_config()->http_listen,
			gateway_on_request, serving->gateway);
		if (serving->http == NULL)
			return false;
		http_server_set_body_max(serving->http, gateway_body_max, serving->gateway);
		gateway_let_wait(serving->gateway, serving->base);
		gateway_let_pack(serving->gateway, gzip_pack);
	}
	if (parts & COMMAND_SMTP) {
		serving->intake = intake_start(serving->base, serving->pools, serving->manifest);
		if (serving->intake == NULL)
			return false;
		serving->ops.intake = serving->intake;
		tell_functions_the_address(serving);
	}
	if (parts & COMMAND_SCHEDULE)
		serving->schedule = schedule_start(
			serving->base, serving->pools, serving->manifest);
	return !(parts & COMMAND_SCHEDULE) || serving->schedule != NULL;
}

static bool start(struct serving *serving)
{
	const struct rt_config *config = rt_config();

	serving->base = loop_new();
	serving->recent = recent_new();
	serving->pools = pools_new(serving->base, serving->manifest);
	serving->gateway = gateway_new(serving->pools, serving->manifest, false);
	serving->ops_gateway = gateway_new(serving->pools, serving->manifest, true);
	/* Each handler (process of a function) has at most one database connection, so a limit on
	 * handlers limits the connections. SQLite needs no limit. */
	if (strncmp(config->database_url, "sqlite:", 7) != 0)
		pools_bound_all(serving->pools, (size_t)config->database_connections);
	pools_keep_recent(serving->pools, serving->recent);
	if (serving->options.bootstrap && !carry_through_bootstrap(serving))
		return false;
	ops_init(&serving->ops, serving->ops_gateway, serving->recent);
	serving->ops.sandbox = serving->sandbox;
	serving->ops_http = open_server(
		serving, "EDS_OPS_LISTEN", config->ops_listen, ops_on_request, &serving->ops);
	if (serving->ops_http == NULL || !start_parts(serving, serving->options.parts))
		return false;
	listen_drop_passed();
	return true;
}

static void listen_to_signals(struct serving *serving)
{
	signal(SIGPIPE, SIG_IGN);
	serving->terminate = evsignal_new(serving->base, SIGTERM, on_signal, serving);
	serving->interrupt = evsignal_new(serving->base, SIGINT, on_signal, serving);
	serving->look = event_new(serving->base, -1, EV_PERSIST, on_look, serving);
	event_add(serving->terminate, NULL);
	event_add(serving->interrupt, NULL);
	if (serving->options.renew)
		serving->watch = manifest_watch_new(serving->base, serving->options.functions,
			&serving->manifest_seen, on_changed, serving);
}

/* Prints the served addresses on one line, for programs. */
static void print_addresses(const struct serving *serving)
{
	char smtp[LISTEN_TEXT_MAX];

	printf("{");
	if (serving->http != NULL)
		printf("\"http\":\"%s\",", http_server_address(serving->http));
	if (serving->intake != NULL) {
		smtp_address(serving, smtp);
		printf("\"smtp\":\"%s\",", smtp);
	}
	printf("\"ops\":\"%s\"}\n", http_server_address(serving->ops_http));
	fflush(stdout);
}

static void print_banner(const struct serving *serving)
{
	char smtp[LISTEN_TEXT_MAX];
	char database[PATH_MAX];
	char mail_store[PATH_MAX];
	char spool[PATH_MAX];

	smtp_address(serving, smtp);
	place_of_database(database);
	place_of_mail_store(mail_store);
	place_of_spool(spool);
	banner_print(&(struct banner){
		.http = http_server_address(serving->http),
		.smtp = smtp,
		.ops = http_server_address(serving->ops_http),
		.tester_domain = rt_config()->tester_domain,
		.account = MIGRATION_FIRST_ACCOUNT,
		.token = &serving->token,
		.database = database,
		.mail_store = mail_store,
		.spool = spool,
	});
}

static void finish(struct serving *serving)
{
	gateway_stop_waiting(serving->gateway);
	/* The pools are freed first: pools_free() calls the callbacks of unfinished events, which
	 * still need the other parts. */
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
	manifest_watch_free(serving->watch);
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

/* Runs the event loop. Log lines that were held during a turn of the loop are written at the end of
 * the turn. */
static void run_loop(struct serving *serving)
{
	struct event *log = event_new(serving->base, -1, 0, on_log, NULL);

	rt_log_hold(log_soon, log);
	event_base_dispatch(serving->base);
	rt_log_hold(NULL, NULL);
	event_free(log);
}

static int serve(struct serving *serving, const struct rt_buffer *migration)
{
	bool started = start(serving);

	first_token_take(&serving->token, migration->bytes, migration->length);
	if (started) {
		listen_to_signals(serving);
		print_addresses(serving);
		if (!serving->options.only)
			print_banner(serving);
		first_token_done(&serving->token);
		run_loop(serving);
		rt_log_line(RT_LOG_INFO, NULL, NULL, "stopped");
	} else {
		first_token_rescue(&serving->token, MIGRATION_FIRST_ACCOUNT);
		first_token_done(&serving->token);
	}
	finish(serving);
	return started ? 0 : EXIT_FAILED;
}

static void explain_unknown(const char *name, size_t length, const char *like)
{
	fprintf(stderr, "%.*s is not a setting; ", (int)length, name);
	if (like != NULL)
		fprintf(stderr, "did you mean %s?\n", like);
	else
		fprintf(stderr, "README.md lists all settings\n");
}

int serve_main(int argc, char **argv)
{
	static struct serving serving;
	struct command_options *options = &serving.options;
	struct rt_buffer migration;
	int status = EXIT_FAILED;

	again_remember(argc, argv);
	if (!command_options(&argc, argv, options))
		return RUNNER_EXIT_USAGE;
	if (options->help || argc > 1)
		return options->help ? print_usage(stdout, 0)
				     : print_usage(stderr, RUNNER_EXIT_USAGE);
	rt_config_require();
	if (rt_config_unknown(environ, explain_unknown) > 0)
		return RT_EXIT_CONFIG;
	if (rt_config()->sandbox != RT_SANDBOX_OFF) {
		rt_hide_memory();
		rt_hide_environment();
	}
	if (options->renew)
		listen_passed_keep();
	descriptors_raise();
	metrics_show_release();
	manifest_watch_see(options->functions, &serving.manifest_seen);
	serving.manifest = manifest_load_folder(options->functions);
	rt_buffer_init_heap(&migration, SINGLE_RUN_ANSWER_MAX);
	if (!prove_confinement(&serving))
		status = RT_EXIT_CONFIG;
	else if (options->only || migration_run(serving.manifest, &migration))
		status = serve(&serving, &migration);
	rt_buffer_done(&migration);
	manifest_free(serving.manifest);
	if (serving.changed)
		again_start();
	return serving.changed ? EXIT_FAILED : status;
}
