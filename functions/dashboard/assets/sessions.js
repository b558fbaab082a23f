// Test sessions, as the tester's interface has them.
import { segment, send } from './api.js';
import { getToken } from './store.js';

/**
 * @typedef {object} Session
 * @property {string} testId
 * @property {string} email
 * @property {string} expiresAt
 * @property {'pending' | 'completed'} status
 * @property {string} [smtpUrl] where mail to the address is taken, if no mail program delivers there
 * @property {number} [spamScore]
 * @property {string} [verdict]
 * @property {object} [results]
 * @property {{rule: string, score: number}[]} [scoreBreakdown]
 */

const PATH = '/api/inbound-tester/sessions';
const fresh = new Map(); // what the view after this one need not ask for again

/** @returns {Promise<Session>} */
export async function createSession() {
	const { data } = await send('POST', PATH, { token: getToken() });
	fresh.set(data.testId, data);
	return data;
}

/** A session that was made a moment ago in this tab, else undefined. */
export const justMade = (testId) => fresh.get(testId);

/**
 * The session, or data null when it is still as it was with this etag.
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

/** What is different in one test's result from that of an earlier one. */
export async function compareSessions(before, after, signal) {
	const path = `${PATH}/${segment(after)}/comparison?before=${encodeURIComponent(before)}`;
	return (await send('GET', path, { signal })).data;
}

export const testAddress = (testId) => `#/test/${testId}`;
