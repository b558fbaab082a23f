#include "functions/tester/requirements/requirements-form.h"

#include "runtime/buffer.h"

static const char shorter_header[] = "Send the message with a shorter header.";

enum { FAULTS_TEXT_MAX = 2048 };

/* The faults in one line, the gravest first. */
struct faults {
	struct rt_buffer text;
	const char *advice; /* on the first fault */
};

static void add_fault(
	struct faults *faults, const char *what, const char *names, const char *advice)
{
	rt_buffer_format(&faults->text, "%s%s%s%s.", faults->text.length > 0 ? " " : "", what,
		names[0] != '\0' ? ": " : "", names);
	if (faults->advice == NULL)
		faults->advice = advice;
}

static const char *from_fault(const struct analysis *analysis)
{
	if (analysis->from.state == EDS_FROM_NONE)
		return "There is no From field with an address";
	if (analysis->from.state == EDS_FROM_INVALID)
		return "The From field cannot be read";
	return analysis->from.mailboxes > 1 ? "From names several mailboxes" : NULL;
}

const char *form_refusers(const struct analysis *analysis)
{
	if (!analysis->form.whole)
		return NULL;
	if (from_fault(analysis) != NULL || analysis->form.doubled.count > 0)
		return requirement_refusers(REQUIRE_FORM);
	return analysis->headers.message_id_missing ? "Gmail" : NULL;
}

static void find_header_faults(
	struct rt_ctx *ctx, const struct analysis *analysis, struct faults *faults)
{
	const struct eds_form *form = &analysis->form;

	if (from_fault(analysis) != NULL)
		add_fault(faults, from_fault(analysis), "", "Send with one address in From.");
	if (form->doubled.count + form->doubled_other.count > 0)
		add_fault(faults, "Fields that may occur only once occur twice",
			eds_form_names_text(ctx,
				form->doubled.count > 0 ? &form->doubled : &form->doubled_other),
			"Find the program that adds the field a second time, and let it replace "
			"the first.");
	if (analysis->headers.message_id_missing) /* 550 5.7.1, though RFC 5322 says SHOULD */
		add_fault(faults, "There is no Message-ID", "",
			"Let the sending program or server write a Message-ID.");
	if (analysis->headers.date == DATE_MISSING || analysis->headers.date == DATE_UNREADABLE)
		add_fault(faults, "There is no readable Date", "",
			"Let the sending program write the Date field as RFC 5322 says.");
	if (form->eight_bit.count > 0 && !(analysis->client.smtputf8 && form->eight_bit_utf8))
		add_fault(faults, "Header fields contain octets over 127",
			eds_form_names_text(ctx, &form->eight_bit),
			"Write them as encoded words (RFC 2047), or send with SMTPUTF8.");
	if (form->malformed)
		add_fault(faults, "A line of the header is not a field", "",
			"Let each line of the header be a field or continue one.");
}

static void find_line_faults(
	struct rt_ctx *ctx, const struct analysis *analysis, struct faults *faults)
{
	const struct eds_form *form = &analysis->form;

	if (form->long_lines > 0)
		add_fault(faults,
			rt_printf(ctx,
				"%zu line%s over 998 octets, the longest %zu (RFC 5322 section "
				"2.1.1)",
				form->long_lines, form->long_lines == 1 ? " is" : "s are",
				form->longest_line),
			"", "Encode the body as quoted-printable or base64, and fold the header.");
	if (form->bare_cr || form->bare_lf)
		add_fault(faults, "There is a CR or LF alone, but lines end with CR LF", "",
			"Let the sending program end each line with CR LF.");
}

struct demand requirements_form(struct rt_ctx *ctx, const struct analysis *analysis)
{
	struct faults faults = {.advice = NULL};

	rt_buffer_init(&faults.text, ctx, FAULTS_TEXT_MAX);
	if (!analysis->form.whole)
		return (struct demand){.state = DEMAND_UNDECIDED,
			.evidence = analysis->headers.limit,
			.advice = shorter_header};
	find_header_faults(ctx, analysis, &faults);
	find_line_faults(ctx, analysis, &faults);
	if (faults.advice == NULL)
		return (struct demand){.state = DEMAND_MET,
			.evidence = "The message follows RFC 5322, and no field occurs twice."};
	return (struct demand){
		.state = DEMAND_MISSED, .evidence = faults.text.bytes, .advice = faults.advice};
}

static struct demand with_advice(const struct analysis *analysis, struct demand demand)
{
	if (demand.state == DEMAND_MISSED)
		demand.advice = "If this is a newsletter or other marketing mail, add both fields "
				"and sign them; mail from one person to another needs neither.";
	else if (demand.state == DEMAND_UNDECIDED)
		demand.advice = analysis->form.whole ? "Analyze the message again later."
						     : shorter_header;
	return demand;
}

struct demand requirements_one_click(const struct analysis *analysis)
{
	return with_advice(analysis, analysis->unsubscribe.whole);
}

struct demand requirements_button(const struct analysis *analysis)
{
	struct demand demand = with_advice(analysis, analysis->unsubscribe.button);

	if (demand.state == DEMAND_MISSED && analysis->unsubscribe.whole.state != DEMAND_MISSED)
		demand.advice = "Sign both fields with the domain of From.";
	return demand;
}

struct demand requirements_any_way(const struct analysis *analysis)
{
	if (analysis->unsubscribe.has_way)
		return (struct demand){.state = DEMAND_MET,
			.evidence = "List-Unsubscribe names a way to unsubscribe; whether it "
				    "works was not tried."};
	if (!analysis->form.whole)
		return (struct demand){.state = DEMAND_UNDECIDED,
			.evidence = analysis->headers.limit,
			.advice = shorter_header};
	return (struct demand){.state = DEMAND_MISSED,
		.evidence = "The message has no List-Unsubscribe field with a URI.",
		.advice = "If this is a newsletter or other marketing mail, let its readers "
			  "unsubscribe."};
}
