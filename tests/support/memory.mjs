// A folder in memory for the files of tests, because programs that sync each change would spend most
// of a test waiting for the disk.
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

// Whether programs in the folder can be started, because tests also put programs there.
function runsPrograms(folder) {
	const program = join(folder, 'program');
	writeFileSync(program, '#!/bin/sh\n', { mode: 0o755 });
	return spawnSync(program).status === 0;
}

// A folder that is removed with this process; undefined when there is no room or programs may not
// be executed there.
export function memoryFolder() {
	try {
		if (!hasRoom()) return undefined;
		const folder = mkdtempSync(join(MEMORY, 'eds-tests-'));
		process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
		for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => process.exit(1));
		chmodSync(folder, 0o711); // servers that give up root's rights must still enter it
		return runsPrograms(folder) ? folder : undefined;
	} catch {
		return undefined;
	}
}
