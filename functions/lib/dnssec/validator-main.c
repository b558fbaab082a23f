/* eds-validator: checks whether names in DNS are signed and their signatures are valid (dnssec.h).
 * wire.h describes its questions and answers. No other program uses libunbound.
 *
 * libunbound also reports bogus for records that it could not fetch. So a bogus answer is checked
 * again: first by a question for the keys of the trust anchor, then by questions for the missing
 * keys (DNSKEY records of the zone, and DS records in its parent).
 */
#include <errno.h>
#include <event2/event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include <unbound-event.h>
#include <unbound.h>

#include "functions/lib/dnssec/wire.h"
#include "functions/lib/sandbox/confine-network.h"
#include "runtime/kernel.h"

enum {
	CLASS_IN = 1,
	TYPE_DS = 43,
	TYPE_DNSKEY = 48,
	NXDOMAIN = 3,
	RCODE_AT = 3, /* offset of the response code in a DNS message; the code is in the low half
		       * of this octet */
	HEADER_BYTES = 12,
	NAME_BYTES_MAX = 256,
	SEC_BOGUS = 1, /* libunbound's number for "bogus" */
	SEC_SECURE = 2,
};

/* A question in progress. */
struct open {
	uint32_t number;
	char name[NAME_BYTES_MAX]; /* the name asked; after a bogus answer, the name with missing
				      keys */
	char why[EDS_DNSSEC_WHY_MAX + 1]; /* reason of a bogus answer */
};

static struct {
	struct event_base *base;
	struct ub_ctx *unbound;
	char anchor[NAME_BYTES_MAX]; /* the name of the trust anchor */
	struct open open[EDS_VALIDATOR_OPEN_MAX];
} program;

static const char *const options[][2] = {
	{"module-config:", "validator iterator"},
	{"do-not-query-localhost:", "no"}, /* allows a resolver on this machine */
	{"msg-cache-size:", "4m"},
	{"rrset-cache-size:", "8m"},
	{"key-cache-size:", "4m"},
	{"neg-cache-size:", "1m"},
	{"val-bogus-ttl:", "30"}, /* how long a bogus answer is cached, in seconds: short, as the
				   * owner may be correcting the zone */
	{"cache-max-ttl:", "300"},
	{"cache-max-negative-ttl:", "60"},
	{"trust-anchor-signaling:", "no"},
	/* A name in somebody else's zone can make the resolver hang. The library would then rate
	 * the resolver as slow or dead, and stop asking it for other names, too. With these
	 * settings the library forgets the rating after a second, waits equally long for each name,
	 * and gives up in about the time that a check takes. */
	{"infra-host-ttl:", "1"},
	{"infra-cache-min-rtt:", "1000"},
	{"unknown-server-time-limit:", "1000"},
	{"outbound-msg-retry:", "3"},
	{"outgoing-range:", "448"},
	{"num-queries-per-thread:", "1024"},
};

static void say(const char *text)
{
	if (send(EDS_VALIDATOR_FD, text, strlen(text), MSG_NOSIGNAL) < 0)
		_exit(0);
}

static void answer(uint32_t number, enum eds_dnssec_state state, const char *why)
{
	char text[EDS_VALIDATOR_MESSAGE_MAX];

	snprintf(text, sizeof text, "%u %s %.*s", number, eds_dnssec_state_name(state),
		EDS_DNSSEC_WHY_MAX, why != NULL ? why : "");
	say(text);
}

/* For a cached failure the library sets the response code only in the message, so both its argument
 * rcode and the code in the message are checked. */
static bool is_answered(int rcode, const void *packet, int length)
{
	const uint8_t *bytes = packet;
	int said = length >= HEADER_BYTES ? bytes[RCODE_AT] & 15 : -1;

	return (rcode == 0 || rcode == NXDOMAIN) && (said == 0 || said == NXDOMAIN);
}

static bool ask(struct open *open, const char *name, int type, ub_event_callback_type callback)
{
	return ub_resolve_event(program.unbound, name, type, CLASS_IN, open, callback, NULL) == 0;
}

/* Takes the answer to the last question about the missing keys. If there is an answer, even a bogus
 * one, the keys can be fetched, so the name in the original question is bogus. Without an answer
 * the state of the name is unknown. */
static void take_last(
	void *arg, int rcode, void *packet, int length, int sec, char *why, int limited)
{
	const struct open *open = arg;

	(void)why;
	(void)limited;
	if (sec == SEC_BOGUS || is_answered(rcode, packet, length))
		answer(open->number, EDS_DNSSEC_BOGUS, open->why);
	else
		answer(open->number, EDS_DNSSEC_UNKNOWN, NULL);
}

static void take_keys(
	void *arg, int rcode, void *packet, int length, int sec, char *why, int limited)
{
	struct open *open = arg;

	if ((sec != SEC_BOGUS && !is_answered(rcode, packet, length)) ||
		strcmp(open->name, program.anchor) == 0)
		take_last(open, rcode, packet, length, sec, why, limited);
	else if (!ask(open, open->name, TYPE_DS, take_last))
		answer(open->number, EDS_DNSSEC_UNKNOWN, NULL);
}

/* Reads the name whose keys are missing, if libunbound's text about the bogus answer has such a
 * name. */
static void read_missed_name(struct open *open)
{
	static const char *const words[] = {" for key ", " for DS ", ": key for validation "};

	for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
		const char *at = strstr(open->why, words[i]);

		if (at == NULL)
			continue;
		at += strlen(words[i]);
		snprintf(open->name, sizeof open->name, "%.*s", (int)strcspn(at, " "), at);
		return;
	}
}

/* A resolver that passes on no signatures makes all names look bogus, even the trust anchor. So an
 * anchor that does not validate means that the resolver cannot pass on signatures, not that the
 * name is bogus. */
static void take_anchor(
	void *arg, int rcode, void *packet, int length, int sec, char *why, int limited)
{
	struct open *open = arg;

	(void)rcode;
	(void)packet;
	(void)length;
	(void)why;
	(void)limited;
	if (sec != SEC_SECURE) {
		answer(open->number, EDS_DNSSEC_UNABLE, NULL);
		return;
	}
	read_missed_name(open);
	if (!ask(open, open->name, TYPE_DNSKEY, take_keys))
		answer(open->number, EDS_DNSSEC_UNKNOWN, NULL);
}

static void take_result(
	void *arg, int rcode, void *packet, int length, int sec, char *why, int limited)
{
	struct open *open = arg;

	(void)limited;
	if (sec == SEC_BOGUS) {
		snprintf(open->why, sizeof open->why, "%s", why != NULL ? why : "");
		if (!ask(open, program.anchor, TYPE_DNSKEY, take_anchor))
			answer(open->number, EDS_DNSSEC_UNKNOWN, NULL);
	} else if (!is_answered(rcode, packet, length)) {
		answer(open->number, EDS_DNSSEC_UNKNOWN, NULL);
	} else {
		answer(open->number, sec == SEC_SECURE ? EDS_DNSSEC_SECURE : EDS_DNSSEC_INSECURE,
			NULL);
	}
}

static void take_question(char *text)
{
	char *end;
	struct open *open;
	unsigned long number = strtoul(text, &end, 10);
	long type = strtol(end, &end, 10);

	if (*end != ' ' || number >= EDS_VALIDATOR_OPEN_MAX)
		return;
	open = &program.open[number];
	open->number = (uint32_t)number;
	snprintf(open->name, sizeof open->name, "%s", end + 1);
	if (!ask(open, open->name, (int)type, take_result))
		answer((uint32_t)number, EDS_DNSSEC_UNKNOWN, NULL);
}

static void on_question(evutil_socket_t fd, short what, void *arg)
{
	char text[EDS_VALIDATOR_MESSAGE_MAX];
	ssize_t got = recv((int)fd, text, sizeof text - 1, MSG_DONTWAIT);

	(void)what;
	(void)arg;
	if (got < 0 && (errno == EAGAIN || errno == EINTR))
		return;
	if (got <= 0)
		_exit(0); /* the parent has ended */
	text[got] = '\0';
	take_question(text);
}

/* Sets the servers that the line names; if it names none, the system's servers apply. */
static bool set_servers(char *line)
{
	char *rest;
	char *server = strtok_r(line, " ", &rest);

	if (server == NULL)
		return ub_ctx_resolvconf(program.unbound, NULL) == 0;
	for (; server != NULL; server = strtok_r(NULL, " ", &rest))
		if (ub_ctx_set_fwd(program.unbound, server) != 0)
			return false;
	return true;
}

/* True for a blank line, a comment and a directive: anchor files often begin with them. */
static bool is_remark(const char *line)
{
	return line[strspn(line, " \t\r")] == '\0' || strchr(";#$", line[0]) != NULL;
}

static bool set_anchors(char *lines)
{
	char *rest;

	for (char *line = strtok_r(lines, "\n", &rest); line != NULL;
		line = strtok_r(NULL, "\n", &rest)) {
		if (is_remark(line))
			continue;
		if (program.anchor[0] == '\0')
			snprintf(program.anchor, sizeof program.anchor, "%.*s",
				(int)strcspn(line, " \t"), line);
		if (ub_ctx_add_ta(program.unbound, line) != 0)
			return false;
	}
	return program.anchor[0] != '\0';
}

/* Makes libunbound read the settings and the anchors now, by a call that changes nothing. Otherwise
 * libunbound would read them at the first question, and an error would make every question fail. */
static bool reads_settings(void)
{
	return ub_ctx_data_remove(program.unbound, program.anchor) == 0;
}

static bool set_up(char *text)
{
	char *sandbox = strchr(text, '\n');
	char *anchors = sandbox != NULL ? strchr(sandbox + 1, '\n') : NULL;
	const char *level;

	if (anchors == NULL)
		return false;
	*sandbox++ = '\0';
	*anchors++ = '\0';
	for (size_t i = 0; i < sizeof options / sizeof options[0]; i++)
		if (ub_ctx_set_option(program.unbound, options[i][0], options[i][1]) != 0)
			return false;
	if (!set_servers(text) || !set_anchors(anchors) || !reads_settings())
		return false;
	level = eds_confine_network(sandbox);
	if (level == NULL)
		return false;
	snprintf(text, EDS_VALIDATOR_MESSAGE_MAX, "ready %s", level);
	say(text);
	return true;
}

int main(void)
{
	static char setup[EDS_VALIDATOR_SETUP_MAX + 1];
	ssize_t got = recv(EDS_VALIDATOR_FD, setup, sizeof setup - 1, 0);
	struct event *questions;

	(void)rt_end_with(getppid()); /* the kernel ends this process with its parent, even while it
				       * checks expensive keys */
	program.base = event_base_new();
	program.unbound = program.base != NULL ? ub_ctx_create_event(program.base) : NULL;
	if (got <= 0 || program.unbound == NULL || !set_up(setup))
		return EXIT_FAILURE;
	questions = event_new(
		program.base, EDS_VALIDATOR_FD, EV_READ | EV_PERSIST, on_question, NULL);
	if (questions == NULL || event_add(questions, NULL) != 0)
		return EXIT_FAILURE;
	event_base_dispatch(program.base);
	return EXIT_FAILURE;
}
