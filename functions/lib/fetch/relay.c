#include "functions/lib/fetch/relay.h"

#include <curl/curl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/config/config.h"

enum {
	URL_BYTES = 1024,
	PATH_BYTES = 260, /* octets of an address in angle brackets */
	VERB_BYTES = 4,
};

struct eds_relay {
	CURL *easy;
	const struct eds_relay_mail *mail;
	size_t sent;
	char verb[VERB_BYTES + 1]; /* verb of the last command except QUIT */
	bool quits;
	char reply[EDS_RELAY_REPLY_MAX + 1];
	char detail[CURL_ERROR_SIZE];
};

static void release(void *handle)
{
	curl_easy_cleanup(((struct eds_relay *)handle)->easy);
}

rt_status eds_relay_new(struct rt_ctx *ctx, struct eds_relay **relay)
{
	*relay = rt_alloc(ctx, sizeof **relay);
	(*relay)->easy = curl_easy_init();
	if ((*relay)->easy == NULL)
		return rt_fail(ctx, RT_INTERNAL, "fetch-unavailable", "libcurl gives no handle");
	rt_on_release(ctx, release, *relay);
	return RT_OK;
}

static size_t give_text(char *bytes, size_t size, size_t count, void *arg)
{
	struct eds_relay *relay = arg;
	size_t left = relay->mail->length - relay->sent;
	size_t length = size * count < left ? size * count : left;

	memcpy(bytes, relay->mail->text + relay->sent, length);
	relay->sent += length;
	return length;
}

/* Keeps the last line of a multi-line reply, which has the code and is the most specific. */
static void keep_reply(struct eds_relay *relay, const char *bytes, size_t length)
{
	size_t kept = 0;

	while (length > 0 && (bytes[length - 1] == '\n' || bytes[length - 1] == '\r'))
		length--;
	for (; kept < length && kept < EDS_RELAY_REPLY_MAX; kept++)
		relay->reply[kept] = (char)(bytes[kept] >= ' ' && bytes[kept] < 0x7f ? bytes[kept]
										     : '?');
	relay->reply[kept] = '\0';
}

/* The debug callback is libcurl's only way to tell which command a reply answers. Only the verb is
 * kept, so that no AUTH secret stays in memory. QUIT is ignored, since libcurl sends it after a
 * refused command. */
static int watch(CURL *easy, curl_infotype type, char *bytes, size_t length, void *arg)
{
	struct eds_relay *relay = arg;

	(void)easy;
	if (type == CURLINFO_HEADER_OUT && length >= VERB_BYTES) {
		relay->quits = memcmp(bytes, "QUIT", VERB_BYTES) == 0;
		if (!relay->quits)
			memcpy(relay->verb, bytes, VERB_BYTES);
	} else if (type == CURLINFO_HEADER_IN && !relay->quits) {
		keep_reply(relay, bytes, length);
	}
	return 0;
}

static void set_way(struct eds_relay *relay)
{
	const struct rt_relay *where = &rt_config()->alert_relay;
	CURL *easy = relay->easy;
	size_t length = strlen(where->url);
	char url[URL_BYTES];

	while (length > 0 && where->url[length - 1] == '/')
		length--;
	snprintf(url, sizeof url, "%.*s/%s", (int)length, where->url, relay->mail->hello);
	curl_easy_setopt(easy, CURLOPT_URL, url);
	curl_easy_setopt(easy, CURLOPT_PROTOCOLS_STR, "smtp,smtps");
	curl_easy_setopt(easy, CURLOPT_USE_SSL,
		(long)(where->needs_no_tls ? CURLUSESSL_NONE : CURLUSESSL_ALL));
	curl_easy_setopt(easy, CURLOPT_SSLVERSION, (long)CURL_SSLVERSION_TLSv1_2);
	if (rt_config()->ca_file[0] != '\0')
		curl_easy_setopt(easy, CURLOPT_CAINFO, rt_config()->ca_file);
	curl_easy_setopt(easy, CURLOPT_PROXY, "");
	curl_easy_setopt(easy, CURLOPT_NETRC, (long)CURL_NETRC_IGNORED);
	curl_easy_setopt(easy, CURLOPT_NOSIGNAL, 1L);
	curl_easy_setopt(easy, CURLOPT_CONNECTTIMEOUT_MS, (long)EDS_RELAY_CONNECT_MS);
	curl_easy_setopt(easy, CURLOPT_TIMEOUT_MS, (long)EDS_RELAY_MS);
}

static struct curl_slist *set_mail(struct eds_relay *relay)
{
	const struct eds_relay_mail *mail = relay->mail;
	CURL *easy = relay->easy;
	struct curl_slist *recipients;
	char path[PATH_BYTES];

	snprintf(path, sizeof path, "<%s>", mail->from);
	curl_easy_setopt(easy, CURLOPT_MAIL_FROM, path);
	snprintf(path, sizeof path, "<%s>", mail->to);
	recipients = curl_slist_append(NULL, path);
	curl_easy_setopt(easy, CURLOPT_MAIL_RCPT, recipients);
	curl_easy_setopt(easy, CURLOPT_UPLOAD, 1L);
	curl_easy_setopt(easy, CURLOPT_INFILESIZE_LARGE, (curl_off_t)mail->length);
	curl_easy_setopt(easy, CURLOPT_READFUNCTION, give_text);
	curl_easy_setopt(easy, CURLOPT_READDATA, relay);
	curl_easy_setopt(easy, CURLOPT_VERBOSE, 1L);
	curl_easy_setopt(easy, CURLOPT_DEBUGFUNCTION, watch);
	curl_easy_setopt(easy, CURLOPT_DEBUGDATA, relay);
	curl_easy_setopt(easy, CURLOPT_ERRORBUFFER, relay->detail);
	return recipients;
}

static int code_of(const char *reply)
{
	return strspn(reply, "0123456789") == 3 ? (int)strtol(reply, NULL, 10) : 0;
}

/* True when a 5xx reply to RCPT is about the address. False when the reply is about us or the rules
 * of the relay, like "554 5.7.1 Client host rejected". The enhanced status code decides (RFC 3463
 * sections 3.2 and 3.3); without one, the reply code decides (RFC 5321 section 4.2.3). */
static bool is_about_address(const char *reply, int status)
{
	static const char *const codes[] = {
		"5.1.1 ", "5.1.2 ", "5.1.3 ", "5.1.6 ", "5.1.10 ", "5.2.1 "};
	const char *enhanced = strlen(reply) > 4 ? reply + 4 : "";

	if (strncmp(enhanced, "5.", 2) != 0)
		return status == 550 || status == 551 || status == 553;
	for (size_t i = 0; i < sizeof codes / sizeof codes[0]; i++)
		if (strncmp(enhanced, codes[i], strlen(codes[i])) == 0)
			return true;
	return false;
}

/* Derives the outcome from the class of the reply, 4xx or 5xx (RFC 5321 section 4.2.1). A refusal
 * of any command except RCPT and DATA is about us, so no mail can be sent at present. */
static enum eds_relay_outcome outcome_of(const struct eds_relay *relay, CURLcode code, int status)
{
	bool rcpt = strcmp(relay->verb, "RCPT") == 0;
	bool data = strcmp(relay->verb, "DATA") == 0;

	if (code == CURLE_OK)
		return EDS_RELAY_TAKEN;
	if (status < 400 || status == 421 || (!rcpt && !data))
		return EDS_RELAY_AWAY;
	if (status < 500 || (rcpt && !is_about_address(relay->reply, status)))
		return EDS_RELAY_LATER;
	return rcpt ? EDS_RELAY_REFUSED : EDS_RELAY_FAILED;
}

void eds_relay_send(
	struct eds_relay *relay, const struct eds_relay_mail *mail, struct eds_relay_answer *answer)
{
	struct curl_slist *recipients;
	CURLcode code;

	relay->mail = mail;
	relay->sent = 0;
	relay->quits = false;
	relay->verb[0] = '\0';
	relay->reply[0] = '\0';
	relay->detail[0] = '\0';
	curl_easy_reset(relay->easy); /* the connection to the relay stays open */
	set_way(relay);
	recipients = set_mail(relay);
	code = recipients != NULL ? curl_easy_perform(relay->easy) : CURLE_OUT_OF_MEMORY;
	curl_slist_free_all(recipients);
	answer->status = code_of(relay->reply);
	answer->outcome = outcome_of(relay, code, answer->status);
	answer->reply = relay->reply;
	answer->detail = relay->detail[0] != '\0' ? relay->detail : curl_easy_strerror(code);
}
