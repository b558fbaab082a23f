// Facts about functions that deployments need and the manifest lacks.

// The domain of the recipients that each mail function takes. Elsewhere the rules of the receiver use it to
// choose the function; the runner asks mail-accept instead.
export const MAIL_DOMAINS = { 'tester-analyze': 'tester', 'reports-ingest': 'report' };

// The functions that access the mail store, and how. tests/e2e/infra.test.mjs checks this against
// the programs.
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

// Functions that only the runner uses: elsewhere the platform's own receiver answers RCPT, and only the
// runner holds requests back and has a port for operators.
const LOCAL_ONLY = ['mail-accept', 'service-ready', 'tester-sessions-settled'];

export function deployed(manifest) {
	return Object.entries(manifest.functions)
		.filter(([name]) => !LOCAL_ONLY.includes(name))
		.map(([name, entry]) => {
			if (entry.mail && !MAIL_DOMAINS[name]) throw new Error(`infra/functions.mjs does not say which domain's mail ${name} gets`);
			return { name, http: [], ops: [], ...entry };
		});
}
