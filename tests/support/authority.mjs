// A certificate authority for tests: it issues valid and invalid certificates for servers.
//
//     const authority = makeAuthority();
//     authority.file                                   // for EDS_CA_FILE
//     authority.issue(['mta-sts.example.com'])         // { cert, key } in PEM
//     authority.issue(['mta-sts.example.com'], { expired: true })
//     authority.remove();
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const openssl = (args, before = []) => {
	const [program, ...rest] = [...before, 'openssl', ...args];
	execFileSync(program, rest, { stdio: ['ignore', 'ignore', 'pipe'] });
};

export function makeAuthority() {
	const folder = mkdtempSync(join(tmpdir(), 'eds-authority-'));
	const path = (name) => join(folder, name);
	let serial = 0;

	openssl(['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', '-days', '30',
		'-subj', '/CN=Test authority', '-keyout', path('ca.key'), '-out', path('ca.pem')]);

	return {
		file: path('ca.pem'),
		// expired: it was valid for one day, years ago. commonName: the certificate has only this name.
		// selfSigned: no authority has signed it. days: how long it is valid; ago: its validity began
		// this many days ago.
		issue(names, { expired = false, commonName = false, selfSigned = false, days = 20, ago = 0 } = {}) {
			const name = path(String(++serial));
			const signer = selfSigned
				? ['-signkey', `${name}.key`]
				: ['-CA', path('ca.pem'), '-CAkey', path('ca.key'), '-set_serial', String(serial)];
			openssl(['req', '-new', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes',
				'-subj', `/CN=${names[0].slice(0, 60)}`, '-keyout', `${name}.key`, '-out', `${name}.csr`]);
			writeFileSync(`${name}.ext`, commonName ? '' : `subjectAltName=${names.map((n) => `DNS:${n}`)}\n`);
			openssl(['x509', '-req', '-in', `${name}.csr`, ...signer, '-days', expired ? '1' : `${days}`,
				'-extfile', `${name}.ext`, '-out', `${name}.pem`], expired ? ['faketime', '2021-03-01'] : ago > 0 ? ['faketime', `${ago} days ago`] : []);
			return { cert: readFileSync(`${name}.pem`, 'utf8'), key: readFileSync(`${name}.key`, 'utf8') };
		},
		remove: () => rmSync(folder, { recursive: true, force: true }),
	};
}
