/* The place of an event in a trace (W3C Trace Context, https://www.w3.org/TR/trace-context/):
 *
 *     traceparent: 00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01
 *
 * The parts are version, trace id, the caller's span id, flags. Each event continues the trace that
 * came with it, with a new span id, or begins a new trace. The value is untrusted: any other form
 * is ignored.
 */
#ifndef RT_TRACE_H
#define RT_TRACE_H

#include <stdbool.h>
#include <stddef.h>

enum {
	RT_TRACE_ID_LENGTH = 32,
	RT_SPAN_ID_LENGTH = 16,
	RT_TRACEPARENT_LENGTH = 55,
};

struct rt_trace {
	/* trace id: lower-case hexadecimal digits, not all of them 0 */
	char id[RT_TRACE_ID_LENGTH + 1];
	/* span id: lower-case hexadecimal digits, not all of them 0 */
	char span[RT_SPAN_ID_LENGTH + 1];
	bool sampled; /* the caller records this trace */
};

/* Parses a traceparent value. False for forms that section 3.2 does not allow, for example upper
 * case, all zeros, version ff, or a length that is wrong for the version. In a value of a later
 * version it reads the parts that are known here (section 4.3). */
bool rt_trace_read(const char *text, size_t length, struct rt_trace *trace);

/* Parses the form of AWS X-Ray, "Root=1-5759e988-bd862e3fe1be46a994272793;Sampled=1": takes its
 * trace id and makes a new span. False for any other form. */
bool rt_trace_read_xray(const char *text, struct rt_trace *trace);

/* Begins a new trace. */
void rt_trace_make(struct rt_trace *trace);

/* Makes a new span in the same trace. */
void rt_trace_step(struct rt_trace *trace);

/* Writes the value of the field traceparent for outgoing requests, whose parent is this span. */
void rt_trace_write(const struct rt_trace *trace, char text[RT_TRACEPARENT_LENGTH + 1]);

#endif
