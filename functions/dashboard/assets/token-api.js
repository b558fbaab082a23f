// Tokens of the account, through the API under /api/v1.
import { segment, v1 } from './api.js';

/**
 * @typedef {object} Token
 * @property {string} tokenId
 * @property {string} name
 * @property {'read' | 'full'} access
 * @property {string[] | null} domains   ids; null: all domains
 * @property {string} createdAt
 * @property {string | null} expiresAt
 * @property {string | null} lastUsedAt  exact to the hour
 * @property {boolean} current           the token that this page uses
 * @property {string} [token]            only in the answer that creates it
 */

/**
 * @typedef {object} Entry
 * @property {string} at
 * @property {string} tokenName
 * @property {string} action          an operationId of the API
 * @property {string | null} domain   its name
 * @property {string | null} subject
 */

const DOMAINS_AT_ONCE = 1000;
const ENTRIES = 30;

/** @returns {Promise<Token[]>} */
export const listTokens = async (signal) => (await v1('GET', '/tokens', { signal })).data;
/** @returns {Promise<Token>} with the secret text of the token */
export const createToken = async (wanted) => (await v1('POST', '/tokens', { body: wanted })).data;
export const deleteToken = ({ tokenId }) => v1('DELETE', `/tokens/${segment(tokenId)}`);

/** @returns {Promise<{data: Entry[], next: string | null}>} a page of the audit log */
export const listEntries = (signal, page) =>
	v1('GET', page ?? `/audit-log?limit=${ENTRIES}`, { signal });

/** @returns {Promise<Map<string, string>>} the name of each domain of the account, by its id */
export async function domainNames(signal) {
	const names = new Map();
	let page = `/domains?limit=${DOMAINS_AT_ONCE}`;
	while (page) {
		const { data, next } = await v1('GET', page, { signal });
		for (const { id, name } of data) names.set(id, name);
		page = next;
	}
	return names;
}
