/* Finds web addresses in a text, only for display: links that a reader could click, and images that
 * HTML loads. */
#ifndef EDS_SHAPE_LINKS_H
#define EDS_SHAPE_LINKS_H

#include "functions/lib/shape/shape.h"

struct eds_text {
	const char *octets;
	size_t length;
};

/* Counts links and remote images, and adds new hosts. In HTML an address counts only in an
 * attribute that links or loads (href, src, …) or in CSS url(); elsewhere it is plain text or a
 * document type. */
void eds_shape_find_links(
	struct rt_ctx *ctx, const struct eds_text *text, bool html, struct eds_shape *shape);

#endif
