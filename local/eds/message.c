#include "local/eds/message.h"
#include "local/eds/commands.h"

#include <curl/curl.h>
#include <string.h>

#include "local/eds/file.h"
#include "local/eds/show.h"

enum {
	MESSAGE_BYTES_MAX = 32 * 1024 * 1024,
	SMTP_MS = 5 * 60 * 1000,
};

static const char usual_server[] = "127.0.0.1:2525";

/* Copies the text, and adds a CR before each LF that has none, because DKIM signatures cover CR LF.
 */
static void add_lines(struct rt_buffer *out, const char *text, size_t length)
{
	for (size_t i = 0; i < length; i++) {
		if (text[i] == '\n' && (out->length == 0 || out->bytes[out->length - 1] != '\r'))
			rt_buffer_add(out, "\r", 1);
		rt_buffer_add(out, &text[i], 1);
	}
}

bool cli_read_message(const struct cli_call *call, const char *file, struct cli_message *message)
{
	struct rt_buffer in;
	struct rt_buffer out;
	const char *problem = cli_read_file(call, file, "a message", MESSAGE_BYTES_MAX, &in);

	if (problem != NULL) {
		cli_complain(call, "%s", problem);
		return false;
	}
	rt_buffer_init(&out, call->ctx, MESSAGE_BYTES_MAX);
	add_lines(&out, in.bytes, in.length);
	*message = (struct cli_message){out.bytes, out.length};
	if (out.overflow)
		cli_complain(call, "%s is too large for a message", file);
	return !out.overflow;
}

struct upload {
	struct cli_message left;
};

static size_t give(char *bytes, size_t size, size_t count, void *user)
{
	struct upload *upload = user;
	size_t most = size * count;
	size_t length = upload->left.length < most ? upload->left.length : most;

	memcpy(bytes, upload->left.bytes, length);
	upload->left.bytes += length;
	upload->left.length -= length;
	return length;
}

static const char *server_url(const struct cli_call *call)
{
	const char *server = cli_given(call, "smtp");
	const char *helo = cli_given(call, "helo");

	return rt_printf(call->ctx, "smtp://%s/%s", server != NULL ? server : usual_server,
		helo != NULL ? helo : "localhost");
}

/* Lets libcurl use TLS if it is offered, with any certificate, as mail servers do (RFC 7435). */
static void set_tls(CURL *easy)
{
	curl_easy_setopt(easy, CURLOPT_USE_SSL, (long)CURLUSESSL_TRY);
	curl_easy_setopt(easy, CURLOPT_SSL_VERIFYPEER, 0L);
	curl_easy_setopt(easy, CURLOPT_SSL_VERIFYHOST, 0L);
}

static CURLcode transfer(const struct cli_call *call, CURL *easy, const char *recipient,
	struct upload *upload, char error[CURL_ERROR_SIZE])
{
	struct curl_slist *recipients = curl_slist_append(NULL, recipient);
	const char *sender = cli_given(call, "mail-from");
	CURLcode result;

	curl_easy_setopt(easy, CURLOPT_URL, server_url(call));
	curl_easy_setopt(easy, CURLOPT_PROTOCOLS_STR, "smtp");
	curl_easy_setopt(easy, CURLOPT_PROXY, "");
	set_tls(easy);
	curl_easy_setopt(easy, CURLOPT_NOSIGNAL, 1L);
	curl_easy_setopt(easy, CURLOPT_TIMEOUT_MS, (long)SMTP_MS);
	curl_easy_setopt(
		easy, CURLOPT_MAIL_FROM, sender == NULL || strcmp(sender, "<>") == 0 ? "" : sender);
	curl_easy_setopt(easy, CURLOPT_MAIL_RCPT, recipients);
	curl_easy_setopt(easy, CURLOPT_UPLOAD, 1L);
	curl_easy_setopt(easy, CURLOPT_READFUNCTION, give);
	curl_easy_setopt(easy, CURLOPT_READDATA, upload);
	curl_easy_setopt(easy, CURLOPT_INFILESIZE_LARGE, (curl_off_t)upload->left.length);
	curl_easy_setopt(easy, CURLOPT_ERRORBUFFER, error);
	result = curl_easy_perform(easy);
	curl_slist_free_all(recipients);
	return result;
}

int cli_send_mail(
	const struct cli_call *call, const char *recipient, const struct cli_message *message)
{
	struct upload upload = {*message};
	char error[CURL_ERROR_SIZE] = "";
	CURL *easy = curl_easy_init();
	CURLcode result;

	if (easy == NULL)
		rt_out_of_memory();
	result = transfer(call, easy, recipient, &upload, error);
	curl_easy_cleanup(easy);
	if (result == CURLE_OK)
		return CLI_DONE;
	cli_complain(call, "the message was not accepted: %s",
		error[0] != '\0' ? error : curl_easy_strerror(result));
	return result == CURLE_SEND_ERROR || result == CURLE_RECV_ERROR ? CLI_REFUSED
									: CLI_UNAVAILABLE;
}
