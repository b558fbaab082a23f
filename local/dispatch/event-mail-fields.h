/* Reads the header fields of a message for its event (RFC 5322 section 2.2). */
#ifndef RUNNER_EVENT_MAIL_FIELDS_H
#define RUNNER_EVENT_MAIL_FIELDS_H

#include "local/dispatch/event-mail.h"

struct event_field {
	const char *name;
	const char *value; /* unfolded, without white space at both ends */
};

struct event_fields {
	struct event_field items[EVENT_MAIL_FIELDS_MAX];
	size_t count;
	/* fields were left out because of EVENT_MAIL_HEADER_BYTES_MAX or EVENT_MAIL_FIELDS_MAX */
	bool truncated;
};

/* Appends the fields of the message to `fields`; skips lines that are not a field. */
void event_fields_read(
	struct rt_ctx *ctx, const char *message, size_t length, struct event_fields *fields);

/* The value of the first field with this name; NULL when there is none. Upper and lower case of the
 * name do not matter. */
const char *event_fields_find(const struct event_fields *fields, const char *name);

#endif
