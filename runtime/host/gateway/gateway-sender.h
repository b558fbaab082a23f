/* Who sent a request, as a key by which requests take turns (pool-turns.h).
 *
 * Of a function whose turns are by token it is a keyed hash of the bearer token. The gateway never
 * learns whose account that is, only the function does; but an account gets its tokens from the
 * operator one by one, so a token is as good. Tokens that nobody issued would be senders for free,
 * so one counts only after a function has answered it with anything but 401. Until then, and of
 * other functions, the sender is the client's address (IPv6: its /64).
 *
 * The key of the hash is the process's own and random: nobody can choose whom to share a turn with,
 * and a key tells nothing of a token.
 */
#ifndef HOST_GATEWAY_SENDER_H
#define HOST_GATEWAY_SENDER_H

#include "runtime/host/http/http.h"
#include "runtime/host/manifest.h"
#include "runtime/keyed-hash.h"

enum {
	SENDERS_KNOWN = 4096, /* tokens; of two in one place the newer is known */
};

struct gateway_senders {
	struct rt_hash_key key;
	uint64_t known[SENDERS_KNOWN];
};

void gateway_senders_init(struct gateway_senders *senders);

/* *token: the hash of the request's token to be told of with the answer; 0 without one. Never 0
 * itself. */
uint64_t gateway_sender(const struct gateway_senders *senders, const struct http_request *request,
	const struct manifest_function *function, uint64_t *token);

/* A function answered a request with this token. */
void gateway_sender_answered(struct gateway_senders *senders, uint64_t token, int status);

#endif
