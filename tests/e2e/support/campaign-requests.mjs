// The requests of a generated campaign: for each operation, requests that follow the document, and
// variations of them. A step only says which kind of object belongs in which place;
// campaign-world.mjs fills in the domains, selectors, sessions and tokens that exist by then.
import fc from 'fast-check';

const BODY_MAX = 64 * 1024;

// Texts with a special meaning in SQL, paths, headers, JSON, shells or Unicode.
const TRICKS = [
	"' OR '1'='1", "'; DROP TABLE domains; --", '" OR ""="', '1; SELECT pg_sleep(9)', '$1', '%s%n', '%',
	'../../etc/passwd', '..', '.', '/', '\\', 'a/b', '%2e%2e%2f', '%00', '\u0000', 'a\u0000b',
	'a\r\nX-Injected: 1', '\n', ' ', '\t', '', '-', '_', '*', '{id}', '<script>', '${7*7}', '$(id)', '`id`',
	'null', 'true', '0', '-1', '1e999', 'NaN', '[]', '{}', 'é', 'e\u0301', 'ß', 'İ', '\u202e', '\ufeff',
	'\ufffd', '𝒳', '😀', 'xn--', 'xn--a', 'xn--99999999', 'a..b', '.a.b', 'a.b.', '-a.b', 'a-.b', 'a_b.c',
	'[127.0.0.1]', '127.0.0.1', '::1', 'localhost', 'bücher.example', '例え.テスト', 'a\u3002b',
	'ｅｘａｍｐｌｅ.com', 's1._domainkey.example.com', '00000000-0000-0000-0000-000000000000',
	'ffffffff-ffff-7fff-bfff-ffffffffffff',
];
const LENGTHS = [1, 25, 26, 27, 36, 40, 62, 63, 64, 65, 252, 253, 254, 255, 256, 257, 1000, 5000];

const ESCAPES = ['%', '%zz', '%ff', '%c0%af', '%00', '%ed%a0%80', '%2f'];

// A name of about this length, made of labels of the maximum length.
const longName = (length) =>
	`${`${'a'.repeat(63)}.`.repeat(80).slice(0, Math.max(length - 5, 1)).replace(/\.$/, 'a')}.test`;
const oddText = fc.oneof(
	fc.constantFrom(...TRICKS),
	fc.string({ maxLength: 70 }),
	fc.string({ unit: 'binary', maxLength: 40 }),
	fc.string({ unit: 'grapheme', maxLength: 80 }),
	fc.constantFrom(...LENGTHS).map((length) => 'a'.repeat(length)),
	fc.constantFrom(...LENGTHS).map(longName),
);
const pick = fc.nat(1000); // a number that selects one of the existing items

const kind = (name, weight, more = {}) =>
	({ weight, arbitrary: fc.record({ kind: fc.constant(name), ...more }) });
const often = (weight, ...values) => ({ weight, arbitrary: fc.constantFrom(...values) });

const auth = fc.oneof(
	...['good', 'lowerCaseScheme'].map((name) => kind(name, 12)),
	...['other', 'none', 'expired', 'revoked', 'basic', 'bare', 'twice', 'cut', 'changed']
		.map((name) => kind(name, 1)),
	kind('odd', 2, { text: oddText }),
);
const domain = fc.oneof(
	kind('live', 14, { pick }),
	kind('upperCase', 1, { pick }),
	kind('deleted', 2, { pick }),
	kind('foreign', 1),
	kind('odd', 3, { text: oddText }),
	kind('raw', 1, { text: fc.constantFrom(...ESCAPES) }),
);
const selector = fc.oneof(
	kind('live', 12, { pick }),
	kind('upperCase', 2, { pick }),
	kind('deleted', 3, { pick }),
	kind('odd', 3, { text: oddText }),
);
const session = fc.oneof(
	kind('live', 6, { pick }),
	kind('completed', 6, { pick }),
	kind('upperCase', 1, { pick }),
	kind('odd', 3, { text: oddText }),
	kind('raw', 1, { text: fc.constantFrom(...ESCAPES) }),
);

const contentType = fc.oneof(
	often(20, 'application/json', 'application/json; charset=utf-8', 'Application/JSON'),
	often(2, 'text/plain', 'application/jsonx', 'application/x-www-form-urlencoded', 'json', ''),
	often(1, null),
);
const json = fc.jsonValue({ maxDepth: 3 });
const isObject = (value) => value !== null && typeof value === 'object' && !Array.isArray(value);
const body = fc.oneof(
	kind('good', 14),
	kind('taken', 3, { pick }),
	kind('full', 1),
	kind('odd', 6, { text: oddText }),
	kind('otherType', 2, { value: json.filter((value) => typeof value !== 'string') }),
	kind('missing', 1),
	kind('more', 2, { name: oddText, value: json }),
	kind('notObject', 2, { value: json.filter((value) => !isObject(value)) }),
	kind('broken', 2, { text: fc.oneof(oddText, json.map((value) => JSON.stringify(value).slice(0, -1))) }),
	kind('bytes', 1, { bytes: fc.uint8Array({ minLength: 1, maxLength: 40 }) }),
	kind('twice', 1),
	kind('deep', 1, { depth: fc.constantFrom(31, 32, 33, 1000, 20000) }),
	kind('empty', 1),
	kind('huge', 1, { length: fc.constantFrom(BODY_MAX + 1, BODY_MAX * 2, BODY_MAX * 10) }),
);

// A change of an MTA-STS configuration that is allowed in every state.
const MX_CHANGES = [{}, { mode: 'testing' }, { mode: 'testing', mxPatterns: [] }, { mxPatterns: ['MX.Bücher.example.'] },
	{ mxPatterns: ['mx.valid.test', '*.valid.test'] }, { mode: 'enforce', mxPatterns: ['*.valid.test'] }];
const change = fc.tuple(fc.constantFrom(...MX_CHANGES), fc.record({
	enabled: fc.boolean(), hosted: fc.boolean(), maxAge: fc.integer({ min: 86400, max: 31557600 }),
}, { requiredKeys: [] })).map(([mx, more]) => ({ ...mx, ...more }));

const ODD_LIMITS = ['0', '1001', '-1', '1.5', '01', '00010', '1,2', '9999999999999999999'];
const ODD_QUERIES = ['limit', 'limit=', '=', '&&&', 'limit=1&limit=2', '%', '%ff=1', 'a=%ff', 'a'.repeat(9000)];
const query = fc.oneof(
	kind('none', 6),
	kind('limit', 6, { limit: fc.constantFrom(1, 2, 10, 999, 1000) }),
	kind('oddLimit', 2, { text: fc.oneof(oddText, fc.constantFrom(...ODD_LIMITS)) }),
	kind('cursor', 3, { text: oddText, limit: fc.constantFrom(1, 100) }),
	kind('raw', 1, { text: fc.oneof(
		fc.constantFrom(...ODD_QUERIES),
		fc.nat(300).map((count) => 'a=1&'.repeat(count)),
		fc.nat(200).map((count) => Array.from({ length: count }, (_, i) => `a${i}=1`).join('&')),
	) }),
);

const FIELDS = ['x-forwarded-for', 'forwarded', 'if-none-match', 'if-match', 'idempotency-key', 'accept', 'range', 'cookie',
	'x-http-method-override', 'x-amzn-trace-id', 'traceparent', 'content-encoding', 'x-request-id', 'origin',
	'user-agent', 'expect'];
const fieldValue = fc.string({ maxLength: 60 }).map((text) => text.replace(/[^\t\x20-\x7e]/g, ''));
const field = fc.tuple(fc.constantFrom(...FIELDS), fieldValue).map(([name, value]) => ({ [name]: value }));
const manyFields = Object.fromEntries(Array.from({ length: 110 }, (_, i) => [`x-${i}`, '1']));
const fields = fc.oneof(
	often(12, {}),
	{ weight: 1, arbitrary: field },
	often(1, { 'if-none-match': '*' }, { 'if-match': '*' }, { 'if-match': '"0123456789abcdef"' },
		{ 'idempotency-key': '"once"' }, { 'idempotency-key': 'once' }, { 'x-long': 'x'.repeat(17000) }, { 'x-high': '\xe9\xff' }, manyFields),
);

const method = fc.oneof(
	often(30, null),
	often(1, 'HEAD', 'GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'PROPFIND'),
);

// Makes this many steps for an operation; the same seed gives the same steps.
export function steps(operation, count, seed) {
	const step = fc.record({ auth, domain, selector, session, contentType, body, change, query, fields, method });
	const own = [...operation].reduce((sum, letter) => (sum * 31 + letter.charCodeAt(0)) | 0, seed);
	return fc.sample(step, { numRuns: count, seed: own });
}
