#include "local/serve/schedule.h"
#include "runtime/time.h"

#include <stdio.h>
#include <stdlib.h>

#include "local/dispatch/dispatch-answer.h"
#include "local/serve/cron.h"
#include "local/serve/event-schedule.h"
#include "runtime/host/job-answer.h"
#include "runtime/host/metrics.h"
#include "runtime/log.h"

enum {
	TRIES = 3,
	SLEEP_SECONDS_MAX = 30, /* longest sleep, so that a changed wall clock is noticed */
	LABELS_MAX = 128,
};
static const int pauses_ms[TRIES - 1] = {1000, 10000};

struct job {
	struct schedule *schedule;
	const struct manifest_function *function;
	struct cron cron;
	int64_t due;     /* next due time, seconds since the epoch; -1: never again */
	int64_t running; /* due time of the current run */
	bool under_way;  /* a run is active, including its tries and pauses */
	int tries;
	struct job_numbers numbers;
	struct event *clock;
	struct event *pause;
	struct metric *runs;
	struct metric *failed;
	struct metric *skipped;
};

struct schedule {
	struct event_base *base;
	struct pools *pools;
	struct rt_arena *arena;
	struct job jobs[MANIFEST_FUNCTIONS_MAX];
	size_t count;
	bool stopped;
};

static void set_timer(struct event *event, int64_t ms)
{
	const struct timeval interval = {ms / 1000, ms % 1000 * 1000};

	evtimer_add(event, &interval);
}

static void on_answered(void *arg, enum pool_outcome outcome, const char *text, size_t length)
{
	struct job *job = arg;
	char reason[DISPATCH_REASON_MAX];

	job->under_way = false;
	if (dispatch_answer_is_good(outcome, text, length, reason)) {
		job_succeeded(&job->numbers, job->function, text, length);
		return;
	}
	if (job->schedule->stopped)
		return;
	if (++job->tries < TRIES) {
		rt_log_line(RT_LOG_WARNING, job->function->name, NULL,
			"scheduled run failed, it will be repeated: %s", reason);
		job->under_way = true;
		set_timer(job->pause, pauses_ms[job->tries - 1]);
		return;
	}
	metric_add(job->failed, 1);
	rt_log_line(RT_LOG_ERROR, job->function->name, NULL,
		"scheduled run given up after %d tries: %s", job->tries, reason);
}

static void send_event(struct job *job)
{
	struct schedule *schedule = job->schedule;
	struct rt_ctx ctx = {.arena = schedule->arena, .function = job->function->name};
	struct rt_buffer event;

	rt_buffer_init_heap(&event, EVENT_SCHEDULE_BYTES_MAX);
	event_schedule_write(&ctx, &event, job->function->name, job->running);
	pools_submit(schedule->pools, job->function, event.bytes, event.length, on_answered, job);
	rt_buffer_done(&event);
	rt_arena_reset(schedule->arena);
}

static void on_pause_over(evutil_socket_t fd, short what, void *arg)
{
	struct job *job = arg;

	(void)fd;
	(void)what;
	if (!job->schedule->stopped)
		send_event(job);
}

static void run(struct job *job)
{
	if (job->under_way) {
		metric_add(job->skipped, 1);
		rt_log_line(RT_LOG_WARNING, job->function->name, NULL,
			"the previous run has not ended; this run is skipped");
		return;
	}
	metric_add(job->runs, 1);
	job->under_way = true;
	job->tries = 0;
	job->running = job->due;
	send_event(job);
}

static void sleep_on(struct job *job)
{
	int64_t left_ms = job->due * 1000 - rt_wall_ms();

	if (job->due < 0)
		return;
	if (left_ms > SLEEP_SECONDS_MAX * 1000)
		left_ms = SLEEP_SECONDS_MAX * 1000;
	set_timer(job->clock, left_ms > 0 ? left_ms : 0);
}

/* Called at the end of a sleep, which may be before the next run is due. If several runs became due
 * at once (because the machine slept or its clock was set forward), only one of them is started. */
static void on_clock(evutil_socket_t fd, short what, void *arg)
{
	struct job *job = arg;
	int64_t now = rt_wall_ms() / 1000;
	int64_t next = cron_next(&job->cron, now);

	(void)fd;
	(void)what;
	if (job->schedule->stopped)
		return;
	if (now >= job->due)
		run(job);
	/* A next time earlier than the awaited one means that the clock was set back. */
	if (now >= job->due || (next >= 0 && next < job->due))
		job->due = next;
	sleep_on(job);
}

static void add_metrics(struct job *job)
{
	char labels[LABELS_MAX];

	snprintf(labels, sizeof labels, "function=\"%s\"", job->function->name);
	job->runs = metric_counter("eds_schedule_runs_total", "Scheduled runs begun.", labels);
	job->failed = metric_counter(
		"eds_schedule_failed_total", "Scheduled runs given up.", labels);
	job->skipped = metric_counter("eds_schedule_skipped_total",
		"Scheduled runs left out because the previous run had not ended.", labels);
	job_succeeded_at(job->function, rt_wall_ms());
}

static bool add_job(struct schedule *schedule, const struct manifest_function *function)
{
	struct job *job = &schedule->jobs[schedule->count];
	char error[CRON_ERROR_MAX];

	if (!cron_parse(function->schedule, &job->cron, error)) {
		rt_log_line(RT_LOG_ERROR, function->name, NULL, "schedule: %s", error);
		return false;
	}
	schedule->count++;
	job->schedule = schedule;
	job->function = function;
	job->due = cron_next(&job->cron, rt_wall_ms() / 1000);
	add_metrics(job);
	job->clock = evtimer_new(schedule->base, on_clock, job);
	job->pause = evtimer_new(schedule->base, on_pause_over, job);
	if (job->clock == NULL || job->pause == NULL)
		return false;
	sleep_on(job);
	return true;
}

struct schedule *schedule_start(
	struct event_base *base, struct pools *pools, const struct manifest *manifest)
{
	struct schedule *schedule = calloc(1, sizeof *schedule);

	if (schedule == NULL)
		return NULL;
	schedule->base = base;
	schedule->pools = pools;
	schedule->arena = rt_arena_new();
	for (size_t i = 0; i < manifest->count; i++)
		if (manifest->functions[i].schedule != NULL &&
			!add_job(schedule, &manifest->functions[i])) {
			schedule_free(schedule);
			return NULL;
		}
	return schedule;
}

void schedule_stop(struct schedule *schedule)
{
	schedule->stopped = true;
	for (size_t i = 0; i < schedule->count; i++) {
		event_del(schedule->jobs[i].clock);
		event_del(schedule->jobs[i].pause);
	}
}

void schedule_free(struct schedule *schedule)
{
	for (size_t i = 0; i < schedule->count; i++) {
		if (schedule->jobs[i].clock != NULL)
			event_free(schedule->jobs[i].clock);
		if (schedule->jobs[i].pause != NULL)
			event_free(schedule->jobs[i].pause);
	}
	rt_arena_free(schedule->arena);
	free(schedule);
}
