// One test, at an address that can be kept and shared: first pending, then completed, finally
// expired.
import { fill, h } from './dom.js';
import { announce, problemBox, slot } from './notice.js';
import { poll } from './poll.js';
import { forgetTest, rememberTest } from './recent.js';
import { resultView } from './result.js';
import { getSession, justMade } from './sessions.js';
import { newTestButton } from './tester.js';
import { setTitle } from './title.js';
import { verdictOf } from './verdict.js';
import { waitingView } from './waiting.js';

// A user who has just got an address, or has come back to the page, sees the result within two seconds of
// its being stored; later it takes longer, because every request costs an invocation. A shown result is
// checked again now and then, because a newer message may replace it.
const WAITING = { quickMs: 2000, quickForMs: 20000, slowMs: 15000 };
const ANSWERED = { quickMs: 5000, quickForMs: 60000, slowMs: 30000 };

function goneView() {
	const message = slot();
	return h(
		'div',
		{ class: 'view narrow' },
		h('h1', { tabindex: -1 }, 'This test is over'),
		h(
			'p',
			{ class: 'lead' },
			'There is no such test, or its 48 hours have passed. Its address takes ' +
				'no more mail, and the message and the result were deleted.',
		),
		newTestButton('Get a new test address', { class: 'primary large' }, message),
		message.element,
	);
}

/** Follows one session and shows its current state. */
class Test {
	constructor(testId, signal) {
		this.testId = testId;
		this.signal = signal;
		this.root = h('div', { class: 'test' });
		this.etag = null;
		this.session = null;
		this.pace = null;
		this.isGone = false;
	}

	begin() {
		const made = justMade(this.testId);
		if (made) this.#show(made);
		else fill(this.root, h('p', { class: 'view muted loading' }, 'Looking for the test …'));
		this.#ask()
			.catch((problem) => this.#failed(problem))
			.then(() => this.session && this.#follow());
	}

	async #ask() {
		const { data, etag } = await getSession(this.testId, this.etag, this.signal);
		this.etag = etag;
		this.part?.connected?.();
		if (data) this.#show(data);
		if (data && this.pace) this.#follow();
	}

	#follow() {
		const pace = this.session.status === 'completed' ? ANSWERED : WAITING;
		if (pace === this.pace || this.signal.aborted || this.isGone) return;
		this.pace = pace;
		this.stop?.abort();
		this.stop = new AbortController();
		this.signal.addEventListener('abort', () => this.stop.abort());
		poll(() => this.#ask(), pace, {
			signal: this.stop.signal,
			failed: (error) => this.#failed(error),
		});
	}

	#failed(problem) {
		if (this.signal.aborted) return;
		if (problem.code === 'session-not-found') this.#end();
		else if (this.session) this.part.disconnected?.(problem);
		else
			fill(
				this.root,
				h(
					'div',
					{ class: 'view' },
					h('h1', null, 'Test'),
					problemBox(problem, () => this.begin()),
				),
			);
	}

	// A result that the user is reading stays in its place.
	#end() {
		this.isGone = true;
		forgetTest(this.testId);
		this.stop?.abort();
		setTitle('Expired');
		if (this.session?.status === 'completed') this.part.expired();
		else fill(this.root, goneView());
	}

	#show(session) {
		const before = this.session;
		this.session = session;
		rememberTest(session);
		if (before?.status === 'completed') {
			if (JSON.stringify(before) !== JSON.stringify(session)) this.part.newer(session);
			return;
		}
		if (before?.status === session.status) return;
		this.part?.leave?.();
		const build = session.status === 'completed' ? resultView : waitingView;
		this.part = build(session, { signal: this.signal, over: () => this.#end(), test: this });
		fill(this.root, this.part.node);
		if (session.status === 'completed') this.#tell(session, before !== null);
	}

	#tell(session, isNews) {
		const { title, sentence } = verdictOf(session);
		setTitle(title);
		if (!isNews) return;
		scrollTo(0, 0);
		this.root.querySelector('h1').focus({ preventScroll: true });
		announce(`The message has arrived. ${title}. ${sentence}`);
	}

	/** Takes over the answer to a request other than a poll. */
	adopt({ data, etag }) {
		this.session = data;
		rememberTest(data);
		this.etag = etag;
	}
}

/** @type {import('./app.js').View} */
export function testView([testId], signal) {
	const test = new Test(testId, signal);
	test.begin();
	return { title: 'Test', node: test.root };
}
