/* Where an event stands in a trace (W3C Trace Context, https://www.w3.org/TR/trace-context/):
 *
 *     traceparent: 00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01
 *
 * Version, trace id, the id of who asked, flags. Each event goes on with the trace that came with
 * it, under an id of its own, or begins one. What came is a stranger's: what has not this very form
 * is as if nothing had come.
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
	char id[RT_TRACE_ID_LENGTH + 1];  /* lower-case hexadecimal digits, not all of them 0 */
	char span[RT_SPAN_ID_LENGTH + 1]; /* the same */
	bool sampled;                     /* who asked keeps records of it */
};

/* False for any other form than section 3.2 allows: upper case, zeros alone, version ff, a length
 * that is not the version's. Of a later version what this one knows is read (section 4.3). */
bool rt_trace_read(const char *text, size_t length, struct rt_trace *trace);

/* "Root=1-5759e988-bd862e3fe1be46a994272793;Sampled=1", as AWS X-Ray has it: the same trace. False
 * for another form. The span is a new one. */
bool rt_trace_read_xray(const char *text, struct rt_trace *trace);

void rt_trace_make(struct rt_trace *trace);

/* Another step of the same trace. */
void rt_trace_step(struct rt_trace *trace);

/* The value of the field for whom we ask, who stands below this span. */
void rt_trace_write(const struct rt_trace *trace, char text[RT_TRACEPARENT_LENGTH + 1]);

#endif
