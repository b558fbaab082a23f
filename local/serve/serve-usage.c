#include "local/serve/serve-usage.h"

#include "local/serve/migration.h"

const char serve_usage[] =
	"usage: runner serve [--functions DIR] [--bootstrap] [--only PARTS] [--renew]\n"
	"\n"
	"Brings the database up to date (an empty one gets the account `" MIGRATION_FIRST_ACCOUNT
	"` and a token, shown\n"
	"once, or kept in a file if the output is not a terminal), then serves the functions\n"
	"of the folder (by default `functions` beside the runner): HTTP on EDS_HTTP_LISTEN, mail\n"
	"on EDS_SMTP_LISTEN, health and metrics on EDS_OPS_LISTEN, and their schedules. Port 0\n"
	"picks a free one. The first line of standard output names the addresses as JSON; logs\n"
	"go to standard error, one JSON object per line.\n"
	"\n"
	"With --bootstrap each function runs as in the cloud: the program `bootstrap` beside the\n"
	"runner runs it, and gets its events from a Lambda Runtime API that the runner serves.\n"
	"\n"
	"With --only it serves only the named PARTS (http, smtp or schedule, with commas between\n"
	"them), and health and metrics. It does not bring the database up to date then.\n"
	"\n"
	"With --renew it starts again when the manifest of the folder has changed, for example\n"
	"after `make`.\n"
	"\n"
	"SIGTERM or SIGINT ends it: it stops accepting, finishes what runs, and exits with 0\n"
	"within 20 seconds; a second signal ends it at once.\n"
	"\n"
	"exit status: 0 ended by a signal; 1 could not start; 64 wrong arguments; 78 wrong\n"
	"configuration\n";
