// Processor time as the system counts it, of processes and of their children.
import { execFileSync } from 'node:child_process';
import { readFileSync, readdirSync } from 'node:fs';

const TICKS = Number(execFileSync('getconf', ['CLK_TCK'], { encoding: 'utf8' }));
const UTIME = 11; // positions of fields in /proc/PID/stat, counted from the one after the name
const CUTIME = 13;
const PPID = 1;

const fields = (pid) => readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').pop().split(' ').map(Number);
const seconds = (values, at) => (values[at] + values[at + 1]) / TICKS;

// The processor time of the ended children of a process, in seconds.
export const childrenSeconds = (pid) => seconds(fields(pid), CUTIME);

// The processor time of a process and of all its children, in seconds.
export function treeSeconds(pid) {
	let sum = seconds(fields(pid), UTIME) + seconds(fields(pid), CUTIME);
	for (const child of readdirSync('/proc').filter((name) => /^\d+$/.test(name)))
		try {
			const values = fields(child);
			if (values[PPID] === pid) sum += seconds(values, UTIME);
		} catch {
			// the process has ended
		}
	return sum;
}

// Nanoseconds of processor of all threads of the process; 0 once it has ended.
export function threadsNs(pid) {
	try {
		return readdirSync(`/proc/${pid}/task`).reduce((sum, thread) =>
			sum + Number(readFileSync(`/proc/${pid}/task/${thread}/schedstat`, 'utf8').split(' ')[0]), 0);
	} catch {
		return 0;
	}
}
