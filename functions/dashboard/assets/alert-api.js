// Alerts, as the interface under /api/v1 has them: of a domain, or of all domains of the account.
import { segment, v1 } from './api.js';

/**
 * @typedef {object} Alert
 * @property {string} alertId
 * @property {string | null} domainId   null: of all domains
 * @property {string} url   of one by mail mailto:ADDRESS
 * @property {string | null} mail   null: a webhook
 * @property {string | null} confirmedAt   since when the mail address is told; null: it waits
 * @property {string[]} events
 * @property {boolean} weeklySummary   of a mail address, every Monday
 * @property {boolean} active
 * @property {{code: string, message: string} | null} reason   why the service switched it off
 * @property {string} createdAt
 * @property {string} [secret]   of a webhook that was made just now
 */

const of = (domainId) => (domainId === null ? '/alerts' : `/domains/${segment(domainId)}/alerts`);
const one = ({ domainId, alertId }) => `${of(domainId)}/${segment(alertId)}`;

async function data(method, path, options) {
	return (await v1(method, path, options)).data;
}

/** @returns {Promise<Alert[]>} all that are told of the domain: its own, then those of the account */
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
/** Has the link that confirms a mail address sent to it again. */
export const askAgain = (alert) => data('PATCH', one(alert), { body: { mail: alert.mail } });
export const deleteAlert = (alert) => data('DELETE', one(alert));
export const testAlert = (alert) => data('POST', `${one(alert)}/test`);
export const listAlertDeliveries = (alert) => data('GET', `${one(alert)}/deliveries`);
