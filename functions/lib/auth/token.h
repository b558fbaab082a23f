/* The text of API tokens: `eds_`, 30 random characters of base62 (178 bits), and 6 more of their
 * CRC-32, so that a mistyped or made-up token is told without asking the database, and scanners of
 * leaked secrets know a real one:
 *
 *     eds_1Qx0SxcAoXnjTqAOqYJHbmCdDnnAOd3vWmkE
 */
#ifndef EDS_AUTH_TOKEN_H
#define EDS_AUTH_TOKEN_H

#include "functions/lib/store/accounts/account.h"

enum {
	EDS_TOKEN_LENGTH = 4 + 30 + 6,
};

/* A new one, from the kernel's generator. */
char *eds_token_new(struct rt_ctx *ctx);

/* Form and checksum; says nothing about whether anybody was given it. */
RT_MUST_USE bool eds_token_well_formed(const char *token);

/* What is stored of it: the SHA-256 in lower-case hexadecimal. */
char *eds_token_digest(struct rt_ctx *ctx, const char *token);

#endif
