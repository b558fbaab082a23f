#include "functions/reports/watch/watch-news.h"
#include "runtime/json-format.h"
#include "runtime/time.h"

#include <inttypes.h>

#include "functions/lib/alert/news.h"
#include "functions/reports/rows/days.h"

enum { NEWS_MAX = 2 + REPORT_NEW_SOURCES_MAX };

struct telling {
	struct rt_ctx *ctx;
	struct eds_report_watch_due *due;
	const struct report_watch_look *look;
	struct eds_alert_news *items;
	size_t count;
};

static struct eds_alert_said begin(
	const struct telling *telling, enum eds_alert_event event, const char *subject)
{
	return (struct eds_alert_said){
		.event = event,
		.domain_id = telling->due->domain_id,
		.domain = telling->due->name,
		.subject = subject,
		.change = rt_printf(telling->ctx, "%" PRId64, telling->look->today),
		.at_ms = rt_wall_ms(),
		.before = json_object(),
		.after = json_object(),
	};
}

static void add(struct telling *telling, const struct eds_alert_said *said)
{
	telling->items[telling->count++] = eds_alert_news_make(telling->ctx, said);
}

static const char *percent(struct rt_ctx *ctx, int hundredths)
{
	return rt_printf(ctx, "%d.%d %%", hundredths / 100, hundredths % 100 / 10);
}

static void tell_rise(struct telling *telling, enum eds_alert_event event)
{
	const struct report_watch_rise *rise = &telling->look->rise;
	struct rt_ctx *ctx = telling->ctx;
	const char *domain = telling->due->name;
	const char *day = report_day_text(ctx, rise->day);
	const char *share = percent(ctx, rise->share);
	const char *before = percent(ctx, rise->share_before);
	struct eds_alert_said said = begin(telling, event, "failures");

	if (event == EDS_ALERT_FAILURES_ROSE) {
		said.what = rt_printf(ctx,
			"On %s, %s of the mail in the name of %s failed DMARC according to "
			"reports: %" PRId64 " messages. In the 14 days before, the share was %s.",
			day, share, domain, rise->failed, before);
		said.advice = "Look at the sources whose mail fails: a service of yours may have "
			      "lost its DKIM key or its place in the SPF record, or someone else "
			      "is sending in your name.";
	} else {
		said.what = rt_printf(ctx,
			"On %s, only %s of the mail in the name of %s failed DMARC according to "
			"reports. Before the rise, the share was %s.",
			day, share, domain, before);
		said.advice = "";
	}
	rt_json_set(said.before, "failedPercent", json_real(rise->share_before / 100.0));
	rt_json_set(said.after, "failedPercent", json_real(rise->share / 100.0));
	rt_json_set(said.after, "failed", json_integer(rise->failed));
	rt_json_set_text(ctx, said.after, "day", day);
	add(telling, &said);
}

static void tell_stopped(struct telling *telling, enum eds_alert_event event)
{
	struct rt_ctx *ctx = telling->ctx;
	const char *domain = telling->due->name;
	const char *day = report_day_text(ctx, telling->look->latest_day);
	struct eds_alert_said said = begin(telling, event, "reports");

	if (event == EDS_ALERT_REPORTS_STOPPED) {
		said.what = rt_printf(ctx,
			"DMARC reports about %s have stopped: the latest are about mail of %s.",
			domain, day);
		said.advice = "Check that rua= in the DMARC record still names the address for "
			      "reports, and that mail to that address arrives. If the domain has "
			      "sent no mail since, nothing is wrong.";
	} else {
		said.what = rt_printf(ctx,
			"DMARC reports about %s arrive again: the latest are about mail of %s.",
			domain, day);
		said.advice = "";
	}
	rt_json_set_text(ctx, said.after, "latestDay", day);
	add(telling, &said);
}

/* Adds the news of a new source. The change text is the same on every day on which the source is
 * new, so that alerts report the source once. */
static void tell_source(struct telling *telling, const struct report_new_source *source)
{
	struct rt_ctx *ctx = telling->ctx;
	const char *domain = telling->due->name;
	const char *day = report_day_text(ctx, source->first_day);
	struct eds_alert_said said = begin(
		telling, EDS_ALERT_NEW_SOURCE, rt_printf(ctx, "source %s", source->who));
	bool is_named = *source->host != '\0';

	said.change = "";
	said.what = rt_printf(ctx,
		"Since %s, mail in the name of %s also comes from a new source: %s. Most of it "
		"came from %s%s%s%s. Of %" PRId64 " messages, %" PRId64 " failed DMARC.",
		day, domain, source->who, source->address, is_named ? " (" : "", source->host,
		is_named ? ")" : "", source->messages, source->failed);
	said.advice = source->failed == 0
		? "If you have started to use it, nothing is wrong. If not, find out who has a "
		  "DKIM key or an IP address that may send for you: its mail passes DMARC."
		: "If it sends for you, have it sign with DKIM in the domain's name. If you do "
		  "not know it, a DMARC policy of quarantine or reject keeps its mail out of "
		  "inboxes.";
	rt_json_set_text(ctx, said.after, "source", source->who);
	rt_json_set_text(ctx, said.after, "address", source->address);
	rt_json_set_text(ctx, said.after, "name", is_named ? source->host : NULL);
	rt_json_set_text(ctx, said.after, "firstDay", day);
	rt_json_set(said.after, "messages", json_integer(source->messages));
	rt_json_set(said.after, "failed", json_integer(source->failed));
	add(telling, &said);
}

static void settle_rise(struct telling *telling)
{
	const struct report_watch_rise *rise = &telling->look->rise;
	struct eds_report_watch_due *due = telling->due;

	if (due->before.risen_from < 0 && rise->verdict == REPORT_WATCH_TROUBLE) {
		due->after.risen_from = rise->share_before;
		tell_rise(telling, EDS_ALERT_FAILURES_ROSE);
	} else if (due->before.risen_from >= 0 && rise->verdict == REPORT_WATCH_WELL) {
		due->after.risen_from = -1;
		tell_rise(telling, EDS_ALERT_FAILURES_FELL);
	}
}

static void settle_stopped(struct telling *telling)
{
	struct eds_report_watch_due *due = telling->due;

	if (!due->before.stopped && telling->look->stopped == REPORT_WATCH_TROUBLE) {
		due->after.stopped = true;
		tell_stopped(telling, EDS_ALERT_REPORTS_STOPPED);
	} else if (due->before.stopped && telling->look->stopped == REPORT_WATCH_WELL) {
		due->after.stopped = false;
		tell_stopped(telling, EDS_ALERT_REPORTS_RESUMED);
	}
}

void report_watch_settle(
	struct rt_ctx *ctx, struct eds_report_watch_due *due, const struct report_watch_look *look)
{
	struct telling telling = {.ctx = ctx, .due = due, .look = look};

	telling.items = rt_alloc_array(ctx, NEWS_MAX, sizeof *telling.items);
	due->after = due->before;
	settle_rise(&telling);
	settle_stopped(&telling);
	for (size_t i = 0; i < look->source_count; i++)
		tell_source(&telling, &look->sources[i]);
	due->news = (struct eds_alert_all_news){.items = telling.items, .count = telling.count};
}
