// Small reports on their way into the log: the real function with its sandbox, SQLite and the mail
// store, each report durable before it is answered. CPU is that of the function, its helper and the
// helper's children.
import { execFileSync, spawn } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { startDns } from '../e2e/support/dns.mjs';
import { aggregate, gzipMail } from '../e2e/support/reports.mjs';
import { Place, build, heading, http, mb, ms, program, row } from './measure.mjs';

const REPORTS = 1500; // reports in a measurement
const DOMAINS = 30; // number of domains; several, because each accepts 200 reports a day from one reporter
const RECORDS = 460; // records in a report, which make its mail 10 KB long
const HANDLERS = 2;

const domainOf = (i) => `d${i % DOMAINS}.example`;

// Makes a report mail with addresses that gzip cannot shorten much, like those of real senders.
function mail(i, domain) {
	const records = Array.from({ length: RECORDS }, (_, j) => {
		const bits = Math.imul((i + 1) * RECORDS + j, 2654435761) >>> 0;
		return { ip: `${1 + (bits >>> 24) % 223}.${(bits >>> 16) & 255}.${(bits >>> 8) & 255}.${bits & 255}`,
			count: 1 + (bits % 9), dkim: bits % 7 ? 'pass' : 'fail',
			signatures: [{ domain, selector: `s${bits % 3}`, result: bits % 7 ? 'pass' : 'fail' }] };
	});
	return gzipMail(aggregate({ id: `bench-${i}`, domain, begin: 1767225600, end: 1767311999, records }));
}

function mailEvent(i, recipient) {
	const timestamp = new Date().toISOString();
	return { Records: [{ eventSource: 'aws:ses', eventVersion: '1.0', ses: {
		mail: { timestamp, source: 'dmarc@reporter.example', messageId: `report-${i}`, destination: [recipient] },
		receipt: { timestamp, recipients: [recipient], action: { type: 'Lambda' } },
	} }] };
}

function addDomains(place) {
	place.call('admin', { action: 'create-account', name: 'bench', plan: 'paid' });
	const { token } = place.call('admin', { action: 'create-token', account: 'bench', name: 'bench', expiresAt: null });
	return Array.from({ length: DOMAINS }, (_, i) => {
		const event = { ...http('POST', '/api/v1/domains', {}), body: JSON.stringify({ name: domainOf(i) }) };
		event.headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
		return JSON.parse(place.call('domains-create', event).body).data.reportAddress;
	});
}

// Writes this many messages into the mail store; returns their events and their octets.
function prepare(place, addresses, from, count) {
	const events = [];
	let bytes = 0;
	for (let i = from; i < from + count; i++) {
		const message = mail(i, domainOf(i));
		writeFileSync(join(place.folder, 'var/mail', `report-${i}`), message);
		bytes += message.length;
		events.push(mailEvent(i, addresses[i % DOMAINS]));
	}
	return { events, bytes };
}

// Starts a kept handler and gives it the events one by one.
function workOff(place, events) {
	return new Promise((done, failed) => {
		const child = spawn(program('reports-ingest'), ['--kept'],
			{ cwd: place.folder, env: place.env, stdio: ['pipe', 'pipe', 'inherit'] });
		let output = '';
		let answered = 0;
		child.stdout.setEncoding('utf8').on('data', (text) => {
			output += text;
			for (let end = output.indexOf('\n'); end >= 0; end = output.indexOf('\n')) {
				const answer = JSON.parse(output.slice(0, end));
				if (answer.read !== 1) failed(new Error(`reports-ingest: ${JSON.stringify(answer)}`));
				output = output.slice(end + 1);
				answered++;
				if (answered === events.length) child.stdin.end();
				else child.stdin.write(`${JSON.stringify(events[answered])}\n`);
			}
		});
		child.once('error', failed).once('close', (code) => (code === 0 ? done() : failed(new Error(`ended with ${code}`))));
		child.stdin.write(`${JSON.stringify(events[0])}\n`);
	});
}

export async function ingest() {
	// Each mail causes DNS questions about its sender; the waits for a silent name
	// server would dominate the figures.
	const dns = await startDns(['_dmarc.receiver.example TXT 300 "v=DMARC1; p=none"'], { build });
	const place = new Place({ EDS_DNS_SERVERS: dns.address });
	heading('Reports taken in (10 KB mails in gzip, three known selectors each)');
	try {
		const addresses = addDomains(place);
		mkdirSync(join(place.folder, 'var/mail'), { recursive: true, mode: 0o700 });
		// Marks the reporter as verified, although its mail proves nothing, so that its reports count
		// and make selectors known.
		execFileSync('sqlite3', [join(place.folder, 'var/eds.db'), `INSERT INTO report_reporters (domain_id, reporter, standing,
			first_seen_at_ms, last_seen_at_ms, verified_at_ms, verified_reports, other_reports)
			SELECT id, 'receiver.example', 'accepted', 1, 1, 0, 0, 0 FROM domains`]);
		await workOff(place, prepare(place, addresses, 0, DOMAINS).events);
		const { events, bytes } = prepare(place, addresses, DOMAINS, REPORTS);
		const got = await place.measure('reports-ingest', events, { stream: REPORTS });
		row('CPU of a report', ms(got.streamCpuUs), '2 ms',
			`${(bytes / REPORTS / 1024).toFixed(1)} KB a mail, ${RECORDS} records; two cores then take in 1000 a second`);
		row('  memory', mb(got.pssKb + got.childrenPssKb), '', 'the function and its helper');
		const shares = Array.from({ length: HANDLERS }, (_, i) =>
			prepare(place, addresses, DOMAINS + REPORTS * (i + 1), REPORTS).events);
		const began = process.hrtime.bigint();
		await Promise.all(shares.map((share) => workOff(place, share)));
		const seconds = Number(process.hrtime.bigint() - began) / 1e9;
		row('reports committed a second', String(Math.round(REPORTS * HANDLERS / seconds)), '1000',
			`${HANDLERS} handlers, one event at a time each, wall-clock time`);
	} finally {
		place.remove();
		await dns.stop();
	}
}
