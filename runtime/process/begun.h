/* Which of the events in its pipe a handler has begun: a number in a page of memory that the
 * handler shares with its supervisor.
 *
 * A supervisor may write events ahead, so that a handler need not wait for each. Events have rising
 * numbers, and the page holds the number up to which they are decided:
 *
 *     handler      raises it to an event's number, then begins that event (rt_begun_begin)
 *     supervisor   raises it to the last number written, which takes back all events that are not
 *                  begun (rt_begun_take_back); the handler drops them
 *
 * Each is one atomic step, so an event is begun or taken back and never both, and the supervisor
 * knows after a handler's death which events it had begun.
 *
 * The page is memory of the handler too: the supervisor trusts its number as little as an answer,
 * and bounds it by what it knows. Without a page, which a cloud may refuse, or with a program that
 * does not read it, a handler has one event at a time.
 */
#ifndef RT_BEGUN_H
#define RT_BEGUN_H

#include <stdbool.h>
#include <stdint.h>

/* The page's descriptor in a handler, and the variable that says that it is there. */
#define RT_BEGUN_VARIABLE "HANDLER_PAGE=3"
enum { RT_BEGUN_FD = 3 };

struct rt_begun;

/* The supervisor's end. Makes a page and its descriptor, which is for the handler; NULL when the
 * kernel has none. */
struct rt_begun *rt_begun_new(int *fd);
void rt_begun_free(struct rt_begun *begun);

/* Whether the handler reads the page, so that events may be written ahead. */
bool rt_begun_is_read(const struct rt_begun *begun);

/* Takes back the events up to the last one that are not begun; returns the number of the last event
 * that is. Does nothing if the first one is not begun: a handler that does not get to run yet must
 * find it. first: 0 when the handler is to be ended. */
uint64_t rt_begun_take_back(struct rt_begun *begun, uint64_t first, uint64_t last);

/* The handler's end, before any thread: takes over the page of this process; NULL for none. */
struct rt_begun *rt_begun_take(void);

/* Whether the event may begin; false when it was taken back. Without a page each may. */
bool rt_begun_begin(struct rt_begun *begun, uint64_t number);

#endif
