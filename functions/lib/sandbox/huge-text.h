/* Moves the code and the constants of this program into huge pages.
 *
 * A forked child starts without the pages of the program's file: each page that the child touches
 * causes a fault, and must be released when the child ends. A verification has forty such faults,
 * which take a fifth of its total time. When the code lies in anonymous huge pages, fork() itself
 * maps the code for the child, with three page-table entries.
 */
#ifndef EDS_SANDBOX_HUGE_TEXT_H
#define EDS_SANDBOX_HUGE_TEXT_H

/* Does nothing where the kernel has no huge pages, or the program was linked for small pages (the
 * Makefile sets max-page-size for large ones). Call it before the first fork and before any thread
 * starts. */
void eds_huge_text(void);

#endif
