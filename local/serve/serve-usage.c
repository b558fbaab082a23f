#include "local/serve/serve-usage.h"

#include "local/serve/migration.h"

const char serve_usage[] =
	"usage: runner serve [--functions DIR] [--bootstrap] [--only PARTS] [--renew]\n"
	"\n"
	"Brings the database up to date (an empty one gets the account `" MIGRATION_FIRST_ACCOUNT
	"` and a token, shown\n"
	"once, or kept in a file where the output is not a terminal), then serves the functions\n"
	"of the folder (by default `functions` beside the runner): HTTP on EDS_HTTP_LISTEN, mail\n"
	"on EDS_SMTP_LISTEN, health and metrics on EDS_OPS_LISTEN, and their schedules. Port 0\n"
	"picks a free one. The first line of standard output names the addresses as JSON; logs\n"
	"go to standard error, a JSON object a line.\n"
	"\n"
	"With --bootstrap each function runs as it is deployed: behind the cloud adapter (the\n"
	"bootstrap beside the runner), over a Lambda Runtime API of the runner's own.\n"
	"\n"
	"With --renew it starts again when the manifest of the folder has changed, as `make`\n"
	"leaves it.\n"
	"\n"
	"SIGTERM or SIGINT ends it: it stops accepting, finishes what runs, and exits with 0\n"
	"within 20 seconds; a second signal ends it at once.\n"
	"\n"
	"exit status: 0 ended by a signal; 1 could not start; 64 wrong arguments; 78 wrong\n"
	"configuration\n";
