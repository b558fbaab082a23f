// Sends requests to the HTTP API of the service, which has the same origin as the page.
import { forgetToken, getToken, replaceToken } from './store.js';

const READ_MS = 12000;
const WRITE_MS = 40000; // time-out of a change: longer than the time limit of the slowest operation
const FILE_MS = 180000; // time-out of an upload: enough for 10 MiB over a slow line

/**
 * The failure of a request. `code` is that of the service, or "network", "timed-out",
 * "not-understood"; `fields` is [{field, detail}] for the fields of a body that was refused.
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

function timeFor(method, body) {
	if (body instanceof Blob) return FILE_MS;
	return method === 'GET' ? READ_MS : WRITE_MS;
}

const typeOf = (body) => (body instanceof Blob ? 'application/octet-stream' : 'application/json');
const octetsOf = (body) => (body === undefined || body instanceof Blob ? body : JSON.stringify(body));

function headersOf({ body, token, etag }) {
	return {
		...(body === undefined ? {} : { 'content-type': typeOf(body) }),
		...(token ? { authorization: `Bearer ${token}` } : {}),
		...(etag ? { 'if-none-match': etag } : {}),
	};
}

/**
 * Sends a request, whose body is a file or becomes JSON. Resolves to {status, data, etag, next}:
 * data is the JSON of the answer's body, or its text or octets if the caller asks for these, or
 * null with 304; next is the path of a list's next page. Throws a Problem, or an AbortError when
 * signal was aborted.
 */
export async function send(method, path, { body, token, etag, signal, text = false, octets = false } = {}) {
	const timeout = withTimeout(signal, timeFor(method, body));
	try {
		const response = await fetch(path, {
			method,
			headers: headersOf({ body, token, etag }),
			body: octetsOf(body),
			signal: timeout.signal,
			cache: 'no-store',
			redirect: 'error',
		});
		if (!response.ok && response.status !== 304) throw await readProblem(response);
		return {
			status: response.status,
			data: response.status === 304 ? null : await response[octets ? 'blob' : text ? 'text' : 'json'](),
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

/** @type {() => Promise<string | null>} Asks the user for a token that is accepted; null to log out. */
let askForToken = async () => null;
let asked = null;

export const onRefusal = (ask) => (askForToken = ask);

async function askOnce() {
	const token = await askForToken();
	if (token === null) forgetToken();
	else replaceToken(token);
	return token;
}

// Asks the user for another token after one was refused; all requests that need a token wait for the
// same answer.
async function tokenAfter(refused) {
	if (asked === null && getToken() !== refused) return getToken();
	asked ??= askOnce().finally(() => (asked = null));
	return asked;
}

async function sendV1(method, path, options) {
	const whole = path.startsWith('/api/') ? path : `/api/v1${path}`;
	const { data, next } = await send(method, whole, options);
	return { data: options.text || options.octets ? data : data.data, next };
}

/**
 * Sends a request to /api/v1 with the token of the session, or with another token to be tried; the
 * other options are those of send. Resolves to {data, next}: the member data of the answer, and the
 * path of the next page. When the session's token is refused, the request waits for another token
 * and is sent again, so that no input is lost.
 */
export async function v1(method, path, { token, ...options } = {}) {
	if (token) return sendV1(method, path, { ...options, token });
	let own = getToken();
	for (;;) {
		try {
			return await sendV1(method, path, { ...options, token: own });
		} catch (error) {
			if (error.status !== 401 || own === null) throw error;
			own = await tokenAfter(own);
			if (own === null) throw error;
		}
	}
}

/** A segment of a path. */
export const segment = encodeURIComponent;
