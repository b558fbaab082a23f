// Zones signed with DNSSEC (ldns), served by a real name server (nsd) that knows no other name. The
// trust anchor is the key of one of these zones, in place of the root's.
import { execFileSync } from 'node:child_process';
import { chmodSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { serveZones } from './nsd.mjs';

const EXPIRED = ['-i', '20200101', '-e', '20200301'];

const head = (name) => [`$ORIGIN ${name}.`, '$TTL 60', '@ SOA ns.invalid. hostmaster.invalid. 1 3600 600 86400 60', '@ NS ns.invalid.'];

function run(folder, program, ...args) {
	return execFileSync(program, args, { cwd: folder, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] }).trim();
}

// Signs a zone; returns its DS record, for the zone above it.
function sign(folder, name, options) {
	const key = run(folder, 'ldns-keygen', '-a', 'ECDSAP256SHA256', '-k', name);
	run(folder, 'ldns-signzone', ...options, '-f', `${name}.signed`, name, key);
	return readFileSync(join(folder, `${key}.ds`), 'utf8').trim();
}

/**
 * A signed zone `top`, and zones below it: { name: { kind: 'good' | 'expired' | 'foreign' | 'plain', records } }.
 * expired: its signatures have expired; foreign: the zone above names another key; plain: it is not
 * signed; dropped: it is not signed, but the zone above names its key.
 */
export async function startSignedZones(top, below) {
	const folder = mkdtempSync(join(tmpdir(), 'eds-signed-'));
	const zones = [];
	const delegations = [];
	for (const [label, { kind, records }] of Object.entries(below)) {
		const name = `${label}.${top}`;
		writeFileSync(join(folder, name), [...head(name), ...records, ''].join('\n'));
		delegations.push(`${label} NS ns.invalid.`);
		if (kind !== 'plain') {
			const ds = sign(folder, name, kind === 'expired' ? EXPIRED : []);
			delegations.push(kind === 'foreign' ? ds.replace(/[0-9a-f]{64}$/, 'ab'.repeat(32)) : ds);
		}
		zones.push([name, ['plain', 'dropped'].includes(kind) ? name : `${name}.signed`]);
	}
	writeFileSync(join(folder, top), [...head(top), ...delegations, ''].join('\n'));
	const anchors = join(folder, 'anchors');
	chmodSync(folder, 0o755); // programs of other users read the anchors, too
	writeFileSync(anchors, `; the key of ${top}\n\n$TTL 3600\n${sign(folder, top, [])}\n`);
	zones.push([top, `${top}.signed`]);
	const { address, stop } = await serveZones(folder, zones);
	return { address, anchors, stop };
}
