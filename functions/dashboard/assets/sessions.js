// Test sessions, through the tester's API.
import { segment, send } from './api.js';
import { getToken } from './store.js';

/**
 * @typedef {object} Session
 * @property {string} testId
 * @property {string} email
 * @property {string} expiresAt
 * @property {'pending' | 'completed'} status
 * @property {string} [smtpUrl] the server that accepts mail to the address, if mail programs cannot
 * deliver to its domain
 * @property {number} [spamScore]
 * @property {string} [verdict]
 * @property {object} [results]
 * @property {{rule: string, score: number}[]} [scoreBreakdown]
 */

const PATH = '/api/inbound-tester/sessions';
const fresh = new Map(); // sessions by test id that the next view need not load again

/** @returns {Promise<Session>} */
export async function createSession() {
	const { data } = await send('POST', PATH, { token: getToken() });
	fresh.set(data.testId, data);
	return data;
}

/** A session that this tab has just created, else undefined. */
export const justMade = (testId) => fresh.get(testId);

/**
 * Loads a session; data is null if it has not changed since the version with this etag.
 * @returns {Promise<{data: Session | null, etag: string}>}
 */
export const getSession = (testId, etag, signal) =>
	send('GET', `${PATH}/${segment(testId)}`, { etag, signal });

/** Judges the newest message again. */
export const reanalyze = (testId) => send('POST', `${PATH}/${segment(testId)}/reanalyze`);

/** @returns {Promise<{headers: string, truncated: boolean}>} */
export async function getHeaders(testId) {
	return (await send('GET', `${PATH}/${segment(testId)}/headers`)).data;
}

/** The differences between one test's result and that of an earlier one. */
export async function compareSessions(before, after, signal) {
	const path = `${PATH}/${segment(after)}/comparison?before=${encodeURIComponent(before)}`;
	return (await send('GET', path, { signal })).data;
}

export const testAddress = (testId) => `#/test/${testId}`;
