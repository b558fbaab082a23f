/* A handler of mail for tests: the message id says what happens with the message: fail, crash,
 * sleep-MS; a message with another id is processed. */
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "runtime/event/handler.h"

static rt_status act(struct rt_ctx *ctx, const struct rt_mail_event *mail, json_t **answer)
{
	static const char sleep_for[] = "sleep-";

	*answer = json_object();
	if (strcmp(mail->message_id, "crash") == 0)
		raise(SIGKILL);
	if (strncmp(mail->message_id, sleep_for, strlen(sleep_for)) == 0)
		usleep((unsigned)strtoul(mail->message_id + strlen(sleep_for), NULL, 10) * 1000);
	if (strcmp(mail->message_id, "fail") == 0)
		return rt_fail(ctx, RT_TEMPORARY, "test-failure", "as asked");
	return RT_OK;
}

int main(int argc, char **argv)
{
	return rt_main_mail(argc, argv, act);
}
