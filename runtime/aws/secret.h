/* A secret of AWS Secrets Manager, read by GetSecretValue with the credentials of the function's
 * role:
 *
 *     POST / HTTP/1.1
 *     Host: secretsmanager.eu-central-1.amazonaws.com
 *     X-Amz-Target: secretsmanager.GetSecretValue
 *
 *     {"SecretId":"arn:aws:secretsmanager:eu-central-1:111122223333:secret:eds-database-a1B2c3"}
 *
 * The region is the one in the ARN. AWS_ENDPOINT_URL_SECRETS_MANAGER or AWS_ENDPOINT_URL names
 * another server. The content of a secret never appears in a failure or a log.
 */
#ifndef RT_AWS_SECRET_H
#define RT_AWS_SECRET_H

#include "runtime/aws/credentials.h"
#include "runtime/aws/endpoint.h"

enum {
	AWS_SECRET_ARN_MAX = 640,
	AWS_SECRET_ERROR_MAX = 64,
	AWS_SECRET_TRY_MS = 3000, /* time-out of each of the two tries */
};

/* Reads the text of the secret into the event's memory. service->name must be "secretsmanager".
 * Tries a second time when the network or the server fails, when AWS asks for fewer requests or
 * finds the clock wrong, or when AWS refuses the credentials as expired. All failures are
 * RT_TEMPORARY with the service's code; the sentence has the reason that Secrets Manager gives. */
RT_MUST_USE rt_status aws_secret_get(
	struct rt_ctx *ctx, const struct aws_service *service, const char *arn, const char **text);

#endif
