#include "functions/alerts/summary-text.h"

#include "functions/lib/posture/names.h"
#include "functions/lib/posture/posture.h"
#include "runtime/config/config.h"
#include "runtime/json.h"

static json_int_t number(const json_t *object, const char *name)
{
	return json_integer_value(json_object_get(object, name));
}

static const char *state_words(const char *state)
{
	switch (state != NULL ? eds_posture_state_rank(state) : EDS_POSTURE_UNKNOWN) {
	case EDS_POSTURE_ERROR:
		return "error";
	case EDS_POSTURE_WARNING:
		return "warning";
	default:
		return "ok";
	}
}

const char *alert_summary_subject(struct rt_ctx *ctx, const json_t *data)
{
	json_int_t all = number(json_object_get(data, "domains"), "all");
	json_int_t broken = number(json_object_get(data, "domains"), "broken");

	if (broken > 0)
		return rt_printf(ctx, "Weekly summary: errors at %lld of %lld %s",
			(long long)broken, (long long)all, all == 1 ? "domain" : "domains");
	return rt_printf(ctx, "Weekly summary: %lld %s, no errors", (long long)all,
		all == 1 ? "domain" : "domains");
}

static void write_domains(struct rt_buffer *body, const json_t *domains)
{
	json_int_t all = number(domains, "all");
	json_int_t broken = number(domains, "broken");
	json_int_t weak = number(domains, "weak");
	json_int_t well = number(domains, "well");

	rt_buffer_format(body, "\nDomains: %lld\n", (long long)all);
	rt_buffer_format(body, "  error: %lld\n", (long long)broken);
	rt_buffer_format(body, "  warning: %lld\n", (long long)weak);
	rt_buffer_format(body, "  ok: %lld\n", (long long)well);
	if (all > broken + weak + well)
		rt_buffer_format(
			body, "  unknown: %lld\n", (long long)(all - broken - weak - well));
}

static void write_mail(struct rt_buffer *body, const json_t *mail)
{
	const char *percent = rt_json_string(mail, "percent");
	const char *earlier = rt_json_string(mail, "earlierPercent");

	if (!json_is_object(mail)) {
		rt_buffer_text(body, "\nNo DMARC report about this week has arrived.\n");
		return;
	}
	rt_buffer_format(body,
		"\nMail in the seven days to %s, according to DMARC reports: %lld messages; %lld "
		"failed DMARC",
		rt_json_string(mail, "to"), (long long)number(mail, "messages"),
		(long long)number(mail, "failed"));
	if (percent != NULL)
		rt_buffer_format(body, " (%s", percent);
	if (percent != NULL && earlier != NULL)
		rt_buffer_format(body, "; %s in the week before", earlier);
	rt_buffer_text(body, percent != NULL ? ").\n" : ".\n");
}

static void write_domain(struct rt_buffer *body, const json_t *domain)
{
	json_int_t failed = number(domain, "failed");
	const char *percent = rt_json_string(domain, "percent");

	rt_buffer_format(body, "\n%s: %s", rt_json_string(domain, "domain"),
		state_words(rt_json_string(domain, "state")));
	if (failed > 0 && percent != NULL)
		rt_buffer_format(
			body, "; %lld messages failed DMARC (%s)", (long long)failed, percent);
	rt_buffer_format(body, "\n  %s/#/domains/%s\n", rt_config()->base_url,
		rt_json_string(domain, "domainId"));
}

void alert_summary_write(struct rt_ctx *ctx, struct rt_buffer *body, const json_t *data)
{
	const json_t *worst = json_object_get(data, "worst");

	(void)ctx;
	write_domains(body, json_object_get(data, "domains"));
	write_mail(body, json_object_get(data, "mail"));
	if (json_array_size(worst) > 0)
		rt_buffer_text(body, "\nLook at these first:\n");
	for (size_t i = 0; i < json_array_size(worst); i++)
		write_domain(body, json_array_get(worst, i));
}
