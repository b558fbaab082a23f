// Alerts through the API under /api/v1: those of a domain, or of all domains of the account.
import { segment, v1 } from './api.js';

/**
 * @typedef {object} Alert
 * @property {string} alertId
 * @property {string | null} domainId   null: for all domains of the account
 * @property {string} url   mailto:ADDRESS for an alert by mail
 * @property {string | null} mail   null for a webhook
 * @property {string | null} confirmedAt   when the mail address was confirmed; null: not yet
 * @property {string[]} events
 * @property {boolean} weeklySummary   a summary every Monday, only by mail
 * @property {boolean} active
 * @property {{code: string, message: string} | null} reason   why the service switched it off
 * @property {string} createdAt
 * @property {string} [secret]   only in the answer that creates a webhook
 */

const of = (domainId) => (domainId === null ? '/alerts' : `/domains/${segment(domainId)}/alerts`);
const one = ({ domainId, alertId }) => `${of(domainId)}/${segment(alertId)}`;

async function data(method, path, options) {
	return (await v1(method, path, options)).data;
}

/** @returns {Promise<Alert[]>} all alerts for the domain: its own, then those of the account */
export async function listAlerts(domainId, signal) {
	const [own, all] = await Promise.all([
		data('GET', of(domainId), { signal }),
		data('GET', of(null), { signal }),
	]);
	return [...own, ...all];
}

/** @returns {Promise<Alert>} a webhook with its secret */
export const createAlert = (domainId, alert) => data('POST', of(domainId), { body: alert });
export const setWeeklySummary = (alert, weeklySummary) =>
	data('PATCH', one(alert), { body: { weeklySummary } });
export const switchAlertOn = (alert) => data('PATCH', one(alert), { body: { active: true } });
/** Asks the service to mail the confirmation link to the address again. */
export const askAgain = (alert) => data('PATCH', one(alert), { body: { mail: alert.mail } });
export const deleteAlert = (alert) => data('DELETE', one(alert));
export const testAlert = (alert) => data('POST', `${one(alert)}/test`);
export const listAlertDeliveries = (alert) => data('GET', `${one(alert)}/deliveries`);
