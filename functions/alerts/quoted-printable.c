#include "functions/alerts/quoted-printable.h"

enum {
	QUOTED = 3, /* octets of an escape: "=3D" */
};

static bool stays(unsigned char c, bool ends_line)
{
	return (c > ' ' && c < 0x7f && c != '=') || (c == ' ' && !ends_line);
}

void quoted_printable_write(struct rt_buffer *out, const char *text, size_t length)
{
	int column = 0;

	for (size_t i = 0; i < length; i++) {
		unsigned char c = (unsigned char)text[i];
		bool plain = stays(c, i + 1 == length || text[i + 1] == '\n');
		int width = plain ? 1 : QUOTED;

		if (c == '\n') {
			rt_buffer_text(out, "\r\n");
			column = 0;
			continue;
		}
		/* keeps room for the "=" of a soft line break */
		if (column + width > QUOTED_PRINTABLE_LINE_MAX - 1) {
			rt_buffer_text(out, "=\r\n");
			column = 0;
		}
		if (plain)
			rt_buffer_add(out, &text[i], 1);
		else
			rt_buffer_format(out, "=%02X", c);
		column += width;
	}
	if (column > 0)
		rt_buffer_text(out, "\r\n");
}
