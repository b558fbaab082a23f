/* Connections to untrusted servers: fetches a file over HTTPS, checks that a mail server offers
 * STARTTLS, or posts a body to a server that a user has named. Hundreds of connections are open at
 * a time, served by the same loop as DNS.
 *
 * The caller resolves the host (queue.h), and eds_fetch_vet() selects the addresses that may be
 * connected to. The connection goes to one of these only, even if DNS changes meanwhile, and the
 * address of the socket is checked again. HTTPS and SMTP only, TLS 1.2 at least, no redirects, no
 * proxy, no decoding, a new connection each time; the certificate must be valid and have the host
 * among its alternative names (RFC 8461 sections 3.3 and 4.2). The size of the answer and the total
 * time are limited, so that a server cannot hold us with a byte a second.
 *
 *     struct eds_fetch fetch = {.kind = EDS_FETCH_HTTPS, .host = "mta-sts.example.com",
 *             .path = "/.well-known/mta-sts.txt", .port = 443, .done = take, .arg = job};
 *     eds_fetch_vet(&fetch, answer);
 *     eds_fetch_start(fetcher, &fetch);
 *     while (waiting)
 *             eds_fetch_turn(fetcher, max_ms);   (calls take() and the callbacks of DNS questions)
 *
 * Of the library folders only this one uses libcurl.
 */
#ifndef EDS_FETCH_H
#define EDS_FETCH_H

#include "functions/lib/dns/queue.h"
#include "functions/lib/fetch/certificate.h"

enum {
	EDS_FETCH_ADDRESSES_MAX = 4, /* maximum number of addresses of a host that are tried, one
				      * after another */
	EDS_FETCH_BYTES_MAX = 64 * 1024,
	EDS_FETCH_HEADER_BYTES_MAX = 16 * 1024,
	EDS_FETCH_CHAIN_BYTES_MAX = 32 * 1024, /* maximum number of octets of a server's
						* certificates; OpenSSL would accept 100 KB and use
						* three times as much memory */
	EDS_FETCH_CONNECT_MS = 5000,           /* maximum time for TCP and TLS, for each address
						* (HTTPS only) */
	EDS_FETCH_TOTAL_MS = 15000,            /* maximum time from eds_fetch_start to the call of
						* done, whatever the server does */
	EDS_FETCH_AGAIN_MS = 1500, /* pause after EDS_FETCH_TLS_REFUSED and EDS_FETCH_CERT_EARLY */
	EDS_FETCH_TRIES = 4,       /* maximum number of tries of one fetch, over all addresses and
				    * repeats */
	EDS_FETCH_DETAIL_MAX = 256,
	EDS_FETCH_PATH_MAX = 1024, /* maximum number of octets of path and query */
	EDS_FETCH_FIELDS_MAX = 8,
};

enum eds_fetch_kind {
	EDS_FETCH_HTTPS,
	EDS_FETCH_STARTTLS,
};

enum eds_fetch_outcome {
	EDS_FETCH_DONE,         /* HTTPS: an answer came, with any status; STARTTLS: the TLS
				 * handshake succeeded */
	EDS_FETCH_REFUSED,      /* the server refused the connection */
	EDS_FETCH_UNREACHABLE,  /* no route to the server, or the connection broke */
	EDS_FETCH_CONNECT_TIME, /* no connection in time */
	EDS_FETCH_TOTAL_TIME,   /* connected, but no complete answer in time */
	EDS_FETCH_TLS,          /* the handshake failed */
	/* the server ended the handshake with alert 80 or 112 of TLS, as servers do that have no
	 * certificate for the name */
	EDS_FETCH_TLS_REFUSED,
	EDS_FETCH_CERT_EXPIRED,
	EDS_FETCH_CERT_EARLY,     /* the certificate is not valid yet */
	EDS_FETCH_CERT_NAME,      /* the certificate names other hosts */
	EDS_FETCH_CERT_UNTRUSTED, /* no authority that we trust has issued it, or it has a fault not
				   * named above */
	EDS_FETCH_TOO_LARGE,
	EDS_FETCH_NO_STARTTLS, /* the mail server does not offer STARTTLS */
	EDS_FETCH_PROTOCOL,    /* the answer is not HTTP or SMTP, or the mail server rejected us */
	EDS_FETCH_FAILED,      /* the fetch failed for a reason on our side */
};

struct eds_fetched { /* the result; borrowed for the call of done */
	enum eds_fetch_outcome outcome;
	long status;              /* HTTP status; 0 if none */
	const char *content_type; /* Content-Type as sent; NULL if none */
	bool encoded;             /* the body has a Content-Encoding other than identity */
	const char *body;
	size_t length;
	const char *detail; /* the library's message for a failure; "" if none */
	bool reached;       /* TLS began with a server, so this server may know the host name */
	struct eds_certificate certificate; /* the server's certificate, valid or not */
	void *leaf;                         /* a mail server's valid certificate, for
					     * eds_fetched_names(); else NULL */
	int64_t retry_after_s; /* seconds to wait, from the number or the date in Retry-After
				* (HTTP); 0 if none */
};

struct eds_fetcher;

/* A body to be sent; the caller keeps it in memory until done is called. */
struct eds_fetch_post {
	const char *fields[EDS_FETCH_FIELDS_MAX]; /* "Name: value", without line ends */
	size_t field_count;
	const char *body;
	size_t length;
};

/* One fetch; the caller keeps it in memory until done is called. */
struct eds_fetch {
	enum eds_fetch_kind kind;
	const char *host;                  /* name of the host, in A-labels without a final dot */
	const char *path;                  /* for HTTPS: path and query */
	const struct eds_fetch_post *post; /* for HTTPS: what to POST; NULL for a GET */
	int port;
	struct rt_ip addresses[EDS_FETCH_ADDRESSES_MAX];
	size_t address_count;
	bool forbidden; /* the host has an address that must not be connected to */
	void (*done)(void *arg, const struct eds_fetched *fetched);
	void *arg;

	/* The members below are private to fetch.c and fetch-handle.c. */
	struct eds_fetcher *fetcher;
	struct eds_fetch *next; /* the next in the same list of the fetcher */
	struct eds_fetch **place;
	void *easy;
	void *connect_to;
	void *fields;
	int64_t until_ms;
	int64_t again_ms; /* end of the pause before the next try, on the monotonic clock; 0 while
			   * libcurl has the fetch */
	size_t address;   /* index of the address being tried */
	int tries;
	char *body;
	size_t length;
	size_t capacity;
	size_t header_bytes;
	bool too_large;
	bool reached;
	struct eds_certificate certificate;
	void *leaf;
	char detail[EDS_FETCH_DETAIL_MAX];
};

/* Adds those addresses of an A or AAAA answer that may be connected to (rt_ip_is_public). Sets
 * fetch->forbidden if the answer has any other address. */
void eds_fetch_vet(struct eds_fetch *fetch, const struct eds_dns_answer *answer);

/* Creates a fetcher with its own DNS queue; both end with ctx, and done is then not called for
 * active fetches. Fails with RT_INTERNAL "fetch-unavailable" or "dns-unavailable". */
RT_MUST_USE rt_status eds_fetcher_new(struct rt_ctx *ctx, struct eds_fetcher **fetcher);
struct eds_dns_queue *eds_fetcher_dns(struct eds_fetcher *fetcher);

/* Starts the fetch, which must have an address. A later eds_fetch_turn() or eds_fetch_cancel()
 * calls fetch->done exactly once. */
void eds_fetch_start(struct eds_fetcher *fetcher, struct eds_fetch *fetch);

/* True when the mail server's certificate is valid and names this host too. */
bool eds_fetched_names(const struct eds_fetched *fetched, const char *host);

/* Fails every active fetch at once. */
void eds_fetch_cancel(struct eds_fetcher *fetcher);

/* Waits for events on connections or in DNS, max_ms at most, and handles them. */
void eds_fetch_turn(struct eds_fetcher *fetcher, int max_ms);

#endif
