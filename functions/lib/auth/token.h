/* The text of API tokens: `eds_`, 30 random characters of base62 (178 bits), and 6 more with their
 * CRC-32, so that a mistyped or invented token is recognized without a database query, and secret
 * scanners can recognize a real one:
 *
 *     eds_1Qx0SxcAoXnjTqAOqYJHbmCdDnnAOd3vWmkE
 */
#ifndef EDS_AUTH_TOKEN_H
#define EDS_AUTH_TOKEN_H

#include "functions/lib/store/accounts/account.h"

enum {
	EDS_TOKEN_LENGTH = 4 + 30 + 6,
};

/* Makes a new token with the kernel's random generator. */
char *eds_token_new(struct rt_ctx *ctx);

/* Checks form and checksum, not whether the token was ever issued. */
RT_MUST_USE bool eds_token_well_formed(const char *token);

/* The stored form of a token: its SHA-256 in lower-case hexadecimal. */
char *eds_token_digest(struct rt_ctx *ctx, const char *token);

#endif
