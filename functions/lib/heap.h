/* The heap of a helper program, from which its children allocate.
 *
 * Before the first fork the helper does its work once for a test mail (the warm-up), which leaves
 * free pieces all over the heap. A child that allocates such pieces touches another page with
 * nearly each piece, and the kernel copies every page that a child touches. So the helper takes
 * these pieces before the first fork; the memory that a child allocates then lies side by side at
 * the end of the heap.
 */
#ifndef EDS_HEAP_H
#define EDS_HEAP_H

/* Makes the heap grow in steps so large that most children need not ask the kernel for memory. To
 * be called before the warm-up (the work for the test mail). */
void eds_heap_widen(void);

/* Takes the free pieces, for good. To be called after the warm-up. */
void eds_heap_fill_gaps(void);

#endif
