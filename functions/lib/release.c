#include "functions/lib/release.h"

#include "functions/lib/recipient.h"
#include "functions/lib/store/message-need.h"
#include "runtime/mailstore.h"

static rt_status is_needed(struct rt_ctx *ctx, struct eds_store *store,
	const struct rt_mail_event *mail, const char *recipient, bool *needed)
{
	const char *id;

	*needed = false;
	switch (eds_recipient_read(ctx, recipient, &id)) {
	case EDS_RECIPIENT_TESTER:
		return eds_store_session_needs_message(ctx, store, id, mail->message_id, needed);
	case EDS_RECIPIENT_REPORTS:
		return eds_store_domain_needs_message(ctx, store, id, mail->message_id, needed);
	case EDS_RECIPIENT_FOREIGN:
		break;
	}
	return RT_OK;
}

static rt_status anybody_needs(struct rt_ctx *ctx, struct eds_store *store,
	const struct rt_mail_event *mail, const char *const *recipients, size_t count, bool *needed)
{
	*needed = false;
	for (size_t i = 0; i < count && !*needed; i++)
		RT_TRY(is_needed(ctx, store, mail, recipients[i], needed));
	return RT_OK;
}

rt_status eds_release_message(
	struct rt_ctx *ctx, struct eds_store *store, const struct rt_mail_event *mail)
{
	bool needed;

	RT_TRY(anybody_needs(ctx, store, mail, mail->recipients, mail->recipient_count, &needed));
	if (!needed)
		RT_TRY(anybody_needs(
			ctx, store, mail, mail->destinations, mail->destination_count, &needed));
	return needed ? RT_OK : rt_mailstore_delete(ctx, mail->message_id);
}
