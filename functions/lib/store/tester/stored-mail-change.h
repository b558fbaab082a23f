/* Changes the sums of stored mail, within the transaction that adds or removes a message. Only the
 * files of this folder include this header. */
#ifndef EDS_STORE_STORED_MAIL_CHANGE_H
#define EDS_STORE_STORED_MAIL_CHANGE_H

#include "functions/lib/store/tester/stored-mail.h"
#include "functions/lib/store/transaction.h"

/* Adds a message to the sums; further calls for the same message change nothing. */
RT_MUST_USE rt_status eds_store_mail_kept(struct rt_ctx *ctx, struct eds_store *store,
	const char *message_id, const struct eds_networks *networks, size_t octets);

/* Subtracts from the sums a message whose bytes have been deleted. */
RT_MUST_USE rt_status eds_store_mail_gone(
	struct rt_ctx *ctx, struct eds_store *store, const char *message_id);

#endif
