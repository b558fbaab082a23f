#include "runtime/host/bytes.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/arena.h"
#include "runtime/decimal.h"

enum {
	CAPACITY_MIN = 1024,
	FORMATTED_MAX = 1024, /* of one bytes_format */
};

void bytes_init(struct bytes *bytes, size_t max)
{
	*bytes = (struct bytes){.max = max};
}

void bytes_done(struct bytes *bytes)
{
	free(bytes->data);
	bytes->data = NULL;
	bytes->length = bytes->capacity = 0;
}

void bytes_clear(struct bytes *bytes)
{
	bytes->length = 0;
	bytes->overflow = false;
}

static void grow(struct bytes *bytes, size_t needed)
{
	size_t capacity = bytes->capacity < CAPACITY_MIN ? CAPACITY_MIN : bytes->capacity;

	while (capacity < needed)
		capacity *= 2;
	bytes->data = realloc(bytes->data, capacity);
	if (bytes->data == NULL) {
		fputs("eds: out of memory\n", stderr);
		exit(RT_EXIT_MEMORY);
	}
	bytes->capacity = capacity;
}

char *bytes_room(struct bytes *bytes, size_t more)
{
	if (bytes->overflow || more > bytes->max - bytes->length) {
		bytes->overflow = true;
		return NULL;
	}
	if (bytes->data == NULL || more > bytes->capacity - bytes->length)
		grow(bytes, bytes->length + more);
	return bytes->data + bytes->length;
}

void bytes_add(struct bytes *bytes, const void *data, size_t length)
{
	char *room;

	if (length == 0)
		return;
	room = bytes_room(bytes, length);
	if (room == NULL)
		return;
	memcpy(room, data, length);
	bytes->length += length;
}

void bytes_text(struct bytes *bytes, const char *text)
{
	bytes_add(bytes, text, strlen(text));
}

void bytes_format(struct bytes *bytes, const char *format, ...)
{
	char text[FORMATTED_MAX];
	va_list arguments;
	int length;

	va_start(arguments, format);
	length = vsnprintf(text, sizeof text, format, arguments);
	va_end(arguments);
	if (length < 0 || (size_t)length >= sizeof text)
		bytes->overflow = true;
	else
		bytes_add(bytes, text, (size_t)length);
}

void bytes_number(struct bytes *bytes, int64_t number)
{
	char digits[RT_DECIMAL_MAX];
	const char *start = rt_decimal_signed(digits + sizeof digits, number);

	bytes_add(bytes, start, (size_t)(digits + sizeof digits - start));
}
