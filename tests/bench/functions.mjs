// The cost of an event of the tester's small functions: cold answer, CPU in a kept process, memory. The first answer
// is measured in turns with that of python3, and the ratio is that of the middle pair.
import { spawn } from 'node:child_process';
import { once } from 'node:events';

import { Place, heading, http, mb, middle, program, pythonCold, row, times, us } from './measure.mjs';

const PAIRS = 5;

// A handler that has the database open, as others of a service have: without one, each start would make the files of
// SQLite's log, and remove them.
async function openBeside(place, event) {
	const child = spawn(program('tester-session-get'), ['--kept'], { cwd: place.folder, env: place.env, stdio: ['pipe', 'pipe', 'inherit'] });
	child.stdin.write(`${JSON.stringify(event)}\n`);
	await once(child.stdout, 'data');
	return child;
}

async function measureCold(place, name, event, target) {
	const pairs = [];
	for (let i = 0; i < PAIRS; i++) {
		const own = await place.measure(name, event, { cold: 20 });
		const python = await pythonCold(place);
		pairs.push({ own, python, ratio: own.coldUs / python.coldUs, cpu: own.coldCpuUs / python.coldCpuUs });
	}
	const { own, python, ratio } = middle(pairs, (pair) => pair.ratio);
	const ratios = pairs.map((pair) => pair.ratio);
	row(`${name}, first answer`, us(own.coldUs), '', `CPU ${us(own.coldCpuUs)}; python3, which does nothing: ${us(python.coldUs)}, CPU ${us(python.coldCpuUs)}`);
	row('  ratio to python3', times(ratio), target,
		`of ${PAIRS} pairs the lowest ${times(Math.min(...ratios))}, the highest ${times(Math.max(...ratios))}; of CPU ${times(middle(pairs.map(({ cpu }) => cpu), Number))}`);
}

export async function functions() {
	heading('Functions (cold: exec to answer, median; CPU: of one event in a stream)');
	const place = new Place();
	const session = place.createSession();
	const get = http('GET', `/s/${session.testId}`, { testId: session.testId });
	const beside = await openBeside(place, get);
	try {
		for (const [name, event, stream, target] of [
			['tester-session-get', get, 20000, '0.17'],
			['tester-session-create', http('POST', '/s'), 2000, '0.21'],
			['mail-accept', { recipient: session.email }, 20000, '0.21'],
		]) {
			await measureCold(place, name, event, target);
			const got = await place.measure(name, event, { stream });
			row(`${name}, CPU of an event`, us(got.streamCpuUs), '',
				`${name.endsWith('create') ? 'a durable commit each' : 'one indexed read'}; ${mb(got.pssKb)} PSS`);
		}
	} finally {
		beside.stdin.end();
		await once(beside, 'exit');
		place.remove();
	}
}
