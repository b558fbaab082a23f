// The findings in DNS about a domain of the account: those of the latest check, and of a new check on
// request.
import { domainState } from './check-result.js';
import { checkPosture, getPosture } from './domain-api.js';
import { fill, h } from './dom.js';
import { icon } from './icons.js';
import { announce, busyButton, slot } from './notice.js';
import { postureHistory } from './posture-history.js';

/**
 * @param {string} id of a domain
 * @param {AbortSignal} signal
 * @param {(posture: object) => void} show updates the other parts of the page that depend on it
 */
export function postureSection(id, signal, show) {
	const message = slot();
	const body = h('div', { class: 'check' }, h('p', { class: 'muted' }, 'Loading …'));
	const history = postureHistory(id, signal);
	let shown = false;

	const take = (posture) => {
		shown = true;
		fill(body, domainState(posture));
		show(posture);
	};
	const attempt = async (load) => {
		message.clear();
		try {
			const posture = await load();
			if (!signal.aborted) take(posture);
		} catch (problem) {
			if (signal.aborted) return;
			if (!shown) fill(body);
			message.problem(problem);
		}
	};
	// A domain that was just added is checked at once.
	const begin = async () => {
		const posture = await getPosture(id, signal);
		if (posture.checkedAt !== null) return posture;
		if (!signal.aborted) fill(body, h('p', { class: 'muted' }, 'Asking DNS …'));
		return checkPosture(id, signal);
	};
	const again = busyButton({ class: 'small' }, [icon('again'), 'Check now'], async () => {
		await attempt(() => checkPosture(id, signal));
		history.refresh();
		announce(body.querySelector('.verdict')?.textContent ?? '');
	});
	attempt(begin);
	return h(
		'section',
		{ class: 'posture' },
		h('div', { class: 'card-head' }, h('h2', null, 'What DNS shows'), again),
		message.element,
		body,
		history.element,
	);
}
