/* What the large mailbox providers demand of mail (2026), and whether the message meets it.
 *
 *     {"provider": "gmail", "requirement": "ptr", "scope": "everyone", "state": "missed",
 *      "evidence": "The address 192.0.2.1 has no PTR record.", "advice": "Ask …"}
 *
 * Demands are judged from measurements alone. One message does not show whether its sender sends in
 * bulk (over 5,000 messages a day, counted over the organizational domain), and eds never guesses
 * it: the scope says which senders a demand concerns.
 */
#ifndef TESTER_REQUIREMENTS_H
#define TESTER_REQUIREMENTS_H

#include "functions/tester/requirements/demand.h"
#include "runtime/json.h"

struct analysis;

enum provider { PROVIDER_GMAIL, PROVIDER_YAHOO, PROVIDER_MICROSOFT, PROVIDERS };

enum requirement {
	REQUIRE_SPF_OR_DKIM,
	REQUIRE_PTR,
	REQUIRE_TLS,
	REQUIRE_FORM,
	REQUIRE_DKIM_KEY,
	REQUIRE_SPF_AND_DKIM,
	REQUIRE_DMARC_RECORD,
	REQUIRE_ALIGNMENT,
	REQUIRE_UNSUBSCRIBE,
	REQUIREMENTS
};

enum requirement_scope {
	SCOPE_NONE, /* the provider has no such demand */
	SCOPE_EVERYONE,
	SCOPE_BULK,
	SCOPE_ADVISED, /* advised to all senders; the provider refuses no mail for lack of it */
};

struct requirements {
	struct demand demands[REQUIREMENTS][PROVIDERS];
};

enum requirement_scope requirement_scope(enum requirement requirement, enum provider provider);
/* name of the requirement: "spf-or-dkim", … */
const char *requirement_name(enum requirement requirement);

/* The providers that refuse any sender's mail when it misses the requirement: "Gmail and Yahoo" or
 * "Gmail". Only for requirements with SCOPE_EVERYONE for Gmail. */
const char *requirement_refusers(enum requirement requirement);

json_t *requirements_json(struct rt_ctx *ctx, const struct requirements *requirements);

const char *demand_state_name(enum demand_state state); /* name of the state: "met", "missed", … */

#endif
