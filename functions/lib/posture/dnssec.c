#include "functions/lib/dnssec/dnssec.h"

#include <string.h>

#include "functions/lib/posture/dnssec.h"
#include "functions/lib/posture/item.h"

enum { WHY_MAX = 120 };

static const char *const words[] = {
	[EDS_DNSSEC_SECURE] = "signed",
	[EDS_DNSSEC_INSECURE] = "not signed",
	[EDS_DNSSEC_BOGUS] = "signed wrongly",
};

const char *eds_look_bogus_reason(struct rt_ctx *ctx, const char *why)
{
	const char *begin = strstr(why, ">: ");
	const char *end;

	begin = begin != NULL ? begin + 3 : why;
	end = strstr(begin, " from ");
	return rt_printf(ctx, "%.*s",
		end != NULL && end - begin < WHY_MAX ? (int)(end - begin) : WHY_MAX, begin);
}

static void show(struct eds_look *look, const struct eds_dnssec_answer *answer)
{
	const char *line;

	if (answer->state != EDS_DNSSEC_SECURE && answer->state != EDS_DNSSEC_INSECURE &&
		answer->state != EDS_DNSSEC_BOGUS)
		return;
	line = rt_printf(look->ctx, "%s %s", answer->name, words[answer->state]);
	eds_look_show(look, line, strlen(line));
}

/* Adds the reason why the result is unknown. Without a validator, or without a resolver that passes
 * on signatures, the result is unknown for every domain; the item then does not make the state of
 * this domain unknown. */
static void say_unknown(struct eds_look *look, const struct eds_dnssec_answer *answer)
{
	if (answer->state == EDS_DNSSEC_UNABLE)
		eds_look_find(look, EDS_POSTURE_UNKNOWN, "dnssec-not-handed-on",
			"The operator of this service must configure a resolver that passes on "
			"DNSSEC signatures.",
			"The resolver of this service does not pass on the signed keys with which "
			"DNSSEC validation begins, so it is not known whether %s is signed.",
			answer->name);
	else if (answer->state == EDS_DNSSEC_ABSENT)
		eds_look_find(look, EDS_POSTURE_UNKNOWN, "dnssec-not-validated",
			"Try again in a moment; if this persists, the operator of this service "
			"finds the reason in its log.",
			"The program of this service that validates DNSSEC is not running, so it is not known "
			"whether %s is signed.",
			answer->name);
	else
		eds_look_find(look, EDS_POSTURE_UNKNOWN, "dnssec-unanswered",
			"Try again in a moment; if this persists, check the name servers "
			"responsible for this name.",
			"Whether %s is signed with DNSSEC could not be found out in time.",
			answer->name);
	if (answer->state == EDS_DNSSEC_UNABLE || answer->state == EDS_DNSSEC_ABSENT)
		look->item->aside = true;
}

static void say_zone(struct eds_look *look, const struct eds_dnssec_answer *answer)
{
	switch (answer->state) {
	case EDS_DNSSEC_SECURE:
		break;
	case EDS_DNSSEC_INSECURE:
		eds_look_find(look, EDS_POSTURE_OK, "dnssec-unsigned",
			"Sign the zone, and have the registrar publish its DS record.",
			"%s is not signed with DNSSEC, so its records can be forged in transit.",
			answer->name);
		break;
	case EDS_DNSSEC_BOGUS:
		eds_look_find(look, EDS_POSTURE_ERROR, "dnssec-bogus",
			"Sign the zone again, or have the registrar correct or remove its DS "
			"record.",
			"The DNSSEC signatures of %s are not valid (%s): validating resolvers "
			"give no answer, and mail is lost.",
			answer->name, eds_look_bogus_reason(look->ctx, answer->why));
		break;
	default:
		say_unknown(look, answer);
	}
}

static void say_exchange(struct eds_look *look, const struct eds_dnssec_answer *answer)
{
	switch (answer->state) {
	case EDS_DNSSEC_SECURE:
		break;
	case EDS_DNSSEC_INSECURE:
		eds_look_find(look, EDS_POSTURE_OK, "dnssec-mx-unsigned", "",
			"The mail server %s is in a zone that is not signed with DNSSEC, so DANE "
			"cannot protect it.",
			answer->name);
		break;
	case EDS_DNSSEC_BOGUS:
		eds_look_find(look, EDS_POSTURE_ERROR, "dnssec-mx-bogus",
			"The operator of the server's zone must sign the zone again or correct its "
			"DS record.",
			"The DNSSEC signatures of the mail server %s are not valid (%s): mail "
			"from senders that validate signatures is delayed.",
			answer->name, eds_look_bogus_reason(look->ctx, answer->why));
		break;
	default:
		say_unknown(look, answer);
	}
}

/* True when no name at all can be validated, so that one finding is enough. */
static bool is_hopeless(const struct eds_dnssec_answer *answer)
{
	return answer->state == EDS_DNSSEC_UNABLE || answer->state == EDS_DNSSEC_ABSENT;
}

/* False for a server without an address, because nobody needs signatures for it. A server also
 * seems to have no address when its name belongs to the operator's own network and is hidden from
 * accounts (own-names.h); the validator must not look up such a name. */
static bool may_exist(const struct eds_mx_exchange *exchange)
{
	return exchange->name[0] != '\0' && (exchange->exists || exchange->unknown);
}

void eds_look_dnssec(struct eds_look *look)
{
	struct eds_dnssec *dnssec = look->question->dnssec;
	const struct eds_dnssec_answer *answer;

	if (dnssec == NULL) {
		look->item->left_out = true;
		return;
	}
	answer = eds_dnssec_ask(dnssec, look->domain, EDS_DNSSEC_ZONE);
	show(look, answer);
	say_zone(look, answer);
	for (size_t i = 0; i < look->mx.count && !is_hopeless(answer); i++) {
		const struct eds_dnssec_answer *host;

		if (!may_exist(&look->mx.exchanges[i]))
			continue;
		host = eds_dnssec_ask(dnssec, look->mx.exchanges[i].name, EDS_DNSSEC_HOST);
		show(look, host);
		say_exchange(look, host);
	}
}

bool eds_look_validates(const struct eds_look *look)
{
	return look->question->dnssec != NULL &&
		!is_hopeless(eds_dnssec_ask(look->question->dnssec, look->domain, EDS_DNSSEC_ZONE));
}
