/* Brings the database up to date at the start, using the function admin. Waits for a database
 * server that does not answer yet: after a reboot the server may be up later than the runner. */
#ifndef RUNNER_MIGRATION_H
#define RUNNER_MIGRATION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "runtime/buffer.h"
#include "runtime/host/manifest.h"

/* The account that an empty database gets, with a token. */
#define MIGRATION_FIRST_ACCOUNT "dev"

enum {
	MIGRATION_WAIT_MS = 60000, /* longest wait for the database; after it the start fails */
	MIGRATION_HOST_MAX = 256,
};

/* Migrates the database. `answer` gets the answer of admin, which may contain the token of the
 * first account. False, with a sentence on standard error, when the database is lost
 * (lost-database.h), does not answer in time, or cannot be migrated. True if there is no function
 * admin. */
bool migration_run(const struct manifest *manifest, struct rt_buffer *answer);

/* The pause before the next try, from 1 to 10 s, after `tries` tries that took waited_ms in all. 0
 * when it is time to give up. */
int migration_pause_ms(int tries, int64_t waited_ms);

/* Writes where a database is, for messages: host and port of
 * "postgresql://USER:PASSWORD@HOST:PORT/NAME", never user or password; "this machine" if the URL
 * names no host; "the address in …" if the setting only says where the URL is stored, or if the
 * text of the host may be a part of the password. */
void migration_host(const char *url, char host[MIGRATION_HOST_MAX]);

#endif
