/* Writes the event of a message that a function has stored: a notification of S3 with the message
 * as its object. */
#ifndef HOST_EVENT_STORED_H
#define HOST_EVENT_STORED_H

#include "runtime/buffer.h"

/* Replaces the content of the buffer by the event. message_id: the id of the stored message; the id
 * must have no character that JSON escapes. */
void event_stored_write(struct rt_buffer *event, const char *message_id);

#endif
