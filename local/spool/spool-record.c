#include "local/spool/spool-record.h"

#include <endian.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
	MAGIC_BYTES = 8,
	LENGTHS_OFFSET = 8,
	DIGEST_OFFSET = 16,
	DIGEST_BYTES = 32,
};

static const char fields_first[MAGIC_BYTES] = {'E', 'D', 'S', 'M', 'A', 'I', 'L', '1'};
static const char message_first[MAGIC_BYTES] = {'E', 'D', 'S', 'M', 'A', 'I', 'L', '2'};

struct writer {
	char *bytes; /* where the octets are written; NULL: only the length is computed */
	size_t length;
};

static void put_text(struct writer *writer, const char *text)
{
	size_t length = strlen(text) + 1;

	if (writer->bytes != NULL)
		memcpy(writer->bytes + writer->length, text, length);
	writer->length += length;
}

static void put_number(struct writer *writer, int64_t number)
{
	char text[24];

	snprintf(text, sizeof text, "%" PRId64, number);
	put_text(writer, text);
}

static void put_fields(struct writer *writer, const struct spool_mail *mail)
{
	put_number(writer, mail->received_at_ms);
	put_text(writer, mail->client_ip);
	put_text(writer, mail->helo);
	put_text(writer, mail->mail_from);
	put_text(writer, mail->tls);
	put_text(writer, mail->protocol);
	put_number(writer, (int64_t)mail->target_count);
	for (size_t i = 0; i < mail->target_count; i++) {
		const struct spool_target *target = &mail->targets[i];

		put_text(writer, target->function);
		put_text(writer, target->message_id);
		put_number(writer, (int64_t)target->recipient_count);
		for (size_t j = 0; j < target->recipient_count; j++)
			put_text(writer, target->recipients[j]);
	}
}

static void get_lengths(const char *head, size_t *fields, size_t *message)
{
	uint32_t lengths[2];

	memcpy(lengths, head + LENGTHS_OFFSET, sizeof lengths);
	*fields = le32toh(lengths[0]);
	*message = le32toh(lengths[1]);
}

/* Adds to the checksum the lengths in the head, and the fields that follow the head. */
static bool sum_fields(EVP_MD_CTX *sum, const char *head, size_t fields_length)
{
	return EVP_DigestUpdate(sum, head + LENGTHS_OFFSET, DIGEST_OFFSET - LENGTHS_OFFSET) == 1 &&
		EVP_DigestUpdate(sum, head + SPOOL_RECORD_HEAD_BYTES, fields_length) == 1;
}

/* Makes the head with its fields, without magic and checksum. */
static char *begin_head(const struct spool_mail *mail, size_t message_bytes, size_t *fields)
{
	struct writer writer = {.length = SPOOL_RECORD_HEAD_BYTES};
	uint32_t lengths[2];

	put_fields(&writer, mail);
	*fields = writer.length - SPOOL_RECORD_HEAD_BYTES;
	if (*fields > SPOOL_FIELDS_BYTES_MAX || message_bytes > SPOOL_MESSAGE_BYTES_MAX)
		return NULL;
	writer = (struct writer){malloc(writer.length), SPOOL_RECORD_HEAD_BYTES};
	if (writer.bytes == NULL)
		return NULL;
	put_fields(&writer, mail);
	lengths[0] = htole32((uint32_t)*fields);
	lengths[1] = htole32((uint32_t)message_bytes);
	memcpy(writer.bytes + LENGTHS_OFFSET, lengths, sizeof lengths);
	return writer.bytes;
}

/* Completes the head with magic and checksum. If the checksum cannot be computed, frees the head
 * and returns NULL. */
static char *end_head(char *head, const char magic[MAGIC_BYTES], EVP_MD_CTX *sum, bool summed)
{
	unsigned char checksum[DIGEST_BYTES];

	if (!summed || EVP_DigestFinal_ex(sum, checksum, NULL) != 1) {
		free(head);
		return NULL;
	}
	memcpy(head, magic, MAGIC_BYTES);
	memcpy(head + DIGEST_OFFSET, checksum, sizeof checksum);
	return head;
}

char *spool_record_head(const struct spool_mail *mail, size_t *length)
{
	EVP_MD_CTX *sum = EVP_MD_CTX_new();
	size_t fields;
	char *head = sum == NULL ? NULL : begin_head(mail, mail->length, &fields);

	if (head != NULL) {
		*length = SPOOL_RECORD_HEAD_BYTES + fields;
		head = end_head(head, fields_first, sum,
			EVP_DigestInit_ex(sum, EVP_sha256(), NULL) == 1 &&
				sum_fields(sum, head, fields) &&
				EVP_DigestUpdate(sum, mail->message, mail->length) == 1);
	}
	EVP_MD_CTX_free(sum);
	return head;
}

char *spool_record_head_behind(
	const struct spool_mail *mail, size_t message_bytes, EVP_MD_CTX *sum, size_t *length)
{
	size_t fields;
	char *head = begin_head(mail, message_bytes, &fields);

	if (head == NULL)
		return NULL;
	*length = SPOOL_RECORD_HEAD_BYTES + fields;
	return end_head(head, message_first, sum, sum_fields(sum, head, fields));
}

size_t spool_record_head_bytes(const struct spool_mail *mail)
{
	struct writer writer = {.length = SPOOL_RECORD_HEAD_BYTES};

	put_fields(&writer, mail);
	return writer.length;
}

static bool is_magic(const char *head)
{
	return memcmp(head, fields_first, MAGIC_BYTES) == 0 ||
		memcmp(head, message_first, MAGIC_BYTES) == 0;
}

size_t spool_record_bytes(const char head[SPOOL_RECORD_HEAD_BYTES])
{
	size_t fields;
	size_t message;

	if (!is_magic(head))
		return 0;
	get_lengths(head, &fields, &message);
	if (fields > SPOOL_FIELDS_BYTES_MAX || message > SPOOL_MESSAGE_BYTES_MAX)
		return 0;
	return SPOOL_RECORD_HEAD_BYTES + fields + message;
}

static bool sum_record(const char *record, size_t fields, size_t message, EVP_MD_CTX *sum,
	unsigned char checksum[DIGEST_BYTES])
{
	const char *text = record + SPOOL_RECORD_HEAD_BYTES + fields;
	bool is_behind = memcmp(record, message_first, MAGIC_BYTES) == 0;

	return EVP_DigestInit_ex(sum, EVP_sha256(), NULL) == 1 &&
		(!is_behind || EVP_DigestUpdate(sum, text, message) == 1) &&
		sum_fields(sum, record, fields) &&
		(is_behind || EVP_DigestUpdate(sum, text, message) == 1) &&
		EVP_DigestFinal_ex(sum, checksum, NULL) == 1;
}

bool spool_record_is_sound(const char *record, size_t length)
{
	unsigned char checksum[DIGEST_BYTES];
	EVP_MD_CTX *sum;
	size_t fields;
	size_t message;
	bool sound;

	if (length < SPOOL_RECORD_HEAD_BYTES || spool_record_bytes(record) != length)
		return false;
	get_lengths(record, &fields, &message);
	sum = EVP_MD_CTX_new();
	sound = sum != NULL && sum_record(record, fields, message, sum, checksum) &&
		memcmp(checksum, record + DIGEST_OFFSET, sizeof checksum) == 0;
	EVP_MD_CTX_free(sum);
	return sound;
}

struct reader {
	const char *next;
	const char *end;
	bool ok;
};

static const char *get_text(struct reader *reader)
{
	const char *text = reader->next;
	const char *end = memchr(text, '\0', (size_t)(reader->end - text));

	if (end == NULL) {
		reader->ok = false;
		return "";
	}
	reader->next = end + 1;
	return text;
}

static int64_t get_number(struct reader *reader, int64_t max)
{
	int64_t number = strtoll(get_text(reader), NULL, 10);

	if (number < 0 || number > max) {
		reader->ok = false;
		return 0;
	}
	return number;
}

static void get_target(struct rt_ctx *ctx, struct reader *reader, struct spool_target *target)
{
	target->function = get_text(reader);
	target->message_id = get_text(reader);
	target->recipient_count = (size_t)get_number(reader, SPOOL_TARGETS_MAX);
	target->recipients = rt_alloc_array(ctx, target->recipient_count, sizeof(char *));
	for (size_t i = 0; i < target->recipient_count; i++)
		target->recipients[i] = get_text(reader);
}

bool spool_record_parse(
	struct rt_ctx *ctx, const char *record, size_t length, struct spool_mail *mail)
{
	struct reader reader = {.next = record + SPOOL_RECORD_HEAD_BYTES, .ok = true};
	size_t fields;

	if (!spool_record_is_sound(record, length))
		return false;
	get_lengths(record, &fields, &mail->length);
	reader.end = reader.next + fields;
	mail->message = reader.end;
	mail->received_at_ms = get_number(&reader, INT64_MAX);
	mail->client_ip = get_text(&reader);
	mail->helo = get_text(&reader);
	mail->mail_from = get_text(&reader);
	mail->tls = get_text(&reader);
	mail->protocol = get_text(&reader);
	mail->target_count = (size_t)get_number(&reader, SPOOL_TARGETS_MAX);
	mail->targets = rt_alloc_array(ctx, mail->target_count, sizeof *mail->targets);
	for (size_t i = 0; i < mail->target_count; i++)
		get_target(ctx, &reader, &mail->targets[i]);
	return reader.ok;
}
