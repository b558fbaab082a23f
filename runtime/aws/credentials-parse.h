/* Parses the answer of a source of AWS credentials. */
#ifndef RT_AWS_CREDENTIALS_PARSE_H
#define RT_AWS_CREDENTIALS_PARSE_H

#include "runtime/aws/credentials.h"

/* Parses the JSON of a container's endpoint or of the metadata service; false when it has no valid
 * credentials. */
bool aws_credentials_parse(const char *text, size_t length, struct aws_credentials *credentials);

/* True if a token may be sent to the URL. That is allowed for every https URL, and for an http URL
 * whose host is this machine or one of the addresses at which AWS gives credentials to containers.
 */
bool aws_credentials_url_is_safe(const char *url);

#endif
