#include "runtime/host/metrics.h"

#include <stdio.h>
#include <string.h>

#include "runtime/keyed-hash.h"
#include "runtime/log.h"
#include "runtime/version.h"

enum {
	NAME_MAX_BYTES = 64,
	LABELS_MAX = 128,
	BUCKETS = 16,
	SLOTS = 2 * METRICS_MAX, /* a power of two */
};

enum metric_type { COUNTER, GAUGE, HISTOGRAM };

struct metric {
	char name[NAME_MAX_BYTES];
	char labels[LABELS_MAX];
	const char *help;
	enum metric_type type;
	uint64_t value; /* for a histogram the number of observations */
	double sum;
	uint64_t buckets[BUCKETS];
	struct metric
		*next_family; /* in the first metric of a name: the first metric of the next name */
	struct metric *next;  /* the next metric of the same name */
};

static const double bounds[BUCKETS] = {
	0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 20, 30};

static struct metric metrics[METRICS_MAX];
static size_t metric_count;
static struct metric surplus;

/* Hash tables: slots has all metrics, by name and labels; lasts has the last metric of each name,
 * by name. The names come from this program and its manifest, so the hash key need not be
 * secret. */
static struct metric *slots[SLOTS];
static struct metric *lasts[SLOTS];
static struct metric *first_family;
static struct metric **families_end = &first_family;
static const struct rt_hash_key key;

static struct metric **slot_of(const char *name, const char *labels)
{
	uint64_t hash = rt_hash(&key, name, strlen(name)) ^ rt_hash(&key, labels, strlen(labels));
	size_t at = hash % SLOTS;

	while (slots[at] != NULL &&
		(strcmp(slots[at]->name, name) != 0 || strcmp(slots[at]->labels, labels) != 0))
		at = (at + 1) % SLOTS;
	return &slots[at];
}

static struct metric **last_of(const char *name)
{
	size_t at = rt_hash(&key, name, strlen(name)) % SLOTS;

	while (lasts[at] != NULL && strcmp(lasts[at]->name, name) != 0)
		at = (at + 1) % SLOTS;
	return &lasts[at];
}

/* Adds the metric to its family, after the other metrics of the same name. */
static void join_family(struct metric *metric)
{
	struct metric **last = last_of(metric->name);

	if (*last != NULL) {
		(*last)->next = metric;
	} else {
		*families_end = metric;
		families_end = &metric->next_family;
	}
	*last = metric;
}

static struct metric *use_surplus(const char *name, const char *labels)
{
	static bool is_told;

	if (!is_told)
		rt_log_line(RT_LOG_ERROR, "metrics", NULL,
			"there is no room for the metric %.64s{%.128s}; it and further new metrics are not shown",
			name, labels);
	is_told = true;
	return &surplus;
}

static struct metric *find(
	const char *name, const char *help, const char *labels, enum metric_type type)
{
	struct metric **slot = slot_of(name, labels);
	struct metric *metric = *slot;

	if (metric != NULL)
		return metric;
	if (metric_count == METRICS_MAX || strlen(name) >= NAME_MAX_BYTES ||
		strlen(labels) >= LABELS_MAX)
		return use_surplus(name, labels);
	metric = &metrics[metric_count++];
	snprintf(metric->name, sizeof metric->name, "%s", name);
	snprintf(metric->labels, sizeof metric->labels, "%s", labels);
	metric->help = help;
	metric->type = type;
	*slot = metric;
	join_family(metric);
	return metric;
}

struct metric *metric_counter(const char *name, const char *help, const char *labels)
{
	return find(name, help, labels, COUNTER);
}

struct metric *metric_gauge(const char *name, const char *help, const char *labels)
{
	return find(name, help, labels, GAUGE);
}

struct metric *metric_histogram(const char *name, const char *help, const char *labels)
{
	return find(name, help, labels, HISTOGRAM);
}

void metric_add(struct metric *metric, uint64_t count)
{
	metric->value += count;
}

void metric_set(struct metric *metric, uint64_t value)
{
	metric->value = value;
}

void metric_observe(struct metric *metric, double seconds)
{
	metric->value++;
	metric->sum += seconds;
	for (size_t i = 0; i < BUCKETS; i++)
		if (seconds <= bounds[i]) {
			metric->buckets[i]++;
			return;
		}
}

static void write_histogram(struct rt_buffer *out, const struct metric *metric)
{
	const char *comma = metric->labels[0] == '\0' ? "" : ",";
	const char *open = metric->labels[0] == '\0' ? "" : "{";
	const char *close = metric->labels[0] == '\0' ? "" : "}";
	uint64_t below = 0;

	for (size_t i = 0; i < BUCKETS; i++) {
		below += metric->buckets[i];
		rt_buffer_format(out, "%s_bucket{%s%sle=\"%g\"} %llu\n", metric->name,
			metric->labels, comma, bounds[i], (unsigned long long)below);
	}
	rt_buffer_format(out, "%s_bucket{%s%sle=\"+Inf\"} %llu\n", metric->name, metric->labels,
		comma, (unsigned long long)metric->value);
	rt_buffer_format(out, "%s_sum%s%s%s %.6f\n%s_count%s%s%s %llu\n", metric->name, open,
		metric->labels, close, metric->sum, metric->name, open, metric->labels, close,
		(unsigned long long)metric->value);
}

static void write_metric(struct rt_buffer *out, const struct metric *metric)
{
	if (metric->type == HISTOGRAM)
		write_histogram(out, metric);
	else if (metric->labels[0] == '\0')
		rt_buffer_format(out, "%s %llu\n", metric->name, (unsigned long long)metric->value);
	else
		rt_buffer_format(out, "%s{%s} %llu\n", metric->name, metric->labels,
			(unsigned long long)metric->value);
}

static void write_family(struct rt_buffer *out, const struct metric *first)
{
	static const char *const types[] = {"counter", "gauge", "histogram"};

	rt_buffer_format(out, "# HELP %s %s\n# TYPE %s %s\n", first->name, first->help, first->name,
		types[first->type]);
	for (const struct metric *m = first; m != NULL; m = m->next)
		write_metric(out, m);
}

void metrics_show_release(void)
{
	char label[64];

	snprintf(label, sizeof label, "version=\"%s\"", rt_version());
	metric_set(metric_gauge("eds_build_info",
			   "The release, in the label version; the value is always 1.", label),
		1);
}

void metrics_write(struct rt_buffer *out)
{
	for (const struct metric *m = first_family; m != NULL; m = m->next_family)
		write_family(out, m);
}
