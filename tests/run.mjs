// Runs every suite and adds up the results: unit tests (cmocka), functions on their real binaries, fuzz
// corpora, the stories end to end, a few rounds of faults; unit tests and functions again in the sanitizer
// build; then as in the cloud: the store and the functions on PostgreSQL, the stories on it through
// PgBouncer with mail in S3 and each function behind bootstrap; then the stories about mail under a kernel
// that refuses calls, as AWS Lambda's does. Prints the failures, and at the end "N passed, N failed". With
// names of suites as arguments it runs only those; each of postgres, pooler, s3 and bootstrap runs all
// stories. With STORIES="front http" in the environment it runs only those stories.
import { spawn } from 'node:child_process';
import { chmodSync, existsSync, mkdtempSync, readFileSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { canBeCloud } from './e2e/support/cloud.mjs';
import { descendantsOf, killAll, processLine } from './e2e/support/runner.mjs';
import { startS3 } from './e2e/support/s3.mjs';
import { memoryFolder } from './support/memory.mjs';
import { startPgBouncer } from './support/pgbouncer.mjs';
import { findPostgres, startPostgres } from './support/postgres.mjs';

const MODES = { release: 'build', asan: 'build/asan' };
const SANITIZER_ENV = {
	ASAN_OPTIONS: 'detect_leaks=1:abort_on_error=1',
	UBSAN_OPTIONS: 'print_stacktrace=1:halt_on_error=1',
	EDS_SANDBOX: 'off',
};
const SUITE_SECONDS = 900;
const PARALLEL = 2;
const STORIES = 3; // number of stories at a time; most of them mostly wait

const total = { passed: 0, failed: 0, skipped: 0 };
const failures = []; // a few lines for each suite that failed, printed again at the end
const TOLD_LINES = 16;

// Kills a process that does not end, with all processes that it started.
function endAll(pid) {
	const pids = [pid, ...descendantsOf(pid)];
	const told = pids.map(processLine).join('\n');
	killAll(pids);
	return told;
}

function run(command, args, env = {}) {
	return new Promise((resolve) => {
		const child = spawn(command, args, {
			env: { ...process.env, ...env },
			stdio: ['ignore', 'pipe', 'pipe'],
		});
		let output = '';
		const timer = setTimeout(() => {
			output += `\nIt did not end within ${SUITE_SECONDS} s. Of it ran:\n${endAll(child.pid)}\n`;
		}, SUITE_SECONDS * 1000);
		child.stdout.on('data', (data) => (output += data));
		child.stderr.on('data', (data) => (output += data));
		child.on('error', (error) => (output += error));
		child.on('close', (code, signal) => {
			clearTimeout(timer);
			resolve({ code, signal, output });
		});
	});
}

const numberBehind = (text, pattern) => Number(pattern.exec(text)?.[1] ?? 0);

// The names of the tests with this result; cmocka prints each once or more.
const cmockaNames = (output, word) =>
	new Set([...output.matchAll(new RegExp(`^\\[ +${word} +\\] ([A-Za-z_]\\w*)$`, 'gm'))].map(([, name]) => name));

// Each reader counts { passed, failed, skipped } in the output of a suite.
const readers = {
	cmocka: (output) => ({
		passed: [...output.matchAll(/^\[  PASSED  \] (\d+)/gm)].reduce((sum, m) => sum + Number(m[1]), 0),
		failed: cmockaNames(output, 'FAILED').size,
		skipped: cmockaNames(output, 'SKIPPED').size,
	}),
	closing: (output) => ({
		passed: numberBehind(output, /(\d+) passed, \d+ failed/),
		failed: numberBehind(output, /\d+ passed, (\d+) failed/),
		skipped: numberBehind(output, /\d+ failed, (\d+) skipped/),
	}),
	node: (output) => ({
		passed: numberBehind(output, /^# pass (\d+)/m),
		failed: numberBehind(output, /^# fail (\d+)/m) + numberBehind(output, /^# cancelled (\d+)/m),
		// A suite that is skipped as a whole counts as one skipped test, however many tests it has.
		skipped: Math.max(numberBehind(output, /^# skipped (\d+)/m), [...output.matchAll(/^ok \d+ - .* # SKIP/gm)].length),
	}),
	exit: () => ({ passed: 0, failed: 0, skipped: 0 }),
};

// The output of a story, without the tests that passed.
function failuresOf(output) {
	let isTold = true;
	return output.split('\n').filter((line) => {
		if (/^ *not ok /.test(line)) isTold = true;
		else if (/^ *(ok |# Subtest|\d+\.\.\d+$)/.test(line)) isTold = false;
		return isTold;
	}).join('\n');
}

// The lines that say which tests failed and why.
const essenceOf = (output) =>
	output.split('\n').filter((line) => /^ *not ok |^ *(error|expected|actual):|FAILED|ERROR|^ {6,}\S.*\.mjs:\d|It did not end|Sanitizer/.test(line))
		.slice(0, TOLD_LINES).map((line) => line.slice(0, 300));

function report(name, { code, signal, output }, read) {
	const counts = read(output);
	const broken = code !== 0 && counts.failed === 0;
	const maySkip = process.getuid() !== 0 && counts.skipped > 0; // tests that only root can run
	const silent = code === 0 && counts.passed + counts.failed === 0 && !maySkip;

	if (read === readers.exit) counts[code === 0 ? 'passed' : 'failed'] = 1;
	else if (broken || silent) counts.failed++;
	for (const key of Object.keys(total)) total[key] += counts[key];
	const how = signal ?? (code === 0 ? '' : `exit ${code}`);
	console.log(`${counts.failed ? 'FAIL' : 'ok  '} ${name}: ${counts.passed} passed` +
		`${counts.passed + counts.failed === 0 ? ', the rest skipped' : ''}${counts.failed ? `, ${counts.failed} failed ${how}` : ''}`);
	const told = read === readers.node && !signal ? failuresOf(output) : output; // for a killed suite, the last test that passed
	if (counts.failed) {
		console.log(told.slice(-20000).replace(/^/gm, '     '));
		failures.push(name, ...essenceOf(output).map((line) => `     ${line}`));
	}
}

async function inParallel(jobs, workers = PARALLEL) {
	const left = [...jobs];
	const worker = async () => {
		while (left.length > 0) await left.shift()();
	};
	await Promise.all(Array.from({ length: workers }, worker));
}

const unitPrograms = (build) =>
	readdirSync('tests/unit')
		.filter((file) => /^test_.*\.c$/.test(file))
		.map((file) => `${build}/tests/unit/${file.slice(0, -2)}`);

async function unit(mode) {
	const env = { BUILD: MODES[mode], ...(mode === 'asan' ? SANITIZER_ENV : {}) };
	await inParallel(unitPrograms(MODES[mode]).map((program) => async () =>
		report(program, await run(program, [], env), readers.cmocka)));
}

// Runs each function's cases separately; they mostly wait for processes to start.
const functionCases = (title, env) =>
	readdirSync('tests/functions', { withFileTypes: true }).filter((entry) => entry.isDirectory())
		.map(({ name }) => async () =>
			report(`${name} (${title})`, await run('node', ['tests/functions/run.mjs', name], env), readers.closing));

async function functions(mode) {
	const env = { BUILD: MODES[mode], ...(mode === 'asan' ? SANITIZER_ENV : {}) };
	await inParallel(functionCases(mode, env), 2 * PARALLEL);
}

async function fuzzCorpora() {
	const names = readdirSync('tests/fuzz')
		.filter((file) => /^fuzz_.*\.c$/.test(file))
		.map((file) => file.slice('fuzz_'.length, -2));
	await inParallel(names.map((name) => async () => {
		const corpus = `tests/fuzz/corpus/${name}`;
		if (!existsSync(corpus)) throw new Error(`fuzz target ${name} has no corpus`);
		report(`fuzz corpus ${name}`,
			await run(`build/fuzz/tests/fuzz/fuzz_${name}`, ['-runs=0', corpus], SANITIZER_ENV),
			readers.exit);
	}));
}

const allStories = () => readdirSync('tests/e2e').filter((file) => file.endsWith('.test.mjs'));
const named = process.env.STORIES?.split(/\s+/);
const stories = () => allStories().filter((file) => !named || named.includes(file.replace('.test.mjs', '')));

// Environments in which stories run again, with something else in place of SQLite, the folder of mail or the
// runner's own pools. `same` has the stories for which an environment makes no difference, with the reason;
// `only` the only stories that it is for. start() returns { env, stop }.
const NO_RUNNER = { openapi: 'documents', package: 'zips', deb: 'packages of Debian', start: 'programs that do not start', commands: 'commands that run once', deliver: 'a command that runs once', spool: 'a command that runs once',
	bootstrap: 'bootstrap alone', 'refused-calls': 'always as a cloud', 'generated-client': 'what its compiler reads',
	'eds-requests': 'a service of its own', 'eds-answers': 'a service of its own', 'eds-hostile': 'a service of its own',
	'eds-errors': 'a service of its own', 'watched-fronts': 'Caddy and Postfix' };
// A page shows the same answers in each environment, so only two stories about the page, dashboard
// and dashboard-domains, run in all of them.
const PAGES = Object.fromEntries(allStories().map((file) => file.replace('.test.mjs', ''))
	.filter((name) => /^dashboard-/.test(name) && name !== 'dashboard-domains').map((name) => [name, 'pages']));
const HANDLERS_OF_TESTS = 'handlers of tests/support, which keep nothing';
const GROUNDS = {
	postgres: {
		server: true,
		same: { ...NO_RUNNER, ...PAGES, 'event-fields': HANDLERS_OF_TESTS, http: HANDLERS_OF_TESTS, 'slow-clients': HANDLERS_OF_TESTS,
			operations: HANDLERS_OF_TESTS, memory: HANDLERS_OF_TESTS, smtp: HANDLERS_OF_TESTS, 'smtp-peers': HANDLERS_OF_TESTS,
			'behind-bootstrap': HANDLERS_OF_TESTS, front: 'always on it', infra: 'always on it', secrets: 'always on it' },
		async start() {
			const server = await startPostgres();
			return { env: { EDS_TEST_DATABASE_URL: server.url }, stop: server.stop };
		},
	},
	pooler: {
		server: true,
		same: { backup: 'the server is asked, not the pooler' },
		async start() {
			const server = await startPostgres();
			const pooler = await startPgBouncer(server);
			return {
				env: { EDS_TEST_DATABASE_URL: server.url, EDS_TEST_POOLER_URL: pooler.url },
				async stop() {
					await pooler.stop();
					await server.stop();
				},
			};
		},
	},
	s3: {
		same: { ...NO_RUNNER, ...PAGES, 'event-fields': 'no mail', http: 'no mail', 'slow-clients': 'no mail', 'behind-bootstrap': 'no mail',
			accounts: 'no mail', instances: 'no mail', front: 'no mail', 'policy-host': 'no mail', 'port-closed': 'no mail',
			infra: 'a bucket of its own', s3: 'a bucket of its own', secrets: 'credentials of its own',
			'undecided-senders': 'its clock is an hour ahead, which a bucket refuses' },
		async start() {
			const server = await startS3();
			return { env: { EDS_TEST_S3: JSON.stringify(server.env) }, stop: server.close };
		},
	},
	bootstrap: {
		same: { ...NO_RUNNER, ...PAGES, 'event-fields': 'always behind both', 'behind-bootstrap': 'always behind it', instances: 'no runner',
			front: 'always behind it', infra: 'always behind it' },
		start: async () => ({ env: { EDS_TEST_BOOTSTRAP: '1' }, stop() {} }),
	},
	refused: {
		only: ['acceptance', 'hostile-mail', 'reports'],
		start: async () => ({ env: { EDS_TEST_CLOUD: '{}', EDS_TEST_BOOTSTRAP: '1' }, stop() {} }),
	},
};

Object.assign(GROUNDS.pooler.same, GROUNDS.postgres.same);

// Makes the folder in which stories write all their files.
function storyFolder() {
	const folder = mkdtempSync(join(tmpdir(), 'eds-tests-'));
	chmodSync(folder, 0o711); // Postfix gives up root's rights, and must still reach its folders there
	return { folder, remove: () => rmSync(folder, { recursive: true, force: true }) };
}

async function story(file, title, env) {
	const args = ['--test', '--test-reporter=tap', '--test-concurrency=2', `tests/e2e/${file}`];
	report(title, await run('node', args, env), readers.node);
}

// Calls tell(file) for each story; those with a browser run one after another, because a browser
// needs a processor of its own.
async function tellAll(files, tell) {
	const needsBrowser = (file) => file.startsWith('dashboard');
	const inBrowser = async () => {
		for (const file of files.filter(needsBrowser)) await tell(file);
	};
	const others = files.filter((file) => !needsBrowser(file)).map((file) => () => tell(file));
	await inParallel([inBrowser, ...others], STORIES);
}

async function endToEnd() {
	const { folder, remove } = storyFolder();
	await tellAll(stories(), (file) => story(file, `end to end: ${file}`, { TMPDIR: folder }));
	remove();
}

// Runs the unit tests of the store on PostgreSQL, except those about SQLite's file.
const storePrograms = (build) =>
	unitPrograms(build).filter((program) => {
		const source = readFileSync(`tests/unit/${program.slice(program.lastIndexOf('/') + 1)}.c`, 'utf8');
		return source.includes('store_fixture.h') && !/test_store_(faults|replaced)$/.test(program);
	});

const storesOf = (title, env) => [
	...functionCases(title, env),
	...storePrograms(MODES.release).map((program) => async () =>
		report(`${program} (${title})`, await run(program, [], env), readers.cmocka)),
];

const makesDifference = ({ same, only }, story) => (only ? only.includes(story) : !(story in same));

// Runs each story in those of the other environments that make a difference to it.
async function onGrounds(title, names) {
	if (names.some((name) => GROUNDS[name].server) && !findPostgres()) {
		console.log(`skip ${title}: PostgreSQL is not installed (make deps-test)`);
		total.skipped++;
		return;
	}
	const { folder, remove } = storyFolder();
	const grounds = {};
	try {
		for (const name of names) {
			const { same, only } = GROUNDS[name];
			const stray = [...(only ?? Object.keys(same))].filter((same) => !allStories().includes(`${same}.test.mjs`));
			if (stray.length > 0) throw new Error(`no such story: ${stray}`);
			grounds[name] = await GROUNDS[name].start();
		}
		for (const name of names.filter((own) => GROUNDS[own].server && !named))
			await inParallel(storesOf(name, { BUILD: MODES.release, ...grounds[name].env }));
		const groundsOf = (file) => names.filter((name) => makesDifference(GROUNDS[name], file.replace('.test.mjs', '')));
		await tellAll(stories().filter((file) => groundsOf(file).length > 0), (file) => {
			const own = groundsOf(file);
			const env = Object.assign({ TMPDIR: folder }, ...own.map((name) => grounds[name].env));
			return story(file, `end to end: ${file} (${own.join(', ')})`, env);
		});
	} finally {
		for (const ground of Object.values(grounds)) await ground.stop();
		remove();
	}
}

async function onRefusedCalls() {
	if (canBeCloud()) return onGrounds('refused calls', ['refused']);
	console.log('skip refused calls: only root can install the filter for another user');
	total.skipped++;
}

async function faults() {
	report('faults', await run('node', ['tests/faults/run.mjs', '--quick'], { TMPDIR: disk }), readers.closing);
}

const suites = {
	unit: () => unit('release'),
	functions: () => functions('release'),
	sanitizers: async () => {
		await unit('asan');
		await functions('asan');
	},
	fuzz: fuzzCorpora,
	e2e: endToEnd,
	faults,
	cloud: () => onGrounds('cloud', ['pooler', 's3', 'bootstrap']),
	refused: onRefusedCalls,
};
// Suites that use one of these environments each, to find the cause of a failure in the suite
// that uses all of them at once.
const alone = Object.fromEntries(Object.keys(GROUNDS).map((name) => [name, () => onGrounds(name, [name])]));

const disk = tmpdir();
process.env.TMPDIR = memoryFolder() ?? disk;
const wanted = process.argv.slice(2);
if (wanted.includes('--help') || wanted.includes('-h')) {
	console.log(`usage: node tests/run.mjs [SUITE …]

Runs the named suites, or all but those of the second line, on what is built, prints what failed, and in
the end "N passed, N failed". It goes on for up to ${SUITE_SECONDS} s a program.

  ${Object.keys(suites).join(', ')}
  ${Object.keys(alone).join(', ')} (each has all stories by itself)

STORIES="front http" in the environment: those stories alone. One unit test: make unit/NAME; the cases of
one function: node tests/functions/run.mjs NAME; one story: node --test tests/e2e/NAME.test.mjs.
exit status: 0 all passed, 1 some failed or none ran, 64 an unknown suite`);
	process.exit(0);
}
const unknown = wanted.filter((name) => !(name in suites) && !(name in alone));
if (unknown.length > 0) {
	console.error(`no suite is called ${unknown.join(', ')}; try --help`);
	process.exit(64);
}
if (!existsSync('Makefile') || !readFileSync('Makefile', 'utf8').startsWith('# eds'))
	throw new Error('run it from the folder of the Makefile');
for (const name of wanted.length > 0 ? wanted : Object.keys(suites)) await (suites[name] ?? alone[name])();
if (failures.length > 0) console.log(`What failed, in short:\n${failures.join('\n')}\n`);
console.log(`${total.passed} passed, ${total.failed} failed` +
	(total.skipped ? `, ${total.skipped} skipped` : ''));
process.exitCode = total.failed === 0 && total.passed > 0 ? 0 : 1;
