/* Addresses of the web in a text, for show: what a reader would click, and what HTML loads. */
#ifndef EDS_SHAPE_LINKS_H
#define EDS_SHAPE_LINKS_H

#include "functions/lib/shape/shape.h"

struct eds_text {
	const char *octets;
	size_t length;
};

/* Counts links and remote images, and adds the hosts that are new. In HTML an address counts in an
 * attribute that links or loads (href, src, …) or in CSS's url(); elsewhere it is text or the name
 * of a document type. */
void eds_shape_find_links(
	struct rt_ctx *ctx, const struct eds_text *text, bool html, struct eds_shape *shape);

#endif
