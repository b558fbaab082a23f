/* The protocol between a function and its validator (validator-main.c): messages over a socket that
 * preserves message boundaries.
 *
 *     function    "127.0.0.1@53 ::1@53\nrequired\n. DS 20326 8 2 e06d…\n"   once, first
 *     validator   "ready filter"
 *     function    "17 6 example.com"                 a question: its number, type and name
 *     validator   "17 bogus signature expired …"     its answer
 *
 * The first message has the DNS servers, the value of EDS_SANDBOX and the trust anchors. "ready"
 * is followed by the way in which the validator is confined.
 *
 * The validator reads hostile octets, so its answers are checked as strictly as those octets.
 */
#ifndef EDS_DNSSEC_WIRE_H
#define EDS_DNSSEC_WIRE_H

#include "functions/lib/dnssec/dnssec.h"

enum {
	EDS_VALIDATOR_FD = 3, /* descriptor of the socket in the validator */
	EDS_VALIDATOR_SETUP_MAX = 20 * 1024,
	EDS_VALIDATOR_MESSAGE_MAX = 512,
	/* The maximum number of questions that wait for an answer: enough for all domains checked
	 * at once, each with ten mail servers that have TLSA records, and for some questions of
	 * events that have ended. */
	EDS_VALIDATOR_OPEN_MAX = 1024,
};

const char *eds_dnssec_state_name(enum eds_dnssec_state state); /* The word for a state: "secure",
								 * … */

struct eds_validator_answer {
	uint32_t number;                  /* number of the question, below EDS_VALIDATOR_OPEN_MAX */
	enum eds_dnssec_state state;      /* result of the question; not PENDING, not ABSENT */
	char why[EDS_DNSSEC_WHY_MAX + 1]; /* reason of a bogus answer, in printable ASCII; a
					   * question mark for any other octet */
};

/* Parses one answer; false when it is malformed. */
bool eds_validator_answer_read(
	const char *bytes, size_t length, struct eds_validator_answer *answer);

/* Writes "127.0.0.1@53" for "127.0.0.1:53", "::1@53" for "[::1]:53", and a bare address unchanged;
 * cut at size. */
void eds_validator_server(const char *named, size_t length, char *text, size_t size);

#endif
