/* A secret of AWS Secrets Manager, read by GetSecretValue with the credentials of the function's
 * role:
 *
 *     POST / HTTP/1.1
 *     Host: secretsmanager.eu-central-1.amazonaws.com
 *     X-Amz-Target: secretsmanager.GetSecretValue
 *
 *     {"SecretId":"arn:aws:secretsmanager:eu-central-1:111122223333:secret:eds-database-a1B2c3"}
 *
 * The region is the secret's own. AWS_ENDPOINT_URL_SECRETS_MANAGER or AWS_ENDPOINT_URL names
 * another server. What a secret holds stands in no failure and in no log.
 */
#ifndef RT_AWS_SECRET_H
#define RT_AWS_SECRET_H

#include "runtime/aws/credentials.h"
#include "runtime/aws/endpoint.h"

enum {
	AWS_SECRET_ARN_MAX = 640,
	AWS_SECRET_ERROR_MAX = 64,
	AWS_SECRET_TRY_MS = 3000, /* for one of two tries */
};

/* A whole ARN of a secret; with its length, as something else may stand behind it. */
bool aws_secret_arn_is_valid(const char *arn, size_t length);

/* The secret's text, in the event's memory. The service's name is "secretsmanager". Tried twice
 * when the network or the server fails. Else the service's failure, RT_TEMPORARY, which says what
 * Secrets Manager refuses. */
RT_MUST_USE rt_status aws_secret_get(
	struct rt_ctx *ctx, const struct aws_service *service, const char *arn, const char **text);

/* For it, and for tests of what it reads. Of a valid ARN, in the event's memory. */
char *aws_secret_region(struct rt_ctx *ctx, const char *arn);
/* SecretString of an answer; NULL when there is none, as of a secret that is octets. */
char *aws_secret_text(struct rt_ctx *ctx, const char *answer, size_t length);
/* The error's name, letters alone, without the namespace that may stand before it; "" without. */
void aws_secret_error(const char *answer, size_t length, char type[AWS_SECRET_ERROR_MAX + 1]);

#endif
