#include "functions/tester/requirements/requirements-form.h"

#include "runtime/buffer.h"

static const char shorter_header[] = "Send the message with a shorter header.";

enum { FAULTS_TEXT_MAX = 2048 };

/* The faults in one line, the most serious first. */
struct faults {
	struct rt_buffer text;
	const char *advice; /* advice on the first fault */
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

bool form_is_refused_by_all(const struct analysis *analysis)
{
	return analysis->form.whole &&
		(from_fault(analysis) != NULL || analysis->from.name_alone ||
			analysis->form.doubled.count > 0);
}

const char *form_refusers(const struct analysis *analysis)
{
	if (form_is_refused_by_all(analysis))
		return requirement_refusers(REQUIRE_FORM);
	return analysis->headers.message_id_missing && !analysis->headers.handed_in ? "Gmail"
										    : NULL;
}

static bool is_without_date(const struct analysis *analysis)
{
	return analysis->headers.date == DATE_MISSING || analysis->headers.date == DATE_UNREADABLE;
}

/* Adds the faults of Message-ID and Date. These faults are separate from all others, because the
 * server to which a program hands its mail may still add missing fields. */
static void find_field_faults(const struct analysis *analysis, struct faults *faults)
{
	/* Gmail refuses such mail (550 5.7.1), although RFC 5322 only says SHOULD */
	if (analysis->headers.message_id_missing)
		add_fault(faults, "There is no Message-ID", "",
			"Let the sending program or server write a Message-ID.");
	if (is_without_date(analysis))
		add_fault(faults, "There is no readable Date", "",
			"Let the sending program write the Date field as RFC 5322 says.");
}

static void find_header_faults(struct rt_ctx *ctx, const struct analysis *analysis,
	bool with_fields, struct faults *faults)
{
	const struct eds_form *form = &analysis->form;

	if (from_fault(analysis) != NULL)
		add_fault(faults, from_fault(analysis), "", "Send with one address in From.");
	/* the comma splits From into two addresses: Gmail refuses mail with several addresses in
	 * From (550 5.7.1) */
	if (analysis->from.name_alone)
		add_fault(faults,
			"The name in From has a comma outside quotation marks, which ends an "
			"address",
			"",
			"Put the name in quotation marks: From: \"Doe, John\" "
			"<john@example.com>.");
	if (analysis->from.words_before)
		add_fault(faults, "From has several words before the @ of an address", "",
			"Put the address in angle brackets: From: John Doe <john@example.com>.");
	if (form->doubled.count + form->doubled_other.count > 0)
		add_fault(faults, "Fields that may occur only once occur twice",
			eds_form_names_text(ctx,
				form->doubled.count > 0 ? &form->doubled : &form->doubled_other),
			"Find the program that adds the field a second time, and let it replace "
			"the first field instead.");
	if (with_fields)
		find_field_faults(analysis, faults);
	if (analysis->headers.message_id_odd)
		add_fault(faults, "The Message-ID does not have the form <left@right>", "",
			"Let the sending program or server write it as RFC 5322 section 3.6.4 "
			"says.");
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
		add_fault(faults, "There is a CR or LF alone, but lines must end with CR LF", "",
			"Let the sending program end each line with CR LF.");
}

struct demand requirements_of_cut_header(const struct analysis *analysis)
{
	return (struct demand){.state = DEMAND_UNDECIDED,
		.evidence = analysis->headers.limit,
		.advice = shorter_header};
}

static struct demand judge(struct rt_ctx *ctx, const struct analysis *analysis, bool with_fields)
{
	struct faults faults = {.advice = NULL};

	rt_buffer_init(&faults.text, ctx, FAULTS_TEXT_MAX);
	if (!analysis->form.whole)
		return requirements_of_cut_header(analysis);
	find_header_faults(ctx, analysis, with_fields, &faults);
	find_line_faults(ctx, analysis, &faults);
	if (faults.advice == NULL)
		return (struct demand){.state = DEMAND_MET,
			.evidence = "The message follows RFC 5322, and no field occurs twice."};
	return (struct demand){
		.state = DEMAND_MISSED, .evidence = faults.text.bytes, .advice = faults.advice};
}

struct demand requirements_form_besides(struct rt_ctx *ctx, const struct analysis *analysis)
{
	return judge(ctx, analysis, false);
}

bool form_waits_for_server(const struct analysis *analysis)
{
	return analysis->headers.handed_in &&
		(analysis->headers.message_id_missing || analysis->headers.date == DATE_MISSING);
}

/* Undecided if only Message-ID or Date is missing in mail that no server has taken: a submission
 * server should add them (RFC 6409 section 8). */
struct demand requirements_form(struct rt_ctx *ctx, const struct analysis *analysis)
{
	struct demand besides = judge(ctx, analysis, false);

	if (besides.state != DEMAND_MET || !form_waits_for_server(analysis))
		return judge(ctx, analysis, true);
	return (struct demand){.state = DEMAND_UNDECIDED,
		.evidence = rt_printf(ctx,
			"There is no %s%s. No mail server has taken the message yet, and most add "
			"what is missing (RFC 6409 section 8).",
			analysis->headers.message_id_missing ? "Message-ID" : "Date",
			analysis->headers.message_id_missing && is_without_date(analysis)
				? ", and no Date"
				: ""),
		.advice = "Let the program write both fields, or send a message through your "
			  "server to see whether it adds them."};
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
		return requirements_of_cut_header(analysis);
	return (struct demand){.state = DEMAND_MISSED,
		.evidence = "The message has no List-Unsubscribe field with a URI.",
		.advice = "If this is a newsletter or other marketing mail, let its readers "
			  "unsubscribe."};
}
