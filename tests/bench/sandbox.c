/* CPU of all processes for one message through the sandbox: SPF of two identities, one RSA-2048
 * signature and the shape, DNS known beforehand.
 *
 *     sandbox [HELPER [RUNS]]     8 KB and 1 MB; microseconds a message
 *
 * With EDS_SANDBOX set to any value, filter and limits are left out, for valgrind.
 */
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include <openssl/evp.h>
#include <openssl/rsa.h>
#include <openssl/sha.h>
#include <openssl/x509.h>

#include "functions/lib/sandbox/helper.h"
#include "functions/lib/sandbox/sandbox.h"
#include "runtime/time.h"

enum {
	KEY_BITS = 2048,
	BASE64_MAX = 1024,
	FIELDS_MAX = 4096,
	EVENT_MS = 30000,
	RUNS = 1000,
	WARM_RUNS = 20,
};

struct eds_dns {
	struct eds_dns_answer answers[3];
	size_t count;
};

static struct eds_dns dns;
static struct eds_dns_record key_record;
static struct eds_dns_record spf_record;

static _Noreturn void die(const char *what)
{
	fprintf(stderr, "%s\n", what);
	exit(1);
}

/* All answers are known beforehand, so a question is an error. */
void eds_dns_when(struct eds_dns *self, const char *name, enum eds_dns_type type,
	eds_dns_callback callback, void *arg)
{
	static struct eds_dns_answer none = {.state = EDS_DNS_NO_NAME, .reason = ""};

	(void)self;
	none.name = none.canonical = name;
	none.type = type;
	callback(arg, &none);
}

bool eds_dns_step(struct eds_dns *self, int fd, int max_ms)
{
	struct pollfd readable = {.fd = fd, .events = POLLIN};

	(void)self;
	return poll(&readable, 1, max_ms) > 0;
}

size_t eds_dns_answers(struct eds_dns *self, const struct eds_dns_answer **answers, size_t max)
{
	for (size_t i = 0; i < self->count && i < max; i++)
		answers[i] = &self->answers[i];
	return self->count;
}

static void know(const char *name, struct eds_dns_record *record, const char *text)
{
	*record = (struct eds_dns_record){.txt = text, .txt_length = strlen(text)};
	dns.answers[dns.count++] = (struct eds_dns_answer){.name = name,
		.type = EDS_DNS_TXT,
		.state = EDS_DNS_FOUND,
		.reason = "",
		.ttl_s = 300,
		.canonical = name,
		.records = record,
		.count = 1};
}

static void publish(EVP_PKEY *key)
{
	static char text[BASE64_MAX];
	unsigned char *der = NULL;
	int length = i2d_PUBKEY(key, &der);
	int prefix = snprintf(text, sizeof text, "v=DKIM1; k=rsa; p=");

	if (length <= 0)
		die("no public key");
	EVP_EncodeBlock((unsigned char *)text + prefix, der, length);
	OPENSSL_free(der);
	know("s1._domainkey.sender.example", &key_record, text);
	know("sender.example", &spf_record, "v=spf1 ip4:192.0.2.0/24 -all");
	know("mail.sender.example", &spf_record, "v=spf1 ip4:192.0.2.0/24 -all");
}

/* Signed simple/simple (RFC 6376 section 3.4), so the bytes are hashed unchanged. */
static void sign(EVP_PKEY *key, const char *fields, char *signature)
{
	EVP_MD_CTX *digest = EVP_MD_CTX_new();
	unsigned char bytes[KEY_BITS / 8];
	size_t length = sizeof bytes;

	if (EVP_DigestSignInit(digest, NULL, EVP_sha256(), NULL, key) != 1 ||
		EVP_DigestSign(
			digest, bytes, &length, (const unsigned char *)fields, strlen(fields)) != 1)
		die("cannot sign");
	EVP_EncodeBlock((unsigned char *)signature, bytes, (int)length);
	EVP_MD_CTX_free(digest);
}

static void write_message(EVP_PKEY *key, int fd, const char *body)
{
	size_t length = strlen(body);
	static const char header[] = "From: <someone@sender.example>\r\nSubject: bench\r\n";
	unsigned char hash[SHA256_DIGEST_LENGTH];
	char body_hash[BASE64_MAX];
	char signature[BASE64_MAX];
	char fields[FIELDS_MAX];
	char own[FIELDS_MAX / 2];

	SHA256((const unsigned char *)body, length, hash);
	EVP_EncodeBlock((unsigned char *)body_hash, hash, sizeof hash);
	snprintf(own, sizeof own,
		"DKIM-Signature: v=1; a=rsa-sha256; c=simple/simple; d=sender.example; s=s1;\r\n"
		"\th=From:Subject; bh=%s;\r\n\tb=",
		body_hash);
	snprintf(fields, sizeof fields, "%s%s", header, own);
	sign(key, fields, signature);
	if (dprintf(fd, "%s%s\r\n%s\r\n", own, signature, header) < 0 ||
		write(fd, body, length) != (ssize_t)length)
		die("cannot write the message");
}

/* A body of whole lines, at most length octets. */
static char *make_body(size_t length)
{
	static const char line[] =
		"The quick brown fox jumps over the lazy dog, and again it does.\r\n";
	char *body = calloc(1, length + 1);

	if (body == NULL)
		die("no memory");
	for (size_t used = 0; used + strlen(line) <= length; used += strlen(line))
		memcpy(body + used, line, strlen(line));
	return body;
}

static double cpu_us(void)
{
	struct rusage own;

	getrusage(RUSAGE_SELF, &own);
	return (double)(own.ru_utime.tv_sec + own.ru_stime.tv_sec) * 1e6 +
		(double)(own.ru_utime.tv_usec + own.ru_stime.tv_usec);
}

static double children_us(void)
{
	struct rusage children;

	/* the processor time of the helper's children is counted when the helper is reaped */
	eds_helper_end(EDS_HELPER_VERIFIER);
	getrusage(RUSAGE_CHILDREN, &children);
	return (double)(children.ru_utime.tv_sec + children.ru_stime.tv_sec) * 1e6 +
		(double)(children.ru_utime.tv_usec + children.ru_stime.tv_usec);
}

static void verify(struct rt_ctx *ctx, int fd, size_t bytes)
{
	struct eds_verify_output output;
	const struct eds_verify_input input = {.message_fd = fd,
		.message_bytes = bytes,
		.received_at_ms = rt_wall_ms(),
		.client = {.family = AF_INET, .bytes = {192, 0, 2, 1}},
		.helo = "mail.sender.example",
		.mail_from = "someone@sender.example",
		.receiver = "mx.example",
		.shape = true};

	ctx->deadline_ms = rt_monotonic_ms() + EVENT_MS;
	if (eds_verify(ctx, &dns, &input, &output) != RT_OK)
		die(ctx->failure.detail);
	if (output.spf.code != EDS_SPF_PASS || output.dkim.count != 1 ||
		output.dkim.signatures[0].state != EDS_DKIM_VALID)
		die("the message does not verify");
	rt_arena_reset(ctx->arena);
}

static void measure(EVP_PKEY *key, const char *label, size_t length, int runs)
{
	struct rt_ctx ctx = {.arena = rt_arena_new()};
	int fd = memfd_create("message", MFD_CLOEXEC);
	char *body = make_body(length);
	size_t bytes;
	double before;
	double children;

	write_message(key, fd, body);
	bytes = (size_t)lseek(fd, 0, SEEK_CUR);
	for (int i = 0; i < WARM_RUNS; i++)
		verify(&ctx, fd, bytes);
	children = children_us();
	before = cpu_us();
	for (int i = 0; i < runs; i++)
		verify(&ctx, fd, bytes);
	before = cpu_us() - before;
	children = children_us() - children;
	printf("%-5s %7.0f us (function %.0f, helper and child %.0f)\n", label,
		(before + children) / runs, before / runs, children / runs);
	free(body);
	close(fd);
	rt_arena_free(ctx.arena);
}

/* The path of the helper program in the same build as this program. */
static const char *built_helper(void)
{
	static char path[4096];
	ssize_t length = readlink("/proc/self/exe", path, sizeof path / 2);

	while (length > 0 && path[length] != '/')
		length--;
	snprintf(path + length, sizeof path - (size_t)length, "/../../libexec/eds-verifier");
	return path;
}

int main(int argc, char **argv)
{
	EVP_PKEY *key = EVP_RSA_gen(KEY_BITS);
	int runs = argc > 2 ? atoi(argv[2]) : RUNS;
	struct eds_helper_spec spec = {.path = argc > 1 ? argv[1] : built_helper(),
		.sandbox = getenv("EDS_SANDBOX") == NULL ? RT_SANDBOX_REQUIRED : RT_SANDBOX_OFF,
		.silence_ms = EVENT_MS};

	eds_helper_use(EDS_HELPER_VERIFIER, &spec);
	publish(key);
	measure(key, "8 KB", 8 * 1024, runs);
	measure(key, "1 MB", 1024 * 1024, runs / 10 + 1);
	eds_helper_end(EDS_HELPER_VERIFIER);
	EVP_PKEY_free(key);
	return 0;
}
