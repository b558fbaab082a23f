#include <stdio.h>
#include <string.h>

#include "local/serve/banner.h"

/* Replaces a wildcard address by the loopback address, because not every system connects to
 * 0.0.0.0. */
const char *banner_reached(const char *address, char text[LISTEN_TEXT_MAX])
{
	static const struct {
		const char *all, *loopback;
	} families[] = {{"0.0.0.0:", "127.0.0.1:"}, {"[::]:", "[::1]:"}};

	for (size_t i = 0; i < sizeof families / sizeof families[0]; i++) {
		size_t length = strlen(families[i].all);

		if (strncmp(address, families[i].all, length) != 0)
			continue;
		snprintf(text, LISTEN_TEXT_MAX, "%s%s", families[i].loopback, address + length);
		return text;
	}
	return address;
}

void banner_print(const struct banner *banner)
{
	char texts[3][LISTEN_TEXT_MAX];
	const char *http = banner_reached(banner->http, texts[0]);
	const char *smtp = banner_reached(banner->smtp, texts[1]);
	const char *ops = banner_reached(banner->ops, texts[2]);

	printf("\neds serves the dashboard and the API on http://%s/, mail on smtp://%s,\n"
	       "health and metrics on http://%s/healthz and /metrics.\n",
		http, smtp, ops);
	printf("\neds keeps its data here:\n  the database %s\n  mail         %s\n  the spool    %s\n",
		banner->database, banner->mail_store, banner->spool);
	first_token_show(banner->token, banner->account, http);
	printf("\nTry a deliverability test: make an address, send to it, look at the result.\n"
	       "  curl -X POST http://%s/api/inbound-tester/sessions\n"
	       "  curl smtp://%s --mail-from me@example.com --mail-rcpt TESTID@%s --crlf -T "
	       "message.eml\n"
	       "  curl http://%s/api/inbound-tester/sessions/TESTID\n\n",
		http, smtp, banner->tester_domain, http);
	fflush(stdout);
}
