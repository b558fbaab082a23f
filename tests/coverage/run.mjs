// Runs the tests on the coverage build and reports which lines and branches they execute.
//
//     node tests/coverage/run.mjs [--least LINES,BRANCHES] [--add 1] [NAME…]
//
// Each test runs by itself: unit programs, the cases of a function, fuzz corpora, stories, and the
// store's programs on PostgreSQL. Sandboxed children under their filter count like all others, because
// their counters are in memory shared with the file of their program. build/cover/lines.json has the
// lines that each test executes (tests/mutate uses it), build/cover/coverage.txt the lines that no test
// executes, and build/cover/failed the output of each test that failed. With --add the counts of the
// previous run count as well.
import { spawn } from 'node:child_process';
import { closeSync, existsSync, mkdirSync, openSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { memoryFolder } from '../support/memory.mjs';
import { add, COVER, forgetCounts, takeCounts } from './counts.mjs';

const TEST_MS = 600_000;
const JUDGED = ['functions/lib/', 'runtime/'];

const sources = (folder, pattern) => readdirSync(folder).filter((file) => pattern.test(file));
const folders = (folder) => readdirSync(folder, { withFileTypes: true }).filter((entry) => entry.isDirectory());
// Programs that use the store, except those about SQLite's file.
const onStore = (file) => readFileSync(join('tests/unit', file), 'utf8').includes('store_fixture.h') &&
	!/^test_store_(faults|replaced)\.c$/.test(file);

// [name, command, arguments] for each test.
function allTests() {
	const units = sources('tests/unit', /^test_.*\.c$/);
	const program = (file) => join(COVER, 'tests/unit', basename(file, '.c'));
	const replay = (file) => basename(file, '.c').replace('fuzz_', '');

	return [
		...units.map((file) => [`unit/${basename(file, '.c')}`, program(file), []]),
		...folders('tests/functions').map(({ name }) => [`functions/${name}`, 'node', ['tests/functions/run.mjs', name]]),
		...sources('tests/fuzz', /^fuzz_.*\.c$/).map((file) =>
			[`corpus/${replay(file)}`, join(COVER, 'tests/replay', replay(file)), [`tests/fuzz/corpus/${replay(file)}`]]),
		...sources('tests/e2e', /\.test\.mjs$/).map((file) =>
			[`story/${file.replace('.test.mjs', '')}`, 'node', ['--test', `tests/e2e/${file}`]]),
		...units.filter(onStore).map((file) =>
			[`postgres/${basename(file, '.c')}`, 'node', ['tests/support/postgres.mjs', program(file)]]),
	];
}

const env = { ...process.env, BUILD: 'build/cover', TMPDIR: memoryFolder() ?? tmpdir() };

// The output goes to a file, which stays if the test fails.
const FAILED = join(COVER, 'failed');

function run(name, command, args) {
	const file = join(FAILED, `${name.replace('/', '-')}.txt`);
	const output = openSync(file, 'w');
	return new Promise((resolve) => {
		const child = spawn(command, args, { env, stdio: ['ignore', output, output], detached: true });
		closeSync(output);
		const timer = setTimeout(() => process.kill(-child.pid, 'SIGKILL'), TEST_MS);
		child.on('error', ({ message }) => writeFileSync(file, message));
		child.on('close', (code) => {
			clearTimeout(timer);
			if (code === 0) rmSync(file);
			resolve(code === 0);
		});
	});
}

const executed = (lines) => Object.keys(lines).filter((line) => lines[line].count > 0).map(Number);

// The file with the lines that each test executes; results of earlier runs stay for tests that do not run now.
const KEPT = join(COVER, 'lines.json');
const SUM = join(COVER, 'sum.json');
const read = (file) => (existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : {});

async function measure(tests, all) {
	const kept = read(KEPT);

	rmSync(FAILED, { recursive: true, force: true });
	mkdirSync(FAILED, { recursive: true });
	forgetCounts();
	for (const [name, command, args] of tests) {
		const begin = Date.now();
		const ok = await run(name, command, args);
		const ms = Date.now() - begin;
		const files = takeCounts();
		for (const [file, lines] of Object.entries(files)) add(all[file] ??= {}, lines);
		kept[name] = { ms, files: Object.fromEntries(Object.entries(files).map(([file, lines]) => [file, executed(lines)])) };
		writeFileSync(KEPT, JSON.stringify(kept));
		writeFileSync(SUM, JSON.stringify(all));
		console.log(`${ok ? 'ok  ' : 'FAIL'} ${name} ${ms} ms`);
		if (!ok) process.exitCode = 1;
	}
	return all;
}

function sums(lines) {
	const branches = Object.values(lines).flatMap((line) => line.branches);
	return {
		lines: Object.keys(lines).length, executed: executed(lines).length,
		branches: branches.length, taken: branches.filter((count) => count > 0).length,
	};
}

const percent = (part, whole) => (whole === 0 ? 100 : (100 * part) / whole);
const told = ({ lines, executed, branches, taken }) =>
	`${percent(executed, lines).toFixed(1).padStart(5)} % of ${String(lines).padStart(5)} lines, ` +
	`${percent(taken, branches).toFixed(1).padStart(5)} % of ${String(branches).padStart(5)} branches`;

// Prints each file's share and the lines that no test executes; returns the sums over all files.
function tell(all, prefix) {
	const total = { lines: 0, executed: 0, branches: 0, taken: 0 };
	const text = [];

	for (const file of Object.keys(all).filter((name) => name.startsWith(prefix) && name.endsWith('.c')).sort()) {
		const own = sums(all[file]);
		for (const key of Object.keys(total)) total[key] += own[key];
		const lines = Object.entries(all[file]);
		const missed = lines.filter(([, { count }]) => count === 0).map(([line]) => line);
		const half = lines.filter(([, { count, branches }]) => count > 0 && branches.includes(0)).map(([line]) => line);
		text.push(`${told(own)}  ${file}`);
		if (missed.length > 0) text.push(`    lines ${missed.join(' ')}`);
		if (half.length > 0) text.push(`    branches of lines ${half.join(' ')}`);
	}
	return { total, text };
}

const args = process.argv.slice(2);
const option = (name) => (args[0] === name ? args.splice(0, 2)[1] : undefined);
const least = (option('--least') ?? '0,0').split(',').map(Number);
const before = option('--add') ? read(SUM) : {};
const tests = allTests().filter(([name]) => args.length === 0 || args.some((wanted) => name.startsWith(wanted)));
const all = await measure(tests, before);
const report = JUDGED.map((prefix) => ({ prefix, ...tell(all, prefix) }));
writeFileSync(join(COVER, 'coverage.txt'), report.flatMap(({ text }) => text).join('\n') + '\n');
for (const { prefix, total } of report) {
	console.log(`${told(total)}  ${prefix}`);
	if (percent(total.executed, total.lines) < least[0] || percent(total.taken, total.branches) < least[1]) process.exitCode = 1;
}
