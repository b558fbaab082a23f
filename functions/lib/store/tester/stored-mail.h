/* The space that test mail takes in the mail store. There is a row for each analyzed message whose
 * bytes are stored. There are sums of the octets of the messages from each network, and of all
 * messages; these sums change in the same transaction as the row. So the sums are correct for any
 * number of processes, and across restarts.
 *
 * A sum is split over EDS_STORED_PARTS rows, chosen by the message's id, so that concurrent writers
 * rarely wait for one another.
 */
#ifndef EDS_STORE_STORED_MAIL_H
#define EDS_STORE_STORED_MAIL_H

#include "functions/lib/network.h"
#include "functions/lib/store/store.h"

enum {
	EDS_STORED_PARTS = 16,
	EDS_STORED_BLOCK = 4096, /* octets of a block; a message takes whole blocks, as in a file
				  * system */
};

struct eds_stored_mail { /* octets of stored mail: from the client's network, from the /48 around
			  * that network, and from all clients */
	int64_t own;
	int64_t site;
	int64_t all;
};

/* Reads the space taken by the messages of these networks, and by all messages. */
RT_MUST_USE rt_status eds_store_stored_mail(struct rt_ctx *ctx, struct eds_store *store,
	const struct eds_networks *networks, struct eds_stored_mail *stored);

/* eds_store_mail_drop() records that the message was dropped, because it is too large or the quotas
 * are used up, so that a repeated event of the message is not mistaken for a lost message. The
 * record is kept until no event of the message can come any more. */
RT_MUST_USE rt_status eds_store_mail_drop(
	struct rt_ctx *ctx, struct eds_store *store, const char *message_id);
RT_MUST_USE rt_status eds_store_mail_was_dropped(
	struct rt_ctx *ctx, struct eds_store *store, const char *message_id, bool *dropped);

/* Subtracts up to EDS_EXPIRE_BATCH messages that are still counted although messages are not kept
 * for so long, for example because a program of the previous release removed their bytes. Also
 * removes old records of dropped messages. */
RT_MUST_USE rt_status eds_store_stored_mail_expire(struct rt_ctx *ctx, struct eds_store *store);

#endif
