/* What a program gives up that reads hostile bytes from the network by itself: it keeps its sockets
 * and may open more, and nothing else. */
#ifndef EDS_SANDBOX_CONFINE_NETWORK_H
#define EDS_SANDBOX_CONFINE_NETWORK_H

/* From now on no file, process or executable memory can be made; memory and processor time are
 * bounded. sandbox: EDS_SANDBOX in its words. The level that holds, in a word; NULL when it is
 * below what is asked for. */
const char *eds_confine_network(const char *sandbox);

#endif
