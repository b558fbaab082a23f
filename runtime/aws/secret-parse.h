/* Parses the ARN of a secret and the answer of Secrets Manager. */
#ifndef RT_AWS_SECRET_PARSE_H
#define RT_AWS_SECRET_PARSE_H

#include "runtime/aws/secret.h"

/* True if the first length octets are a complete ARN of a secret; other text may follow them, if it
 * begins with a character that a name cannot have. */
bool aws_secret_arn_is_valid(const char *arn, size_t length);

/* The region of a valid ARN, in the event's memory. */
char *aws_secret_region(struct rt_ctx *ctx, const char *arn);

/* The member SecretString of an answer; NULL when there is none, for example because the secret is
 * binary. */
char *aws_secret_text(struct rt_ctx *ctx, const char *answer, size_t length);

/* The name of the error in an answer: only letters, without a namespace prefix; "" when the answer
 * names none. */
void aws_secret_error(const char *answer, size_t length, char type[AWS_SECRET_ERROR_MAX + 1]);

#endif
