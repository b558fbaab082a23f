/* One message with its envelope, as it lies in a spool segment.
 *
 *     "EDSMAIL1"  u32 bytes of fields  u32 bytes of message  SHA-256  fields  message
 *
 * The checksum is that of both lengths, the fields and the message; in "EDSMAIL2" the message comes
 * first, so that it can be summed up while it comes in.
 *
 * Fields are texts, each ended by NUL: receivedAt, client, HELO, MAIL FROM, TLS, protocol, number
 * of targets, and for each target its function, its messageId, the number of its recipients and
 * these. A record that was cut short or altered does not match its checksum and is no record.
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

/* What one function is to get: its own copy of the message, and which recipients are its. */
struct spool_target {
	const char *function;
	const char *message_id;
	const char **recipients;
	size_t recipient_count;
};

struct spool_mail {
	int64_t received_at_ms;
	const char *client_ip; /* "" when not known */
	const char *helo;
	const char *mail_from; /* "" for <> */
	const char *tls;       /* "" for none */
	const char *protocol;  /* "ESMTP" */
	struct spool_target *targets;
	size_t target_count;
	const char *message;
	size_t length;
};

/* Everything of the record but the message: malloc; NULL when there is no memory or too much. */
char *spool_record_head(const struct spool_mail *mail, size_t *length);

/* The same for a message that lies there already, so many octets, summed up in this SHA-256. The
 * fields take as many octets whenever they are written before the year 2286. */
char *spool_record_head_behind(
	const struct spool_mail *mail, size_t message_bytes, EVP_MD_CTX *sum, size_t *length);

/* The octets of such a head. */
size_t spool_record_head_bytes(const struct spool_mail *mail);

/* The whole size that a head announces; 0 when it is no head. */
size_t spool_record_bytes(const char head[SPOOL_RECORD_HEAD_BYTES]);

/* length is what spool_record_bytes said. */
bool spool_record_is_sound(const char *record, size_t length);

/* Strings point into the record, arrays are the event's. False when it is not sound. */
bool spool_record_parse(
	struct rt_ctx *ctx, const char *record, size_t length, struct spool_mail *mail);

#endif
