#include <sys/types.h>

#include <netinet/in.h>
#include <string.h>
#include <unistd.h>

#include <spf2/spf.h>

#include "functions/lib/spf/spf-answer.h"
#include "functions/lib/spf/spf-check.h"
#include "functions/lib/spf/spf-libspf2.h"
#include "functions/lib/spf/spf-source.h"

/* libspf2 counts terms anew for each record, which is wrong; eds_spf_count_term enforces the
 * limits. With this high value, libspf2's own limit is never reached. */
enum { LIBSPF2_TERMS_MAX = 100 };

/* `made` is the success of a call of libspf2 that fails only when memory is out. The process then
 * ends, as it does when an arena gets no memory. */
static void require_memory(bool made)
{
	if (!made)
		_exit(RT_EXIT_MEMORY);
}

static void put(SPF_dns_rr_t *rr, const void *bytes, size_t length)
{
	require_memory(SPF_dns_rr_buf_realloc(rr, rr->num_rr, length) == SPF_E_SUCCESS);
	memcpy(rr->rr[rr->num_rr], bytes, length);
	rr->num_rr++;
	rr->herrno = NETDB_SUCCESS;
}

/* Fills libspf2's answer with the records of the reply; without records the answer stays
 * NO_DATA. */
static void put_reply(SPF_dns_rr_t *rr, const struct eds_spf_reply *reply)
{
	static const uint8_t any[4] = {127, 0, 0, 2};
	const struct eds_dns_answer *addresses = reply->addresses;

	for (size_t i = 0; rr->rr_type == ns_t_mx && i < reply->exchange_count; i++)
		put(rr, reply->exchanges[i], strlen(reply->exchanges[i]) + 1);
	if (rr->rr_type == ns_t_a && reply->match)
		put(rr, any, sizeof any);
	else if (addresses != NULL) /* libspf2 asks only for addresses of the client's family */
		for (size_t i = 0; i < addresses->count; i++)
			put(rr, addresses->records[i].ip.bytes, rr->rr_type == ns_t_a ? 4 : 16);
}

static SPF_dns_rr_t *lookup(
	SPF_dns_server_t *resolver, const char *alias, ns_type type, int should_cache)
{
	struct eds_spf_check *check = resolver->hook;
	const struct eds_spf_question *question = eds_spf_question_find(check, alias);
	SPF_dns_rr_t *rr = SPF_dns_rr_new_init(resolver, alias, type, 0, NO_DATA);
	struct eds_spf_reply reply;

	(void)should_cache;
	require_memory(rr != NULL);
	if (question != NULL && question->source != NULL) {
		eds_spf_answer(check, question, &reply);
		put_reply(rr, &reply);
	}
	if (check->stopped)
		rr->herrno = TRY_AGAIN;
	return rr;
}

/* Gives libspf2 a record. The error returned to libspf2 is ignored when the check has already
 * ended: its own reason is more precise. */
static SPF_errcode_t get_spf(SPF_server_t *server, SPF_request_t *request, SPF_response_t *response,
	SPF_record_t **record)
{
	struct eds_spf_check *check = server->resolver->hook;
	const struct eds_spf_question *question = eds_spf_question_find(check, request->cur_dom);
	const struct eds_spf_source *source = question != NULL ? eds_spf_follow(check, question)
							       : NULL;

	if (source == NULL)
		return SPF_E_DNS_ERROR;
	return SPF_record_compile(server, response, record, eds_spf_rewrite(check, source));
}

/* Without a name set by SPF_server_set_rec_dom(), libspf2 looks up our host name. The default
 * explanation contains the address of a web site that no longer exists. */
static SPF_server_t *new_server(SPF_dns_server_t *resolver)
{
	SPF_server_t *server = SPF_server_new_dns(resolver, 0);
	SPF_response_t *response = NULL;

	require_memory(server != NULL);
	SPF_server_set_sanitize(server, 1);
	SPF_server_set_rec_dom(server, "spf.invalid");
	SPF_server_set_max_dns_mech(server, LIBSPF2_TERMS_MAX);
	SPF_server_set_explanation(server, "-", &response);
	require_memory(response != NULL);
	SPF_response_free(response);
	return server;
}

static SPF_request_t *new_request(SPF_server_t *server, const struct rt_ip *client, char *alias)
{
	SPF_request_t *request = SPF_request_new(server);
	struct in_addr ip4;
	struct in6_addr ip6;

	require_memory(request != NULL);
	memcpy(&ip4, client->bytes, sizeof ip4);
	memcpy(&ip6, client->bytes, sizeof ip6);
	if (client->family == AF_INET)
		SPF_request_set_ipv4(request, ip4);
	else
		SPF_request_set_ipv6(request, ip6);
	SPF_request_set_helo_dom(request, alias); /* sets the HELO name, and the sender to
						   * postmaster at this name */
	request->cur_dom = alias;
	return request;
}

static void take_result(struct eds_spf_check *check, SPF_response_t *response)
{
	static const enum eds_spf_code codes[] = {
		[SPF_RESULT_NEUTRAL] = EDS_SPF_NEUTRAL,
		[SPF_RESULT_PASS] = EDS_SPF_PASS,
		[SPF_RESULT_FAIL] = EDS_SPF_FAIL,
		[SPF_RESULT_SOFTFAIL] = EDS_SPF_SOFTFAIL,
	};
	SPF_result_t result = SPF_response_result(response);

	if (result != SPF_RESULT_NEUTRAL && result != SPF_RESULT_PASS &&
		result != SPF_RESULT_FAIL && result != SPF_RESULT_SOFTFAIL)
		eds_spf_stop(check, EDS_SPF_PERMERROR, "library-failure", "%s",
			SPF_strerror(SPF_response_errcode(response)));
	if (check->stopped)
		return;
	check->result->code = codes[result];
	if (SPF_response_reason(response) != SPF_REASON_MECH)
		return;
	/* a term asks its question before it can match, so the last term that asked has matched */
	check->result->mechanism = check->reached->text;
	eds_spf_note_match(check);
}

/* Does not use SPF_request_query_mailfrom, because that function gives pass to 127/8 and ::1
 * without reading the record. */
static void interpret(struct eds_spf_check *check, SPF_server_t *server, SPF_request_t *request,
	SPF_response_t *response)
{
	SPF_record_t *record = NULL;

	if (SPF_server_get_record(server, request, response, &record) == SPF_E_SUCCESS) {
		response->spf_record_exp = record;
		SPF_record_interpret(record, request, response, 0);
	}
	take_result(check, response);
	if (record != NULL)
		SPF_record_free(record);
}

void eds_spf_run(struct eds_spf_check *check)
{
	SPF_dns_server_t resolver = {
		.lookup = lookup, .get_spf = get_spf, .name = "eds", .hook = check};
	struct eds_spf_question domain = {0};
	char alias[EDS_SPF_ALIAS_MAX];
	SPF_server_t *server = new_server(&resolver);
	SPF_request_t *request;
	SPF_response_t *response;

	eds_spf_question_add(check, &domain, alias);
	request = new_request(server, &check->input->client, alias);
	response = SPF_response_new(request);
	require_memory(response != NULL);
	interpret(check, server, request, response);
	SPF_response_free(response);
	SPF_request_free(request);
	SPF_server_free(server);
}
