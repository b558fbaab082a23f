// A copy of the tree in which mutants are planted, and in which its tests are built and run.
import { spawn, spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readFileSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';

const BUILD_MS = 1_800_000; // time limit of a build on a busy machine; a build that exceeds it does not count as a mutant
const COMPILE_MS = 600_000;
const GRACE_MS = 30_000; // time limit of a test, in addition to many times its usual time
const SLOWER = 10;
const TORTURE_POINTS = '30'; // the most statements of each case that are made to fail, one after another
const MAKE = ['-s', 'WARNINGS=-w', 'CFLAGS_asan=-O1 $(SANITIZE) -DRT_ARENA_MALLOC -g0', 'CFLAGS_release=-O2 -g0',
	'LDFLAGS_asan=$(SANITIZE) -fuse-ld=lld', 'ARFLAGS=rcsT'];
const ASAN_ENV = {
	BUILD: 'build/asan', EDS_SANDBOX: 'off',
	ASAN_OPTIONS: 'detect_leaks=1:abort_on_error=1', UBSAN_OPTIONS: 'print_stacktrace=1:halt_on_error=1',
};

// Runs a command in a tree: { ok, late, output }; all processes that it started end with it.
function run(tree, command, args, { env = {}, ms }) {
	return new Promise((resolve) => {
		const child = spawn(command, args, { cwd: tree, env: { ...process.env, ...env }, detached: true });
		let late = false;
		let output = '';
		const timer = setTimeout(() => {
			late = true;
			process.kill(-child.pid, 'SIGKILL');
		}, ms);
		child.stdout.on('data', (data) => (output = (output + data).slice(-4000)));
		child.stderr.on('data', (data) => (output = (output + data).slice(-4000)));
		child.on('close', (code) => {
			clearTimeout(timer);
			resolve({ ok: code === 0, late, output });
		});
	});
}

// A mutant that compiles also links, so otherwise a failed build says nothing about it.
async function make(tree, ...targets) {
	const { ok, output } = await run(tree, 'make', [...MAKE, ...targets], { ms: BUILD_MS });
	if (!ok) throw new Error(`make ${targets.join(' ')}: ${output}`);
}

// The code that the compiler makes of a source, without line numbers; null when it refuses the
// source.
export async function codeOfFile(tree, file) {
	const object = join(tree, 'build/mutant.o');
	const built = await run(tree, 'sh', ['-c',
		`gcc -std=c11 -D_GNU_SOURCE -O2 -w -I. $(pkg-config --cflags gmime-3.0) -c -o ${object} ${file}`], { ms: COMPILE_MS });
	return built.ok ? readFileSync(object).toString('latin1') : null;
}

const unit = ({ name }) => `build/asan/tests/unit/${name}`;

// Builds the programs that these tests run.
export async function build(tree, tests) {
	const asan = tests.flatMap((test) => ({
		unit: () => [unit(test)],
		postgres: () => [unit(test)],
		functions: () => test.programs.map((name) => `build/asan/functions/${name}`),
		torture: () => [],
		story: () => [],
	})[test.kind]());
	const tortured = tests.filter(({ kind }) => kind === 'torture').flatMap(({ programs }) => programs.map((name) => `build/functions/${name}`));

	if (asan.length > 0) await make(tree, 'MODE=asan', ...new Set(asan));
	if (tortured.length > 0) await make(tree, 'build/tests/support/torture-shim.so', ...new Set(tortured));
	if (tests.some(({ kind }) => kind === 'story')) await make(tree, 'story-programs');
}

// Whether the programs of these tests can be built; they cannot if the compiler refuses a mutant.
export async function builds(tree, tests) {
	try {
		await build(tree, tests);
		return true;
	} catch {
		return false;
	}
}

// Whether a test fails twice, because a single failure may be chance, and a single time-out a busy machine.
export async function fails(tree, test) {
	const ms = GRACE_MS + SLOWER * test.ms;
	const [command, args, env] = {
		unit: () => [unit(test), [], ASAN_ENV],
		postgres: () => ['node', ['tests/support/postgres.mjs', unit(test)], ASAN_ENV],
		functions: () => ['node', ['tests/functions/run.mjs', test.name], ASAN_ENV],
		torture: () => ['node', ['tests/torture/run.mjs', '--kind', 'database', '--points', TORTURE_POINTS, test.name], {}],
		story: () => ['node', ['--test', `tests/e2e/${test.name}.test.mjs`], {}],
	}[test.kind]();
	const first = await run(tree, command, args, { env, ms });
	if (first.ok) return false;
	const second = await run(tree, command, args, { env, ms });
	if (second.late) console.log(`DID NOT END ${test.kind}/${test.name}`);
	return !second.ok;
}

const same = (file, other) => existsSync(other) && readFileSync(file).equals(readFileSync(other));

// Removes sources from a tree that git no longer has, because a build would compile them as well.
function removeOthers(tree, files) {
	const known = new Set(files);

	for (const folder of ['functions', 'local', 'runtime', 'tests'].filter((name) => existsSync(join(tree, name))))
		for (const file of readdirSync(join(tree, folder), { recursive: true }).map((name) => join(folder, name)))
			if (/\.(c|h|mjs|json)$/.test(file) && !file.includes('node_modules') && !known.has(file)) rmSync(join(tree, file));
}

// A copy of the files that git has, built once. An existing copy is brought up to date, even if an
// interrupted run has left its mutant there.
export async function plant(folder, index) {
	const tree = join(folder, `tree-${index}`);
	const files = spawnSync('git', ['ls-files'], { encoding: 'utf8', maxBuffer: 1 << 26 }).stdout.trim().split('\n');

	removeOthers(tree, files);
	for (const file of files.filter((file) => !same(file, join(tree, file)))) {
		mkdirSync(join(tree, file, '..'), { recursive: true });
		cpSync(file, join(tree, file));
	}
	if (!existsSync(join(tree, 'tests/node_modules')))
		cpSync('tests/node_modules', join(tree, 'tests/node_modules'), { recursive: true });
	await make(tree, '-j2', 'story-programs');
	await make(tree, '-j2', 'MODE=asan', 'test-programs');
	return tree;
}
