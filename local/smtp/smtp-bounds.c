#include <stdio.h>

#include "local/smtp/smtp-bounds.h"
#include "local/smtp/smtp-session-state.h"
#include "local/smtp/smtp-transaction.h"

static const char network_full[] =
	"452 4.3.1 mail from your network has used up its share of the mail storage here, try "
	"again later";
static const char *const full[HELD_LEVELS] = {
	[HELD_NETWORK] = network_full,
	[HELD_SITE] = network_full,
	[HELD_ALL] = "452 4.3.1 the mail storage is full, try again later",
};

void smtp_bounds_ask(struct smtp_session *session)
{
	struct smtp_mail envelope = {0};
	bool named = smtp_client_named(session);

	smtp_fill_envelope(session, &envelope);
	snprintf(session->asked_for, sizeof session->asked_for, "%s",
		named ? envelope.client_ip : "");
	if (session->settings.held == NULL)
		return;
	/* If there is no memory for the claim, the quota does not limit this message. That is
	 * acceptable: storing the message needs memory too and most likely fails. */
	if (session->claim.held == NULL &&
		!held_claim_begin(
			&session->claim, session->settings.held, envelope.client_ip, named))
		return;
	held_claim_ask(&session->claim);
}

void smtp_session_bounds(struct smtp_session *session, const struct smtp_bounds *bounds)
{
	session->bounds = *bounds;
}

static bool refuse(struct smtp_session *session, size_t max)
{
	enum held_level whose;
	uint64_t room = held_claim_room(&session->claim, &whose);

	if (max > 0 && session->declared > max)
		smtp_refuse_mail(session, true,
			"552 5.3.4 a message to this address may have %zu octets at most", max);
	else if (room == 0 || session->declared > room)
		smtp_refuse_mail(session, false, "%s", full[whose]);
	else
		return false;
	return true;
}

bool smtp_bounds_admit(struct smtp_session *session)
{
	const struct smtp_bounds bounds = session->bounds;
	const struct held_claim before = session->claim;

	session->bounds = (struct smtp_bounds){0};
	held_claim_answer(&session->claim, bounds.stored);
	if (refuse(session, bounds.max_bytes)) {
		/* The limits of a refused recipient must not apply to the other recipients. */
		if (session->claim.held != NULL)
			session->claim = before;
		return false;
	}
	if (bounds.max_bytes > 0 &&
		(session->max_bytes == 0 || bounds.max_bytes < session->max_bytes))
		session->max_bytes = bounds.max_bytes;
	return true;
}

size_t smtp_bounds_max(const struct smtp_session *session)
{
	size_t max = session->settings.budget->message_max;

	return session->max_bytes > 0 && session->max_bytes < max ? session->max_bytes : max;
}

void smtp_bounds_data(struct smtp_session *session)
{
	enum held_level whose;
	uint64_t room = held_claim_room(&session->claim, &whose);

	session->data.max = smtp_bounds_max(session);
	if (room < session->data.room)
		session->data.room = room;
}

bool smtp_bounds_take(struct smtp_session *session)
{
	size_t octets = session->data.given + session->data.length;
	enum held_level whose;

	if (octets > held_claim_room(&session->claim, &whose))
		return false;
	held_claim_take(&session->claim, octets);
	return true;
}

const char *smtp_bounds_full(const struct smtp_session *session)
{
	enum held_level whose;

	(void)held_claim_room(&session->claim, &whose);
	return full[whose];
}

void smtp_bounds_forget(struct smtp_session *session)
{
	session->declared = session->max_bytes = 0;
	session->bounds = (struct smtp_bounds){0};
	held_claim_end(&session->claim);
}
