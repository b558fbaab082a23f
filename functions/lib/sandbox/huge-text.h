/* The code and the constants of this program in huge pages.
 *
 * A forked child starts without the pages of the program's file: each piece that it runs or reads
 * is a fault first, and a page to let go at its end. For a verification those are forty faults, a
 * fifth of all it takes. A copy in anonymous huge pages comes with the fork itself, in three
 * entries.
 */
#ifndef EDS_SANDBOX_HUGE_TEXT_H
#define EDS_SANDBOX_HUGE_TEXT_H

/* Does nothing where the kernel has no huge pages, or the program was linked for small ones (the
 * Makefile asks for large ones by max-page-size). Before the first fork, and before there are
 * threads. */
void eds_huge_text(void);

#endif
