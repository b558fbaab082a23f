/* Reads the ARN of a secret and what Secrets Manager answered. */
#ifndef RT_AWS_SECRET_PARSE_H
#define RT_AWS_SECRET_PARSE_H

#include "runtime/aws/secret.h"

/* A whole ARN of a secret; with its length, as something else may stand behind it. */
bool aws_secret_arn_is_valid(const char *arn, size_t length);

/* For it, and for tests of what it reads. Of a valid ARN, in the event's memory. */
char *aws_secret_region(struct rt_ctx *ctx, const char *arn);

/* SecretString of an answer; NULL when there is none, as of a secret that is octets. */
char *aws_secret_text(struct rt_ctx *ctx, const char *answer, size_t length);

/* The error's name, letters alone, without the namespace that may stand before it; "" without. */
void aws_secret_error(const char *answer, size_t length, char type[AWS_SECRET_ERROR_MAX + 1]);

#endif
