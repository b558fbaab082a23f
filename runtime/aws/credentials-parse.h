/* Reads what a source of AWS credentials answered. */
#ifndef RT_AWS_CREDENTIALS_PARSE_H
#define RT_AWS_CREDENTIALS_PARSE_H

#include "runtime/aws/credentials.h"

/* Reads the JSON of a container's endpoint or of the metadata service. */
bool aws_credentials_parse(const char *text, size_t length, struct aws_credentials *credentials);

/* Whether a token may be sent there: https, or http to the machine itself or to the addresses that
 * the platforms use. */
bool aws_credentials_url_is_safe(const char *url);

#endif
