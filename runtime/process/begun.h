/* Records which of the events in its pipe a handler has begun: a number in a page of memory that
 * the handler shares with its supervisor.
 *
 * A supervisor may write further events before the earlier ones are answered, so that a handler
 * finds its next event without waiting. Events have rising numbers. The page has one number: every
 * event up to this number was begun or taken back.
 *
 *     handler      raises the number to that of an event, then begins the event (rt_begun_begin())
 *     supervisor   raises the number to that of the last event sent: this takes back all events not
 *                  yet begun (rt_begun_take_back()); the handler drops them
 *
 * Raising the number is one atomic step, so an event is either begun or taken back, never both.
 * After a handler's death the supervisor knows which events that handler had begun.
 *
 * The handler can write any number into the page, so the supervisor checks it against the numbers
 * of the events that it has sent. Without a page, which a cloud may refuse, or with a program that
 * does not read it, a handler has one event at a time.
 */
#ifndef RT_BEGUN_H
#define RT_BEGUN_H

#include <stdbool.h>
#include <stdint.h>

/* The variable that says that the page exists, and the number of the page's descriptor in a
 * handler. */
#define RT_BEGUN_VARIABLE "HANDLER_PAGE=3"
enum { RT_BEGUN_FD = 3 };

struct rt_begun;

/* For the supervisor: makes a page, and its descriptor for the handler. NULL when the kernel does
 * not support that. */
struct rt_begun *rt_begun_new(int *fd);
void rt_begun_free(struct rt_begun *begun);

/* True if the handler reads the page, so that several events may be in its pipe. */
bool rt_begun_is_read(const struct rt_begun *begun);

/* Takes back the events that are not begun, up to the event with the number `last`; returns the
 * number of the last event that was begun. Takes back nothing if the event with the number `first`
 * is not begun: a handler that has not had time to run must find that event. `first` is 0 when the
 * handler is to be ended: then all events that are not begun are taken back. */
uint64_t rt_begun_take_back(struct rt_begun *begun, uint64_t first, uint64_t last);

/* For the handler, before it starts a thread: takes over the page of this process; NULL for none.
 */
struct rt_begun *rt_begun_take(void);

/* True if the event may begin; false when it was taken back. Without a page always true. */
bool rt_begun_begin(struct rt_begun *begun, uint64_t number);

#endif
