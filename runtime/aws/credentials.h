/* The credentials for signing requests to AWS, from the first of these sources that the platform
 * offers:
 *
 * 1. AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY, AWS_SESSION_TOKEN (AWS Lambda sets them);
 * 2. the container's endpoint, AWS_CONTAINER_CREDENTIALS_RELATIVE_URI (on 169.254.170.2) or
 *    AWS_CONTAINER_CREDENTIALS_FULL_URI, with AWS_CONTAINER_AUTHORIZATION_TOKEN or _TOKEN_FILE;
 * 3. the instance's metadata service (IMDSv2), unless AWS_EC2_METADATA_DISABLED=true, on
 *    169.254.169.254 or AWS_EC2_METADATA_SERVICE_ENDPOINT.
 *
 * Sources 2 and 3 answer with {"AccessKeyId", "SecretAccessKey", "Token", "Expiration"}. The
 * process keeps these credentials. It requests new ones when they are needed and expire within
 * AWS_RENEW_BEFORE_MS. Credentials are never logged.
 */
#ifndef RT_AWS_CREDENTIALS_H
#define RT_AWS_CREDENTIALS_H

#include "runtime/ctx.h"

enum {
	AWS_KEY_ID_MAX = 128,
	AWS_SECRET_MAX = 256,
	AWS_TOKEN_MAX = 8192,
	AWS_RENEW_BEFORE_MS = 5 * 60 * 1000,
};

struct aws_credentials {
	char id[AWS_KEY_ID_MAX + 1];
	char secret[AWS_SECRET_MAX + 1];
	char token[AWS_TOKEN_MAX + 1]; /* session token; "" for none */
	int64_t expires_at_ms;         /* when the credentials expire, epoch ms; 0: never */
};

/* The service that a request is signed for, and its names in failures. */
struct aws_service {
	const char *name;   /* name in the signature: "s3" */
	const char *what;   /* name in an error sentence: "the mail store" */
	const char *failed; /* code of a failure: "mail-store-failed" */
};

/* Gives a copy of the current credentials. renew: true after AWS refused the previous ones as
 * expired; without effect on those of source 1. Fails with RT_TEMPORARY and the service's code when
 * there are no credentials. */
RT_MUST_USE rt_status aws_credentials_get(struct rt_ctx *ctx, const struct aws_service *service,
	bool renew, struct aws_credentials *credentials);

#endif
