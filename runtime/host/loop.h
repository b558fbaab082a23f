/* The event loop of runner and bootstrap (libevent). */
#ifndef HOST_LOOP_H
#define HOST_LOOP_H

#include <event2/event.h>

/* Makes a loop; ends the process when it cannot be made. From this call on, the process ends with
 * RT_EXIT_MEMORY when libevent has no memory for an event or for anything else, so event_new() does
 * not return NULL for that reason. Must be called before any other function of libevent. The caller
 * frees the loop with event_base_free(). */
struct event_base *loop_new(void);

#endif
