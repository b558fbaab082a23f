// A place in memory for what tests write: programs that sync each change spend most of a test waiting
// for the disk.
import { spawnSync } from 'node:child_process';
import { chmodSync, mkdtempSync, readFileSync, rmSync, statfsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const MEMORY = '/dev/shm';
const ROOM_BYTES = 2 * 1024 ** 3;

function hasRoom() {
	const { bavail, bsize } = statfsSync(MEMORY);
	const [, free] = /^MemAvailable:\s+(\d+) kB/m.exec(readFileSync('/proc/meminfo', 'utf8'));
	return Math.min(bavail * bsize, Number(free) * 1024 / 2) >= ROOM_BYTES;
}

// Tests also start programs from there.
function runsPrograms(folder) {
	const program = join(folder, 'program');
	writeFileSync(program, '#!/bin/sh\n', { mode: 0o755 });
	return spawnSync(program).status === 0;
}

// A folder that goes with this process; undefined where there is no room or nothing may be run.
export function memoryFolder() {
	try {
		if (!hasRoom()) return undefined;
		const folder = mkdtempSync(join(MEMORY, 'eds-tests-'));
		process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
		for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => process.exit(1));
		chmodSync(folder, 0o711); // for servers that drop root
		return runsPrograms(folder) ? folder : undefined;
	} catch {
		return undefined;
	}
}
