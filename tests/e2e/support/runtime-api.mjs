// A Lambda Runtime API for tests, written from its documentation and from observations of the real
// one: GET invocation/next without a time-out, one answer per event (403 afterwards), 413 past the
// limit and then 403 for the error too, events over 2048 bytes chunked.
import http from 'node:http';

export const RESPONSE_BYTES_MAX = 6291556;
const PREFIX = '/2018-06-01/runtime/';
const CHUNKED_FROM = 2048;

// Returns { address, invoke, failNext, failPosts, initError, requests, connections, waiting, close }:
// invoke(event, options) queues an event (an object or raw text) and gives a promise of its outcome
//   { kind: 'response' | 'error', text, json(), headers, id }; options: deadlineMs from now, traceId,
//   chunked (by default like the real one); failNext(status, times) answers the next GETs with the
// status, failNext('drop') closes their connection; failPosts does the same for POSTs; initError is a
// promise of the error sent to init/error; requests lists { method, url, headers }; connections
// counts opened connections; waiting() says whether a client waits for an event.
export async function startRuntimeApi() {
	const queue = [];
	const waiting = [];
	const pending = new Map();
	const faults = { GET: [], POST: [] };
	const api = { requests: [], connections: 0 };
	let serial = 0;
	let tellInitError;
	api.initError = new Promise((done) => (tellInitError = done));

	const say = (res, status, body = '{"status":"OK"}') =>
		res.writeHead(status, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) }).end(body);

	function fault(req, res) {
		const what = faults[req.method]?.shift();
		if (what === undefined) return false;
		if (what === 'drop') res.destroy();
		else say(res, what, '{"errorMessage":"as asked","errorType":"Test"}');
		return true;
	}

	function hand(res, invocation) {
		const bytes = Buffer.from(invocation.text);
		const headers = {
			'content-type': 'application/json',
			'lambda-runtime-aws-request-id': invocation.id,
			'lambda-runtime-deadline-ms': String(Date.now() + invocation.deadlineMs),
			'lambda-runtime-invoked-function-arn': 'arn:aws:lambda:eu-central-1:000000000000:function:test',
		};
		if (invocation.traceId) headers['lambda-runtime-trace-id'] = invocation.traceId;
		pending.set(invocation.id, invocation);
		if (!(invocation.chunked ?? bytes.length > CHUNKED_FROM)) {
			res.writeHead(200, { ...headers, 'content-length': bytes.length }).end(bytes);
			return;
		}
		res.writeHead(200, headers);
		for (let at = 0; at < bytes.length; at += 1000) res.write(bytes.subarray(at, at + 1000));
		res.end();
	}

	function pump() {
		while (queue.length > 0 && waiting.length > 0) {
			const res = waiting.shift();
			if (!res.destroyed) hand(res, queue.shift());
		}
	}

	function settle(res, id, kind, headers, body) {
		const invocation = pending.get(id);
		if (!invocation) return say(res, 403, '{"errorMessage":"State transition is not allowed","errorType":"InvalidStateTransition"}');
		pending.delete(id);
		const text = body.toString();
		if (kind === 'response' && body.length > RESPONSE_BYTES_MAX) {
			invocation.done({ kind: 'refused', status: 413, id });
			return say(res, 413, '{"errorMessage":"Exceeded maximum allowed payload size","errorType":"RequestEntityTooLarge"}');
		}
		invocation.done({ kind, text, json: () => JSON.parse(text), headers, id });
		return say(res, 202);
	}

	function route(req, res, body) {
		const path = req.url.slice(PREFIX.length);
		if (req.method === 'GET' && path === 'invocation/next') {
			waiting.push(res);
			pump();
			return undefined;
		}
		if (req.method === 'POST' && path === 'init/error') {
			tellInitError({ headers: req.headers, json: JSON.parse(body.toString()) });
			return say(res, 202);
		}
		const match = /^invocation\/([^/]+)\/(response|error)$/.exec(path);
		if (req.method !== 'POST' || !match) return say(res, 404, '{}');
		return settle(res, match[1], match[2], req.headers, body);
	}

	const server = http.createServer({ keepAliveTimeout: 0, requestTimeout: 0 }, (req, res) => {
		const parts = [];
		api.requests.push({ method: req.method, url: req.url, headers: req.headers });
		req.on('data', (part) => parts.push(part));
		req.on('end', () => {
			if (!fault(req, res)) route(req, res, Buffer.concat(parts));
		});
	});
	server.on('connection', () => api.connections++);
	await new Promise((done) => server.listen(0, '127.0.0.1', done));

	api.address = `127.0.0.1:${server.address().port}`;
	api.invoke = (event, { deadlineMs = 10000, traceId, chunked } = {}) =>
		new Promise((done) => {
			const id = `00000000-0000-4000-8000-${String(++serial).padStart(12, '0')}`;
			const text = typeof event === 'string' ? event : JSON.stringify(event);
			queue.push({ id, text, deadlineMs, traceId, chunked, done });
			pump();
		});
	api.failNext = (what, times = 1) => faults.GET.push(...Array(times).fill(what));
	api.failPosts = (what, times = 1) => faults.POST.push(...Array(times).fill(what));
	// Also answers clients that are already waiting for an event.
	api.interrupt = (what) => {
		for (const res of waiting.splice(0))
			if (what === 'drop') res.destroy();
			else say(res, what, '{}');
	};
	api.waiting = () => waiting.some((res) => !res.destroyed);
	api.close = () =>
		new Promise((done) => {
			server.close(done);
			server.closeAllConnections();
		});
	return api;
}
