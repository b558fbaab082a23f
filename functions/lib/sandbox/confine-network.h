/* Confinement of a program that itself reads hostile bytes from the network: the program may open
 * and use sockets, but may neither open files nor start processes. */
#ifndef EDS_SANDBOX_CONFINE_NETWORK_H
#define EDS_SANDBOX_CONFINE_NETWORK_H

/* From now on this process cannot open files, start processes or make memory executable; memory and
 * processor time are limited. sandbox: the value of EDS_SANDBOX. Returns the level in force as a
 * word; NULL when the level is below the required one. */
const char *eds_confine_network(const char *sandbox);

#endif
