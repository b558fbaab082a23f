/* The data of the scripted DNS server, read from a file: its answers and its misbehavior.
 *
 *     # name             TYPE  ttl  value
 *     example.com        MX    300  10 mx.example.com
 *     example.com        TXT   300  "v=spf1 " "-all\010"
 *     example.com        SOA   300  ns.example.com h.example.com 1 3600 600 86400 60
 *     *.example.com      A     60   192.0.2.1
 *     _25._tcp.mx.example.com TLSA 300 "\003\001\001…"
 *     example.com        CAA   300  "\000\005issueca.example"
 *     slow.example.com   A     !delay=50 60 192.0.2.2
 *     dead.example.com   TXT   !servfail
 *     gone.example.com         !drop
 *     *                        !delay=20
 *
 * A behavior without a type applies to every type, one with the name `*` to every question.
 * Behaviors: !delay=MS !servfail !refused !rcode=N !once=servfail|refused|N !drop !truncate (over
 * UDP) !garbage !wrongid !nodata. Names take the escapes \DDD and \. of master files; `.` is the
 * root.
 */
#ifndef DNSD_ZONE_H
#define DNSD_ZONE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
	ZONE_NAME_MAX = 255, /* octets in wire format */
	ZONE_RCODE_NONE = -1,
	TYPE_A = 1,
	TYPE_NS = 2,
	TYPE_CNAME = 5,
	TYPE_SOA = 6,
	TYPE_PTR = 12,
	TYPE_MX = 15,
	TYPE_TXT = 16,
	TYPE_AAAA = 28,
	TYPE_OPT = 41,
	TYPE_TLSA = 52,
	TYPE_CAA = 257,
	TYPE_ANY = 255,
};

struct zone_record {
	struct zone_record *next;
	uint16_t type;
	uint16_t length; /* octets of data */
	uint32_t ttl_s;
	uint8_t *data; /* the data in wire format, names uncompressed */
};

struct zone_behavior {
	struct zone_behavior *next;
	uint16_t type; /* the type to which it applies; TYPE_ANY for every type */
	int delay_ms;
	int rcode; /* the response code of every answer; ZONE_RCODE_NONE if there is none */
	/* the response code of the next answer only; ZONE_RCODE_NONE if there is none */
	int once_rcode;
	bool drop;
	bool truncate;
	bool garbage;
	bool wrong_id;
	bool no_data;
};

struct zone_node {
	struct zone_node *next;
	struct zone_record *records; /* records in the order of the file */
	struct zone_behavior *behaviors;
	uint8_t name[ZONE_NAME_MAX]; /* in wire format, in lower case, uncompressed */
};

struct zone;

/* Reads a zone file. Returns NULL and writes the line number and its fault into error if it
 * cannot. */
struct zone *zone_load(const char *path, char error[256]);
void zone_free(struct zone *zone);

/* The node that answers for a name: its own (even if it only has names below it), or the wildcard
 * that covers it (RFC 4592); NULL when the name does not exist. */
struct zone_node *zone_find(struct zone *zone, const uint8_t *name);

/* The behavior for a question; node is NULL when the name does not exist. The node's own comes
 * before that of `*`. */
struct zone_behavior *zone_behavior(struct zone *zone, struct zone_node *node, uint16_t type);

/* The SOA at or above the name, and its owner; NULL when there is none. */
const struct zone_record *zone_soa(struct zone *zone, const uint8_t *name, const uint8_t **apex);

/* The name of a type, such as "TXT"; NULL for a type that the file cannot contain. */
const char *zone_type_name(uint16_t type);

size_t wire_length(const uint8_t *name);

#endif
