/* Categories of failure, one small set for the whole system.
 *
 * A failure has a category (this enum), a stable code and a sentence; the latter two are kept in
 * the context by rt_fail() (runtime/ctx.h). What is found out about somebody's mail or DNS is a
 * result, never one of these.
 */
#ifndef RT_STATUS_H
#define RT_STATUS_H

typedef enum rt_status {
	RT_OK = 0,
	RT_BAD_INPUT,    /* the caller's request cannot be understood or is out of range */
	RT_UNAUTHORISED, /* no token, or none that is valid now */
	RT_FORBIDDEN,    /* known caller, but the plan does not allow it */
	RT_NOT_FOUND,    /* no such thing, or none that this caller may see */
	RT_CONFLICT,     /* it exists already */
	RT_LIMIT,        /* too often or too much; later it may be allowed */
	RT_TEMPORARY, /* a disk, a database or a network failed; the same event may be sent again */
	RT_INTERNAL,  /* our bug */
} rt_status;

#define RT_MUST_USE __attribute__((warn_unused_result))
#define RT_PRINTF(text, first) __attribute__((format(printf, text, first)))

/* The only macro that hides a return: passes a failure on to the caller. */
#define RT_TRY(call)                                                                               \
	do {                                                                                       \
		rt_status rt_try_status = (call);                                                  \
		if (rt_try_status != RT_OK)                                                        \
			return rt_try_status;                                                      \
	} while (0)

#endif
