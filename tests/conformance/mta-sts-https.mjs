// MTA-STS answers over HTTPS with known outcomes: $VECTORS/mta-sts/vectors.json. A policy host of its
// own gives each answer, and the service checks it. Prints each failure and how many passed; fails
// unless all pass.
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

import { codes, startWorld, txtOf } from '../e2e/support/mta-sts.mjs';
import { makeAuthority } from '../support/authority.mjs';
import { policyText, startPolicyServer } from '../support/policy-server.mjs';

const ALERT = 80;

const path = join(process.env.VECTORS ?? '../shared/vectors', 'mta-sts/vectors.json');
if (!existsSync(path)) {
	console.log(`mta-sts https: skipped, ${path} is not there`);
	process.exit(0);
}
const { https: vectors } = JSON.parse(readFileSync(path, 'utf8'));

// The certificate that the text of a vector about TLS describes.
function certificateOf(authority, name, tls = '') {
	if (tls.startsWith('SAN *.')) return authority.issue([`*.${name}`]);
	return authority.issue([`mta-sts.${name}`], { expired: tls.includes('expired'), commonName: tls.includes('no SAN') });
}

function hostOf(authority, name, vector) {
	const { status, contentType, location, contentEncoding, delaySeconds, tls = '' } = vector;
	const headers = { ...(location && { location }), ...(contentEncoding && { 'content-encoding': contentEncoding }) };
	const type = contentType === undefined ? 'text/plain' : contentType;
	const policy = policyText({ mx: [`mx.${name}`] });
	return {
		certificate: certificateOf(authority, name, tls),
		...(tls.includes('refused') && { alert: ALERT }),
		...(delaySeconds
			? { respond: (request, response) => setTimeout(() => response.end(policy), delaySeconds * 1000).unref() }
			: { policy, status, type, headers }),
	};
}

const authority = makeAuthority();
const policies = await startPolicyServer();
const world = await startWorld({ env: {
	EDS_CA_FILE: authority.file,
	EDS_ALLOW_PRIVATE_ADDRESSES: '1',
	EDS_POLICY_FETCH_PORT: String(policies.port),
	EDS_STARTTLS_PORT: '1',
} });
let failed = 0;
try {
	const domains = new Map();
	for (const vector of vectors) {
		const name = `${vector.id.toLowerCase()}.test`;
		policies.host(`mta-sts.${name}`, hostOf(authority, name, vector));
		domains.set(vector, await world.add(name, { mxPatterns: [`mx.${name}`] }));
	}
	world.publish([...domains.values()].flatMap((domain) =>
		[...txtOf(domain), `mta-sts.${domain.name} A 300 127.0.0.1`, `${domain.name} MX 300 0 .`]));
	await world.check();
	for (const [vector, domain] of domains) {
		const { observed } = await world.show(domain);
		const passed = vector.expect === 'accept'
			? observed.policyFetched && observed.valid
			: !observed.policyFetched && codes(observed.errors).some((code) => code.startsWith('fetch-'));
		if (passed) continue;
		failed++;
		console.log(`FAIL ${vector.id}: ${vector.why || JSON.stringify(vector)}: ${JSON.stringify(observed)}`);
	}
} finally {
	await world.stop();
	await policies.stop();
	authority.remove();
}
console.log(`mta-sts https: ${vectors.length - failed} passed, ${failed} failed`);
process.exitCode = failed > 0 || vectors.length === 0 ? 1 : 0;
