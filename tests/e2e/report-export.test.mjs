// The rows of reports and their sums as files, for spreadsheets and for scripts.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';

import { request } from './support/api.mjs';
import { startNsd } from './support/nsd.mjs';
import { aggregate, reporterRecords } from './support/reports.mjs';
import { startRunner } from './support/runner.mjs';
import { admin } from './support/store.mjs';

const DAY_S = 86400;
const REPORTS = 5;
const yesterday = Math.floor(Date.now() / 1000 / DAY_S - 1) * DAY_S;

let nsd;
let runner;
let headers;
let domain;

const get = (path) => request(path.startsWith('http') ? path : `${runner.baseUrl}${path}`, { headers });
const exported = (query) => get(`/api/v1/domains/${domain.id}/report-export?${query}`);

// Parses CSV as a spreadsheet does (RFC 4180).
function parseCsv(text) {
	const rows = [];
	let row = [];
	for (const [, quoted, plain, end] of text.matchAll(/(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|\r\n)/g)) {
		row.push(quoted?.replaceAll('""', '"') ?? plain);
		if (end === ',') continue;
		rows.push(row);
		row = [];
	}
	return rows;
}

before(async () => {
	nsd = await startNsd([...reporterRecords]);
	runner = await startRunner({ env: { EDS_DNS_SERVERS: nsd.address } });
	admin(runner, { action: 'create-account', name: 'own', plan: 'paid' });
	headers = { authorization: `Bearer ${admin(runner, { action: 'create-token', account: 'own', name: 'test', expiresAt: null }).token}` };
	const send = (path, type, body) => request(`${runner.baseUrl}/api/v1/domains${path}`, { method: 'POST', headers: { ...headers, 'content-type': type }, body });
	domain = (await send('', 'application/json', '{"name": "export.example"}')).json().data;
	for (let i = 0; i < REPORTS; i++)
		await send(`/${domain.id}/reports`, 'text/xml', aggregate({ id: `=cmd|' /C calc'!A${i}`, org: 'A "quoted", name\nof two lines', domain: domain.name,
			begin: yesterday, end: yesterday + DAY_S - 1, records: [{ ip: '192.0.2.1', count: 4, signatures: [{ domain: domain.name, selector: 's1' }] },
				{ ip: '2001:db8::1', count: 1, dkim: 'fail', spf: 'fail', spfDomain: '+1.example' }] }));
});
after(async () => {
	await runner?.stop();
	await nsd?.stop();
});

describe('the rows of reports', () => {
	test('as CSV are a table for spreadsheets, without a formula in it', async () => {
		const answer = await exported('format=csv&what=rows');
		assert.equal(answer.headers['content-disposition'], 'attachment; filename="export.example-rows.csv"');
		const [columns, ...rows] = parseCsv(answer.text);
		assert.equal(rows.length, 2 * REPORTS);
		for (const row of rows) {
			assert.equal(row.length, columns.length);
			for (const cell of row) assert.doesNotMatch(cell, /^[=+\-@\t\r]/);
		}
		const row = Object.fromEntries(columns.map((name, i) => [name, rows[0][i]]));
		assert.deepEqual([row.externalId, row.organization, row.source, row.messages, row.dkimResults],
			[`'=cmd|' /C calc'!A${REPORTS - 1}`, 'A "quoted", name\nof two lines', '192.0.2.1', '4', 'export.example/s1=pass']);
	});

	test('as JSON are one object per line, page by page', async () => {
		const lines = [];
		let pages = 0;
		for (let path = `/api/v1/domains/${domain.id}/report-export?format=jsonl&what=rows&limit=2`; path; pages++) {
			const { text, headers: { link } } = await get(path);
			lines.push(...text.trimEnd().split('\n').map((line) => JSON.parse(line)));
			path = link && /^<(.*)>; rel="next"$/.exec(link)[1];
		}
		assert.equal(pages, Math.ceil(REPORTS / 2));
		assert.equal(lines.length, 2 * REPORTS);
		assert.equal(new Set(lines.map(({ reportId }) => reportId)).size, REPORTS);
		assert.deepEqual([lines[0].externalId, lines[0].messages, lines[0].envelopeTo], [`=cmd|' /C calc'!A${REPORTS - 1}`, 4, null]);
	});
});

describe('the rows of reports that hide formulas', () => {
	const HIDDEN = ['\u00a0=1', '\u200b+1', '\ufeff-1', '\u2060 "=1', '\u3000@1', '\uff1d1', '\uff0b1', '\uff0d1', '\uff201'];

	test('have an apostrophe before invisible characters and before full-width letters', async () => {
		const send = (path, type, body) => request(`${runner.baseUrl}/api/v1/domains${path}`, { method: 'POST', headers: { ...headers, 'content-type': type }, body });
		const { id } = (await send('', 'application/json', '{"name": "hidden.example"}')).json().data;
		for (const text of [...HIDDEN, 'a;\u200b=1'])
			await send(`/${id}/reports`, 'text/xml', aggregate({ id: text, domain: 'hidden.example', begin: yesterday, end: yesterday + DAY_S - 1, records: [{ count: 1 }] }));
		const [columns, ...rows] = parseCsv((await get(`/api/v1/domains/${id}/report-export?format=csv&what=rows`)).text);
		const ids = rows.map((row) => row[columns.indexOf('externalId')]);
		assert.deepEqual(ids.sort(), [...HIDDEN.map((text) => `'${text}`), "a;'\u200b=1"].sort());
	});
});

describe('the rows that a filter chooses', () => {
	test('come from each report, page by page, and a cursor belongs to its filter', async () => {
		const lines = [];
		let pages = 0;
		let next;
		for (let path = `/api/v1/domains/${domain.id}/report-export?format=jsonl&what=rows&limit=2&source=2001:DB8:0::1&result=failed`; path; pages++) {
			const { text, headers: { link } } = await get(path);
			lines.push(...text.trimEnd().split('\n').map((line) => JSON.parse(line)));
			path = link && /^<(.*)>; rel="next"$/.exec(link)[1];
			next ??= path;
		}
		assert.equal(pages, 3);
		assert.deepEqual(lines.map(({ source, spfResults, messages }) => [source, spfResults, messages]), Array(5).fill(['2001:db8::1', '+1.example/=fail', 1]));
		const other = await get(next.replace('result=failed', 'result=passed'));
		assert.deepEqual([other.status, other.json().code], [400, 'cursor-invalid']);
	});

	test('are none, on a single page, when nothing matches', async () => {
		const { status, text, headers: { link } } = await exported('format=jsonl&what=rows&limit=2&selector=never');
		assert.deepEqual([status, text, link], [200, '', undefined]);
	});
});

describe('a report of a stranger with long rows full of quotes', () => {
	const ROWS = 2000;
	const QUOTES = '"'.repeat(500);
	const LONG = `long${'"'.repeat(240)}`;
	const NAME = `${'a'.repeat(60)}.${'b'.repeat(60)}.${'c'.repeat(60)}.example`;
	let own;

	before(async () => {
		own = (await request(`${runner.baseUrl}/api/v1/domains`, { method: 'POST', headers: { ...headers, 'content-type': 'application/json' },
			body: JSON.stringify({ name: NAME }) })).json().data;
		const report = (id, org, count) => aggregate({ id, org, domain: own.name, begin: yesterday, end: yesterday + DAY_S - 1,
			records: Array.from({ length: count }, (_, i) => ({ ip: `10.1.${i >> 8}.${i & 255}`, spfDomain: 'x.example' })) });
		for (const [id, org, count] of [['behind', 'Receiver', 1], [LONG, QUOTES, ROWS], ['newest', 'Receiver', 2]]) {
			const answer = await request(`${runner.baseUrl}/api/v1/domains/${own.id}/reports`, { method: 'POST',
				headers: { ...headers, 'content-type': 'text/xml' }, body: report(id, org, count) });
			assert.deepEqual(answer.json().data.map(({ outcome }) => outcome), ['accepted']);
		}
	});

	for (const [format, limit, pageCount] of [['csv', '', 1], ['jsonl', '', 3], ['jsonl', '&limit=1', 4]])
		test(`is exported completely as ${format}${limit}, with the reports after it, on ${pageCount} pages`, async () => {
			const rows = [];
			let pages = 0;
			for (let path = `/api/v1/domains/${own.id}/report-export?format=${format}&what=rows${limit}`; path; pages++) {
				const { status, text, headers: { link } } = await get(path);
				assert.equal(status, 200);
				rows.push(...(format === 'csv' ? parseCsv(text).slice(1).map((cells) => ({ externalId: cells[7], organization: cells[6], source: cells[9] }))
					: text.trimEnd().split('\n').map((line) => JSON.parse(line))));
				path = link && /^<(.*)>; rel="next"$/.exec(link)[1];
			}
			assert.deepEqual(rows.map(({ externalId }) => externalId), ['newest', 'newest', ...Array(ROWS).fill(LONG), 'behind']);
			const long = rows.slice(2, -1);
			assert.equal(pages, pageCount);
			assert.equal(new Set(long.map(({ source }) => source)).size, ROWS);
			assert.ok(long.every(({ organization }) => organization === QUOTES));
		});
});

describe('the exported sums of reports', () => {
	test('equal those of the API', async () => {
		const { sums } = (await get(`/api/v1/domains/${domain.id}/report-sums?by=source`)).json().data;
		const lines = (await exported('format=jsonl&what=sums&by=source')).text.trimEnd().split('\n').map((line) => JSON.parse(line));
		assert.deepEqual(lines, sums);
		assert.equal(lines[0].messages, 4 * REPORTS);
		const [, ...rows] = parseCsv((await exported('format=csv&what=sums&by=source')).text);
		assert.deepEqual(rows.map(([key, messages]) => [key, Number(messages)]), sums.map(({ key, messages }) => [key, messages]));
	});

	test('come page by page, however many there are, and a cursor belongs to its sums', async () => {
		const sums = [];
		let next;
		for (let path = `/api/v1/domains/${domain.id}/report-export?format=jsonl&what=sums&by=source&limit=1`; path;) {
			const { text, headers: { link } } = await get(path);
			sums.push(...text.trimEnd().split('\n').map((line) => JSON.parse(line)));
			path = link && /^<(.*)>; rel="next"$/.exec(link)[1];
			next ??= path;
		}
		assert.deepEqual(sums.map(({ key, messages }) => [key, messages]), [['192.0.2.1', 4 * REPORTS], ['2001:db8::1', REPORTS]]);
		for (const other of [next.replace('by=source', 'by=day'), next.replace('192.0.2.1', '192.0.2.9')]) {
			const refused = await get(other);
			assert.deepEqual([refused.status, refused.json().code], [400, 'cursor-invalid']);
		}
	});

	test('are complete when there are more than a thousand sources', async () => {
		const send = (path, type, body) => request(`${runner.baseUrl}/api/v1/domains${path}`, { method: 'POST', headers: { ...headers, 'content-type': type }, body });
		const { id } = (await send('', 'application/json', '{"name": "many.example"}')).json().data;
		await send(`/${id}/reports`, 'text/xml', aggregate({ id: 'many', domain: 'many.example', begin: yesterday, end: yesterday + DAY_S - 1,
			records: Array.from({ length: 1500 }, (_, i) => ({ ip: `10.0.${i >> 8}.${i & 255}`, count: 1 + (i % 3) })) }));
		const first = await get(`/api/v1/domains/${id}/report-export?format=csv&what=sums&by=source`);
		const second = await get(/^<(.*)>; rel="next"$/.exec(first.headers.link)[1]);
		assert.equal(second.headers.link, undefined);
		const keys = [first, second].flatMap(({ text }) => parseCsv(text).slice(1).map(([key]) => key));
		assert.deepEqual([keys.length, new Set(keys).size], [1500, 1500]);
	});
});
