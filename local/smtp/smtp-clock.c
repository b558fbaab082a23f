#include "local/smtp/smtp-clock.h"

#include "runtime/ctx.h"
#include "runtime/time.h"

void smtp_clock_start(struct smtp_clock *clock, const struct smtp_clocks *allowed)
{
	*clock = (struct smtp_clock){
		.allowed = *allowed, .session_until_ms = rt_monotonic_ms() + allowed->session_ms};
	smtp_clock_reset(clock);
}

void smtp_clock_reset(struct smtp_clock *clock)
{
	int64_t now = rt_monotonic_ms();

	clock->command_until_ms = now + clock->allowed.command_ms;
	clock->data_until_ms = now + clock->allowed.data_ms;
}

bool smtp_clock_follow(struct smtp_clock *clock, const struct smtp_session *session)
{
	if (clock->steps == smtp_session_steps(session))
		return false;
	clock->steps = smtp_session_steps(session);
	smtp_clock_reset(clock);
	return true;
}

/* Received octets add time. The remaining time is never more than the time that the message had at
 * first, so a client cannot send fast once and then stay silent for long. */
void smtp_clock_extend(struct smtp_clock *clock, size_t octets, size_t held)
{
	int64_t rate = SMTP_DATA_BYTES_PER_SECOND + (int64_t)held / SMTP_DATA_HELD_SECONDS;
	int64_t latest = rt_monotonic_ms() + clock->allowed.data_ms;

	clock->data_until_ms += (int64_t)octets * 1000 / rate;
	if (clock->data_until_ms > latest)
		clock->data_until_ms = latest;
}

int64_t smtp_clock_left_ms(const struct smtp_clock *clock, const struct smtp_session *session)
{
	int64_t now = rt_monotonic_ms();
	int64_t next = smtp_session_in_data(session) ? clock->data_until_ms
						     : clock->command_until_ms;

	if (clock->session_until_ms < next && !smtp_session_waiting(session))
		next = clock->session_until_ms;
	return next > now ? next - now : 0;
}

int64_t smtp_clock_idle_ms(const struct smtp_clock *clock)
{
	return rt_monotonic_ms() - (clock->command_until_ms - clock->allowed.command_ms);
}

const char *smtp_clock_overdue(const struct smtp_clock *clock, const struct smtp_session *session)
{
	int64_t now = rt_monotonic_ms();

	if (now >= clock->session_until_ms)
		return "4.4.2 the session took too long";
	if (smtp_session_in_data(session))
		return now >= clock->data_until_ms ? "4.4.2 the message arrives too slowly" : NULL;
	return now >= clock->command_until_ms ? "4.4.2 no command came in time" : NULL;
}
