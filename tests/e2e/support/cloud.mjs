// Runs programs like a cloud that refuses system calls (tests/support/as-cloud.c): as a user other
// than root, from files that belong to root and have the modes of packages.
import { execFileSync } from 'node:child_process';
import { chmodSync, copyFileSync, mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('../../..', import.meta.url));
const BUILD = resolve(process.env.BUILD ?? join(ROOT, 'build'));
const AS_CLOUD = join(BUILD, 'tests/support/as-cloud');
const PROGRAM_MODE = 0o711;

export const CLOUD_USER = 61042;

// The folder in /dev/shm in which tests write; it stays visible while everything else in /dev/shm is hidden.
const kept = () => /^\/dev\/shm\/[^/]+/.exec(tmpdir())?.[0];

// The command that runs the program like a cloud. refuse, missing: names of system calls, separated by
// commas; root: the folder that becomes its root.
export function asCloud(program, args = [], { refuse, missing, root, user = CLOUD_USER } = {}) {
	const options = { '--user': String(user), '--refuse': refuse, '--missing': missing, '--root': root, '--keep': root ? undefined : kept() };
	const given = Object.entries(options).filter(([, value]) => value !== undefined).flat();
	return [AS_CLOUD, [...given, program, ...args]];
}

// Whether this machine allows a test to run programs in this way.
export function canBeCloud() {
	try {
		execFileSync(...asCloud('/bin/true'), { stdio: 'pipe' });
		return true;
	} catch {
		return false;
	}
}

let installed;

// Copies the built programs to where that user may execute them, with the modes that packages give
// them.
export function cloudBuild() {
	if (installed) return installed;
	installed = mkdtempSync(join(tmpdir(), 'eds-cloud-'));
	process.once('exit', () => rmSync(installed, { recursive: true, force: true }));
	const copy = (name, mode) => {
		copyFileSync(join(BUILD, name), join(installed, name));
		chmodSync(join(installed, name), mode);
	};
	for (const folder of ['', 'functions', 'libexec']) {
		mkdirSync(join(installed, folder), { recursive: true });
		chmodSync(join(installed, folder), 0o755);
	}
	for (const name of ['runner', 'bootstrap']) copy(name, PROGRAM_MODE);
	for (const folder of ['functions', 'libexec'])
		for (const name of readdirSync(join(BUILD, folder)))
			copy(join(folder, name), name === 'manifest.json' ? 0o644 : PROGRAM_MODE);
	return installed;
}
