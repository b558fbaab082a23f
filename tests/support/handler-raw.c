/* A handler for tests of the runner that breaks the protocol between handler and supervisor, as our
 * functions never do. The word after /raw/ in the event's path says how. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
	LINE_MAX_BYTES = 256 * 1024,
	FLOOD_BYTES = 8 * 1024 * 1024,
};

static const struct {
	const char *word;
	const char *answer;
} answers[] = {
	{"plain", "{\"hello\":\"world\"}"},
	{"array", "[1,2]"},
	{"garbage", "{\"statusCode\":200,"},
	{"error", "{\"errorType\":\"Oops\",\"errorMessage\":\"secret detail\"}"},
	{"cookies",
		"{\"statusCode\":201,\"headers\":{\"X-Number\":7},\"cookies\":[\"a=1; Path=/\","
		"\"b=2\"],\"body\":\"\"}"},
	{"split", "{\"statusCode\":200,\"headers\":{\"x\":\"a\\r\\nSet-Cookie: b=1\"}}"},
	{"framing",
		"{\"statusCode\":200,\"headers\":{\"Content-Length\":\"999\","
		"\"Transfer-Encoding\":\"chunked\",\"X-Kept\":\"yes\"},\"body\":\"ok\"}"},
	{"notes",
		"{\"statusCode\":200,\"headers\":{\"Eds-Stored\":\"m1\",\"eds-other\":\"x\","
		"\"X-Kept\":\"yes\"},\"body\":\"ok\"}"},
	{"odd-note",
		"{\"statusCode\":200,\"headers\":{\"eds-stored\":\"a\\\"b\"},\"body\":\"ok\"}"},
	{"status", "{\"statusCode\":99}"},
	{"empty", "{\"statusCode\":204}"},
	{"escapes", "{\"statusCode\":200,\"body\":\"\\u00e4\\ud83d\\ude00\\n\\\"\\\\\\/\"}"},
	{"surrogate", "{\"statusCode\":200,\"body\":\"\\ud83d\"}"},
	{"base64", "{\"statusCode\":200,\"body\":\"AP/+\",\"isBase64Encoded\":true}"},
	{"not-base64", "{\"statusCode\":200,\"body\":\"A\",\"isBase64Encoded\":true}"},
};

static const char *answer_to(const char *event)
{
	const char *path = strstr(event, "\"rawPath\":\"/raw/");

	path = path == NULL ? "" : path + strlen("\"rawPath\":\"/raw/");
	for (size_t i = 0; i < sizeof answers / sizeof answers[0]; i++) {
		size_t length = strlen(answers[i].word);

		if (strncmp(path, answers[i].word, length) == 0 && path[length] == '"')
			return answers[i].answer;
	}
	return "{}";
}

/* Prints a line that answers another event or none, or that has no end. */
static void print_stray(const char *tag, const char *event)
{
	if (strstr(event, "/raw/wrong-tag\"") != NULL)
		printf("#999999 {}\n");
	else if (strstr(event, "/raw/twice\"") != NULL)
		printf("%s {}\n%s {}\n", tag, tag);
	else if (strstr(event, "/raw/flood\"") != NULL)
		printf("%s \"%0*d", tag, FLOOD_BYTES, 0);
}

int main(void)
{
	static char line[LINE_MAX_BYTES];

	while (fgets(line, sizeof line, stdin) != NULL) {
		char *space = strchr(line, ' ');

		if (line[0] != '#' || space == NULL)
			return EXIT_FAILURE;
		*space = '\0';
		print_stray(line, space + 1);
		printf("%s %s\n", line, answer_to(space + 1));
		fflush(stdout);
	}
	return EXIT_SUCCESS;
}
