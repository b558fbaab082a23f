/* Frames on the socket between this process and a child of one of its helpers, and the values
 * inside them.
 *
 *     u32 bytes of the payload | u32 kind | payload
 *
 * Both ends run on one machine, so numbers are in the byte order of this machine. The readers trust
 * nothing: a missing, overlong or out-of-range value marks the whole frame as bad. From then on the
 * reading functions return zeros and empty texts, so a caller need check only once, at the end,
 * with eds_wire_finished().
 */
#ifndef EDS_WIRE_H
#define EDS_WIRE_H

#include <stdint.h>

#include "runtime/buffer.h"

enum {
	EDS_FRAME_HEADER_BYTES = 8,
	EDS_FRAME_BYTES_MAX = 1024 * 1024, /* maximum number of octets of a payload; the largest
					    * result has some 900 KB */
	EDS_FRAME_READ_BYTES = 16 * 1024,  /* size of the buffer of a reader at first; it grows for
					    * longer frames */
};

/* Writing. Payloads are built in a buffer with a cap, then framed by eds_frame_end(). */
size_t eds_frame_begin(struct rt_buffer *out, uint32_t kind);
void eds_frame_end(struct rt_buffer *out, size_t begin);
void eds_put_u8(struct rt_buffer *out, unsigned value);
void eds_put_u16(struct rt_buffer *out, unsigned value);
void eds_put_u32(struct rt_buffer *out, uint32_t value);
void eds_put_i64(struct rt_buffer *out, int64_t value);
void eds_put_bytes(struct rt_buffer *out, const void *bytes, size_t length);
/* Writes a text, NULL as ""; cuts it at max octets. */
void eds_put_text(struct rt_buffer *out, const char *text, size_t max);

/* Reading of one payload. */
struct eds_wire {
	const char *at;
	const char *end;
	bool bad;
};

/* Reads the next `length` octets as they are; zeros when the frame is bad. */
void eds_get_octets(struct eds_wire *wire, void *octets, size_t length);
uint8_t eds_get_u8(struct eds_wire *wire);
uint16_t eds_get_u16(struct eds_wire *wire);
uint32_t eds_get_u32(struct eds_wire *wire);
int64_t eds_get_i64(struct eds_wire *wire);
/* These two functions read a number of at most max; a larger number makes the frame bad. */
unsigned eds_get_enum(struct eds_wire *wire, unsigned max);
uint32_t eds_get_count(struct eds_wire *wire, uint32_t max);
bool eds_get_bool(struct eds_wire *wire);
/* Reads a length and that many octets, into ctx's memory, and adds a NUL. */
const char *eds_get_bytes(struct rt_ctx *ctx, struct eds_wire *wire, size_t max, size_t *length);
/* Reads a text into ctx's memory; a NUL inside makes the frame bad. */
const char *eds_get_text(struct rt_ctx *ctx, struct eds_wire *wire, size_t max);
/* Reads a text that will be shown: octets that are not UTF-8 become U+FFFD, and a NUL inside makes
 * the frame bad. */
const char *eds_get_shown(struct rt_ctx *ctx, struct eds_wire *wire, size_t max);
/* True when every value was present and in range, and nothing is left over. */
bool eds_wire_finished(const struct eds_wire *wire);

/* Frames as they arrive on a stream socket, blocking or not. */
struct eds_frame_reader {
	struct rt_ctx *ctx;
	int fd;
	char *bytes;
	size_t capacity;
	size_t start;  /* offset of the data not yet returned */
	size_t length; /* octets of data read so far */
};

enum eds_frame_state {
	EDS_FRAME_WHOLE, /* a whole frame: *kind and *payload are set, and valid until the next
			  * call */
	EDS_FRAME_AGAIN, /* the frame is incomplete (non-blocking sockets only) */
	EDS_FRAME_ENDED, /* the other end has closed the socket, or reading has failed */
	EDS_FRAME_BAD,   /* the frame is longer than EDS_FRAME_BYTES_MAX, or was incomplete when the
			  * socket closed */
};

void eds_frame_reader_init(struct eds_frame_reader *reader, struct rt_ctx *ctx, int fd);
enum eds_frame_state eds_frame_read(
	struct eds_frame_reader *reader, uint32_t *kind, struct eds_wire *payload);
/* True when data after the last frame has already been read. */
bool eds_frame_reader_holds_more(const struct eds_frame_reader *reader);

#endif
