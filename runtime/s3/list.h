/* One page of ListObjectsV2, as XML:
 *
 *     <ListBucketResult><IsTruncated>true</IsTruncated><NextContinuationToken>1ue…</…>
 *       <Contents><Key>inbound/m1</Key><LastModified>2026-01-31T23:59:59.000Z</LastModified>…
 *
 * The request has encoding-type=url, so keys are percent-encoded and contain no XML. */
#ifndef RT_S3_LIST_H
#define RT_S3_LIST_H

#include "runtime/ctx.h"

enum {
	S3_LIST_KEYS_MAX = 1000, /* maximum number of keys in a page */
	S3_LIST_KEY_BYTES_MAX = 3 * 1024,
};

struct s3_object {
	const char *key; /* the decoded key */
	int64_t modified_at_ms;
};

struct s3_page {
	struct s3_object objects[S3_LIST_KEYS_MAX];
	size_t count;
	const char *next; /* token of the next page; NULL if this is the last one */
};

/* Parses a page of the list; false when the text is not such a page. */
bool s3_list_parse(struct rt_ctx *ctx, const char *xml, size_t length, struct s3_page *page);

#endif
