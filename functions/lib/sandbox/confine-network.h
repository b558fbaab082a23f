/* Confinement of a program that itself reads hostile bytes from the network: the program may open
 * and use sockets, but may not start processes. With the seccomp filter it may not open files
 * either. */
#ifndef EDS_SANDBOX_CONFINE_NETWORK_H
#define EDS_SANDBOX_CONFINE_NETWORK_H

/* Confines this process from now on. Resource limits bound its memory and processor time and forbid
 * it to start processes; the seccomp filter also forbids it to open files and to make memory
 * executable. sandbox: the value of EDS_SANDBOX. Returns the level in force: "filter", "limits" (no
 * filter), or "none" if `sandbox` is "off"; NULL when the level is below the required one. */
const char *eds_confine_network(const char *sandbox);

#endif
