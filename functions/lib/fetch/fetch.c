#include "functions/lib/fetch/fetch.h"
#include "runtime/time.h"

#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <unistd.h>

#include "functions/lib/fetch/fetch-handle.h"
#include "runtime/config/config.h"

enum {
	EVENTS_MAX = 64,
	SPARES_MAX = 64, /* maximum number of handles kept for later fetches */
};

/* Kept across events, to reuse the authorities already read and the handles already made. */
static struct {
	CURLM *multi;
	int epoll_fd;
	int64_t timer_ms; /* time of the next time-out of libcurl; -1 for none */
	CURL *spares[SPARES_MAX];
	size_t spare_count;
} curl = {.epoll_fd = -1, .timer_ms = -1};

struct eds_fetcher {
	struct eds_dns_queue *dns;
	struct eds_fetch *first;  /* fetches in libcurl */
	struct eds_fetch *paused; /* fetches that wait for the next eds_fetch_turn() or for the end
				   * of a pause */
};

static int on_socket(CURL *easy, curl_socket_t fd, int what, void *arg, void *known)
{
	struct epoll_event event = {.data.fd = fd};

	(void)easy;
	(void)arg;
	if (what == CURL_POLL_REMOVE) {
		epoll_ctl(curl.epoll_fd, EPOLL_CTL_DEL, fd, NULL);
		return 0;
	}
	event.events = (what & CURL_POLL_IN ? (uint32_t)EPOLLIN : 0) |
		(what & CURL_POLL_OUT ? (uint32_t)EPOLLOUT : 0);
	epoll_ctl(curl.epoll_fd, known != NULL ? EPOLL_CTL_MOD : EPOLL_CTL_ADD, fd, &event);
	if (known == NULL)
		curl_multi_assign(curl.multi, fd, &curl);
	return 0;
}

static int on_timer(CURLM *multi, long wait_ms, void *arg)
{
	(void)multi;
	(void)arg;
	curl.timer_ms = wait_ms < 0 ? -1 : rt_monotonic_ms() + wait_ms;
	return 0;
}

static bool open_multi(void)
{
	if (curl.multi != NULL)
		return true;
	if (curl_global_init(CURL_GLOBAL_DEFAULT) != CURLE_OK)
		return false;
	if (curl.epoll_fd < 0)
		curl.epoll_fd = epoll_create1(EPOLL_CLOEXEC);
	if (curl.epoll_fd < 0 || (curl.multi = curl_multi_init()) == NULL)
		return false;
	curl_multi_setopt(curl.multi, CURLMOPT_SOCKETFUNCTION, on_socket);
	curl_multi_setopt(curl.multi, CURLMOPT_TIMERFUNCTION, on_timer);
	return true;
}

static void give_back(struct eds_fetch *fetch)
{
	if (fetch->easy == NULL)
		return;
	if (curl.spare_count < SPARES_MAX) {
		curl_easy_reset(fetch->easy);
		curl.spares[curl.spare_count++] = fetch->easy;
	} else {
		curl_easy_cleanup(fetch->easy);
	}
	fetch->easy = NULL;
}

static void unlink_fetch(struct eds_fetch *fetch)
{
	*fetch->place = fetch->next;
	if (fetch->next != NULL)
		fetch->next->place = fetch->place;
}

static void link_fetch(struct eds_fetch *fetch, struct eds_fetch **list)
{
	fetch->next = *list;
	fetch->place = list;
	if (fetch->next != NULL)
		fetch->next->place = &fetch->next;
	*list = fetch;
}

/* Removes the fetch from libcurl and from its list, and releases its resources. */
static void take_out(struct eds_fetch *fetch)
{
	if (fetch->easy != NULL && fetch->again_ms == 0)
		curl_multi_remove_handle(curl.multi, fetch->easy);
	give_back(fetch);
	curl_slist_free_all(fetch->connect_to);
	curl_slist_free_all(fetch->fields);
	free(fetch->body);
	eds_fetch_drop_leaf(fetch->leaf);
	fetch->connect_to = NULL;
	fetch->fields = NULL;
	fetch->body = NULL;
	fetch->leaf = NULL;
	unlink_fetch(fetch);
}

static void end_fetcher(void *handle)
{
	struct eds_fetcher *fetcher = handle;

	while (fetcher->first != NULL)
		take_out(fetcher->first);
	while (fetcher->paused != NULL)
		take_out(fetcher->paused);
}

rt_status eds_fetcher_new(struct rt_ctx *ctx, struct eds_fetcher **fetcher)
{
	*fetcher = rt_alloc(ctx, sizeof **fetcher);
	RT_TRY(eds_dns_queue_new(ctx, &(*fetcher)->dns));
	if (!open_multi())
		return rt_fail(ctx, RT_INTERNAL, "fetch-unavailable", "libcurl cannot be set up");
	rt_on_release(ctx, end_fetcher, *fetcher);
	return RT_OK;
}

struct eds_dns_queue *eds_fetcher_dns(struct eds_fetcher *fetcher)
{
	return fetcher->dns;
}

/* IPv4 comes first: a machine without IPv6 is more common than a host without IPv4. */
static void add_address(struct eds_fetch *fetch, const struct rt_ip *ip)
{
	size_t at = fetch->address_count;

	if (at == EDS_FETCH_ADDRESSES_MAX) {
		if (ip->family != AF_INET || fetch->addresses[at - 1].family == AF_INET)
			return;
		at--;
	} else {
		fetch->address_count++;
	}
	while (ip->family == AF_INET && at > 0 && fetch->addresses[at - 1].family == AF_INET6) {
		fetch->addresses[at] = fetch->addresses[at - 1];
		at--;
	}
	fetch->addresses[at] = *ip;
}

void eds_fetch_vet(struct eds_fetch *fetch, const struct eds_dns_answer *answer)
{
	for (size_t i = 0; answer->state == EDS_DNS_FOUND && i < answer->count; i++) {
		if (rt_ip_is_public(&answer->records[i].ip, rt_config()->allow_private))
			add_address(fetch, &answer->records[i].ip);
		else
			fetch->forbidden = true;
	}
}

static int left_ms(const struct eds_fetch *fetch)
{
	int64_t left = fetch->until_ms - rt_monotonic_ms();

	return left > 0 ? (int)left : 0;
}

static void finish(struct eds_fetch *fetch, enum eds_fetch_outcome outcome)
{
	struct eds_fetched fetched = {.outcome = outcome,
		.body = fetch->body,
		.length = fetch->length,
		.certificate = fetch->certificate,
		.leaf = fetch->leaf};
	struct curl_header *header;
	curl_off_t retry_after_s = 0;
	char *type = NULL;
	char *text = NULL;

	fetched.detail = fetch->detail;
	fetched.reached = fetch->reached;
	if (fetch->easy != NULL && fetch->kind == EDS_FETCH_HTTPS) {
		curl_easy_getinfo(fetch->easy, CURLINFO_RESPONSE_CODE, &fetched.status);
		curl_easy_getinfo(fetch->easy, CURLINFO_CONTENT_TYPE, &type);
		curl_easy_getinfo(fetch->easy, CURLINFO_RETRY_AFTER, &retry_after_s);
		fetched.retry_after_s = retry_after_s > 0 ? retry_after_s : 0;
		fetched.encoded = curl_easy_header(fetch->easy, "Content-Encoding", 0, CURLH_HEADER,
					  -1, &header) == CURLHE_OK &&
			strcasecmp(header->value, "identity") != 0;
	}
	/* copied, because the callback may start another fetch with this handle */
	fetched.content_type = type != NULL ? text = strdup(type) : NULL;
	fetch->body = NULL;
	fetch->leaf = NULL;
	take_out(fetch);
	fetch->done(fetch->arg, &fetched);
	free((void *)fetched.body);
	eds_fetch_drop_leaf(fetched.leaf);
	free(text);
}

bool eds_fetched_names(const struct eds_fetched *fetched, const char *host)
{
	return fetched->leaf != NULL && eds_fetch_leaf_names(fetched->leaf, host);
}

/* Starts one try to connect to the current address. */
static void try_address(struct eds_fetch *fetch)
{
	fetch->tries++;
	fetch->again_ms = 0;
	unlink_fetch(fetch);
	link_fetch(fetch, &fetch->fetcher->first);
	if (eds_fetch_prepare(fetch, left_ms(fetch)) &&
		curl_multi_add_handle(curl.multi, fetch->easy) == CURLM_OK)
		return;
	give_back(fetch);
	finish(fetch, EDS_FETCH_FAILED);
}

void eds_fetch_start(struct eds_fetcher *fetcher, struct eds_fetch *fetch)
{
	int64_t now_ms = rt_monotonic_ms();

	fetch->fetcher = fetcher;
	fetch->until_ms = now_ms + EDS_FETCH_TOTAL_MS;
	fetch->reached = false;
	fetch->again_ms = now_ms; /* eds_fetch_turn() begins the fetch, so that no callback runs
				   * here */
	fetch->easy = curl.spare_count > 0 ? curl.spares[--curl.spare_count] : curl_easy_init();
	link_fetch(fetch, &fetcher->paused);
}

/* Queues another try and returns true if one may help: at the next address when this one was not
 * reached; at the same one after a pause when the server may be about to get its certificate, or
 * its certificate is not valid yet. */
static bool goes_on(struct eds_fetch *fetch, enum eds_fetch_outcome outcome)
{
	int64_t now_ms = rt_monotonic_ms();
	int64_t again_ms = now_ms;

	switch (outcome) {
	case EDS_FETCH_REFUSED:
	case EDS_FETCH_UNREACHABLE:
	case EDS_FETCH_CONNECT_TIME:
		if (fetch->address + 1 == fetch->address_count)
			return false;
		fetch->address++;
		break;
	case EDS_FETCH_TLS_REFUSED:
	case EDS_FETCH_CERT_EARLY: /* the certificate may be new, and its issuer's clock slightly
				    * ahead of ours */
		again_ms += EDS_FETCH_AGAIN_MS;
		break;
	default:
		return false;
	}
	if (fetch->tries == EDS_FETCH_TRIES || again_ms >= fetch->until_ms)
		return false;
	curl_multi_remove_handle(curl.multi, fetch->easy);
	unlink_fetch(fetch);
	link_fetch(fetch, &fetch->fetcher->paused);
	fetch->again_ms = again_ms;
	return true;
}

static void take_finished(void)
{
	CURLMsg *message;
	int left;

	while ((message = curl_multi_info_read(curl.multi, &left)) != NULL) {
		CURLcode code = message->data.result;
		struct eds_fetch *fetch = NULL;
		enum eds_fetch_outcome outcome;
		char *private;

		if (curl_easy_getinfo(message->easy_handle, CURLINFO_PRIVATE, &private) != CURLE_OK)
			continue;
		fetch = (struct eds_fetch *)(void *)private;
		outcome = eds_fetch_outcome_of(fetch, code);
		if (!goes_on(fetch, outcome))
			finish(fetch, outcome);
	}
}

/* Begins the new fetches and those whose pause has ended; returns milliseconds until the next one
 * begins, at most max_ms. */
static int begin_due(struct eds_fetcher *fetcher, int max_ms)
{
	int64_t now_ms = rt_monotonic_ms();
	struct eds_fetch *next;

	for (struct eds_fetch *fetch = fetcher->paused; fetch != NULL; fetch = next) {
		next = fetch->next;
		if (fetch->easy == NULL)
			finish(fetch, EDS_FETCH_FAILED);
		else if (fetch->again_ms <= now_ms)
			try_address(fetch);
		else if (fetch->again_ms - now_ms < max_ms)
			max_ms = (int)(fetch->again_ms - now_ms);
	}
	return max_ms;
}

static void deal_with_sockets(void)
{
	struct epoll_event events[EVENTS_MAX];
	int count = epoll_wait(curl.epoll_fd, events, EVENTS_MAX, 0);
	int running;

	for (int i = 0; i < count; i++) {
		int what = (events[i].events & EPOLLIN ? CURL_CSELECT_IN : 0) |
			(events[i].events & EPOLLOUT ? CURL_CSELECT_OUT : 0) |
			(events[i].events & (EPOLLERR | EPOLLHUP) ? CURL_CSELECT_ERR : 0);

		curl_multi_socket_action(curl.multi, events[i].data.fd, what, &running);
	}
}

void eds_fetch_turn(struct eds_fetcher *fetcher, int max_ms)
{
	int64_t timer_ms;
	int running;

	max_ms = begin_due(fetcher, max_ms);
	timer_ms = curl.timer_ms < 0 ? max_ms : curl.timer_ms - rt_monotonic_ms();
	if (timer_ms < max_ms)
		max_ms = timer_ms > 0 ? (int)timer_ms : 0;
	if (eds_dns_queue_turn(fetcher->dns, curl.epoll_fd, max_ms))
		deal_with_sockets();
	if (curl.timer_ms >= 0 && curl.timer_ms <= rt_monotonic_ms()) {
		curl.timer_ms = -1;
		curl_multi_socket_action(curl.multi, CURL_SOCKET_TIMEOUT, 0, &running);
	}
	take_finished();
}

void eds_fetch_cancel(struct eds_fetcher *fetcher)
{
	while (fetcher->first != NULL)
		finish(fetcher->first, EDS_FETCH_FAILED);
	while (fetcher->paused != NULL)
		finish(fetcher->paused, EDS_FETCH_FAILED);
}
