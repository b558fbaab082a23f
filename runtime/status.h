/* The categories of failures, one small set for the whole system.
 *
 * A failure has a category (this enum), a stable code and a sentence; rt_fail() stores the code and
 * the sentence in the context (runtime/ctx.h). A finding about a domain's mail or DNS is a result,
 * never a failure.
 */
#ifndef RT_STATUS_H
#define RT_STATUS_H

typedef enum rt_status {
	RT_OK = 0,
	RT_BAD_INPUT,    /* the request cannot be parsed or is out of range */
	RT_UNAUTHORIZED, /* no token, or an invalid one */
	/* the caller is not allowed to do this, for example because of the plan or the token */
	RT_FORBIDDEN,
	RT_NOT_FOUND, /* the thing does not exist, or this caller is not allowed to see it */
	/* the thing exists already, or is in a state that does not allow the request */
	RT_CONFLICT,
	/* a limit is exceeded: requests come too often (later they may be allowed), or the request
	 * or its answer is too large */
	RT_LIMIT,
	RT_TEMPORARY, /* a disk, a database or a network failed; the same event may be sent again */
	/* nothing of eds failed, but the event cannot be decided yet; only for events that will be
	 * sent again (rt_mail_event.comes_again) */
	RT_LATER,
	RT_INTERNAL, /* a bug of eds, a wrong setup, or damaged data */
} rt_status;

#define RT_MUST_USE __attribute__((warn_unused_result))
#define RT_PRINTF(text, first) __attribute__((format(printf, text, first)))
/* Marks a large local variable of which little is used, so that the compiler does not set it to
 * zero at its declaration (-ftrivial-auto-var-init). */
#if defined(__has_attribute) && __has_attribute(uninitialized)
#define RT_UNSET __attribute__((uninitialized))
#else
#define RT_UNSET
#endif

/* Returns from the calling function if the call fails. The only macro that hides a return. */
#define RT_TRY(call)                                                                               \
	do {                                                                                       \
		rt_status rt_try_status = (call);                                                  \
		if (rt_try_status != RT_OK)                                                        \
			return rt_try_status;                                                      \
	} while (0)

#endif
