// Mutants that no test notices, and why that is right: [file, the line's text, from, to, reason]. A line is
// found by its text, so that it may move.
const REASONS = [
	['functions/lib/reports/tls-rpt.c', 'return text != NULL && rt_time_parse(text, &time_ms) && time_ms > 0 ? time_ms / 1000 : 0;',
		'>', '>=', 'the time 0 gives 0 on either side'],
	['functions/lib/sandbox/serve.c', 'dup2(request->fds[1], EDS_CHILD_MESSAGE_FD) < 0)', '0', '1', 'dup2 gives -1 or the number asked for, 4'],
	['functions/lib/store/migrations.c', 'if (step->oldest_program > state->oldest_program)', '>', '>=', 'it sets what is equal already'],
	['runtime/aws/sigv4.c', 'char *encoded = rt_alloc(ctx, strlen(text) * 3 + 1);', '1', '2', 'an octet more than is written'],
	['runtime/host/gateway-sender.c', 'return hash != 0 ? hash : 1;', '1', '2', 'any number but 0 will do'],
	['runtime/host/pool-program.c', 'event_active(pool->owner->turned, EV_TIMEOUT, 0);', '0', '1',
		'libevent looks at this number for signals alone'],
	['runtime/host/http.c', 'if (server->connection_count < HTTP_CONNECTIONS_PER_PEER_MAX)',
		'(server->connection_count < HTTP_CONNECTIONS_PER_PEER_MAX)', '(0 && (server->connection_count < HTTP_CONNECTIONS_PER_PEER_MAX))',
		'it only saves counting: of fewer connections one peer has no more'],
	['runtime/host/metrics.c', 'const char *comma = metric->labels[0] == \'\\0\' ? "" : ",";', '0', '1', 'labels are empty or longer than that'],
	['functions/lib/store/postgres-session.c', 'ready = poll(&fd, 1, left_ms > 0 ? (int)left_ms : 0);', '0', '1', 'a millisecond of waiting more or less'],
	['functions/lib/shape/links.c', "while (length > 0 && at[length - 1] == '.')", '>', '>=', "what stands before a host is '/' or '@', and no dot"],
	['functions/lib/fetch/fetch-handle.c', 'long connect_ms = https && left_ms > EDS_FETCH_CONNECT_MS ? EDS_FETCH_CONNECT_MS : left_ms;',
		'>', '>=', 'both are the same then'],
	['functions/lib/sandbox/proof.c', 'void *mapped = mmap(NULL, 1, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);',
		'1', '2', 'either is a page'],
	['functions/lib/sandbox/proof.c', 'length = fd < 0 ? -1 : read(fd, text, sizeof text - 1);', '<', '<=',
		'no program of ours opens a file as its standard input'],
	['runtime/s3/client.c', 'if (sink >= 0 && !is_emptied(sink))', '0', '1',
		'a file is never 0, which is the standard input'],
	['local/dispatch-wait.c', 'item->waits = 0;', '0', '1', 'the next wait begins with its second pause, which is as short to whoever waits'],
	['local/replay.c', 'char request[ID_MAX + 100];', '+', '-', 'room for longer ids than the 36 octets of what a runner keeps'],
	['functions/lib/store/db-postgres.c', 'if (done == EDS_DB_OK)', '(done == EDS_DB_OK)', '(!(done == EDS_DB_OK))',
		'the number spares a question: without it the row that was added is looked for'],
	['local/smtp-transaction.c', 'smtp_forget_pieces(session);', 'smtp_forget_pieces(session);', ';',
		'the end of the transaction forgets them as well'],
];

const plain = (text) => text.replace(/\s+/g, ' ').trim();

export function reasonOf({ file, text, from, to }) {
	return REASONS.find(([inFile, line, before, after]) => inFile === file && plain(line) === plain(text) &&
		plain(before) === plain(from) && plain(after) === plain(to))?.[4];
}
