// The domains, selectors, sessions and tokens that a campaign has made so far; turns a step into a
// request, knows the expected status of a request with a single fault, and learns from the answers.
const NAME_OCTETS_MAX = 253; // a Host field with a longer name may be refused for its length
const BODY_MAX = 64 * 1024;
const CURSOR_MAX = 272; // octets
const ZONES = ['valid.test', 'short.test', 'revoked.test', 'broken.test', 'alias.test', 'nothing.invalid'];
const LIVE_MAX = 30;
const GONE_MAX = 50;

// The records that answer for every selector below each of our zones.
export const zoneRecords = (keyOf) => [
	`*.valid.test. TXT ${keyOf('ed25519')}`,
	`*.short.test. TXT ${keyOf('rsa')}`,
	'*.revoked.test. TXT "v=DKIM1; p="',
	'*.broken.test. TXT "v=DKIM1; k=dsa; h=sha1; p=!!!"',
	'*.alias.test. CNAME nowhere.test.',
];

const SELECTOR = /^[A-Za-z0-9_-]{1,63}$/;
const NUL_ESCAPE = /(?<!\\)(\\\\)*\\u0000/;
const BIG_INTEGER = /\d{19}/; // the number may have more than 64 bits
const NEEDS = {
	createSession: { body: true, ignoresFields: true, success: 201 },
	getSession: { session: true, success: 200 },
	submitMessage: { session: true, submits: true, body: true, success: 202 },
	reanalyzeSession: { session: true, success: 200 },
	getSessionHeaders: { session: true, success: 200 },
	compareSessions: { session: true, compares: true, success: 200 },
	getPage: { success: 200 },
	getInterface: { success: 200 },
	getDocumentation: { success: 200 },
	getProblems: { success: 200 },
	getRobots: { success: 200 },
	getSecurityTxt: { success: 200 },
	getAsset: { file: true, success: 200 },
	createDomain: { token: true, body: 'name', success: 201 },
	listDomains: { token: true, page: true, success: 200 },
	getDomain: { token: true, domain: true, success: 200 },
	deleteDomain: { token: true, domain: true, success: 200 },
	listSelectors: { token: true, domain: true, page: true, success: 200 },
	registerSelector: { token: true, domain: true, body: 'selector', success: 201 },
	checkSelector: { token: true, domain: true, selector: true, success: 200 },
	getSelectorHistory: { token: true, domain: true, selector: true, success: 200 },
	deleteSelector: { token: true, domain: true, selector: true, success: 200 },
	listReports: { token: true, domain: true, reports: true, page: true, success: 200 },
	getReport: { token: true, domain: true, reports: true, report: true, success: 200 },
	getReportOriginal: { token: true, domain: true, reports: true, report: true, success: 200 },
	sumReports: { token: true, domain: true, reports: true, sums: true, success: 200 },
	sumSelectors: { token: true, domain: true, reports: true, success: 200 },
	listSources: { token: true, domain: true, reports: true, page: true, success: 200 },
	listReporters: { token: true, domain: true, reports: true, page: true, success: 200 },
	exportReports: { token: true, domain: true, reports: true, exports: true, success: 200 },
	uploadReports: { token: true, domain: true, reports: true, submits: true, body: true, success: 200 },
	postTlsReport: { domain: true, reports: true, submits: true, body: true, success: 201 },
	decideReporter: { token: true, domain: true, reports: true, reporter: true, body: 'decision', success: 200 },
	checkDomain: { lookup: true, success: 200 },
	getPosture: { token: true, domain: true, success: 200 },
	checkPosture: { token: true, domain: true, success: 200 },
	getPostureHistory: { token: true, domain: true, page: true, success: 200 },
	listDomainAlerts: { token: true, domain: true, success: 200 },
	createDomainAlert: { token: true, domain: true, body: 'alert', success: 201 },
	getDomainAlert: { token: true, domain: true, alert: true, success: 200 },
	updateDomainAlert: { token: true, domain: true, alert: true, body: 'alertChange', success: 200 },
	testDomainAlert: { token: true, domain: true, alert: true, success: 202 },
	listDomainAlertDeliveries: { token: true, domain: true, alert: true, success: 200 },
	sendDomainAlertDelivery: { token: true, domain: true, alert: true, delivery: true, success: 202 },
	deleteDomainAlert: { token: true, domain: true, alert: true, success: 200 },
	listAccountAlerts: { token: true, success: 200 },
	createAccountAlert: { token: true, body: 'alert', success: 201 },
	getAccountAlert: { token: true, alert: true, success: 200 },
	updateAccountAlert: { token: true, alert: true, body: 'alertChange', success: 200 },
	testAccountAlert: { token: true, alert: true, success: 202 },
	listAccountAlertDeliveries: { token: true, alert: true, success: 200 },
	sendAccountAlertDelivery: { token: true, alert: true, delivery: true, success: 202 },
	deleteAccountAlert: { token: true, alert: true, success: 200 },
	lookAtConfirmation: { alert: true, link: true, success: 200 },
	confirmAlert: { alert: true, link: true, success: 200 },
	lookAtLeaving: { alert: true, link: true, success: 200 },
	leaveAlert: { alert: true, link: true, success: 200 },
	listTokens: { token: true, success: 200 },
	listAuditLog: { token: true, page: true, success: 200 },
	createToken: { token: true, body: 'newToken', success: 201 },
	deleteToken: { token: true, ownToken: true, success: 200 },
	getMtaSts: { token: true, domain: true, success: 200 },
	updateMtaSts: { token: true, domain: true, body: 'mtaSts', success: 200 },
	checkMtaSts: { token: true, domain: true, success: 200 },
	getPolicy: { host: true, success: 200 },
};
export const ORDER = Object.keys(NEEDS).filter((name) => name !== 'deleteDomain').concat('deleteDomain');

const at = (list, pick) => list[pick % list.length];
const remember = (list, item) => {
	list.push(item);
	if (list.length > GONE_MAX) list.shift();
};

// Whether the policy of the domain is served now: true, false, or undefined if unknown. It is served once a
// check has seen the TXT record, and the scheduled check may run at any time.
function isServed(name, { enabled, hosted, observed }, before) {
	if (!enabled || !hosted) return false;
	if (before === true) return name === 'updateMtaSts' ? undefined : true;
	return name === 'checkMtaSts' && !observed.errors.some(({ code }) => code === 'txt-temporary') ? true : undefined;
}

export class World {
	count = 0;
	domains = []; // { id, name, selectors: [], gone: [removed selectors], served: the value of isServed() }
	deleted = [];
	sessions = [];
	alerts = []; // ids of the alerts of the account; each domain lists its own

	// tokens: { good, other, expired, revoked }. foreign: the id of a domain of the other account.
	// completed: ids of sessions with results. reported: a domain that is never removed, { id, reports:
	// [ids], reporters: [names] }. submitted: ids of sessions to which messages are submitted.
	constructor({ tokens, foreign, completed, reported, submitted }) {
		Object.assign(this, { tokens, foreign, completed, reported, submitted });
	}

	// Chooses an existing domain for an operation.
	#choose(needs, pick) {
		return needs.reports ? this.reported : at(this.domains, pick ?? 0);
	}

	#authorization({ kind, text }) {
		const { good, other, expired, revoked } = this.tokens;
		const changed = good.slice(0, -1) + (good.endsWith('a') ? 'b' : 'a');
		return {
			good: `Bearer ${good}`, lowerCaseScheme: `bearer ${good}`, other: `Bearer ${other}`, none: undefined,
			expired: `Bearer ${expired}`, revoked: `Bearer ${revoked}`, basic: `Basic ${good}`, bare: good,
			twice: `Bearer ${good} ${good}`, cut: `Bearer ${good.slice(0, -1)}`, changed: `Bearer ${changed}`,
			odd: `Bearer ${(text ?? '').replace(/[^\t\x20-\x7e\xa0-\xff]/g, '')}`,
		}[kind];
	}

	// Returns [the path segment, whether it names an existing domain].
	#domainSegment({ kind, pick, text }, account, needs) {
		const domain = this.#choose(needs, pick);
		if (kind === 'odd') return [encodeURIComponent(text), false];
		if (kind === 'raw') return [text, undefined];
		if (kind === 'foreign') return [this.foreign, account === 'other' ? undefined : false];
		if (kind === 'deleted' && this.deleted.length > 0) return [at(this.deleted, pick), false];
		if (!domain) return ['ffffffff-ffff-7fff-bfff-ffffffffffff', false];
		return [kind === 'upperCase' ? domain.id.toUpperCase() : domain.id, account === 'good'];
	}

	#selectorSegment({ kind, pick, text }, domain) {
		const name = domain && at(domain.selectors, pick ?? 0);
		if (kind === 'odd') {
			const known = domain?.selectors.some((other) => other.toLowerCase() === text.toLowerCase());
			return [encodeURIComponent(text), known ? undefined : false];
		}
		if (kind === 'deleted') return [domain && at(domain.gone, pick) || 'never', false];
		if (!name) return ['never', false];
		return [kind === 'upperCase' ? name.toUpperCase() : name, true];
	}

	#sessionSegment({ kind, pick, text }, { submits }) {
		if (kind === 'odd') return [encodeURIComponent(text), false];
		if (kind === 'raw') return [text, undefined];
		if (submits) return [at(this.submitted, pick ?? 0), true];
		if (kind === 'completed') return [at(this.completed, pick), true];
		if (this.sessions.length === 0) return ['never', false];
		const id = at(this.sessions, pick);
		return kind === 'upperCase' ? [id.toUpperCase(), undefined] : [id, 'pending'];
	}

	#reportSegment({ kind, pick, text }, domain) {
		const id = domain && at(domain.reports, pick ?? 0);
		if (kind === 'odd') return [encodeURIComponent(text), false];
		if (kind === 'deleted' || !id) return ['never', false];
		return [kind === 'upperCase' ? id.toUpperCase() : id, true];
	}

	#reporterSegment({ kind, pick, text }, domain) {
		const name = domain && at(domain.reporters, pick ?? 0);
		if (kind === 'odd') return [encodeURIComponent(text), false];
		if (kind === 'deleted' || !name) return ['never.test', false];
		return [kind === 'upperCase' ? name.toUpperCase() : name, true];
	}

	#alertSegment({ kind, pick, text }, domain, needs) {
		const id = at((needs.domain ? domain?.alerts : this.alerts) ?? [], pick ?? 0);
		if (kind === 'odd') return [encodeURIComponent(text), false];
		if (kind === 'deleted' || !id) return ['never', false];
		return [kind === 'upperCase' ? id.toUpperCase() : id, true];
	}

	#fileSegment({ kind, text }) {
		if (kind === 'odd') return [encodeURIComponent(text), false];
		return kind === 'raw' ? [text, undefined] : ['app.js', true];
	}

	// The Host field of a request to a policy host.
	#host({ kind, pick, text }) {
		const domain = at(this.domains, pick ?? 0);
		if (kind === 'odd') return [`mta-sts.${text}`.replace(/[^\x21-\x7e]/g, ''), undefined];
		if (!['live', 'upperCase'].includes(kind) || !domain) return ['mta-sts.gone.test', false];
		const host = kind === 'live' ? `mta-sts.${domain.name}` : `MTA-STS.${domain.name.toUpperCase()}.:8080`;
		return [host, host.length > NAME_OCTETS_MAX ? undefined : domain.served];
	}

	#newValue(field) {
		this.count++;
		return field === 'name' ? `d${this.count}.${at(ZONES, this.count)}` : `s${this.count}`;
	}

	#takenValue(field, pick, domain) {
		const known = field === 'name' ? this.domains.map(({ name }) => name) : domain?.selectors ?? [];
		return known.length > 0 ? at(known, pick) : undefined;
	}

	// { body, expect }: expect is a list of statuses, undefined when it cannot be predicted.
	#body(step, field, domain) {
		const { kind, pick, text, value, name, bytes, depth, length } = step.body;
		const fresh = () => ({ [field]: this.#newValue(field) });
		const taken = kind === 'taken' && this.#takenValue(field, pick, domain);
		switch (kind) {
		case 'taken':
			return taken ? { body: JSON.stringify({ [field]: taken.toUpperCase() }), expect: [409] }
				: { body: JSON.stringify(fresh()), expect: [201] };
		case 'full':
			return { body: JSON.stringify(fresh()).padEnd(BODY_MAX), expect: [201] };
		case 'odd':
			return { body: JSON.stringify({ [field]: text }),
				expect: field === 'selector' && !SELECTOR.test(text) ? [400] : [201, 400, 409] };
		case 'otherType':
			return { body: JSON.stringify({ [field]: value }), expect: [400] };
		case 'missing':
			return { body: '{}', expect: [400] };
		case 'more':
			return { body: JSON.stringify({ [name]: value, ...fresh() }), expect: name === field ? [201] : [400] };
		case 'notObject':
			return { body: JSON.stringify(value), expect: [400] };
		case 'broken':
			return { body: text, expect: text === '' ? [400] : undefined };
		case 'bytes':
			return { body: Buffer.from(bytes), expect: [400] };
		case 'twice':
			return { body: `{"${field}":"a.test","${field}":"a.test"}`, expect: [400] };
		case 'deep':
			return { body: '['.repeat(depth) + ']'.repeat(depth), expect: [400] };
		case 'empty':
			return { body: '', expect: [400] };
		case 'huge':
			return { body: 'x'.repeat(length), expect: [413] };
		default:
			return { body: JSON.stringify(fresh()), expect: [201] };
		}
	}

	// A change of an MTA-STS configuration: { body, expect }.
	#change(step) {
		const { kind, text, value, name } = step.body;
		const allowed = JSON.stringify(step.change);
		const known = ['enabled', 'mode', 'maxAge', 'mxPatterns', 'hosted'];
		switch (kind) {
		case 'taken':
			return { body: allowed, expect: [200] };
		case 'full':
			return { body: allowed + ' '.repeat(BODY_MAX - Buffer.byteLength(allowed)), expect: [200] };
		case 'odd':
			return { body: JSON.stringify({ mxPatterns: [text] }), expect: [200, 400] };
		case 'otherType':
			return { body: JSON.stringify({ mode: value }), expect: [400] };
		case 'missing':
			return { body: '{}', expect: [200] };
		case 'more':
			return { body: JSON.stringify({ [name]: value, ...step.change }), expect: known.includes(name) ? undefined : [400] };
		case 'good':
			return { body: allowed, expect: [200] };
		default:
			return this.#body(step, 'mode');
		}
	}

	// A decision about a reporter: { body, expect }.
	#decision(step) {
		const { kind, text, value, name } = step.body;
		const allowed = JSON.stringify({ decision: 'accepted' });
		switch (kind) {
		case 'taken':
		case 'good':
			return { body: allowed, expect: [200] };
		case 'full':
			return { body: allowed.padEnd(BODY_MAX), expect: [200] };
		case 'odd':
			return { body: JSON.stringify({ decision: text }), expect: ['accepted', 'blocked'].includes(text) ? [200] : [400] };
		case 'otherType':
			return { body: JSON.stringify({ decision: value }), expect: value === null ? [200] : [400] };
		case 'more':
			return { body: JSON.stringify({ [name]: value, decision: null }), expect: name === 'decision' ? [200] : [400] };
		default:
			return this.#body(step, 'decision');
		}
	}

	// A token to create: { body, expect }. An account may have a hundred.
	#newToken(step) {
		const { kind, text, value, name } = step.body;
		switch (kind) {
		case 'taken':
		case 'good':
			return { body: JSON.stringify({ name: 'ci' }), expect: [201, 403] };
		case 'full':
			return { body: JSON.stringify({ name: 'ci', access: 'full' }).padEnd(BODY_MAX), expect: [201, 403] };
		case 'odd':
			return { body: JSON.stringify({ name: text }), expect: [201, 400, 403] };
		case 'otherType':
			return { body: JSON.stringify({ name: value }), expect: [400] };
		case 'missing':
			return { body: '{}', expect: [400] };
		case 'more':
			return { body: JSON.stringify({ [name]: value, name: 'ci' }),
				expect: ['name', 'access', 'domains', 'expiresAt'].includes(name) ? undefined : [400] };
		default:
			return this.#body(step, 'name');
		}
	}

	// An alert, or a change of one: { body, expect }. An account may have twenty.
	#alert(step, changes) {
		const { kind, text, value, name } = step.body;
		const done = changes ? [200] : [201, 403];
		const allowed = JSON.stringify({ url: 'https://hooks.valid.test/' });
		switch (kind) {
		case 'taken':
		case 'good':
			return { body: allowed, expect: done };
		case 'full':
			return { body: allowed.padEnd(BODY_MAX), expect: done };
		case 'odd':
			return { body: JSON.stringify({ url: text }), expect: [...done, 400] };
		case 'otherType':
			return { body: JSON.stringify({ url: value }), expect: [400] };
		case 'missing':
			return { body: '{}', expect: changes ? [200] : [400] };
		case 'more':
			return { body: JSON.stringify({ [name]: value, url: 'https://hooks.valid.test/' }),
				expect: ['url', 'events', 'active'].includes(name) ? undefined : [400] };
		default:
			return this.#body(step, 'url');
		}
	}

	#bodyFor(operation, step, domain) {
		if (operation.body === 'newToken') return this.#newToken(step);
		if (operation.body === 'alert') return this.#alert(step, false);
		if (operation.body === 'alertChange') return this.#alert(step, true);
		if (operation.body === 'decision') return this.#decision(step);
		if (operation.body === 'mtaSts') return this.#change(step);
		return this.#body(step, [undefined, true].includes(operation.body) ? 'anything' : operation.body, domain);
	}

	#query({ kind, limit, text = '' }) {
		const odd = encodeURIComponent(text);
		return {
			none: ['', [200]],
			limit: [`?limit=${limit}`, [200]],
			oddLimit: [`?limit=${odd}`, /^0*[1-9][0-9]{0,3}$/.test(text) ? [200, 400] : [400]],
			cursor: [`?limit=${limit}&cursor=${odd}`, Buffer.byteLength(text) > CURSOR_MAX ? [400] : [200]],
			raw: [`?${text}`, undefined],
		}[kind];
	}

	#sums({ kind, limit, text = '' }) {
		const by = ['day', 'source', 'reporter', 'disposition'][(limit ?? 0) % 4];
		return {
			none: ['', [400]],
			limit: [`?by=${by}`, [200]],
			oddLimit: [`?by=${by}&from=${encodeURIComponent(text)}`, undefined],
			cursor: [`?by=${by}&reporter=${encodeURIComponent(text)}`, [200]],
			raw: [`?${text}`, undefined],
		}[kind];
	}

	#exports({ kind, limit, text = '' }) {
		const which = `?format=${['csv', 'jsonl'][(limit ?? 0) % 2]}&what=rows`;
		return {
			none: ['', [400]],
			limit: [`${which}&limit=${limit}`, [200]],
			oddLimit: [`${which}&limit=${encodeURIComponent(text)}`, /^0*[1-9][0-9]{0,3}$/.test(text) ? [200, 400] : [400]],
			cursor: [`${which}&cursor=${encodeURIComponent(text)}`, [200, 400]],
			raw: [`?${text}`, undefined],
		}[kind];
	}

	// The query of domains-check: [the query, the expected statuses].
	#lookup({ kind, text = '' }) {
		return {
			none: ['', [400]],
			limit: ['?domain=d1.valid.test', [200]],
			oddLimit: [`?domain=${encodeURIComponent(text)}`, undefined],
			cursor: [`?domain=alias.test&domain=${encodeURIComponent(text)}`, undefined],
			raw: [`?${text}`, undefined],
		}[kind];
	}

	// { method, path, headers, body, expect }: expect is undefined if every documented status is
	// allowed.
	request(name, operation, step) {
		const needs = NEEDS[name];
		const account = { good: 'good', lowerCaseScheme: 'good', other: 'other' }[step.auth.kind];
		const domain = needs.domain && ['live', 'upperCase'].includes(step.domain.kind) && account === 'good'
			? this.#choose(needs, step.domain.pick) : undefined;
		const [domainText, domainThere] = needs.domain ? this.#domainSegment(step.domain, account, needs) : ['', true];
		const [selectorText, selectorThere] =
			needs.selector ? this.#selectorSegment(step.selector, domain) : ['', true];
		const [sessionText, sessionThere] = needs.session ? this.#sessionSegment(step.session, needs) : ['', true];
		const [fileText, fileThere] = needs.file ? this.#fileSegment(step.session) : ['', true];
		const asks = needs.page || needs.lookup || needs.sums || needs.exports;
		const [query, queryExpect] = needs.link ? [`?key=${encodeURIComponent(step.query.text ?? '')}`] : !asks ? ['', undefined]
			: needs.page ? this.#query(step.query) : needs.sums ? this.#sums(step.query)
				: needs.exports ? this.#exports(step.query) : this.#lookup(step.query);
		const [reporterText, reporterThere] =
			needs.reporter ? this.#reporterSegment(step.selector, domain) : ['', true];
		const [reportText, reportThere] =
			needs.report ? this.#reportSegment(step.selector, domain) : ['', true];
		const [alertText, alertThere] = needs.alert ? this.#alertSegment(step.selector, domain, needs) : ['', true];
		const [host, hostThere] = needs.host ? this.#host(step.domain) : [undefined, true];
		const { body, expect: bodyExpect } = this.#bodyFor(needs, step, domain);
		const path = operation.path.replace('{id}', domainText).replace('{token}', domainText).replace('{selector}', selectorText)
			.replace('{testId}', sessionText).replace('{file}', fileText)
			.replace('{reportId}', reportText).replace('{reporter}', reporterText).replace('{alertId}', alertText)
			.replace('{deliveryId}', step.selector?.kind === 'odd' ? encodeURIComponent(step.selector.text) : 'never')
			.replace('{tokenId}', encodeURIComponent(step.session.text || 'none'));
		const sendsBody = ['POST', 'PATCH'].includes(operation.method);
		const headers = { ...step.fields };
		if (step.contentType !== null && sendsBody) headers['content-type'] = step.contentType;
		const authorization = this.#authorization(step.auth);
		if (authorization !== undefined) headers.authorization = authorization;
		if (host !== undefined) headers.host = host;

		const expected = () => {
			if (needs.submits) return undefined; // any text is accepted as a message
			if (step.method !== null || Object.keys(step.fields).length > 0) return undefined;
			if (path.includes('//') || path.endsWith('/') || path.length > 4000) return undefined;
			if (/(^|\/)\.{1,2}(\/|$)/.test(path)) return undefined;
			if (sendsBody && step.body.kind === 'huge') return [413];
			if (path.includes('%00')) return [400];
			if ([domainThere, selectorThere, sessionThere, fileThere, hostThere].includes(undefined)) return undefined;
			if (asks && queryExpect === undefined) return undefined;
			if (needs.token && !account) return step.auth.kind === 'odd' ? undefined : [401];
			if (needs.link) return [404]; // the key in a link cannot be guessed
			// the required query parameter `before` is missing, which is checked first
			if (needs.compares) return [400];
			if (needs.ownToken) return [404];
			if (!domainThere || !selectorThere || !sessionThere || !fileThere || !hostThere || !reportThere)
				return [404];
			const hasAlert = alertThere && (!needs.alert || needs.domain || account === 'good');
			if (!hasAlert) return needs.body ? undefined : [404]; // the body is checked before the path
			if (needs.delivery) return [404]; // the generated ids are never ids of deliveries
			if (name.startsWith('test') && needs.alert) return [202, 429];
			if (!reporterThere) return undefined; // the body is checked before the path
			if (name === 'reanalyzeSession') return sessionThere === 'pending' ? [409] : [200, 429];
			if (name === 'getSessionHeaders') return sessionThere === 'pending' ? [409] : [200];
			if (asks) return queryExpect;
			if (!needs.body) return [needs.success];
			return this.#expectedOfBody(step, needs, bodyExpect, body, account, domain);
		};
		return { method: step.method ?? operation.method, path, query, headers,
			body: sendsBody ? body : undefined, expect: expected(), domain, account };
	}

	#expectedOfBody(step, needs, expect, body, account, domain) {
		const isJson = /^application\/json(;|$)/i.test(step.contentType ?? '');
		if (body.length > 0 && !isJson) return [415];
		if (NUL_ESCAPE.test(body)) return [400];
		if (needs.ignoresFields) {
			if (body.length === 0) return [201];
			if (BIG_INTEGER.test(body)) return undefined;
			return ['good', 'taken', 'full', 'odd', 'otherType', 'missing', 'more'].includes(step.body.kind) ? [201]
				: step.body.kind === 'broken' ? undefined : [400];
		}
		if (step.body.kind === 'taken' && account !== 'good') return undefined;
		if (needs.body === 'selector' && !domain) return step.body.kind === 'taken' ? undefined : expect;
		return expect;
	}

	// Records the objects that were made or removed according to an answer. Returns the ids of domains
	// past LIVE_MAX, which are to be deleted.
	learn(name, sent, answer) {
		if (answer.status >= 300 || sent.method === 'HEAD' || !answer.text) return [];
		if (['getPage', 'getAsset', 'getPolicy', 'getInterface', 'getDocumentation', 'getProblems', 'getRobots', 'getSecurityTxt', 'exportReports', 'getReportOriginal'].includes(name)) return [];
		const { data, ...bare } = JSON.parse(answer.text);
		if (name === 'createSession') remember(this.sessions, bare.testId);
		if (sent.account === 'other' && sent.method === 'POST' && name === 'createDomain') this.foreign = data.id;
		if (sent.account !== 'good') return [];
		if (sent.method === 'POST' && name === 'createDomain')
			this.domains.push({ id: data.id, name: data.name, selectors: [], gone: [], alerts: [], served: false });
		if (sent.method === 'POST' && name === 'registerSelector') sent.domain?.selectors.push(data.selector);
		const alerts = name.includes('Domain') ? sent.domain?.alerts : this.alerts;
		if (sent.method === 'POST' && /^create.*Alert$/.test(name)) alerts?.push(data.alertId);
		if (data?.deleted && data.alertId && alerts) alerts.splice(alerts.indexOf(data.alertId), 1);
		if (data?.policyId && sent.domain) sent.domain.served = isServed(name, data, sent.domain.served);
		if (data?.deleted && data.id) this.#forget(data.id);
		if (data?.deleted && data.selector) {
			sent.domain.selectors = sent.domain.selectors.filter((selector) => selector !== data.selector);
			remember(sent.domain.gone, data.selector);
		}
		return this.domains.slice(0, Math.max(this.domains.length - LIVE_MAX, 0)).map(({ id }) => id);
	}

	#forget(id) {
		this.domains = this.domains.filter((domain) => domain.id !== id);
		remember(this.deleted, id);
	}
}
