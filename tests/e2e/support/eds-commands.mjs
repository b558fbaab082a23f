// Every command of eds with what it asks of the service, and a small service that answers it.
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import http from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { BUILD } from './runner.mjs';

const DOMAIN = '/api/v1/domains/d1';

const SESSIONS = '/api/inbound-tester/sessions';
const MADE = `POST ${SESSIONS}`;
const WAITED = `GET ${SESSIONS}/t1?wait=30`;

// [command line, the last request: method, path and body; or all requests].
export const COMMANDS = [
	['check a.example', 'GET /api/v1/check?domain=a.example'],
	['domains', 'GET /api/v1/domains'],
	['domains list --search b --state ok --sort -name --limit 5 --cursor c', 'GET /api/v1/domains?search=b&state=ok&sort=-name&limit=5&cursor=c'],
	['domains add b.example', 'POST /api/v1/domains {"name":"b.example"}'],
	['domains show a.example', `GET ${DOMAIN}`],
	['domains check a.example', `POST ${DOMAIN}/posture/check`],
	['domains history a.example --limit 5 --cursor c', `GET ${DOMAIN}/posture/history?limit=5&cursor=c`],
	['domains remove a.example --yes', `DELETE ${DOMAIN}`],
	['selectors list a.example --search s --state valid --sort -selector --limit 5 --cursor c', `GET ${DOMAIN}/dkim/selectors?search=s&state=valid&sort=-selector&limit=5&cursor=c`],
	['selectors add a.example s1', `POST ${DOMAIN}/dkim/selectors {"selector":"s1"}`],
	['selectors check a.example s1', `POST ${DOMAIN}/dkim/selectors/s1/check`],
	['selectors history a.example s1', `GET ${DOMAIN}/dkim/selectors/s1/history`],
	['selectors remove a.example s1', `DELETE ${DOMAIN}/dkim/selectors/s1`],
	['mta-sts show a.example', `GET ${DOMAIN}/mta-sts`],
	['mta-sts check a.example', `POST ${DOMAIN}/mta-sts/check`],
	['mta-sts set a.example --enabled yes --mode enforce --mx *.b.example --max-age 86400 --hosted no', `PATCH ${DOMAIN}/mta-sts {"enabled":true,"hosted":false,"maxAge":86400,"mode":"enforce","mxPatterns":["*.b.example"]}`],
	['mta-sts set a.example --enabled no --hosted yes --mx b.example --mx c.example', `PATCH ${DOMAIN}/mta-sts {"enabled":false,"hosted":true,"mxPatterns":["b.example","c.example"]}`],
	['reports list a.example --reporter r.example --from 2026-01-01 --to 2026-01-31 --result failed --limit 5 --cursor c', `GET ${DOMAIN}/reports?reporter=r.example&from=2026-01-01&to=2026-01-31&result=failed&limit=5&cursor=c`],
	['reports show a.example r1', `GET ${DOMAIN}/reports/r1`],
	['reports export a.example --format jsonl --by day --from 2026-01-01 --to 2026-01-31 --reporter r.example --result failed --source 192.0.2.1 --disposition reject --selector s1 --cursor c', `GET ${DOMAIN}/report-export?format=jsonl&by=day&from=2026-01-01&to=2026-01-31&reporter=r.example&result=failed&source=192.0.2.1&disposition=reject&selector=s1&cursor=c&what=sums`],
	['reports export a.example', `GET ${DOMAIN}/report-export?format=csv&what=rows`],
	['reports sums a.example', `GET ${DOMAIN}/report-sums?by=day`],
	['reports sums a.example --by source --from 2026-01-01 --to 2026-01-31 --class failed --reporter r.example', `GET ${DOMAIN}/report-sums?by=source&from=2026-01-01&to=2026-01-31&class=failed&reporter=r.example`],
	['reports selectors a.example --from 2026-01-01 --to 2026-01-31', `GET ${DOMAIN}/report-selectors?from=2026-01-01&to=2026-01-31`],
	['reports sources a.example --from 2026-01-01 --to 2026-01-31 --result failed --class unknown --limit 5 --cursor c', `GET ${DOMAIN}/sources?from=2026-01-01&to=2026-01-31&result=failed&class=unknown&limit=5&cursor=c`],
	['reports reporters a.example --limit 5 --cursor c', `GET ${DOMAIN}/reporters?limit=5&cursor=c`],
	['reports upload a.example mail.eml', `POST ${DOMAIN}/reports A: b\n\nc\n`],
	['alerts', 'GET /api/v1/alerts'],
	['alerts list --domain a.example', `GET ${DOMAIN}/alerts`],
	['alerts add https://hook.example/', 'POST /api/v1/alerts {"url":"https://hook.example/","events":null}'],
	['alerts add https://hook.example/ --domain a.example --event dmarc-weakened --event mta-sts-failed', `POST ${DOMAIN}/alerts {"url":"https://hook.example/","events":["dmarc-weakened","mta-sts-failed"]}`],
	['alerts add me@b.example --weekly-summary', 'POST /api/v1/alerts {"mail":"me@b.example","events":null,"weeklySummary":true}'],
	['alerts remove i1 --yes', 'DELETE /api/v1/alerts/i1'],
	['alerts remove i1 --domain a.example --yes', `DELETE ${DOMAIN}/alerts/i1`],
	['alerts test i1', 'POST /api/v1/alerts/i1/test'],
	['alerts test i1 --domain a.example', `POST ${DOMAIN}/alerts/i1/test`],
	['alerts deliveries i1', 'GET /api/v1/alerts/i1/deliveries'],
	['alerts deliveries i1 --domain a.example', `GET ${DOMAIN}/alerts/i1/deliveries`],
	['tokens', 'GET /api/v1/tokens'],
	['tokens create ci', 'POST /api/v1/tokens {"name":"ci"}'],
	['tokens create ci --access full --expires 2099-01-31T00:00:00Z', 'POST /api/v1/tokens {"name":"ci","access":"full","expiresAt":"2099-01-31T00:00:00Z"}'],
	['tokens revoke t1 --yes', 'DELETE /api/v1/tokens/t1'],
	['tokens log --limit 5 --cursor c', 'GET /api/v1/audit-log?limit=5&cursor=c'],
	['test', [MADE, WAITED]],
	['test --timeout 5', [MADE, `GET ${SESSIONS}/t1?wait=5`]],
	['test a/b', [`GET ${SESSIONS}/a%2Fb?wait=30`]],
	['test --send-from mail.eml --client-ip 192.0.2.1', [MADE, `POST ${SESSIONS}/t1/message?clientIp=192.0.2.1&helo=localhost&mailFrom= A: b\r\n\r\nc\r\n`, WAITED]],
	['test --send-from mail.eml --client-ip 2001:db8::1 --helo h.example --mail-from a@b.example',
		[MADE, `POST ${SESSIONS}/t1/message?clientIp=2001%3Adb8%3A%3A1&helo=h.example&mailFrom=a%40b.example A: b\r\n\r\nc\r\n`, WAITED]],
	['api GET /api/v1/domains?limit=1', 'GET /api/v1/domains?limit=1'],
	['api POST /api/v1/domains {"name":"b.example"}', 'POST /api/v1/domains {"name":"b.example"}'],
];

// Answers with just enough for a command to go on to its next request.
export function enough(req, res) {
	const isList = /^\/api\/v1\/(domains|tokens)(\?|$)/.test(req.url) && req.method === 'GET';
	const data = isList ? [{ id: 'd1', name: 'a.example', tokenId: 't1' }] : {};
	res.setHeader('content-type', 'application/json');
	res.end(JSON.stringify(req.url.startsWith(SESSIONS) ? { testId: 't1', email: 't1@b.example', status: 'completed' } : { data }));
}

// Starts a service that answers with `answer(req, res, number)`, where number counts the requests of a command from 1.
// run(words, env) runs eds with mail.eml in its folder, and gives { status, out, err, asked: [{ request, token, bodyOctets }, …] },
// where bodyOctets is the field Content-Length.
export async function startService() {
	const folder = mkdtempSync(join(tmpdir(), 'eds-service-'));
	let asked;
	const service = { folder, answer: enough };
	const server = http.createServer(async (req, res) => {
		let body = '';
		for await (const part of req) body += part;
		asked.push({ request: [req.method, req.url, ...(body === '' ? [] : [body])].join(' '), token: req.headers.authorization,
			bodyOctets: req.headers['content-length'] });
		service.answer(req, res, asked.length);
	});
	writeFileSync(join(folder, 'mail.eml'), 'A: b\n\nc\n');
	await new Promise((listening) => server.listen(0, '127.0.0.1', listening));
	service.url = `http://127.0.0.1:${server.address().port}`;
	service.run = async (words, env = {}) => {
		asked = [];
		const child = spawn(join(BUILD, 'eds'), words, { cwd: folder, stdio: ['ignore', 'pipe', 'pipe'],
			env: { PATH: process.env.PATH, EDS_URL: service.url, EDS_TOKEN: 'eds_secret', ...env } });
		const said = { out: '', err: '' };
		child.stdout.setEncoding('utf8').on('data', (data) => (said.out += data));
		child.stderr.setEncoding('utf8').on('data', (data) => (said.err += data));
		const status = await new Promise((ended) => child.once('close', (code, signal) => ended(code ?? signal)));
		return { status, ...said, asked };
	};
	service.stop = () => {
		server.close();
		rmSync(folder, { recursive: true, force: true });
	};
	return service;
}
