/* The categories of failures, one small set for the whole system.
 *
 * A failure has a category (this enum), a stable code and a sentence; the latter two are kept in
 * the context by rt_fail() (runtime/ctx.h). A finding about a domain's mail or DNS is a result,
 * never a failure.
 */
#ifndef RT_STATUS_H
#define RT_STATUS_H

typedef enum rt_status {
	RT_OK = 0,
	RT_BAD_INPUT,    /* the request cannot be parsed or is out of range */
	RT_UNAUTHORIZED, /* no token, or an invalid one */
	RT_FORBIDDEN,    /* the caller is known, but their plan does not allow it */
	RT_NOT_FOUND,    /* it does not exist, or this caller may not see it */
	RT_CONFLICT,     /* it exists already */
	RT_LIMIT,        /* too often or too much; may be allowed later */
	RT_TEMPORARY, /* a disk, a database or a network failed; the same event may be sent again */
	RT_LATER,     /* nothing of eds failed, but the event cannot be decided yet; only for events
			 that come again (rt_mail_event.comes_again) */
	RT_INTERNAL,  /* a bug of eds */
} rt_status;

#define RT_MUST_USE __attribute__((warn_unused_result))
#define RT_PRINTF(text, first) __attribute__((format(printf, text, first)))

/* The only macro that hides a return: it returns a failure to the caller. */
#define RT_TRY(call)                                                                               \
	do {                                                                                       \
		rt_status rt_try_status = (call);                                                  \
		if (rt_try_status != RT_OK)                                                        \
			return rt_try_status;                                                      \
	} while (0)

#endif
