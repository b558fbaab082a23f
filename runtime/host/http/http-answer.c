#include "runtime/host/http/http-answer.h"

#include "runtime/event/problem.h"
#include "runtime/text/clock-text.h"

/* The time as IMF-fixdate (RFC 9110 section 5.6.7). */
static const char *date_text(int64_t now_ms)
{
	static struct rt_clock_text clock = {.format = "%a, %d %b %Y %H:%M:%S GMT"};

	return rt_clock_text(&clock, (time_t)(now_ms / 1000));
}

void http_answer_head_write(struct rt_buffer *out, const struct http_answer_head *head)
{
	rt_buffer_clear(out);
	rt_buffer_text(out, "HTTP/1.1 ");
	rt_buffer_integer(out, head->status);
	rt_buffer_text(out, " ");
	rt_buffer_text(out, rt_http_reason(head->status));
	rt_buffer_text(out, "\r\nDate: ");
	rt_buffer_text(out, date_text(head->now_ms));
	rt_buffer_text(out, "\r\nX-Request-Id: ");
	rt_buffer_text(out, head->request_id);
	rt_buffer_text(out, "\r\n");
	if (head->fields != NULL)
		rt_buffer_add(out, head->fields->bytes, head->fields->length);
	if (head->has_length) {
		rt_buffer_text(out, "Content-Length: ");
		rt_buffer_integer(out, (long long)head->body_length);
		rt_buffer_text(out, "\r\n");
	}
	if (!head->keep_alive)
		rt_buffer_text(out, "Connection: close\r\n");
	else if (head->minor == 0)
		rt_buffer_text(out, "Connection: keep-alive\r\n");
	rt_buffer_text(out, "\r\n");
}
