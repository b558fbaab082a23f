/* Texts that only who has a secret can read again, as they stand in the database:
 *
 *     BASE64(text XOR stream) "." BASE64(tag)
 *
 * The stream is that of HMAC-SHA256 in counter mode (NIST SP 800-108r1 section 4.1) under a key of
 * the secret and of a name that is never used twice with it; the tag is an HMAC of what stands
 * before it, under another such key. So programs that do nothing else of the kind need no
 * cryptographic library, which takes longer to load than they run.
 */
#ifndef EDS_SEAL_H
#define EDS_SEAL_H

#include "runtime/ctx.h"
#include "runtime/hmac.h"

/* secret: RT_HMAC_BYTES that nobody can guess. */
char *eds_seal(struct rt_ctx *ctx, const uint8_t *secret, const char *name, const char *text);

/* NULL for another secret or name, and for what is not whole. */
char *eds_seal_open(
	struct rt_ctx *ctx, const uint8_t *secret, const char *name, const char *sealed);

#endif
