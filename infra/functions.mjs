// What the manifest does not say of functions, for those who deploy them.

// Mail goes to a function by the domain of its recipients; locally mail-accept decides, elsewhere the
// receiver's rules do.
export const MAIL_DOMAINS = { 'tester-analyze': 'tester', 'reports-ingest': 'report' };

// Who touches the mail store, and how. tests/e2e/infra.test.mjs holds this against the programs.
export const MAIL_STORE = {
	'reports-ingest': ['read', 'delete'],
	'service-ready': ['read'],
	'service-watch': ['read'],
	'tester-analyze': ['read', 'delete'],
	'tester-expire': ['list', 'delete'],
	'tester-session-headers': ['read'],
	'tester-session-message': ['write'],
	'tester-session-reanalyze': ['read'],
	'tester-uploads': ['read', 'delete'],
};

export const mailStore = (name) => MAIL_STORE[name] ?? [];

// What no platform but the runner has a use for: RCPT is answered by the platform's own receiver, only the
// runner holds requests back, and has a port for operators alone.
const LOCAL_ONLY = ['mail-accept', 'service-ready', 'tester-sessions-settled'];

export function deployed(manifest) {
	return Object.entries(manifest.functions)
		.filter(([name]) => !LOCAL_ONLY.includes(name))
		.map(([name, entry]) => {
			if (entry.mail && !MAIL_DOMAINS[name]) throw new Error(`infra/functions.mjs does not say whose mail ${name} gets`);
			return { name, http: [], ops: [], ...entry };
		});
}
