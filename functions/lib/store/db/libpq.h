/* libpq, loaded only when a PostgreSQL database is opened. Linking it would cost every cold start
 * four times what SQLite costs, because of the libraries that libpq itself needs (TLS, GSSAPI,
 * LDAP). The members of struct eds_libpq are the functions of libpq-fe.h, by their names without
 * PQ.
 */
#ifndef EDS_STORE_LIBPQ_H
#define EDS_STORE_LIBPQ_H

#include <postgresql/libpq-fe.h>

/* X(name): one function that the driver calls. */
#define EDS_LIBPQ_FUNCTIONS(X)                                                                     \
	X(connectStartParams)                                                                      \
	X(connectPoll)                                                                             \
	X(status)                                                                                  \
	X(finish)                                                                                  \
	X(socket)                                                                                  \
	X(setnonblocking)                                                                          \
	X(setNoticeProcessor)                                                                      \
	X(setErrorVerbosity)                                                                       \
	X(errorMessage)                                                                            \
	X(flush)                                                                                   \
	X(consumeInput)                                                                            \
	X(isBusy)                                                                                  \
	X(getResult)                                                                               \
	X(sendQuery)                                                                               \
	X(sendQueryParams)                                                                         \
	X(backendPID)                                                                              \
	X(sendPrepare)                                                                             \
	X(sendQueryPrepared)                                                                       \
	X(enterPipelineMode)                                                                       \
	X(pipelineSync)                                                                            \
	X(exitPipelineMode)                                                                        \
	X(resultStatus)                                                                            \
	X(resultErrorField)                                                                        \
	X(ntuples)                                                                                 \
	X(getvalue)                                                                                \
	X(getisnull)                                                                               \
	X(cmdStatus)                                                                               \
	X(cmdTuples)                                                                               \
	X(clear)

struct eds_libpq {
#define EDS_LIBPQ_MEMBER(name) __typeof__(PQ##name) *name;
	EDS_LIBPQ_FUNCTIONS(EDS_LIBPQ_MEMBER)
#undef EDS_LIBPQ_MEMBER
};

/* Loads libpq at the first call. NULL when it is not installed. */
const struct eds_libpq *eds_libpq(void);

#endif
