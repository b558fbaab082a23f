/* The sender of a request, as the key by which requests take turns (pool-turns.h).
 *
 * For a function whose requests take turns by token ("turns" in the manifest), the key is a keyed
 * hash of the bearer token. The gateway does not know the account of a token, only the function
 * does. But an account gets its tokens from the operator one by one, so the token may stand for the
 * account. A client could invent tokens to become many senders. So a token becomes a sender only
 * after a function has answered a request with this token, with a status other than 401. Before
 * that, and for other functions, the sender is the client's address (IPv6: its /64).
 *
 * The hash key is random for each process: no client can find a token or address with the hash of
 * another sender, and a hash reveals nothing about a token. */
#ifndef HOST_GATEWAY_SENDER_H
#define HOST_GATEWAY_SENDER_H

#include "runtime/host/http/http.h"
#include "runtime/host/manifest.h"
#include "runtime/keyed-hash.h"

enum {
	/* number of slots for remembered tokens; a token replaces an older token in the same
	 * slot */
	SENDERS_KNOWN = 4096,
};

struct gateway_senders {
	struct rt_hash_key key;
	uint64_t known[SENDERS_KNOWN];
};

void gateway_senders_init(struct gateway_senders *senders);

/* Returns the key of the request's sender, never 0. *token: the hash of the request's token, to be
 * passed to gateway_sender_answered(); 0 without a token. */
uint64_t gateway_sender(const struct gateway_senders *senders, const struct http_request *request,
	const struct manifest_function *function, uint64_t *token);

/* Notes the status with which a function answered a request with this token. */
void gateway_sender_answered(struct gateway_senders *senders, uint64_t token, int status);

#endif
