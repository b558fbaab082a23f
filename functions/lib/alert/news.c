#include "functions/lib/alert/news.h"
#include "runtime/json-format.h"
#include "runtime/time.h"

struct eds_alert_news eds_alert_news_make(struct rt_ctx *ctx, const struct eds_alert_said *said)
{
	json_t *json = json_object();
	json_t *data = json_object();

	rt_json_set_text(ctx, data, "domain", said->domain);
	rt_json_set_text(ctx, data, "domainId", said->domain_id);
	rt_json_set_text(ctx, data, "subject", said->subject);
	rt_json_set_text(ctx, data, "what", said->what);
	rt_json_set(data, "before", said->before);
	rt_json_set(data, "after", said->after);
	rt_json_set_text(ctx, data, "advice", said->advice);
	rt_json_set_text(ctx, json, "type", eds_alert_event_name(said->event));
	rt_json_set_text(ctx, json, "timestamp", rt_time_format(ctx, said->at_ms));
	rt_json_set(json, "data", data);
	return (struct eds_alert_news){
		.event = said->event,
		.subject = said->subject,
		.change = said->change,
		.body = rt_json_format(ctx, json, NULL),
	};
}
