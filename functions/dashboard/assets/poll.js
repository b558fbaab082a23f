// Polls cheaply: often while a user is probably waiting, then at growing intervals, not at all in a
// hidden tab, and at once when the tab becomes visible again.

/**
 * @typedef {object} Pace
 * @property {number} quickMs    the pause at first
 * @property {number} quickForMs how long this pause is used
 * @property {number} slowMs     the longest pause later
 */

const GROWTH = 1.25;
const FAILURE_MS = 1000;
const FAILURE_MAX_MS = 15000;

/**
 * Calls ask() until signal is aborted. If ask throws, failed(error) is called, and the pauses
 * between tries grow.
 *
 * @param {() => Promise<void>} ask
 * @param {Pace} pace
 * @param {{signal: AbortSignal, failed: (error: Error) => void}} options
 */
export function poll(ask, pace, { signal, failed }) {
	let timer = 0;
	let began = performance.now();
	let pauseMs = pace.quickMs;
	let failures = 0;
	let running = false;

	const later = (ms) => {
		clearTimeout(timer);
		if (!signal.aborted && !document.hidden) timer = setTimeout(round, ms);
	};
	const nextPause = () => {
		if (performance.now() - began > pace.quickForMs)
			pauseMs = Math.min(pauseMs * GROWTH, pace.slowMs);
		return pauseMs;
	};
	const afterFailure = (error) => {
		const ms = Math.min(FAILURE_MS * 2 ** failures, FAILURE_MAX_MS);
		failures += 1;
		return Math.max(ms, (error.retryAfterS ?? 0) * 1000);
	};
	const round = async () => {
		if (running) return;
		running = true;
		let ms;
		try {
			await ask();
			failures = 0;
			ms = nextPause();
		} catch (error) {
			if (signal.aborted) return;
			ms = afterFailure(error);
			failed(error);
		} finally {
			running = false;
		}
		later(ms);
	};
	const again = () => {
		if (document.hidden) return clearTimeout(timer);
		began = performance.now();
		pauseMs = pace.quickMs;
		failures = 0;
		return later(0);
	};

	document.addEventListener('visibilitychange', again, { signal });
	window.addEventListener('focus', again, { signal });
	window.addEventListener('online', again, { signal });
	signal.addEventListener('abort', () => clearTimeout(timer));
	later(pauseMs);
}
