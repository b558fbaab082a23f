/* Code shared by the tests of DNS answers: messages built octet by octet, and the reader's
 * result. */
#ifndef DNS_ANSWER_FIXTURE_H
#define DNS_ANSWER_FIXTURE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "functions/lib/dns/answer.h"
#include "functions/lib/dns/name.h"

enum {
	TYPE_SOA = 6,
	TYPE_OPT = 41,
	OFFSET_FLAGS = 2,
	OFFSET_ANSWERS = 6,
	OFFSET_AUTHORITY = 8,
	OFFSET_ADDITIONAL = 10,
};

static struct rt_ctx context;
static uint8_t message[EDS_DNS_ANSWER_BYTES_MAX + 1];
static size_t length;
static struct eds_dns_answer answer;

static inline void put(const void *bytes, size_t count)
{
	memcpy(message + length, bytes, count);
	length += count;
}

static inline void put16(unsigned value)
{
	message[length++] = (uint8_t)(value >> 8);
	message[length++] = (uint8_t)value;
}

static inline void set16(size_t offset, unsigned value)
{
	message[offset] = (uint8_t)(value >> 8);
	message[offset + 1] = (uint8_t)value;
}

static inline void put_name(const char *name)
{
	uint8_t wire[EDS_DNS_WIRE_MAX];
	size_t used = 0;

	eds_dns_name_to_wire(name, wire);
	while (wire[used] != 0)
		used += wire[used] + 1U;
	put(wire, used + 1);
}

static inline void count_up(size_t section)
{
	set16(section, (unsigned)(message[section] << 8 | message[section + 1]) + 1);
}

/* A reply with its question, and the code NOERROR. */
static inline void begin(const char *name, enum eds_dns_type type)
{
	static const uint8_t header[12] = {0x12, 0x34, 0x81, 0x80, 0, 1};

	length = 0;
	put(header, sizeof header);
	put_name(name);
	put16(type);
	put16(1);
}

static inline void put_record(size_t section, const char *owner, unsigned type, uint32_t ttl_s,
	const void *data, size_t data_length)
{
	put_name(owner);
	put16(type);
	put16(1);
	put16(ttl_s >> 16);
	put16(ttl_s & 0xffff);
	put16((unsigned)data_length);
	put(data, data_length);
	count_up(section);
}

static inline void put_address(const char *owner, uint8_t last)
{
	uint8_t data[4] = {192, 0, 2, last};

	put_record(OFFSET_ANSWERS, owner, EDS_DNS_A, 300, data, sizeof data);
}

static inline void read_as(const char *name, enum eds_dns_type type)
{
	/* The copy is exactly as large as the message, so that the sanitizer sees a read past its
	 * end. */
	uint8_t *bytes = (uint8_t *)rt_memdup(&context, message, length);

	eds_dns_answer_read(&context, bytes, length, name, type, &answer);
}

static inline void expect_malformed(const char *name, enum eds_dns_type type)
{
	read_as(name, type);
	assert_int_equal(answer.state, EDS_DNS_TEMPORARY);
	assert_string_equal(answer.reason, "malformed answer");
	assert_int_equal(answer.count, 0);
}

static inline int start(void **state)
{
	(void)state;
	memset(&context, 0, sizeof context);
	context.arena = rt_arena_new();
	return 0;
}

static inline int stop(void **state)
{
	(void)state;
	rt_arena_free(context.arena);
	return 0;
}

#define ANSWER_TEST(name) cmocka_unit_test_setup_teardown(name, start, stop)

#endif
