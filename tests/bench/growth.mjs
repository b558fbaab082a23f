// What an item of each list costs when the list grows from 1 to 100,000 items, and a request when 1 to 1,000 clients
// poll their sessions; drawn in build/growth.svg. Lists are read in pages of 100. CPU is that of the function
// and, on PostgreSQL, of the server. From the first full page on a line should be flat; a line ends at the size that such
// a list may have.
//
// Alerts, deliveries, tokens and the history of a selector are not here: an account has at most twenty alerts and a
// hundred tokens, and the others show the latest few.
import { execFileSync, spawn } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { psql, startPostgres } from '../support/postgres.mjs';
import { draw } from './growth-plot.mjs';
import { sessionsGrow } from './growth-sessions.mjs';
import { threadsNs } from './processor.mjs';
import { Place, build, heading, http, program, row, times } from './measure.mjs';
import { FILLS, ID, LISTS } from './growth-lists.mjs';

const SIZES = [1, 10, 100, 1000, 10000, 100000];
const PAGE = 100;
const REQUESTS = 300; // requests for each list and size; a list with fewer pages is read repeatedly
const SECONDS_MAX = 5; // a measurement ends after this time, even with fewer requests
const PLOT = join(build, 'growth.svg');

const childrenOf = (pid) => readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ').filter(Boolean);

function run(place, text) {
	if (place.url) return psql(place.url, text);
	return execFileSync('sqlite3', ['-bail', 'var/eds.db'], { cwd: place.folder, input: text, encoding: 'utf8' });
}

// Makes a database in which every measured list has this many items: those of one account and of one of its domains.
function newPlace(server, schema, count) {
	const place = new Place(server ? { EDS_DATABASE_URL: `${server.url}&options=-csearch_path%3D${schema}` } : {});
	place.url = place.env.EDS_DATABASE_URL;
	place.server = server;
	place.call('admin', { action: 'create-account', name: 'a', plan: 'paid' });
	place.token = place.call('admin', { action: 'create-token', account: 'a', name: 't' }).token;
	for (const text of FILLS(count, Boolean(server))) run(place, text);
	run(place, server ? 'VACUUM ANALYZE' : 'ANALYZE');
	return place;
}

function startFunction(place, name) {
	const child = spawn(program(name), ['--kept'], { cwd: place.folder, env: place.env, stdio: ['pipe', 'pipe', 'inherit'] });
	let output = '';
	let answered;
	child.stdout.setEncoding('utf8').on('data', (text) => {
		output += text;
		for (let end; (end = output.indexOf('\n')) >= 0; output = output.slice(end + 1)) answered(JSON.parse(output.slice(0, end)));
	});
	return { pid: child.pid,
		ask: (event) => new Promise((done) => { answered = done; child.stdin.write(`${JSON.stringify(event)}\n`); }),
		end: () => new Promise((done) => { child.once('close', done); child.stdin.end(); }) };
}

function eventFor(place, list, link) {
	const event = http('GET', '/list', { id: ID });
	event.headers.authorization = `Bearer ${place.token}`;
	event.rawQueryString = link ? link.slice(link.indexOf('?') + 1) : new URLSearchParams({ ...list.query, limit: String(PAGE) }).toString();
	event.queryStringParameters = Object.fromEntries(new URLSearchParams(event.rawQueryString));
	return event;
}

// The processor time that an item costs, in microseconds.
async function costOf(place, list) {
	const child = startFunction(place, list.program);
	const backends = () => place.server ? childrenOf(place.server.pid) : [];
	const idle = new Set(backends());
	let items = 0;
	let link;
	let used;
	const cpu = () => threadsNs(child.pid) + backends().filter((pid) => !idle.has(pid)).reduce((sum, pid) => sum + threadsNs(pid), 0);
	const until = performance.now() + SECONDS_MAX * 1000;
	// the first request, number -1, is not measured: it opens the database
	for (let i = -1; i < REQUESTS && (i < 1 || performance.now() < until); i++) {
		const { statusCode, body, headers } = await child.ask(eventFor(place, list, link));
		if (statusCode !== 200) throw new Error(`${list.name}: ${statusCode} ${body}`);
		if (i < 0) used = -cpu();
		else items += JSON.parse(body).data.length;
		link = i < 0 ? undefined : /<([^>]*)>/.exec(headers.link ?? '')?.[1];
	}
	used += cpu();
	await child.end();
	if (items === 0) throw new Error(`${list.name} is empty`);
	return used / items / 1000;
}

async function listsGrow(name, server) {
	const lines = LISTS.map((list) => ({ list, costs: [] }));
	for (const count of SIZES) {
		const schema = `growth${count}`;
		if (server) psql(server.url, `CREATE SCHEMA ${schema}`);
		const place = newPlace(server, schema, count);
		try {
			for (const { list, costs } of lines.filter(({ list }) => list.most === 0 || count < list.most * SIZES[1]))
				costs.push(await costOf(place, list));
		} finally {
			place.remove();
		}
	}
	for (const { list, costs } of lines) {
		row(`${name}: ${list.name}, to ${SIZES[costs.length - 1].toLocaleString('en')}`, `${times(costs.at(-1) / costs[SIZES.indexOf(PAGE)])}`, '1.1',
			`CPU of an item, to that of a list of ${PAGE}; ${costs.map((cost, i) => `${SIZES[i].toLocaleString('en')}: ${cost.toFixed(1)} us`).join(', ')}`);
	}
	return { title: `${name}: CPU of an item, µs, by the items in the list`, sizes: SIZES,
		lines: lines.map(({ list, costs }) => ({ name: list.name, costs })) };
}

export async function growth() {
	heading('Growth');
	const server = await startPostgres();
	try {
		const plots = [await listsGrow('SQLite', undefined), await listsGrow('PostgreSQL', server), await sessionsGrow()];
		writeFileSync(PLOT, draw(plots));
		row('drawn', 'growth.svg', '', 'in the build folder');
	} finally {
		await server.stop();
	}
}
