/* Internals of the intake, shared by the files that implement it; other files must not include
 * it. */
#ifndef RUNNER_INTAKE_STATE_H
#define RUNNER_INTAKE_STATE_H

#include "local/dispatch/dispatch.h"
#include "local/serve/intake.h"
#include "local/smtp/smtp-server.h"
#include "local/spool/spool-stream.h"
#include "runtime/host/metrics.h"

enum {
	ENVELOPE_TEXT_MAX = 1024,
};

struct intake {
	struct event_base *base;
	struct pools *pools;
	const struct manifest *manifest;
	struct spool *spool;
	struct dispatch *dispatch;
	struct held_mail *held;
	struct event *look; /* timer that asks for the stored octets */
	uint64_t stored;    /* octets of test mail in the mail store, as last reported */
	bool told;          /* mail-accept has reported stored octets at least once */
	/* octets that had left the spool when mail-accept was asked for the value in `stored` */
	uint64_t left;
	uint64_t look_left; /* octets that had left the spool when the timer last asked */
	struct smtp_server *server;
	SSL_CTX *tls;
	/* memory for the envelope of one message that is put into the spool */
	struct rt_arena *arena;
	struct event *drain_poll;
	int64_t drain_until_ms;
	void (*drained)(void *arg);
	void *drained_arg;
	struct metric *accepted;
	struct metric *unjudged;
	bool told_unjudged; /* the log already says that mail came from a client without a public
			       address */
	struct metric *refused;
	struct metric *damaged;
	struct metric *held_in_spool;
	struct metric *held_in_store;
	struct metric *held_percent;
};

/* A request of a connection to the intake: to decide about a recipient, or to store a message or a
 * piece of it. The answer may come after the connection has ended. */
struct request {
	struct intake *intake;
	struct smtp_connection *connection; /* the connection that asked; NULL when it has ended */
	struct spool_stream *stream; /* stream of a large message, until it is stored; else NULL */
	char *message;               /* message that is being stored */
	struct smtp_share *share;
	/* octets that had left the spool when the connection asked about a recipient */
	uint64_t left;
	size_t held_bytes;
	char id[64]; /* message id of the first target, for the reply */
	char client_ip[RT_IP_TEXT_MAX];
	char envelope[ENVELOPE_TEXT_MAX]; /* description of the envelope for the log */
	size_t recipient_count;
	size_t length;
	const char *functions[SPOOL_TARGETS_MAX];
	size_t target_count;
};

#endif
