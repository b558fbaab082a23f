// Events are equal to the cloud's: every field of API Gateway's payload format 2.0, from requests
// with exact octets, both behind the runner and behind bootstrap's HTTP front.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';

import { startHttpBootstrap } from './support/bootstrap.mjs';
import { exchange, startRunner, testFunctions } from './support/runner.mjs';

const FUNCTIONS = {
	fields: {
		program: 'handler-direct',
		http: ['GET /plain', 'POST /plain', 'PUT /plain', 'DELETE /plain', 'GET /a/{one}/b/{two}'],
		anyHost: true,
	},
};
const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];
const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

// Writes a request: its line and fields as given, then the octets of the body (latin1).
function bytesOf({ line = 'GET /plain HTTP/1.1', fields = [], body = '', chunks = '' }) {
	const length = body ? [`Content-Length: ${body.length}`] : [];
	const host = fields.some((field) => /^host:/i.test(field)) || / HTTP\/1\.0$/.test(line) ? [] : ['Host: api.example.com'];
	return `${[line, ...host, 'Connection: close', ...length, ...fields].join('\r\n')}\r\n\r\n${body}${chunks}`;
}
const query = (text) => ({ line: `GET /plain?${text} HTTP/1.1` });
const posted = (body, ...fields) => ({ line: 'POST /plain HTTP/1.1', fields, body });

// Each row: a name, a request, and the expected members of its event by their path; undefined for a member
// that must be missing.
const TABLE = [
	['a plain request', {}, {
		version: '2.0', routeKey: 'GET /plain', rawPath: '/plain', rawQueryString: '', cookies: undefined,
		queryStringParameters: undefined, pathParameters: undefined, stageVariables: undefined, body: undefined,
		isBase64Encoded: false,
	}],
	['the context', { fields: ['User-Agent: test/1.0 (x; y)'] }, {
		'requestContext.accountId': '000000000000', 'requestContext.apiId': 'local',
		'requestContext.domainName': 'api.example.com', 'requestContext.domainPrefix': 'api',
		'requestContext.routeKey': 'GET /plain', 'requestContext.stage': '$default',
		'requestContext.http': {
			method: 'GET', path: '/plain', protocol: 'HTTP/1.1', sourceIp: '127.0.0.1', userAgent: 'test/1.0 (x; y)',
		},
	}],
	['no user agent', {}, { 'requestContext.http.userAgent': '', 'headers.user-agent': undefined }],
	['HTTP/1.0 without a host', { line: 'GET /plain HTTP/1.0' }, {
		'requestContext.http.protocol': 'HTTP/1.0', 'requestContext.domainName': '', 'requestContext.domainPrefix': '',
	}],
	['a host with a port', { fields: ['Host: x.y.example:8080'] }, {
		'headers.host': 'x.y.example:8080', 'requestContext.domainName': 'x.y.example', 'requestContext.domainPrefix': 'x',
	}],
	['an IPv6 host', { fields: ['Host: [2001:db8::1]:80'] }, { 'requestContext.domainName': '[2001:db8::1]' }],
	['other methods', { line: 'DELETE /plain HTTP/1.1' }, {
		'requestContext.http.method': 'DELETE', routeKey: 'DELETE /plain', 'requestContext.routeKey': 'DELETE /plain',
	}],

	['names of headers in lower case, values as sent', { fields: ['X-MiXed-Case: VaLue', 'x-empty:', 'X-Space: \t a  b \t'] }, {
		'headers.x-mixed-case': 'VaLue', 'headers.x-empty': '', 'headers.x-space': 'a  b',
	}],
	['repeated headers, joined by commas in order', { fields: ['X-A: 1', 'X-B: z', 'x-a: 2,3', 'X-A:', 'X-a: 4'] }, {
		'headers.x-a': '1,2,3,,4', 'headers.x-b': 'z',
	}],
	['a header with quotes, backslashes and a tab', { fields: ['X-Q: "a\\b"\tc'] }, { 'headers.x-q': '"a\\b"\tc' }],
	['a header in UTF-8', { fields: ['X-U: \xc3\xa4\xe2\x82\xac'] }, { 'headers.x-u': 'ä€' }],
	['a header of octets that are not UTF-8', { fields: ['X-L: a\xe4b'] }, { 'headers.x-l': 'a\ufffdb' }],
	['a forwarded address, which stays a mere header', { fields: ['X-Forwarded-For: 192.0.2.7'] }, {
		'headers.x-forwarded-for': '192.0.2.7', 'requestContext.http.sourceIp': '127.0.0.1',
	}],
	['authorization', { fields: ['Authorization: Bearer eds_abc'] }, { 'headers.authorization': 'Bearer eds_abc' }],

	['a cookie', { fields: ['Cookie: a=1'] }, { cookies: ['a=1'], 'headers.cookie': undefined }],
	['several cookies in a field', { fields: ['Cookie: a=1; b="x y"; c=%20; d'] }, { cookies: ['a=1', 'b="x y"', 'c=%20', 'd'] }],
	['several fields of cookies', { fields: ['Cookie: a=1; b=2', 'X-A: 1', 'cookie: a=3'] }, { cookies: ['a=1', 'b=2', 'a=3'] }],
	['cookies with commas and equal signs', { fields: ['Cookie: a=1,2; b=x=y=='] }, { cookies: ['a=1,2', 'b=x=y=='] }],
	['a cookie field without a cookie', { fields: ['Cookie: ; ;'] }, { cookies: undefined }],

	['a query', query('a=1&b=2'), { rawQueryString: 'a=1&b=2', queryStringParameters: { a: '1', b: '2' } }],
	['repeated names in a query, joined by commas', query('a=1&b=x&a=2&a=&a=3,4'), {
		rawQueryString: 'a=1&b=x&a=2&a=&a=3,4', queryStringParameters: { a: '1,2,,3,4', b: 'x' },
	}],
	['a query without values', query('a&b=&=c'), { queryStringParameters: { a: '', b: '', '': 'c' } }],
	['an empty query', query(''), { rawQueryString: '', queryStringParameters: undefined }],
	['empty pairs', query('&&a=1&'), { rawQueryString: '&&a=1&', queryStringParameters: { a: '1' } }],
	['equal signs in a value', query('a=b=c'), { queryStringParameters: { a: 'b=c' } }],
	['escapes in a query', query('a%20b=c%26d%3De&p=1+2&u=%C3%A4%E2%82%AC&q=%22%5C%0A'), {
		rawQueryString: 'a%20b=c%26d%3De&p=1+2&u=%C3%A4%E2%82%AC&q=%22%5C%0A',
		queryStringParameters: { 'a b': 'c&d=e', p: '1 2', u: 'ä€', q: '"\\\n' },
	}],
	['names that are equal once decoded', query('a=1&%61=2'), { queryStringParameters: { a: '1,2' } }],
	['malformed escapes', query('a=100%&b=%zz'), { queryStringParameters: { a: '100%', b: '%zz' } }],
	['a question mark in a query', query('a=?b'), { rawQueryString: 'a=?b', queryStringParameters: { a: '?b' } }],

	['path parameters', { line: 'GET /a/x/b/y HTTP/1.1' }, {
		routeKey: 'GET /a/{one}/b/{two}', rawPath: '/a/x/b/y', pathParameters: { one: 'x', two: 'y' },
	}],
	['escapes in a path', { line: 'GET /a/a%20b%2Fc/b/%C3%A4+%25 HTTP/1.1' }, {
		rawPath: '/a/a%20b%2Fc/b/%C3%A4+%25', 'requestContext.http.path': '/a/a%20b%2Fc/b/%C3%A4+%25',
		pathParameters: { one: 'a b/c', two: 'ä+%' },
	}],

	['a body in ASCII', posted('a=1&b=2'), { body: 'a=1&b=2', isBase64Encoded: false }],
	['a body in UTF-8', posted('\xc3\xa4 "\\\r\n\t\xf0\x9f\x98\x80'), { body: 'ä "\\\r\n\t😀', isBase64Encoded: false }],
	['a body of octets', posted('\x89PNG\r\n\x1a\n\x00\xff'), { body: 'iVBORw0KGgoA/w==', isBase64Encoded: true }],
	['a body with a NUL', posted('a\x00b'), { body: 'YQBi', isBase64Encoded: true }],
	['a body cut within a character', posted('a\xc3'), { body: 'YcM=', isBase64Encoded: true }],
	['a body in chunks', {
		line: 'PUT /plain HTTP/1.1', fields: ['Transfer-Encoding: chunked'],
		chunks: '3\r\nabc\r\n2;x=y\r\nde\r\n0\r\n\r\n',
	}, { body: 'abcde', 'headers.transfer-encoding': undefined, 'requestContext.http.method': 'PUT' }],
	['an empty body', { line: 'POST /plain HTTP/1.1', fields: ['Content-Length: 0'] }, { body: undefined, isBase64Encoded: false }],
];

const member = (event, path) => path.split('.').reduce((value, name) => value?.[name], event);

// The event that the function got, which its answer contains.
async function eventOf(port, request) {
	const { text } = await exchange(port, bytesOf(request), { ms: 15000 });
	const [head] = text.split('\r\n\r\n', 1);
	assert.match(head, /^HTTP\/1\.1 200 /, text);
	const body = Buffer.from(text.slice(head.length + 4), 'latin1').toString('utf8');
	return JSON.parse(body).event;
}

const HOSTS = {
	runner: async (folder) => startRunner({ functions: folder }),
	bootstrap: async (folder) => startHttpBootstrap({ functions: folder, name: 'fields' }),
};

for (const [name, start] of Object.entries(HOSTS))
	describe(`behind ${name}`, { timeout: 120000 }, () => {
		let functions;
		let host;
		before(async () => {
			functions = testFunctions(FUNCTIONS);
			host = await start(functions.folder);
		});
		after(async () => {
			await host?.stop();
			functions?.remove();
		});

		for (const [what, request, members] of TABLE)
			test(what, async () => {
				const event = await eventOf(host.httpPort, request);
				for (const [path, value] of Object.entries(members))
					assert.deepEqual(member(event, path), value, path);
			});

		test('the event has exactly the members that the cloud sends', async () => {
			const { line, fields } = { line: 'POST /plain?a=1 HTTP/1.1', fields: ['Cookie: a=1'] };
			const event = await eventOf(host.httpPort, { line, fields, body: 'x' });
			assert.deepEqual(Object.keys(event).sort(), ['body', 'cookies', 'headers', 'isBase64Encoded',
				'queryStringParameters', 'rawPath', 'rawQueryString', 'requestContext', 'routeKey', 'version']);
			assert.deepEqual(Object.keys(event.requestContext).sort(), ['accountId', 'apiId', 'domainName',
				'domainPrefix', 'http', 'requestId', 'routeKey', 'stage', 'time', 'timeEpoch']);
			// the headers that the client sent, without the trace field that the runner adds
			const { traceparent, ...headers } = event.headers;
			assert.deepEqual(headers, { host: 'api.example.com', 'content-length': '1' });
			assert.match(traceparent, /^00-[0-9a-f]{32}-[0-9a-f]{16}-00$/);
		});

		test('the time of the event is that of the request, in both its forms', async () => {
			const began = Date.now();
			const { time, timeEpoch } = (await eventOf(host.httpPort, {})).requestContext;
			assert.ok(Number.isInteger(timeEpoch) && timeEpoch >= began - 1 && timeEpoch <= Date.now() + 1);
			const at = new Date(timeEpoch);
			const two = (number) => String(number).padStart(2, '0');
			const clock = [at.getUTCHours(), at.getUTCMinutes(), at.getUTCSeconds()].map(two).join(':');
			assert.equal(time, `${two(at.getUTCDate())}/${MONTHS[at.getUTCMonth()]}/${at.getUTCFullYear()}:${clock} +0000`);
		});

		test('each request has an id of its own', async () => {
			const ids = new Set();
			for (let i = 0; i < 5; i++) ids.add((await eventOf(host.httpPort, {})).requestContext.requestId);
			assert.equal(ids.size, 5);
			for (const id of ids) assert.match(id, UUID);
		});
	});
