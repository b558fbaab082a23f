// Reports in the form that mail receivers write, and the mails that carry them.
import { deflateRawSync, gzipSync } from 'node:zlib';

import { compose, newKey, sign } from './mail.mjs';
import { txt } from './nsd.mjs';

const reporterKey = newKey();

// The DNS records of receiver.example, the reporter of these mails; and a report mail signed by it.
export const reporterRecords = [
	`report._domainkey.receiver.example. TXT ${txt(reporterKey.record)}`,
	'_dmarc.receiver.example. TXT "v=DMARC1; p=reject; rua=mailto:d@receiver.example"',
];
export const signedByReporter = (message) =>
	sign(message, { domain: 'receiver.example', selector: 'report', key: reporterKey });

const escape = (text) => text.replace(/[&<>]/g, (c) => ({ '&': '&amp;', '<': '&lt;', '>': '&gt;' })[c]);
const element = (name, text) => (text === undefined ? '' : `<${name}>${escape(String(text))}</${name}>`);

function record({ ip = '192.0.2.1', count = 1, disposition = 'none', dkim = 'pass', spf = 'pass', from, signatures = [],
	spfDomain = from, spfResult = spf }) {
	const results = signatures.map(({ domain, selector, result = 'pass' }) =>
		`<dkim>${element('domain', domain)}${element('selector', selector)}${element('result', result)}</dkim>`);
	return `<record><row>${element('source_ip', ip)}${element('count', count)}<policy_evaluated>` +
		`${element('disposition', disposition)}${element('dkim', dkim)}${element('spf', spf)}</policy_evaluated></row>` +
		`<identifiers>${element('header_from', from)}</identifiers><auth_results>${results.join('')}` +
		`<spf>${element('domain', spfDomain)}${element('result', spfResult)}</spf></auth_results></record>\n`;
}

// An aggregate report (RFC 7489 appendix C). records: [{ ip, count, disposition, dkim, spf, signatures:
// [{ domain, selector, result }], spfDomain, spfResult }, …]; begin and end in Unix seconds.
export function aggregate({ org = 'Receiver', email = 'dmarc@receiver.example', id, domain, begin, end, records }) {
	return '<?xml version="1.0" encoding="UTF-8"?>\n<feedback><report_metadata>' +
		`${element('org_name', org)}${element('email', email)}${element('report_id', id)}` +
		`<date_range>${element('begin', begin)}${element('end', end)}</date_range></report_metadata>` +
		`<policy_published>${element('domain', domain)}<adkim>r</adkim><aspf>r</aspf><p>none</p><pct>100</pct>` +
		`</policy_published>\n${records.map((each) => record({ from: domain, ...each })).join('')}</feedback>\n`;
}

// A report about TLS (RFC 8460 section 4).
export function tlsReport({ org = 'Receiver', id, domain, successful = 0, failures = [] }) {
	return JSON.stringify({
		'organization-name': org,
		'date-range': { 'start-datetime': '2026-11-19T00:00:00Z', 'end-datetime': '2026-11-19T23:59:59Z' },
		'contact-info': 'tls@receiver.example',
		'report-id': id,
		policies: [{
			policy: { 'policy-type': 'sts', 'policy-string': ['version: STSv1', 'mode: testing'], 'policy-domain': domain },
			summary: {
				'total-successful-session-count': successful,
				'total-failure-session-count': failures.reduce((sum, { sessions }) => sum + sessions, 0),
			},
			'failure-details': failures.map(({ type, sessions, mx }) =>
				({ 'result-type': type, 'receiving-mx-hostname': mx, 'failed-session-count': sessions })),
		}],
	});
}

// CRC-32, which node 18 does not offer.
function crc32(bytes) {
	let crc = ~0;
	for (const byte of bytes) {
		crc ^= byte;
		for (let bit = 0; bit < 8; bit++) crc = crc & 1 ? (crc >>> 1) ^ 0xedb88320 : crc >>> 1;
	}
	return ~crc >>> 0;
}

// A zip file (APPNOTE sections 4.3.7 to 4.3.16). members: { name: text, … }
export function zip(members) {
	const locals = [];
	const central = [];
	let offset = 0;
	for (const [name, text] of Object.entries(members)) {
		const bytes = Buffer.from(text);
		const packed = deflateRawSync(bytes);
		const common = Buffer.alloc(26);
		common.writeUInt16LE(20, 0); // version needed to extract the file
		common.writeUInt16LE(8, 4); // deflate
		common.writeUInt32LE(crc32(bytes), 10);
		common.writeUInt32LE(packed.length, 14);
		common.writeUInt32LE(bytes.length, 18);
		common.writeUInt16LE(Buffer.byteLength(name), 22);
		const local = Buffer.concat([Buffer.from('PK\x03\x04'), common, Buffer.from(name), packed]);
		const place = Buffer.alloc(14);
		place.writeUInt32LE(offset, 10);
		central.push(Buffer.concat([Buffer.from('PK\x01\x02\x14\x00'), common, place, Buffer.from(name)]));
		locals.push(local);
		offset += local.length;
	}
	const directory = Buffer.concat(central);
	const end = Buffer.alloc(18);
	end.writeUInt16LE(central.length, 4);
	end.writeUInt16LE(central.length, 6);
	end.writeUInt32LE(directory.length, 8);
	end.writeUInt32LE(offset, 12);
	return Buffer.concat([...locals, directory, Buffer.from('PK\x05\x06'), end]);
}

// A tar file in the POSIX format. members: { name: text, … }
export function tar(members) {
	const blocks = Object.entries(members).flatMap(([name, text]) => {
		const bytes = Buffer.from(text);
		const head = Buffer.alloc(512);
		head.write(name, 0);
		head.write('0000644\x000000000\x000000000\x00', 100);
		head.write(`${bytes.length.toString(8).padStart(11, '0')}\x00${'0'.repeat(11)}\x00        0`, 124);
		head.write('ustar\x0000', 257);
		head.write(`${head.reduce((sum, octet) => sum + octet, 0).toString(8).padStart(6, '0')}\x00 `, 148);
		return [head, bytes, Buffer.alloc(-bytes.length & 511)];
	});
	return Buffer.concat([...blocks, Buffer.alloc(1024)]);
}

const lines = (base64) => base64.replace(/.{76}/g, '$&\r\n');

// A mail with a sentence, followed by the parts, each { type, name, bytes }.
export function mailOf(parts, { from = 'noreply@receiver.example', subject = 'Report domain: example.com' } = {}) {
	const boundary = 'part-of-the-report';
	const text = parts.map(({ type, name, bytes }) => `--${boundary}\r\nContent-Type: ${type}\r\n` +
		`Content-Disposition: attachment; filename="${name}"\r\nContent-Transfer-Encoding: base64\r\n\r\n` +
		`${lines(Buffer.from(bytes).toString('base64'))}\r\n`);
	return compose([
		['From', from],
		['Subject', subject],
		['MIME-Version', '1.0'],
		['Content-Type', `multipart/mixed; boundary="${boundary}"`],
	], `--${boundary}\r\nContent-Type: text/plain\r\n\r\nA report is attached.\r\n${text.join('')}--${boundary}--\r\n`);
}

export const gzipMail = (text, name = 'report.xml.gz') =>
	mailOf([{ type: 'application/gzip', name, bytes: gzipSync(text) }]);
export const zipMail = (members) =>
	mailOf([{ type: 'application/zip', name: 'report.zip', bytes: zip(members) }]);
