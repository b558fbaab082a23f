// Domains and the data that belongs to them, through the API under /api/v1.
import { segment, v1 } from './api.js';
import { onTokenChange } from './store.js';

/**
 * @typedef {object} Domain
 * @property {string} id
 * @property {string} name
 * @property {string} createdAt
 * @property {string} reportAddress
 * @property {Record[]} expectedRecords
 * @property {{state: string, checkedAt: string, changedAt: string} | null} posture
 *
 * @typedef {{purpose: string, name: string, type: string, value: string,
 *   change?: 'add' | 'change' | 'ok' | null, old?: string | null}} Record
 *
 * @typedef {object} Selector
 * @property {string} selector
 * @property {boolean} valid
 * @property {'active' | 'unused' | 'revoked' | 'invalid' | 'unknown'} state
 * @property {string | null} keyType
 * @property {number | null} keySize
 * @property {{code: string, message: string}[]} errors
 * @property {{code: string, message: string}[]} warnings
 * @property {boolean} addedManually
 * @property {string | null} checkedAt
 * @property {{firstSeen: string | null, lastSeen: string | null, passCount: number,
 *   failCount: number, cname: string | null}} evidence
 *
 * @typedef {object} MtaSts
 * @property {boolean} enabled
 * @property {'testing' | 'enforce' | 'none'} mode
 * @property {number} maxAge
 * @property {string[]} mxPatterns
 * @property {boolean} hosted
 * @property {string} policyId
 * @property {string} policyContent
 * @property {string} policyUrl
 * @property {Record[]} expectedRecords
 * @property {{dnsId: string | null, policyFetched: boolean, policyMode: string | null, valid: boolean,
 *   errors: object[], checkedAt: string, policyIdInSync: boolean} | null} observed
 * @property {{readyToEnforce: boolean, state: string, items: object[]}} advice
 * @property {{days: number, count: number, successful: number, failed: number,
 *   failures: {type: string, sessions: number}[]}} reports of TLS
 */

const PAGE = 50;

const of = (id) => `/domains/${segment(id)}`;
const selectorOf = (id, name) => `${of(id)}/dkim/selectors/${segment(name)}`;

async function data(method, path, options) {
	return (await v1(method, path, options)).data;
}

/**
 * @param {{search?: string, state?: string}} filter selects domains; an empty filter selects all
 * @returns {Promise<{data: Domain[], next: string | null}>} the first page; next: path of the second
 */
export const listDomains = (signal, filter) =>
	v1('GET', `/domains?${new URLSearchParams({ ...filter, limit: PAGE })}`, { signal });
/** @returns {Promise<{data: Domain[], next: string | null}>} the page with the path next */
export const moreDomains = (signal, next) => v1('GET', next, { signal });
export const createDomain = (name) => data('POST', '/domains', { body: { name } });

// loaded domains by id, so that the parts of a domain can show its name at once
const known = new Map();
onTokenChange(() => known.clear());

/** The domain as it was loaded last; undefined if it was not loaded. */
export const knownDomain = (id) => known.get(id);

/** @returns {Promise<Domain>} */
export async function getDomain(id, signal) {
	const domain = await data('GET', of(id), { signal });
	known.set(id, domain);
	return domain;
}

export async function deleteDomain(id) {
	await data('DELETE', of(id));
	known.delete(id);
}

/** @returns {Promise<Selector[]>} */
export const listSelectors = (id, signal) => data('GET', `${of(id)}/dkim/selectors`, { signal });
export const registerSelector = (id, selector) =>
	data('POST', `${of(id)}/dkim/selectors`, { body: { selector } });
export const deleteSelector = (id, name) => data('DELETE', selectorOf(id, name));
/** @returns {Promise<Selector>} */
export const checkSelector = (id, name) => data('POST', `${selectorOf(id, name)}/check`);
export const getHistory = (id, name) => data('GET', `${selectorOf(id, name)}/history`);

/** @returns {Promise<MtaSts>} */
export const getMtaSts = (id, signal) => data('GET', `${of(id)}/mta-sts`, { signal });
/** @returns {Promise<MtaSts>} */
export const changeMtaSts = (id, change) => data('PATCH', `${of(id)}/mta-sts`, { body: change });
/** @returns {Promise<MtaSts>} */
export const checkMtaSts = (id) => data('POST', `${of(id)}/mta-sts/check`);

/**
 * @returns {Promise<object>} the latest findings in DNS, and the records that direct reports
 * here
 */
export const getPosture = (id, signal) => data('GET', `${of(id)}/posture`, { signal });
/** @returns {Promise<{data: object[], next: string | null}>} a page of changes */
export const listPostureChanges = (id, signal, page) =>
	v1('GET', page ?? `${of(id)}/posture/history?limit=${PAGE}`, { signal });
/** @returns {Promise<object>} the findings and records of a new check */
export const checkPosture = (id, signal) => data('POST', `${of(id)}/posture/check`, { signal });

export const listReports = (id, limit, signal) =>
	data('GET', `${of(id)}/reports?limit=${limit}`, { signal });
/** The number of newest reports from which the state at a glance is computed. */
export const GLANCE_REPORTS = 100;
/**
 * Gives load(), which resolves to the newest reports. It loads the list only if there is a newer
 * report than at the last call, or if forget() was called because other reports count than before.
 */
export function followReports(id, limit, signal) {
	let known = null;
	return {
		async load() {
			const [newest] = await listReports(id, 1, signal);
			if (known === null || newest?.id !== known[0]?.id)
				known = await listReports(id, limit, signal);
			return known;
		},
		forget() {
			known = null;
		},
	};
}

/**
 * @typedef {{key: string, messages: number, passed: number, forwarded: number, failed: number}} DaySum
 *
 * The sums of the last 30 days over all DMARC reports that count.
 * @returns {Promise<{from: string, to: string, sums: DaySum[]}>} days with mail, by their date
 */
export const sumsByDay = (id, signal) => data('GET', `${of(id)}/report-sums?by=day`, { signal });

/** @returns {Promise<{from: string, to: string, complete: boolean, selectors: import('./selector-days.js').SelectorSum[]}>} */
export const sumsBySelector = (id, signal) => data('GET', `${of(id)}/report-selectors`, { signal });

/** @returns {Promise<import('./senders.js').Source[]>} */
export const listSources = (id, signal) => data('GET', `${of(id)}/sources`, { signal });

/** @returns {Promise<import('./reporters.js').Reporter[]>} */
export const listReporters = (id, signal) => data('GET', `${of(id)}/reporters`, { signal });
export const decideReporter = (id, reporter, decision) =>
	data('PATCH', `${of(id)}/reporters/${segment(reporter)}`, { body: { decision } });

export const getReport = (id, reportId, signal) =>
	data('GET', `${of(id)}/reports/${segment(reportId)}`, { signal });

/**
 * @typedef {{file: string | null, outcome: 'accepted' | 'duplicate' | 'refused', id: string | null,
 *   organization: string | null, period: {begin: string | null, end: string | null},
 *   reason: {code: string, message: string} | null}} HandedIn
 *
 * @returns {Promise<HandedIn[]>} the outcome for each report in the file
 */
export const handInReports = (id, file) => data('POST', `${of(id)}/reports`, { body: file });

/** The mail in which a report arrived, as a Blob. */
export const getOriginal = async (id, reportId, signal) =>
	(await v1('GET', `${of(id)}/reports/${encodeURIComponent(reportId)}/original`, { octets: true, signal }))
		.data;

/**
 * The rows of the last 30 days' reports as CSV, one part for each page of the export.
 * @returns {Promise<string[]>}
 */
export async function exportRows(id, signal) {
	const parts = [];
	let page = `${of(id)}/report-export?format=csv&what=rows`;
	while (page) {
		const { data: text, next } = await v1('GET', page, { text: true, signal });
		// each page begins with the line of columns
		parts.push(parts.length === 0 ? text : text.slice(text.indexOf('\n') + 1));
		page = next;
	}
	return parts;
}
