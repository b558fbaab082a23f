#include "runtime/text/base64.h"

static const char alphabet[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

static int value_of(char c)
{
	if (c >= 'A' && c <= 'Z')
		return c - 'A';
	if (c >= 'a' && c <= 'z')
		return c - 'a' + 26;
	if (c >= '0' && c <= '9')
		return c - '0' + 52;
	if (c == '+')
		return 62;
	return c == '/' ? 63 : -1;
}

static bool decode_group(const char *group, size_t digits, char *out)
{
	unsigned bits = 0;

	for (size_t i = 0; i < 4; i++) {
		int value = i < digits ? value_of(group[i]) : 0;

		if (value < 0)
			return false;
		bits = bits << 6 | (unsigned)value;
	}
	out[0] = (char)(bits >> 16);
	if (digits > 2)
		out[1] = (char)(bits >> 8);
	if (digits > 3)
		out[2] = (char)bits;
	return true;
}

bool rt_base64_read(const char *text, size_t length, char *out, size_t *bytes)
{
	size_t padding = 0;

	*bytes = 0;
	if (length % 4 != 0)
		return false;
	while (padding < 2 && padding < length && text[length - 1 - padding] == '=')
		padding++;
	for (size_t i = 0; i < length; i += 4) {
		size_t digits = i + 4 == length ? 4 - padding : 4;

		if (!decode_group(text + i, digits, out + *bytes))
			return false;
		*bytes += digits - 1;
	}
	return true;
}

char *rt_base64_decode(struct rt_ctx *ctx, const char *text, size_t length, size_t *bytes)
{
	char *out = rt_alloc(ctx, length / 4 * 3 + 1);

	return rt_base64_read(text, length, out, bytes) ? out : NULL;
}

void rt_base64_write(const void *bytes, size_t length, char *out)
{
	const unsigned char *in = bytes;
	char *at = out;

	for (size_t i = 0; i < length; i += 3) {
		unsigned second = i + 1 < length ? in[i + 1] : 0;
		unsigned third = i + 2 < length ? in[i + 2] : 0;
		unsigned bits = (unsigned)in[i] << 16 | second << 8 | third;

		*at++ = alphabet[bits >> 18];
		*at++ = alphabet[bits >> 12 & 63];
		*at++ = i + 1 < length ? alphabet[bits >> 6 & 63] : '=';
		*at++ = i + 2 < length ? alphabet[bits & 63] : '=';
	}
}

char *rt_base64_encode(struct rt_ctx *ctx, const void *bytes, size_t length)
{
	char *out = rt_alloc(ctx, (length + 2) / 3 * 4 + 1);

	rt_base64_write(bytes, length, out);
	return out;
}
