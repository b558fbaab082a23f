/* Encrypts texts in the database, so that only the holder of a secret can read them:
 *
 *     BASE64(text XOR stream) "." BASE64(tag)
 *
 * The stream is HMAC-SHA256 in counter mode (NIST SP 800-108r1 section 4.1), under a key derived
 * from the secret and from a name that is never used twice with the same secret. The tag is an HMAC
 * of the encrypted text, under another key derived from both. Because HMAC-SHA256 suffices for all
 * this, a program that needs no other cryptography is linked without a cryptographic library, which
 * would take longer to load than the program takes to run.
 */
#ifndef EDS_SEAL_H
#define EDS_SEAL_H

#include "runtime/ctx.h"
#include "runtime/hmac.h"

/* Encrypts the text. secret: RT_HMAC_BYTES octets that nobody can guess. */
char *eds_seal(struct rt_ctx *ctx, const uint8_t *secret, const char *name, const char *text);

/* Decrypts a sealed text; NULL when the secret or the name is not the one that the text was sealed
 * with, or the text is damaged. */
char *eds_seal_open(
	struct rt_ctx *ctx, const uint8_t *secret, const char *name, const char *sealed);

#endif
