// make cluster: a cluster on this machine under a bounded load, while each of its parts is killed in turn. No
// acknowledged change or message is lost, no alert is sent twice, and no session stays pending for ever.
//
//     make cluster MINUTES=10              (SEED, RUNNERS, JOBS)
//
// Prints the events of each minute as a table, writes them as a picture to build/cluster.svg, and ends with
// "N passed, M failed".
import assert from 'node:assert/strict';
import { join } from 'node:path';

import { BUILD, until } from '../e2e/support/runner.mjs';
import { newKey } from '../e2e/support/mail.mjs';
import { Load, RECEIVER, watch } from './cluster-load.mjs';
import { Cluster, pause } from './cluster-parts.mjs';
import { Table } from './cluster-table.mjs';
import { random } from './disk.mjs';
import { ZONE } from './tester.mjs';

const number = (name, otherwise) => Number(process.env[name] || otherwise);
const MINUTES = number('MINUTES', 10);
const SEED = number('SEED', Date.now() % 1000000);
const RUNNERS = number('RUNNERS', 4);
const JOBS = number('JOBS', 8);
const TESTERS = 4;
const CHANGED = 8;
const TURN_MS = 10000; // time between two groups of watched domains whose keys are revoked
// time limit for open work after the load: deliveries and jobs wait for the next minute, and again after a failure
const SETTLE_MS = 300000;
const TURNS = Math.ceil(MINUTES * 60000 / TURN_MS);
const EACH_TURN = Math.max(1, Math.min(4, Math.floor(56 / TURNS)));
const WATCHED = Math.min(56, TURNS * EACH_TURN); // an account gets at most 60 events an hour

const KEY = newKey('ed25519').record;
const HOOKS = [`${RECEIVER} A 60 127.0.0.1`, 'test SOA 60 ns.test h.test 1 60 60 60 60', 'example SOA 60 ns.example h.example 1 60 60 60 60'];
const zoneOf = (live) => [...ZONE, ...HOOKS,
	...[...live].map(([name, is]) => `s1._domainkey.${name} TXT 60 "${is ? KEY : 'v=DKIM1; p='}"`)];
const names = Array.from({ length: WATCHED }, (_, i) => `watched${i}.test`);

// All objects that the load needs are made before a part is killed.
async function prepare(load) {
	const domain = async (name) => (await load.call('POST', '/domains', { name })).id;
	const watched = [];
	for (const name of names) {
		const id = await domain(name);
		assert.equal((await load.call('POST', `/domains/${id}/dkim/selectors`, { selector: 's1' })).valid, true, name);
		watched.push({ name, id });
	}
	const changed = [];
	for (let i = 0; i < CHANGED; i++) {
		const id = await domain(`changed${i}.example`);
		const { maxAge } = await load.call('GET', `/domains/${id}/mta-sts`);
		load.configs.set(id, [maxAge]);
		changed.push(id);
	}
	await load.call('POST', '/alerts', { url: `https://${RECEIVER}/eds`, events: ['selector-broken', 'selector-recovered', 'key-changed'] });
	return { watched, changed };
}

async function killInTurn(cluster, table, next, endsAt, say) {
	const faults = cluster.faults(next);
	const every = MINUTES * 60000 / (faults.length + 1);
	let done = 0;
	for (let at = Date.now() + every / 2; done < faults.length || Date.now() + every < endsAt; at += every) {
		await pause(Math.max(0, at - Date.now()));
		const [name, act] = faults[done++ % faults.length];
		say(`kills ${name}`);
		table.killed(name);
		await act();
	}
	await pause(Math.max(0, endsAt - Date.now()));
	return { done, kinds: faults.length };
}

// The promises, each tested by itself: [its sentence, a check that throws].
function promises(load, { watched, done, kinds, told }) {
	const events = (id) => told().filter(({ data }) => data.domainId === id);
	return [
		['each part was killed', () => assert.ok(done >= kinds, `${done} of ${kinds}`)],
		['each message that was acknowledged has its result, no session is pending', () =>
			until(() => load.waiting().length === 0, SETTLE_MS)],
		['each result is still shown unchanged', () => load.lookAgain()],
		['each acknowledged change is kept', async () => {
			for (const [id, values] of load.configs) {
				const { maxAge } = await load.again('GET', `/domains/${id}/mta-sts`);
				assert.ok(values.includes(maxAge), `${id}: ${maxAge} is none of ${values}`);
			}
		}],
		['each domain that was made exists once', async () => {
			const rows = await load.cluster.sql("SELECT name, id FROM domains WHERE name LIKE 'made%'");
			assert.equal(new Set(rows.map(([name]) => name)).size, rows.length);
			for (const [name, id] of load.made) assert.ok(rows.some((row) => row[0] === name && row[1] === id), `${name} is gone`);
		}],
		['each due check was made', () => until(async () => {
			const at = new Map(await load.cluster.sql('SELECT domain_id, checked_at_ms FROM dkim_selectors'));
			return [...load.checks].every(([id, since]) => Number(at.get(id)) >= since);
		}, SETTLE_MS)],
		['each broken key is reported', () => until(() => [...load.turned].every(([id, type]) => events(id).some((event) => event.type === type)), SETTLE_MS)],
		['no event is reported twice, and no other event is reported', () => {
			for (const { name, id } of watched)
				assert.deepEqual(events(id).map(({ type }) => type), load.turned.has(id) ? [load.turned.get(id)] : [], name);
		}],
	];
}

const began = Date.now();
const say = (text) => console.log(`     ${((Date.now() - began) / 1000).toFixed(0).padStart(4)} s  ${text}`);
const total = { passed: 0, failed: 0 };
console.log(`seed ${SEED}, ${RUNNERS} runners, ${JOBS} instances of the jobs, ${MINUTES} minutes`);
const cluster = await Cluster.start({ runners: RUNNERS, jobs: JOBS, zone: zoneOf(new Map(names.map((name) => [name, true]))) });
cluster.publish = (live) => cluster.dns.publish(zoneOf(live));
try {
	const next = random(SEED);
	let table = new Table();
	const load = new Load(cluster, table, next);
	const hook = cluster.receivers.add(RECEIVER, (response) => {
		table.count('alerts');
		response.writeHead(200).end();
	});
	// The alerts that the receiver got, each once: a delivery whose answer was lost
	// is repeated under the same id.
	const told = () => [...new Map(hook.got.map(({ headers, body }) => [headers['webhook-id'], JSON.parse(body)])).values()];
	const { watched, changed } = await prepare(load);
	say(`${watched.length} domains are watched`);

	load.table = table = new Table();
	const endsAt = Date.now() + MINUTES * 60000;
	const under = [...Array.from({ length: TESTERS }, () => load.testers()), load.changers(changed), load.makers(), watch(load, watched, { everyMs: TURN_MS - 1000, each: EACH_TURN })];
	const looking = load.watchers();
	const { done, kinds } = await killInTurn(cluster, table, next, endsAt, say);
	load.over = true;
	await Promise.all([...under, looking]);
	say('the load has ended; the promises are checked');
	load.over = false;
	const settling = load.watchers();
	for (const [what, check] of promises(load, { watched, done, kinds, told })) {
		const error = await Promise.resolve().then(check).then(() => null, (reason) => reason);
		total[error ? 'failed' : 'passed']++;
		console.log(`${error ? 'FAIL' : 'ok  '} ${what}${error ? `\n     ${error.message}` : ''}`);
	}
	load.over = true;
	await settling;
	console.log(['', ...table.lines(), ''].join('\n'));
	table.plot(join(BUILD, 'cluster.svg'));
	console.log(`${table.total('mail')} messages, ${load.made.size} domains made, ${load.checks.size} checked and ${load.turned.size} reported; ` +
		`${hook.got.length - told().length} deliveries were repeated under their id`);
} finally {
	await cluster.stop();
}
console.log(`${total.passed} passed, ${total.failed} failed`);
process.exitCode = total.failed > 0 ? 1 : 0;
