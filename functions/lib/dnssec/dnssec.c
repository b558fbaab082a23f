#include "functions/lib/dnssec/dnssec.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "functions/lib/dnssec/process.h"
#include "functions/lib/dnssec/wire.h"

struct question {
	struct eds_dnssec *dnssec;
	struct eds_dnssec_answer answer;
	enum eds_dnssec_question type;
	struct question *next;
};

struct eds_dnssec {
	struct rt_ctx *ctx;
	struct question *first;
	size_t pending;
};

/* Questions by number, kept by the process: the event that asked may be over when the answer
 * arrives. */
static struct slot {
	bool used; /* true until the validator has answered */
	bool sent;
	struct question *question; /* the question; NULL when the event that asked is over */
} slots[EDS_VALIDATOR_OPEN_MAX];
static size_t unsent;

static void settle(struct question *question, enum eds_dnssec_state state, const char *why)
{
	question->answer.state = state;
	question->answer.why = rt_strdup(question->dnssec->ctx, why);
	question->dnssec->pending--;
}

/* Ends the validator and answers all open questions with EDS_DNSSEC_ABSENT. */
static void give_up(void)
{
	for (size_t i = 0; i < EDS_VALIDATOR_OPEN_MAX; i++) {
		if (slots[i].used && slots[i].question != NULL)
			settle(slots[i].question, EDS_DNSSEC_ABSENT, "");
		slots[i] = (struct slot){.used = false};
	}
	unsent = 0;
	eds_validator_end();
}

static void close_view(void *handle)
{
	for (size_t i = 0; i < EDS_VALIDATOR_OPEN_MAX; i++)
		if (slots[i].question != NULL && slots[i].question->dnssec == handle)
			slots[i].question = NULL;
}

void eds_dnssec_open(struct rt_ctx *ctx, struct eds_dnssec **dnssec)
{
	*dnssec = rt_alloc(ctx, sizeof **dnssec);
	(*dnssec)->ctx = ctx;
	rt_on_release(ctx, close_view, *dnssec);
}

/* Sends a question to the validator; false while the socket's buffer is full. */
static bool send_slot(size_t number)
{
	const struct question *question = slots[number].question;
	char text[EDS_VALIDATOR_MESSAGE_MAX];
	int length = snprintf(
		text, sizeof text, "%zu %d %s", number, (int)question->type, question->answer.name);

	if (send(eds_validator_fd(), text, (size_t)length, MSG_DONTWAIT | MSG_NOSIGNAL) < 0 &&
		(errno == EAGAIN || errno == EWOULDBLOCK))
		return false;
	slots[number].sent = true; /* a validator that has ended is noticed on the next read */
	return true;
}

static void send_waiting(void)
{
	for (size_t i = 0; i < EDS_VALIDATOR_OPEN_MAX && unsent > 0; i++) {
		if (!slots[i].used || slots[i].sent)
			continue;
		if (slots[i].question == NULL)
			slots[i] = (struct slot){.used = false};
		else if (!send_slot(i))
			return;
		unsent--;
	}
}

static void start(struct question *question)
{
	size_t number = 0;

	while (number < EDS_VALIDATOR_OPEN_MAX && slots[number].used)
		number++;
	if (number == EDS_VALIDATOR_OPEN_MAX) {
		settle(question, EDS_DNSSEC_UNKNOWN, "");
		return;
	}
	if (!eds_validator_start()) {
		settle(question, EDS_DNSSEC_ABSENT, "");
		return;
	}
	slots[number] = (struct slot){.used = true, .question = question};
	unsent++;
	send_waiting();
}

const struct eds_dnssec_answer *eds_dnssec_ask(
	struct eds_dnssec *dnssec, const char *name, enum eds_dnssec_question type)
{
	struct question *question;

	for (question = dnssec->first; question != NULL; question = question->next)
		if (question->type == type && strcmp(question->answer.name, name) == 0)
			return &question->answer;
	question = rt_alloc(dnssec->ctx, sizeof *question);
	question->dnssec = dnssec;
	question->answer = (struct eds_dnssec_answer){
		.name = rt_strdup(dnssec->ctx, name), .state = EDS_DNSSEC_PENDING, .why = ""};
	question->type = type;
	question->next = dnssec->first;
	dnssec->first = question;
	dnssec->pending++;
	start(question);
	return &question->answer;
}

size_t eds_dnssec_pending(const struct eds_dnssec *dnssec)
{
	return dnssec->pending;
}

int eds_dnssec_fd(void)
{
	return eds_validator_fd();
}

static bool take(const char *bytes, size_t length)
{
	struct eds_validator_answer answer;
	struct slot *slot;

	if (!eds_validator_answer_read(bytes, length, &answer))
		return false;
	slot = &slots[answer.number];
	if (!slot->used || !slot->sent)
		return false;
	if (slot->question != NULL)
		settle(slot->question, answer.state, answer.why);
	*slot = (struct slot){.used = false};
	return true;
}

void eds_dnssec_turn(void)
{
	char bytes[EDS_VALIDATOR_MESSAGE_MAX];

	while (eds_validator_fd() >= 0) {
		ssize_t got = recv(eds_validator_fd(), bytes, sizeof bytes, MSG_DONTWAIT);

		if (got < 0 && (errno == EAGAIN || errno == EWOULDBLOCK))
			break;
		if (got < 0 && errno == EINTR)
			continue;
		/* the validator has ended, or its answer is malformed and an attacker may control
		 * the validator */
		if (got <= 0 || !take(bytes, (size_t)got)) {
			give_up();
			return;
		}
	}
	send_waiting();
}
