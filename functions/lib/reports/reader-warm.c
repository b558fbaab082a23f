#include "functions/lib/reports/reader-warm.h"
#include "functions/lib/reports/intake.h"
#include "functions/lib/reports/mime.h"
#include "functions/lib/reports/reader-child.h"
#include "functions/lib/reports/report-wire.h"
#include "functions/lib/sandbox/huge-text.h"

static const char mail[] =
	"From: Warm <warm@warm.example>\r\n"
	"To: you@warm.example\r\n"
	"Subject: Report domain: warm.example\r\n"
	"MIME-Version: 1.0\r\n"
	"Content-Type: multipart/mixed; boundary=\"warm\"\r\n"
	"\r\n"
	"--warm\r\n"
	"Content-Type: text/plain; charset=utf-8\r\n"
	"\r\n"
	"This mail of our own is read once.\r\n"
	"--warm\r\n"
	"Content-Type: application/json\r\n"
	"\r\n"
	"{\"policies\": []}\r\n"
	"--warm\r\n"
	"Content-Type: application/gzip; name=\"warm.xml.gz\"\r\n"
	"Content-Transfer-Encoding: base64\r\n"
	"Content-Disposition: attachment; filename=\"warm.xml.gz\"\r\n"
	"\r\n"
	"H4sIAAAAAAACA32SXW6DMBCEr1LlABiomghpu+kt+mg5sCRW/CfbJOntawdIoJH6Ap6xdvbbBdjf\r\n"
	"tHq7kA/Sms9NVZSbPUJP1B1Ee0bw5KyPXFMUnYgCwfojN0ITfguvgT0kkBZS4TW5X/lR0E1opwjY\r\n"
	"eDEnyQ4rYE8BKZa4F+aYMg50lAar3XZX1x/bsgQ2OkCmu9vvVdU0TcpMGtiylL2QOqtk+8PdcFAy\r\n"
	"nCi3sgnF4BpvMsGhsSZpl7JeSz211ue3vSIEO/iWuHRYNXVRFnWRRnqa0NrBxDzmeJhJ6CLUkJAz\r\n"
	"iQzOBhnT0qe2Swe6s9ToRAjJz0cIrp90Pj0AF4nsTiY7MlH2Mn1PhBOJjjzvvdV/Zl7eAFsViSGe\r\n"
	"uKcwqBgmkP/3FkhRG63HkJcwCxgjJuhJzNOwdRM2L5c9/rtf2JTPLZcCAAA=\r\n"
	"--warm\r\n"
	"Content-Type: application/zip; name=\"warm.zip\"\r\n"
	"Content-Transfer-Encoding: base64\r\n"
	"Content-Disposition: attachment; filename=\"warm.zip\"\r\n"
	"\r\n"
	"UEsDBBQAAAAIAAAAIQDYlM8tNwEAAJcCAAAzAAAAd2FybS5leGFtcGxlIXdhcm0uZXhhbXBsZSEx\r\n"
	"NzY3MjI1NjAwITE3NjczMTE5OTkueG1sfZJdboMwEISvUuUAGKiaCGm76S36aDmwJFb8J9sk6e1r\r\n"
	"B0igkfoCnrF29tsF2N+0eruQD9Kaz01VlJs9Qk/UHUR7RvDkrI9cUxSdiALB+iM3QhN+C6+BPSSQ\r\n"
	"FlLhNblf+VHQTWinCNh4MSfJDitgTwEplrgX5pgyDnSUBqvddlfXH9uyBDY6QKa72+9V1TRNykwa\r\n"
	"2LKUvZA6q2T7w91wUDKcKLeyCcXgGm8ywaGxJmmXsl5LPbXW57e9IgQ7+Ja4dFg1dVEWdZFGeprQ\r\n"
	"2sHEPOZ4mEnoItSQkDOJDM4GGdPSp7ZLB7qz1OhECMnPRwiun3Q+PQAXiexOJjsyUfYyfU+EE4mO\r\n"
	"PO+91X9mXt4AWxWJIZ64pzCoGCaQ//cWSFEbrceQlzALGCMm6EnM07B1EzYvlz3+u19QSwECFAMU\r\n"
	"AAAACAAAACEA2JTPLTcBAACXAgAAMwAAAAAAAAAAAAAAgAEAAAAAd2FybS5leGFtcGxlIXdhcm0u\r\n"
	"ZXhhbXBsZSExNzY3MjI1NjAwITE3NjczMTE5OTkueG1sUEsFBgAAAAABAAEAYQAAAIgBAAAAAA==\r\n"
	"--warm--\r\n";

static void drop(void *arg, const struct eds_report *report, enum eds_report_fault fault)
{
	struct rt_buffer out;

	rt_buffer_init(&out, arg, EDS_FRAME_BYTES_MAX);
	eds_put_report(&out, report, fault);
}

void eds_report_reader_init(void)
{
	struct rt_ctx ctx = {.arena = rt_arena_new()};
	struct eds_intake intake = {.report = drop, .arg = &ctx};

	eds_huge_text();
	eds_mime_init();
	eds_intake_mail(&intake, mail, sizeof mail - 1);
	rt_arena_free(ctx.arena);
}
