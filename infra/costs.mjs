// Estimates the cost of a month: on AWS as the template deploys it, on Kubernetes with Knative, and on machines of
// your own.
//
//     node infra/costs.mjs [--domains 100000] [--tests 1000000] [--reports 2] [--on 0.1] [--mail own] [--prices FILE]
//
// domains: with two valid selectors each; tests: messages analyzed a month; reports: taken in for a domain
// a day; on: the share of domains whose MTA-STS is switched on; mail: "own" for a mail server of your own (the runner
// with --only smtp, or Postfix) in place of SES; prices: JSON with the members that differ from those here. Without
// domains and tests it prints the table of infra/README.md. Prices are dollars, as listed for us-east-1 in 2026,
// without free tiers and discounts.
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';

const PRICES = {
	lambdaGbSecond: 0.0000166667,
	lambdaMillion: 0.2,
	gatewayMillion: 1,
	queueMillion: 0.4,
	sesThousand: 0.1,
	putMillion: 5,
	getMillion: 0.4,
	logGb: 0.5,
	alarm: 0.1,
	databaseVcpu: 62, // a month of one vCPU of an instance with 4 GB for each
	databaseDiskGb: 0.115,
	natGateway: 33,
	clusterVcpu: 25,
	clusterGb: 3.4,
	ownMachine: 25, // a month of a machine with 2 processors and 8 GB
	ownDiskGb: 0.05,
};

// Processor time in seconds for one item of each kind, measured by make figures
// (tests/bench/README.md) and make scale.
const CPU = { selector: 20e-6, posture: 250e-6, mtaSts: 960e-6, report: 3.37e-3, test: 1.3e-3, request: 85e-6 };
// Processor time of PostgreSQL for the same items. Measured are a check (its lease and its result), a read
// (43 us), a write (57 us) and the part of a report in sums (90 us); the times of a report, a test and a
// request are computed from their reads and writes.
const DATABASE_CPU = { selector: 133e-6, posture: 133e-6, mtaSts: 133e-6, report: 400e-6, test: 350e-6, request: 43e-6 };
const REPORT_GB = 3.4e-6; // size of a report with ten rows, as measured; reports are kept for 90 days
const DOMAIN_GB = 2.4e-6;

// Assumptions.
const DAYS = 30;
const SELECTORS = 2;
const REQUESTS_OF_TEST = 12; // requests to create the address, to wait for the result and to view it
const REQUESTS_OF_DOMAIN = 30;
const DNS_S = 0.1; // time that an event waits for DNS: two round trips, one after the other
const SERVICES_S = 0.05; // time that an event waits for the database and the mail store
const RUN_S = 3; // time that a run of a checking job waits for slow name servers
const LOG_GB = 0.7e-6; // log of one invocation
const BUSY = 0.5; // the highest use of a processor that is planned for

// Memory of functions in the template, in MB. On AWS Lambda the share of a processor is proportional to it:
// 1769 MB have one processor.
const [SMALL, LARGE] = [128, 512];
const lambdaSeconds = (cpu, mb) => cpu * (1769 / mb);

const { functions } = JSON.parse(readFileSync(new URL('../functions/manifest.json', import.meta.url), 'utf8'));
const EVERY_MINUTE = Object.values(functions).filter(({ schedule }) => schedule === 'rate(1 minute)').length;
const CHECKS = 3; // number of jobs that wait for name servers

const sum = (record) => Object.values(record).reduce((all, value) => all + value, 0);
const times = (a, b) => Object.fromEntries(Object.keys(a).map((name) => [name, a[name] * b[name]]));

export function workOf({ domains, tests, reports = 2, on = 0.1 }) {
	return {
		selector: domains * SELECTORS * 24 * DAYS,
		posture: domains * 4 * DAYS,
		mtaSts: domains * (on * 24 + (1 - on)) * DAYS,
		report: domains * reports * DAYS,
		test: tests,
		request: tests * REQUESTS_OF_TEST + domains * REQUESTS_OF_DOMAIN,
	};
}

const diskGb = (work) => work.report * 3 * REPORT_GB + (work.selector / SELECTORS / 24 / DAYS) * DOMAIN_GB + 5;
const jobCpu = ({ selector, posture, mtaSts }) => selector * CPU.selector + posture * CPU.posture + mtaSts * CPU.mtaSts;
const processors = (seconds) => Math.max(2, Math.ceil(seconds / (DAYS * 86400 * BUSY)));

function lambda(work, prices) {
	const minutes = DAYS * 1440;
	const events = work.report + work.test;
	const invocations = EVERY_MINUTE * minutes + events + work.request;
	const jobs = (lambdaSeconds(jobCpu(work), SMALL) + (CHECKS * RUN_S + EVERY_MINUTE * SERVICES_S) * minutes) * (SMALL / 1024);
	const mail = ((DNS_S + SERVICES_S) * events + lambdaSeconds(work.report * CPU.report + work.test * CPU.test, LARGE)) * (LARGE / 1024);
	const requests = (SERVICES_S * work.request + lambdaSeconds(work.request * CPU.request, SMALL)) * (SMALL / 1024);
	return (jobs + mail + requests) * prices.lambdaGbSecond + invocations * (prices.lambdaMillion / 1e6 + LOG_GB * prices.logGb);
}

function aws(work, mail, prices) {
	const events = work.report + work.test;
	const database = processors(sum(times(work, DATABASE_CPU)));
	return {
		functions: lambda(work, prices),
		gateway: work.request * prices.gatewayMillion / 1e6,
		'mail in': mail === 'own' ? prices.ownMachine : events * prices.sesThousand / 1e3,
		'queues, mail store': events * (3 * prices.queueMillion + prices.putMillion + prices.getMillion) / 1e6,
		database: database * prices.databaseVcpu + diskGb(work) * prices.databaseDiskGb,
		'network, alarms': prices.natGateway + 30 * prices.alarm,
	};
}

function knative(work, prices) {
	const seconds = sum(times(work, CPU)) / BUSY;
	const database = processors(sum(times(work, DATABASE_CPU)));
	return {
		functions: (seconds / (DAYS * 86400)) * prices.clusterVcpu + (2 + EVERY_MINUTE * SMALL / 1024) * prices.clusterGb,
		database: database * prices.clusterVcpu + 4 * database * prices.clusterGb + diskGb(work) * prices.databaseDiskGb,
	};
}

function own(work, prices) {
	const seconds = sum(times(work, CPU)) + sum(times(work, DATABASE_CPU));
	return { machines: Math.ceil(processors(seconds) / 2) * prices.ownMachine + diskGb(work) * prices.ownDiskGb };
}

/** { aws, knative, own }: dollars a month for each part of the service. */
export function costs({ mail = 'ses', prices = {}, ...load }) {
	const all = { ...PRICES, ...prices };
	const work = workOf(load);
	return { aws: aws(work, mail, all), knative: knative(work, all), own: own(work, all) };
}

const LOADS = [[1000, 10000], [100000, 10000], [100000, 1000000], [1000000, 10000], [1000000, 1000000], [1000000, 10000000]];
const dollars = (value) => Number(value.toPrecision(2)).toLocaleString('en');

/** The table of infra/README.md. */
export function table() {
	const parts = Object.keys(costs({ domains: 1, tests: 1 }).aws);
	const head = ['domains', 'tests a month', ...parts.map((part) => `AWS: ${part}`), 'AWS', 'with an own mail server', 'Knative', 'own machines'];
	const rows = LOADS.map(([domains, tests]) => {
		const all = costs({ domains, tests });
		const values = [...Object.values(all.aws), sum(all.aws), sum(costs({ domains, tests, mail: 'own' }).aws), sum(all.knative), sum(all.own)];
		return [domains.toLocaleString('en'), tests.toLocaleString('en'), ...values.map(dollars)];
	});
	return [head, head.map(() => '---'), ...rows].map((row) => `| ${row.join(' | ')} |`).join('\n');
}

function tell(values) {
	const load = Object.fromEntries(['domains', 'tests', 'reports', 'on'].filter((name) => values[name] !== undefined)
		.map((name) => [name, Number(values[name])]));
	const prices = values.prices ? JSON.parse(readFileSync(values.prices, 'utf8')) : {};
	for (const [where, parts] of Object.entries(costs({ domains: 0, tests: 0, ...load, mail: values.mail, prices }))) {
		console.log(`${where}: ${dollars(sum(parts))} dollars a month`);
		for (const [part, value] of Object.entries(parts)) console.log(`  ${part}: ${dollars(value)}`);
	}
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
	const string = { type: 'string' };
	const { values } = parseArgs({ options: { domains: string, tests: string, reports: string, on: string, mail: string, prices: string } });
	if (values.domains || values.tests) tell(values);
	else console.log(table());
}
