#include "functions/lib/release.h"

#include <string.h>

#include "functions/lib/recipient.h"
#include "functions/lib/store/tester/message-need.h"
#include "runtime/mail-store/mailstore.h"

struct release {
	struct eds_store *store;
	const struct rt_mail_event *mail;
	const struct eds_domain *domains; /* domains whose copy of the message was read */
	size_t count;
};

static bool has_read(const struct release *release, const char *id)
{
	for (size_t i = 0; i < release->count; i++)
		if (strcmp(release->domains[i].id, id) == 0)
			return true;
	return false;
}

static rt_status is_needed(
	struct rt_ctx *ctx, const struct release *release, const char *recipient, bool *needed)
{
	const char *message_id = release->mail->message_id;
	const char *id;

	*needed = false;
	switch (eds_recipient_read(ctx, recipient, &id)) {
	case EDS_RECIPIENT_TESTER:
		return eds_store_session_needs_message(ctx, release->store, id, message_id, needed);
	case EDS_RECIPIENT_REPORTS:
		if (has_read(release, id))
			return RT_OK;
		return eds_store_domain_needs_message(ctx, release->store, id, message_id, needed);
	case EDS_RECIPIENT_FOREIGN:
		break;
	}
	return RT_OK;
}

static rt_status anybody_needs(struct rt_ctx *ctx, const struct release *release,
	const char *const *recipients, size_t count, bool *needed)
{
	*needed = false;
	for (size_t i = 0; i < count && !*needed; i++)
		RT_TRY(is_needed(ctx, release, recipients[i], needed));
	return RT_OK;
}

rt_status eds_release_message_read(struct rt_ctx *ctx, struct eds_store *store,
	const struct rt_mail_event *mail, const struct eds_domain *domains, size_t count)
{
	const struct release release = {
		.store = store, .mail = mail, .domains = domains, .count = count};
	bool needed;

	RT_TRY(anybody_needs(ctx, &release, mail->recipients, mail->recipient_count, &needed));
	if (!needed)
		RT_TRY(anybody_needs(
			ctx, &release, mail->destinations, mail->destination_count, &needed));
	return needed ? RT_OK : rt_mailstore_delete(ctx, mail->message_id);
}

rt_status eds_release_message(
	struct rt_ctx *ctx, struct eds_store *store, const struct rt_mail_event *mail)
{
	return eds_release_message_read(ctx, store, mail, NULL, 0);
}
