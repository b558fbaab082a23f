#include "runtime/host/http/http-answer.h"

#include "runtime/clock-text.h"
#include "runtime/event/problem.h"

/* IMF-fixdate (RFC 9110 section 5.6.7). */
static const char *date_text(int64_t now_ms)
{
	static struct rt_clock_text clock = {.format = "%a, %d %b %Y %H:%M:%S GMT"};

	return rt_clock_text(&clock, (time_t)(now_ms / 1000));
}

void http_answer_head_write(struct bytes *out, const struct http_answer_head *head)
{
	bytes_clear(out);
	bytes_text(out, "HTTP/1.1 ");
	bytes_number(out, head->status);
	bytes_text(out, " ");
	bytes_text(out, rt_http_reason(head->status));
	bytes_text(out, "\r\nDate: ");
	bytes_text(out, date_text(head->now_ms));
	bytes_text(out, "\r\nX-Request-Id: ");
	bytes_text(out, head->request_id);
	bytes_text(out, "\r\n");
	if (head->fields != NULL)
		bytes_add(out, head->fields->data, head->fields->length);
	if (head->has_length) {
		bytes_text(out, "Content-Length: ");
		bytes_number(out, (long long)head->body_length);
		bytes_text(out, "\r\n");
	}
	if (!head->keep_alive)
		bytes_text(out, "Connection: close\r\n");
	else if (head->minor == 0)
		bytes_text(out, "Connection: keep-alive\r\n");
	bytes_text(out, "\r\n");
}
