/* One message with its envelope, in the format of a spool segment.
 *
 *     "EDSMAIL1"  u32 bytes of fields  u32 bytes of message  SHA-256  fields  message
 *
 * The checksum covers both lengths, the fields and the message, in this order. In a record that
 * begins with "EDSMAIL2" the checksum covers the message first, so that it can be computed while
 * the message is being received.
 *
 * Fields are texts, each ended by NUL: receivedAt, client, HELO, MAIL FROM, TLS, protocol, number
 * of targets, and for each target its function, its messageId, the number of its recipients and the
 * recipients. A record that was truncated or altered does not match its checksum and is ignored.
 */
#ifndef RUNNER_SPOOL_RECORD_H
#define RUNNER_SPOOL_RECORD_H

#include <openssl/evp.h>

#include "runtime/ctx.h"

enum {
	SPOOL_RECORD_HEAD_BYTES = 8 + 4 + 4 + 32,
	SPOOL_FIELDS_BYTES_MAX = 128 * 1024,
	SPOOL_MESSAGE_BYTES_MAX = 16 * 1024 * 1024,
	SPOOL_TARGETS_MAX = 100,
};

/* One function that gets the message. The function gets its own copy, for the recipients that are
 * listed here. */
struct spool_target {
	const char *function;
	const char *message_id;
	const char **recipients;
	size_t recipient_count;
};

struct spool_mail {
	int64_t received_at_ms;
	const char *client_ip; /* address of the client; "" when not known */
	const char *helo;
	const char *mail_from; /* envelope sender; "" for <> */
	const char *tls;       /* TLS version and cipher, or "none"; "" when not known */
	const char *protocol;  /* SMTP variant for the Received field: "ESMTP" */
	struct spool_target *targets;
	size_t target_count;
	const char *message;
	size_t length;
};

/* Makes the record without its message, with malloc; NULL when out of memory or when the mail
 * exceeds a maximum. */
char *spool_record_head(const struct spool_mail *mail, size_t *length);

/* Makes the head for a message of message_bytes octets that is already in the file; sum is the
 * SHA-256 state after these octets. The size of the head does not depend on the time at which the
 * message was received, until that time gets one more digit in the year 2286. */
char *spool_record_head_behind(
	const struct spool_mail *mail, size_t message_bytes, EVP_MD_CTX *sum, size_t *length);

/* The size of the head that spool_record_head_behind() makes, octets. */
size_t spool_record_head_bytes(const struct spool_mail *mail);

/* The size of the whole record according to its head, octets; 0 when the head is invalid. */
size_t spool_record_bytes(const char head[SPOOL_RECORD_HEAD_BYTES]);

/* True if the checksum matches; length is the result of spool_record_bytes(). */
bool spool_record_is_sound(const char *record, size_t length);

/* Parses a record; false when it is not sound. Strings point into the record; arrays are in ctx's
 * memory. */
bool spool_record_parse(
	struct rt_ctx *ctx, const char *record, size_t length, struct spool_mail *mail);

#endif
