#include "local/serve/gzip.h"

#include <zlib.h>

enum {
	/* The event loop waits for the compression, so speed matters most. Measured: a list of
	 * 1,000 domains, 497 KB, becomes 24 KB in 1.5 ms, and 19 KB in 7 ms at the default level;
	 * 1,000 selectors with their random keys go from 791 to 363 KB. */
	LEVEL = Z_BEST_SPEED,
	WINDOW_GZIP = 15 + 16, /* 15: a window of 32 KiB; 16: with a gzip header */
	MEMORY_LEVEL = 8,
};

bool gzip_pack(struct rt_buffer *packed, const char *bytes, size_t length)
{
	z_stream stream = {.next_in = (z_const Bytef *)(uintptr_t)bytes, .avail_in = (uInt)length};
	size_t bound;
	char *room;
	bool done;

	if (deflateInit2(&stream, LEVEL, Z_DEFLATED, WINDOW_GZIP, MEMORY_LEVEL,
		    Z_DEFAULT_STRATEGY) != Z_OK)
		return false;
	bound = deflateBound(&stream, (uLong)length);
	room = rt_buffer_room(packed, bound);
	stream.next_out = (Bytef *)room;
	stream.avail_out = (uInt)bound;
	done = room != NULL && deflate(&stream, Z_FINISH) == Z_STREAM_END;
	if (done)
		rt_buffer_used(packed, stream.total_out);
	deflateEnd(&stream);
	return done;
}
