#include "functions/reports/rows/row-filter.h"

#include <string.h>
#include <strings.h>

#include "functions/lib/reports/report.h"
#include "functions/reports/rows/days.h"
#include "functions/reports/rows/row-names.h"
#include "runtime/event/event-http.h"
#include "runtime/ip.h"

/* Reads ?source= and writes the address as rows do, so that "2001:DB8:0:0::1" finds 2001:db8::1. */
static rt_status read_source(
	struct rt_ctx *ctx, const struct rt_request *req, struct report_row_filter *filter)
{
	const char *text = rt_request_query(req, "source");
	char *address = rt_alloc(ctx, RT_IP_TEXT_MAX);
	struct rt_ip ip;

	if (text == NULL)
		return RT_OK;
	if (!rt_ip_parse(text, &ip))
		return rt_fail(ctx, RT_BAD_INPUT, "source-invalid",
			"source= must be an address as in 192.0.2.1 or 2001:db8::1");
	rt_ip_format(&ip, address);
	filter->source = address;
	return RT_OK;
}

static rt_status read_disposition(
	struct rt_ctx *ctx, const struct rt_request *req, struct report_row_filter *filter)
{
	const char *text = rt_request_query(req, "disposition");

	if (text == NULL)
		return RT_OK;
	for (int i = 0; i < EDS_DISPOSITIONS; i++)
		if (strcmp(text, report_disposition_name((enum eds_report_disposition)i)) == 0)
			filter->disposition = text;
	if (filter->disposition != NULL)
		return RT_OK;
	return rt_fail(ctx, RT_BAD_INPUT, "disposition-invalid",
		"disposition= must be one of none, pass, quarantine, reject and unknown");
}

rt_status report_row_filter_read(
	struct rt_ctx *ctx, const struct rt_request *req, struct report_row_filter *filter)
{
	*filter = (struct report_row_filter){
		.header_from = rt_request_query(req, "headerFrom"),
		.envelope_from = rt_request_query(req, "envelopeFrom"),
		.dkim_domain = rt_request_query(req, "dkimDomain"),
		.selector = rt_request_query(req, "selector"),
	};
	RT_TRY(read_source(ctx, req, filter));
	RT_TRY(read_disposition(ctx, req, filter));
	return report_class_read(ctx, req, "result", &filter->class);
}

static bool is(const char *wanted, const json_t *object, const char *name)
{
	const char *text = json_string_value(json_object_get(object, name));

	return wanted == NULL || (text != NULL && strcasecmp(wanted, text) == 0);
}

static bool has_signature(const struct report_row_filter *filter, const json_t *row)
{
	const json_t *results = json_object_get(row, "dkimResults");

	if (filter->dkim_domain == NULL && filter->selector == NULL)
		return true;
	for (size_t i = 0; i < json_array_size(results); i++) {
		const json_t *result = json_array_get(results, i);

		if (is(filter->dkim_domain, result, "domain") &&
			is(filter->selector, result, "selector"))
			return true;
	}
	return false;
}

bool report_row_filter_selects(const struct report_row_filter *filter, const json_t *row)
{
	const char *class = filter->class < 0
		? NULL
		: report_class_name((enum eds_report_class)filter->class);

	return is(filter->source, row, "source") && is(filter->disposition, row, "disposition") &&
		is(class, row, "class") && is(filter->header_from, row, "headerFrom") &&
		is(filter->envelope_from, row, "envelopeFrom") && has_signature(filter, row);
}
