// Reports: XML, memory, and the cost of a small mail, all through the sandbox. The peer is python's
// pyexpat filling fields, in the same run.
import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { build, heading, mb, row, times, us } from './measure.mjs';

const MIB = 1024 * 1024;
const SMALL_RUNS = 300;
const LARGE_RUNS = 3;
const peer = fileURLToPath(new URL('./reports-peer.py', import.meta.url));

const record = (i) => `  <record>
    <row>
      <source_ip>192.0.${i % 4}.${i % 251}</source_ip>
      <count>${1 + i % 9}</count>
      <policy_evaluated>
        <disposition>none</disposition>
        <dkim>${i % 7 ? 'pass' : 'fail'}</dkim>
        <spf>${i % 5 ? 'pass' : 'fail'}</spf>
      </policy_evaluated>
    </row>
    <identifiers>
      <header_from>sender.example</header_from>
    </identifiers>
    <auth_results>
      <dkim>
        <domain>sender.example</domain>
        <selector>s${i % 3}</selector>
        <result>${i % 7 ? 'pass' : 'fail'}</result>
      </dkim>
      <spf>
        <domain>bounce.sender.example</domain>
        <result>pass</result>
      </spf>
    </auth_results>
  </record>
`;

// XML of about this many octets, and never more.
function report(bytes) {
	const parts = [`<?xml version="1.0" encoding="UTF-8"?>
<feedback>
  <report_metadata>
    <org_name>Reporter</org_name><email>dmarc@reporter.example</email><report_id>bench</report_id>
    <date_range><begin>1767225600</begin><end>1767311999</end></date_range>
  </report_metadata>
  <policy_published><domain>sender.example</domain><adkim>r</adkim><aspf>r</aspf><p>reject</p></policy_published>
`];
	let length = parts[0].length + 1024;
	for (let i = 0; length < bytes; i++) {
		const next = record(i);
		parts.push(next);
		length += next.length;
	}
	return `${parts.join('')}</feedback>\n`;
}

const mail = (zipped) => `From: dmarc@reporter.example\r
To: reports@eds.example\r
Subject: Report domain: sender.example Submitter: reporter.example Report-ID: <bench>\r
MIME-Version: 1.0\r
Content-Type: multipart/mixed; boundary="bench"\r
\r
--bench\r
Content-Type: text/plain\r
\r
This is an aggregate report.\r
--bench\r
Content-Type: application/gzip; name="reporter.example!sender.example!1767225600!1767311999.xml.gz"\r
Content-Transfer-Encoding: base64\r
\r
${zipped.toString('base64').replace(/(.{76})/g, '$1\r\n')}\r
--bench--\r
`;

const run = async (command, args) => JSON.parse((await promisify(execFile)(command, args.map(String))).stdout);

export async function reports() {
	const folder = mkdtempSync(join(tmpdir(), 'eds-bench-'));
	const file = (name, content) => { writeFileSync(join(folder, name), content); return join(folder, name); };
	const reader = join(build, 'tests/bench/reports');
	const rate = (path, { cpuUs }) => statSync(path).size / cpuUs; // octets a microsecond: MB/s

	heading('DMARC reports (CPU of all processes)');
	try {
		const text = report(64 * MIB);
		const xml = file('large.xml', text);
		const zipped = file('large.xml.gz', gzipSync(text));
		const own = await run(reader, [xml, LARGE_RUNS]);
		const theirs = await run('python3', [peer, xml, LARGE_RUNS]);
		if (own.messages !== theirs.messages) throw new Error(`${own.messages} messages, the peer has ${theirs.messages}`);
		row('XML', `${rate(xml, own).toFixed(0)} MB/s`, '150 MB/s', '64 MiB, parsed, checked and summed');
		row('XML, pyexpat filling fields', `${rate(xml, theirs).toFixed(0)} MB/s`, '', 'the same file');
		row('ratio', times(rate(xml, own) / rate(xml, theirs)), '2.14', 'eds to pyexpat');
		const gz = await run(reader, [zipped, LARGE_RUNS]);
		row('XML in gzip', `${(text.length / gz.cpuUs).toFixed(0)} MB/s`, '', 'the same with libarchive');
		row('memory for a 64 MiB document', mb(gz.peakKb), '16 MB', 'resident, largest process; the gzip is mapped');
		const small = file('small.eml', mail(gzipSync(report(128 * 1024), { level: 4 })));
		const one = await run(reader, [small, SMALL_RUNS]);
		row(`a ${Math.round(statSync(small).size / 1024)} KB mail`, us(one.cpuUs), '', 'fork, MIME, base64, gzip, 128 KB of XML');
		row('memory for that mail', mb(one.peakKb), '', 'resident, largest process');
	} finally {
		rmSync(folder, { recursive: true, force: true });
	}
}
