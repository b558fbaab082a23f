// The service's HTTP interface, of the same origin.
import { forgetToken, getToken } from './store.js';

const READ_MS = 12000;
const WRITE_MS = 40000; // longer than the slowest operation is given

/**
 * Why a request failed: `code` is the service's own, or "network", "timed-out", "not-understood".
 * `fields` is [{field, detail}] of a body that was refused.
 */
export class Problem extends Error {
	constructor({ status = 0, code, detail, errors = [] }, retryAfterS = 0) {
		super(detail);
		Object.assign(this, { status, code, fields: errors, retryAfterS });
	}
}

const UNREACHABLE = {
	code: 'network',
	detail: 'The service cannot be reached. Check the connection and try again.',
};
const TIMED_OUT = { code: 'timed-out', detail: 'The service took too long to answer. Try again.' };

function withTimeout(signal, timeoutMs) {
	const controller = new AbortController();
	const timer = setTimeout(() => controller.abort('timed-out'), timeoutMs);
	const leave = () => controller.abort('left');
	if (signal?.aborted) leave();
	signal?.addEventListener('abort', leave);
	const done = () => {
		clearTimeout(timer);
		signal?.removeEventListener('abort', leave);
	};
	return { signal: controller.signal, done };
}

async function readProblem(response) {
	const retryAfterS = Number(response.headers.get('retry-after') ?? 0);
	const fallback = {
		status: response.status,
		code: 'not-understood',
		detail: `The service answered with status ${response.status}. Try again in a moment.`,
	};
	const problem = await response.json().catch(() => fallback);
	return new Problem(problem?.code ? problem : fallback, retryAfterS);
}

function headersOf({ body, token, etag }) {
	return {
		...(body === undefined ? {} : { 'content-type': 'application/json' }),
		...(token ? { authorization: `Bearer ${token}` } : {}),
		...(etag ? { 'if-none-match': etag } : {}),
	};
}

/**
 * One request. Gives {status, data, etag, next}: data is the JSON of the body, null with 304; next
 * is where the next page of a list is. Throws a Problem; an AbortError when signal was aborted.
 */
export async function send(method, path, { body, token, etag, signal } = {}) {
	const timeout = withTimeout(signal, method === 'GET' ? READ_MS : WRITE_MS);
	try {
		const response = await fetch(path, {
			method,
			headers: headersOf({ body, token, etag }),
			body: body === undefined ? undefined : JSON.stringify(body),
			signal: timeout.signal,
			cache: 'no-store',
			redirect: 'error',
		});
		if (!response.ok && response.status !== 304) throw await readProblem(response);
		return {
			status: response.status,
			data: response.status === 304 ? null : await response.json(),
			etag: response.headers.get('etag'),
			next: /^<([^>]+)>; rel="next"$/.exec(response.headers.get('link') ?? '')?.[1] ?? null,
		};
	} catch (error) {
		if (error instanceof Problem) throw error;
		if (signal?.aborted) throw new DOMException('left', 'AbortError');
		throw new Problem(timeout.signal.aborted ? TIMED_OUT : UNREACHABLE);
	} finally {
		timeout.done();
	}
}

/**
 * A request to /api/v1 in the name of who is logged in. Gives {data, next}, without the wrapping.
 * A token that is refused is forgotten.
 */
export async function v1(method, path, { body, signal, token = getToken() } = {}) {
	try {
		const whole = path.startsWith('/api/') ? path : `/api/v1${path}`;
		const { data, next } = await send(method, whole, { body, token, signal });
		return { data: data.data, next };
	} catch (error) {
		if (error.status === 401 && token === getToken()) forgetToken();
		throw error;
	}
}

/** A segment of a path. */
export const segment = encodeURIComponent;
