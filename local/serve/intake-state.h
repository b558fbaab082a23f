/* The inside of the intake, shared by the files that keep it; not for others. */
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
	struct event *look; /* what is stored is asked about */
	uint64_t stored;    /* octets of test mail in the mail store, as told last */
	bool told;          /* at all */
	uint64_t left;      /* that had left the spool when that was asked */
	uint64_t look_left; /* when it is asked without a recipient */
	struct smtp_server *server;
	SSL_CTX *tls;
	struct rt_arena *arena; /* of one message on its way into the spool */
	struct event *drain_poll;
	int64_t drain_until_ms;
	void (*drained)(void *arg);
	void *drained_arg;
	struct metric *accepted;
	struct metric *refused;
	struct metric *held_in_spool;
	struct metric *held_in_store;
	struct metric *held_percent;
};

/* A question of a connection's, answered later; the connection may be gone by then. */
struct request {
	struct intake *intake;
	struct smtp_connection *connection; /* NULL when gone */
	struct spool_stream *stream;        /* of a large message, before it is stored */
	char *message;                      /* being stored */
	struct smtp_share *share;
	uint64_t left; /* the spool when it asked about a recipient, octets */
	size_t held_bytes;
	char id[64]; /* of the first target, for the reply */
	char client_ip[RT_IP_TEXT_MAX];
	char envelope[ENVELOPE_TEXT_MAX]; /* for the log */
	size_t recipient_count;
	size_t length;
	const char *functions[SPOOL_TARGETS_MAX];
	size_t target_count;
};

#endif
