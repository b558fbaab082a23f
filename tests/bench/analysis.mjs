// The cost of one analysis: the real function with its sandbox, a scripted name server, SQLite and
// the mail store. CPU is that of the function, the helper and its children; not that of the name
// server.
import { execFile } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { fileURLToPath } from 'node:url';

import { startDns } from '../e2e/support/dns.mjs';
import { LISTS, Sender, reversed } from '../e2e/support/senders.mjs';
import { Place, build, heading, mb, ms, pythonCold, row, times } from './measure.mjs';

const PEERS_MESSAGE = 'message-of-the-peer';
const PEER = fileURLToPath(new URL('./analysis-peer.mjs', import.meta.url));
const PEER_RUNS = 1000;
const LARGE_RUNS = 200; // of a message of 1 MB
const IN_FLIGHT = 16; // the number in flight with which mailauth is fastest
const ROUNDS = 5; // in each round eds and the peers take turns
const TRIES = 3; // a busy machine may delay DNS for longer than the time limit of an analysis
const ROUND_TRIP_MS = 50;
const LINE = 'The quick brown fox jumps over the lazy dog, and again it does.\r\n';

const sender = new Sender('sender', { ip: '198.51.100.7' });

// The records of the sender: SPF by an include, one key, DMARC, PTR, MX. It is on no list, and the lists
// work (RFC 5782 section 5).
const zone = [
	`sender.example TXT 300 "v=spf1 include:_spf.sender.example -all"`,
	`_spf.sender.example TXT 300 "v=spf1 ip4:198.51.100.0/24 -all"`,
	`s1._domainkey.sender.example TXT 300 ${sender.key.record.match(/.{1,250}/g).map((part) => `"${part}"`).join(' ')}`,
	`_dmarc.sender.example TXT 300 "v=DMARC1; p=reject"`,
	`sender.example MX 300 10 mail.sender.example`,
	`mail.sender.example A 300 198.51.100.7`,
	`${reversed('198.51.100.7')}.in-addr.arpa PTR 300 mail.sender.example`,
	...Object.values(LISTS).map((list) => list.split('=')[0]).flatMap((list) => [
		`${list} SOA 300 ns.${list} h.${list} 1 3600 600 86400 60`, `2.0.0.127.${list} A 300 127.0.0.2`]),
];

function mailEvent(messageId, recipient) {
	const timestamp = new Date().toISOString();
	return { Records: [{ eventSource: 'aws:ses', eventVersion: '1.0',
		ses: {
			mail: { timestamp, source: sender.mailFrom, messageId, destination: [recipient] },
			receipt: { timestamp, recipients: [recipient], action: { type: 'Lambda' } },
		},
		envelope: { mailFrom: sender.mailFrom, clientIp: sender.ip, helo: sender.helo, tls: null } }] };
}

// Makes a folder whose mail store has messages of this size, and an event for each. Each message is for a
// different session, because senders use one-time addresses.
async function prepare(dns, bytes, count) {
	const place = new Place({ ...LISTS, EDS_DNS_SERVERS: dns.address, EDS_ALLOW_PRIVATE_ADDRESSES: '1' });
	const message = await sender.signed({}, LINE.repeat(Math.floor(bytes / LINE.length)));
	const sessions = place.createSessions(count);

	mkdirSync(join(place.folder, 'var/mail'), { recursive: true, mode: 0o700 });
	writeFileSync(join(place.folder, PEERS_MESSAGE), message);
	const events = sessions.map(({ email }, i) => {
		writeFileSync(join(place.folder, 'var/mail', `message-${i}`), message);
		return mailEvent(`message-${i}`, email);
	});
	return { place, events, session: sessions.at(-1) };
}

function findings(place, session) {
	const body = JSON.parse(place.call('tester-session-get',
		{ version: '2.0', rawPath: '/', headers: {}, pathParameters: { testId: session.testId },
			requestContext: { requestId: 'r', http: { method: 'GET', path: '/', sourceIp: '192.0.2.1' } } }).body);
	const { spf, dkim, dmarc, ptr, mx, blocklists } = body.results;
	return [spf.result, dkim.state, dmarc.result, ptr.state, mx.state,
		...blocklists.results.map((list) => list.state)].join(' ');
}

// The CPU time of one process of the peer for the same message, with the same DNS server.
async function peerCpuUs(place, dns, inFlight, lists = [], runs = PEER_RUNS) {
	const { stdout } = await promisify(execFile)(process.execPath, [PEER, join(place.folder, PEERS_MESSAGE), dns.address,
		sender.ip, sender.helo, sender.mailFrom, runs, inFlight, ...lists]);
	return Number(stdout);
}

// The cost of the function and the result of beside(), which measures something else in the same folder
// before it is removed.
async function cost(dns, bytes, counts, beside = async () => ({})) {
	const { cold = 0, stream = 0, single = 0 } = counts;
	let found;
	for (let tries = 0; tries < TRIES; tries++) {
		const { place, events, session } = await prepare(dns, bytes, cold + stream + single);
		try {
			const got = await place.measure('tester-analyze', events, counts);
			found = findings(place, session);
			if (found === 'pass valid pass valid valid clean clean clean clean')
				return { ...got, ...await beside(place) };
		} finally {
			place.remove();
		}
	}
	throw new Error(`the analysis found: ${found}`);
}

const sorted = (values) => [...values].sort((a, b) => a - b);
const median = (values) => sorted(values)[values.length >> 1];
const spread = (values, shown) => `${shown(sorted(values)[0])} to ${shown(sorted(values).at(-1))}`;

// Each round measures eds, mailauth with one message at a time and with several in flight, and one process of
// node that does all the work of eds. So the figures of a round are of the same state of the machine.
async function againstPeers(dns) {
	const rounds = [];
	const lists = Object.values(LISTS).map((list) => list.split('=')[0]);
	for (let i = 0; i < ROUNDS; i++)
		rounds.push(await cost(dns, 8 * 1024, { stream: 600 }, async (place) => ({
			oneUs: await peerCpuUs(place, dns, 1),
			bestUs: await peerCpuUs(place, dns, IN_FLIGHT),
			equalUs: await peerCpuUs(place, dns, IN_FLIGHT, lists),
		})));
	const of = (key) => rounds.map((round) => round[key]);
	const ratio = (key) => rounds.map((round) => round.streamCpuUs / round[key]);
	const against = (what, key, target, how) => row(`8 KB, ratio to ${what}`, times(median(ratio(key))), target,
		`${spread(ratio(key), times)}; ${ms(median(of(key)))}; ${how}`);
	row('8 KB, CPU of all processes', ms(median(of('streamCpuUs'))), '0.45 ms',
		`${spread(of('streamCpuUs'), ms)}; events in a stream`);
	against('mailauth', 'oneUs', '0.85', 'SPF, DKIM and DMARC only, one message at a time');
	against('mailauth at its best', 'bestUs', '0.7', `the same with ${IN_FLIGHT} in flight`);
	against('equal work by node', 'equalUs', '0.5', 'and PTR, MX, four lists, a result on disk');
}

async function largeAgainstPeer(dns) {
	const rounds = [];
	for (let i = 0; i < ROUNDS; i++)
		rounds.push(await cost(dns, 1024 * 1024, { stream: LARGE_RUNS }, async (place) => ({
			bestUs: await peerCpuUs(place, dns, IN_FLIGHT, [], LARGE_RUNS) })));
	const ratios = rounds.map(({ streamCpuUs, bestUs }) => streamCpuUs / bestUs);
	row('1 MB, CPU of all processes', ms(median(rounds.map(({ streamCpuUs }) => streamCpuUs))), '4 ms', 'events in a stream');
	row('1 MB, ratio to mailauth at its best', times(median(ratios)), '0.6',
		`${spread(ratios, times)}; ${ms(median(rounds.map(({ bestUs }) => bestUs)))}; SPF, DKIM and DMARC only`);
}

async function coldAgainstPython(dns) {
	const rounds = [];
	for (let i = 0; i < ROUNDS; i++)
		rounds.push(await cost(dns, 8 * 1024, { cold: 20 }, async (place) => ({ pythonUs: (await pythonCold(place)).coldUs })));
	const ratios = rounds.map(({ coldUs, pythonUs }) => coldUs / pythonUs);
	row('first answer, cold', ms(median(rounds.map(({ coldUs }) => coldUs))), '', 'exec to answer, whole analysis; median');
	row('  ratio to python3, which does nothing', times(median(ratios)), '0.86',
		`${spread(ratios, times)}; ${ms(median(rounds.map(({ pythonUs }) => pythonUs)))}`);
}

export async function analysis() {
	heading('Analysis of a message (RSA-2048, SPF with an include, DMARC, PTR, MX, four lists)');
	const dns = await startDns(zone, { build });
	const slow = await startDns([...zone, `* !delay=${ROUND_TRIP_MS}`], { build });
	try {
		await againstPeers(dns);
		const small = await cost(dns, 8 * 1024, { stream: 400, single: 400 });
		row('8 KB, the same one at a time', ms(small.singleCpuUs), '', `${ms(small.roundTripUs)} each`);
		await coldAgainstPython(dns);
		row('warm handler', mb(small.pssKb), '10 MB',
			`PSS; RSS ${mb(small.rssKb)}; helper beside it PSS ${mb(small.childrenPssKb)}`);
		await largeAgainstPeer(dns);
		const waiting = await cost(slow, 8 * 1024, { single: 20 });
		row('latency in DNS round trips', times(waiting.roundTripUs / 1000 / ROUND_TRIP_MS), '3.5',
			`resolver answers after ${ROUND_TRIP_MS} ms`);
	} finally {
		await slow.stop();
		await dns.stop();
	}
}
