/* The credentials that requests to S3 are signed with, from where the platform has them:
 *
 * 1. AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY, AWS_SESSION_TOKEN (AWS Lambda sets them);
 * 2. the container's endpoint, AWS_CONTAINER_CREDENTIALS_RELATIVE_URI (on 169.254.170.2) or
 *    AWS_CONTAINER_CREDENTIALS_FULL_URI, with AWS_CONTAINER_AUTHORIZATION_TOKEN or _TOKEN_FILE;
 * 3. the instance's metadata service (IMDSv2), unless AWS_EC2_METADATA_DISABLED=true, on
 *    169.254.169.254 or AWS_EC2_METADATA_SERVICE_ENDPOINT.
 *
 * Those of 2 and 3 come as {"AccessKeyId", "SecretAccessKey", "Token", "Expiration"}, are kept for
 * the process, and are asked for anew some minutes before they expire. None is ever logged.
 */
#ifndef RT_S3_CREDENTIALS_H
#define RT_S3_CREDENTIALS_H

#include "runtime/ctx.h"

enum {
	S3_KEY_ID_MAX = 128,
	S3_SECRET_MAX = 256,
	S3_TOKEN_MAX = 8192,
	S3_RENEW_BEFORE_MS = 5 * 60 * 1000,
};

struct s3_credentials {
	char id[S3_KEY_ID_MAX + 1];
	char secret[S3_SECRET_MAX + 1];
	char token[S3_TOKEN_MAX + 1]; /* "" for none */
	int64_t expires_at_ms;        /* epoch; 0 for never */
};

/* A copy for one request. renew: the former were refused as expired. RT_TEMPORARY
 * "mail-store-failed" when there are none. */
RT_MUST_USE rt_status s3_credentials_get(
	struct rt_ctx *ctx, bool renew, struct s3_credentials *credentials);

/* Reads the JSON of a container's endpoint or of the metadata service. */
bool s3_credentials_parse(const char *text, size_t length, struct s3_credentials *credentials);

/* Whether a token may be sent there: https, or http to the machine itself or to the addresses that
 * the platforms use. */
bool s3_credentials_url_is_safe(const char *url);

#endif
