// The API description (infra/openapi.yaml) is well-formed, complete and true to the sources.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { readFileSync, readdirSync } from 'node:fs';
import { basename, join } from 'node:path';
import { describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';

import { Validator } from '@seriousme/openapi-schema-validator';
import { parse } from 'yaml';

import { FILE, breaches, document, faults, operations, resolve } from './support/openapi.mjs';

const ROOT = join(fileURLToPath(new URL('.', import.meta.url)), '../..');

// Every object in the document, with the path to it.
function* walk(node, path = []) {
	if (node === null || typeof node !== 'object') return;
	yield [path, node];
	for (const [key, value] of Object.entries(node)) yield* walk(value, [...path, key]);
}

const nodes = [...walk(document)];
const references = new Set(nodes.map(([, node]) => node.$ref).filter((ref) => typeof ref === 'string'));

describe('the document', () => {
	test('is OpenAPI 3.1', async () => {
		const { valid, errors } = await new Validator().validate(FILE);
		assert.ok(valid, JSON.stringify(errors, null, 2));
	});

	// Many generators of clients read the document as YAML 1.1, where "on" means true, and where no word within
	// braces may begin with "?".
	test('means the same to a parser of YAML 1.1', () => {
		const read = 'import json, sys, yaml; json.dump(yaml.safe_load(sys.stdin), sys.stdout)';
		const text = execFileSync('/usr/bin/python3', ['-c', read], { input: readFileSync(FILE), encoding: 'utf8', maxBuffer: 1 << 26 });
		assert.deepEqual(JSON.parse(text), document);
	});

	test('has only valid references, and uses all its components', () => {
		for (const ref of references) assert.ok(resolve({ $ref: ref }), ref);
		for (const [kind, entries] of Object.entries(document.components))
			for (const name of Object.keys(entries))
				if (kind !== 'securitySchemes')
					assert.ok(references.has(`#/components/${kind}/${name}`), `${kind}/${name} is not used`);
	});

	test('names and summarizes each operation and its path parameters', () => {
		const ids = operations.map(({ operation }) => operation.operationId);
		assert.deepEqual([...new Set(ids)], ids);
		for (const { path, operation, parameters } of operations) {
			assert.ok(operation.operationId && operation.summary && operation.tags.length === 1, path);
			assert.ok(document.tags.some(({ name }) => name === operation.tags[0]), path);
			assert.deepEqual(parameters.filter((p) => p.in === 'path').map((p) => p.name),
				[...path.matchAll(/\{(\w+)\}/g)].map((match) => match[1]), path);
		}
	});

	test('closes every schema of an answer', () => {
		for (const [path, node] of nodes)
			if (node.type === 'object' && node.properties && !path.includes('examples'))
				assert.ok(node.additionalProperties === false || (node.additionalProperties && path.includes('requestBody')) || node.unevaluatedProperties === false ||
					path.at(-1) === 'KeyFindings', `${path.join('/')} is open`);
	});

	test('has an example of each body, and each keeps to its schema', () => {
		for (const [path, node] of nodes) {
			if (path.at(-2) !== 'content') continue;
			const examples = Object.values(node.examples ?? { one: { value: node.example } })
				.map((example) => resolve(example).value);
			for (const example of examples) {
				assert.notEqual(example, undefined, `${path.join('/')} has no example`);
				assert.deepEqual(faults(node.schema, example), [], path.join('/'));
			}
		}
		for (const { parameters } of operations)
			for (const { name, schema, example } of parameters)
				assert.deepEqual(faults(schema, example), [], name);
	});

	test('has exactly the routes of the manifest', () => {
		const manifest = JSON.parse(readFileSync(join(ROOT, 'functions/manifest.json')));
		const routes = Object.values(manifest.functions).flatMap((entry) => entry.http ?? []);
		assert.deepEqual(operations.map(({ method, path }) => `${method} ${path}`).sort(), routes.sort());
	});
});

describe('the page about refused requests', () => {
	const problems = parse(readFileSync(join(ROOT, 'infra/problems.yaml'), 'utf8'));

	test('explains exactly the codes that operations may answer with', () => {
		sameCodes(problemCodes, Object.keys(problems));
		for (const [code, entry] of Object.entries(problems)) {
			assert.deepEqual(Object.keys(entry), ['means', 'do'], code);
			for (const text of Object.values(entry)) assert.match(text, /^[A-Z`].*[.)]$/, code);
		}
	});

	test('has an anchor for each code, which the type of a problem links to', () => {
		const html = readFileSync(join(ROOT, 'functions/dashboard/problems.html'), 'utf8');
		const examples = nodes.flatMap(([, node]) => (typeof node.type === 'string' && node.code && node.detail ? [node] : []));
		assert.ok(examples.length > 40, `${examples.length} examples`);
		for (const { type, code } of examples) assert.equal(type, `/problems#${code}`);
		for (const code of problemCodes) assert.ok(html.includes(`<section class="card problem" id="${code}">`), code);
	});
});

describe('an answer', () => {
	const headers = { 'x-request-id': '1', 'content-type': 'application/json' };
	const answer = (status, body, more) =>
		({ status, text: JSON.stringify(body), headers: { ...headers, ...more } });
	const deleted = { data: { selector: 's1', deleted: true } };
	const path = '/api/v1/domains/1/dkim/selectors/s1';

	test('that follows the document breaks nothing', () => {
		assert.deepEqual(breaches('DELETE', path, answer(200, deleted)), []);
	});
	test('with another status breaks the contract', () => {
		assert.notDeepEqual(breaches('DELETE', path, answer(202, deleted)), []);
	});
	test('with an extra, missing or wrongly typed field breaks the contract', () => {
		for (const data of [{ ...deleted.data, more: 1 }, { deleted: true }, { selector: 1, deleted: true }])
			assert.notDeepEqual(breaches('DELETE', path, answer(200, { data })), []);
	});
	test('of another media type, without a required header, or not in JSON breaks the contract', () => {
		assert.notDeepEqual(breaches('DELETE', path, answer(200, deleted, { 'content-type': 'text/plain' })), []);
		assert.notDeepEqual(breaches('DELETE', path, answer(200, deleted, { 'x-request-id': undefined })), []);
		assert.notDeepEqual(breaches('DELETE', path, { ...answer(200), text: '{' }), []);
	});
	test('to HEAD has no body', () => {
		const headers = { ...answer(200).headers, etag: '"0123456789abcdef"' };
		assert.deepEqual(breaches('HEAD', '/api/v1/domains', { ...answer(200), headers, text: '' }), []);
		assert.notDeepEqual(breaches('HEAD', '/api/v1/domains', answer(200, { data: [] })), []);
	});
});

// The stable codes are all quoted words with a hyphen in the sources, except those in NO_CODES.
const WORD = /"([a-z0-9]+(?:-[a-z0-9]+)+)"/g;
const NO_CODES = new Set(['rsa-sha256', 'rsa-sha1', 'ed25519-sha256', 'cache-control', 'no-store',
	'if-none-match', 'dmarc-reports', 'eds-verifier', 'eds-report-reader', 'eds-validator']);
// Codes that no answer has as such: an answer gives their meaning in a sentence.
const IN_WORDS = new Set(['verifier-crashed', 'verifier-flooded', 'verifier-hung', 'verifier-lied',
	'out-of-time']);
// Codes of failures of events that are not HTTP requests, or of requests at the operations port.
const NOT_OVER_HTTP = new Set(['event-empty', 'event-invalid', 'event-too-large', 'account-exists',
	'account-not-found', 'analysis-crashed', 'message-too-large', 'names-invalid', 'message-id-invalid', 'batch-too-slow', 'sender-undecided', 'too-many-certificates', 'mail-store-misconfigured']);

const sources = (folder, pattern = /\.c$/) =>
	readdirSync(join(ROOT, folder), { recursive: true }).filter((file) => pattern.test(basename(file)))
		.map((file) => readFileSync(join(ROOT, folder, file), 'utf8'));
const words = (texts) => texts.flatMap((text) => [...text.matchAll(WORD)].map((match) => match[1]));
const failures = (texts) => texts.flatMap((text) =>
	[...text.matchAll(/rt_fail\(\s*[^,]+,\s*RT_\w+,\s*"([a-z-]+)"/g)].map((match) => match[1]));

const refusals = (texts) =>
	texts.flatMap((text) => [...text.matchAll(/\b[45]\d\d,\s*"([a-z-]+)"/g)].map((match) => match[1]));

// The codes in a schema, as a list (enum) or as single values with a description each (const).
const codesIn = (schema) => [...walk(schema)].flatMap(([, node]) => [...(node.enum ?? []), node.const ?? []].flat())
	.filter((code) => typeof code === 'string');
const schemaCodes = (...names) => names.flatMap((name) => codesIn(document.components.schemas[name]));
const problemCodes = nodes.filter(([path, node]) => path.at(-1) === 'allOf' && node[0].$ref?.endsWith('/Problem'))
	.flatMap(([, [, { properties }]]) => [...walk(properties.code)])
	.flatMap(([, node]) => codesIn(resolve(node)));

function sameCodes(used, listed) {
	const of = (codes, others) => [...new Set(codes)].filter((code) => !others.includes(code)).sort();
	assert.deepEqual({ notListed: of(used, listed), notUsed: of(listed, used) }, { notListed: [], notUsed: [] });
}

describe('the document has exactly the codes in the sources:', () => {
	test('findings and advice', () => {
		const used = words(['functions/lib/dkim', 'functions/lib/dmarc', 'functions/lib/sandbox']
			.flatMap((folder) => sources(folder)).concat(sources('functions/dkim', /^selector-json\.c$/), sources('functions/tester', /^advice.*\.c$/), sources('functions/lib/spf', /^spf-hazard\.c$/)));
		const written = sources('functions/dkim', /^selector-json\.c$/).flatMap((text) =>
			[...text.matchAll(/\\"code\\":\\"([a-z-]+)\\"/g)].map((match) => match[1]));
		const failed = new Set(failures([...sources('functions/lib/dkim'), ...sources('functions/lib/sandbox'), ...sources('functions/dkim', /^selector-json\.c$/)]));
		const codes = used.filter((word) => !NO_CODES.has(word) && !IN_WORDS.has(word) && !failed.has(word));
		sameCodes([...codes, ...written], schemaCodes('KeyErrorCode', 'KeyWarningCode', 'SignatureErrorCode',
			'SignatureWarningCode', 'AdviceCode', 'DmarcWarningCode'));
	});

	test('reasons why a report does not count', () => {
		const texts = ['functions/lib/reports', 'functions/lib/store/reports', 'functions/reports']
			.flatMap((folder) => sources(folder));
		const set = texts.flatMap((text) =>
			[...text.matchAll(/\b(?:reason|fault|flaw)_code = "([a-z-]+)"/g)].map((match) => match[1]));
		sameCodes([...set, ...words(sources('functions/lib/reports', /^report-fault\.c$/))],
			schemaCodes('ReportReasonCode'));
	});

	test('findings of MTA-STS, and advice', () => {
		const errors = sources('functions/lib/mta-sts').flatMap((text) =>
			[...text.matchAll(/"((?:txt|host|fetch|policy|mx)-[a-z-]+)"/g)].map((match) => match[1]));
		const advice = words(sources('functions/mta-sts', /^advice\.c$/)).filter((word) => !['mta-sts', 'not-ready'].includes(word));
		sameCodes([...new Set([...errors, ...advice])],
			schemaCodes('MtaStsErrorCode', 'MtaStsAdviceCode'));
	});

	test('findings of a domain in DNS', () => {
		const elsewhere = schemaCodes('DmarcWarningCode', 'MtaStsErrorCode');
		const noFindings = ['mta-sts', 'tls-rpt', 'dmarc-reports', 'tls-reports', 'no-record', 'several-records', 'too-many-lookups', 'too-many-void-lookups'];
		const walked = sources('functions/lib/spf', /^spf-walk\.c$/).flatMap((text) =>
			[...text.matchAll(/"([a-z-]+-(?:records?|long|exchanges)|syntax)"/g)].map((match) => `spf-${match[1]}`));
		const used = [...words([...sources('functions/lib/posture', /^(?!providers\.).*\.c$/), ...sources('functions/lib/spf', /^spf-hazard\.c$/)]), ...walked]
			.filter((word) => !noFindings.includes(word) && !elsewhere.includes(word) && word !== 'spf-no-record');
		sameCodes(used, schemaCodes('PostureCode'));
	});

	test('rules', () => {
		const [rules] = sources('functions/tester', /^rules\.c$/);
		sameCodes([...rules.matchAll(/\{"([A-Z_]+)", -?\d+\}/g)].map((match) => match[1]), schemaCodes('Rule'));
	});

	test('refusals', () => {
		const texts = ['runtime', 'functions/lib', 'functions/domains',
			'functions/dkim', 'functions/mta-sts', 'functions/posture', 'functions/reports', 'functions/tester', 'functions/tokens', 'functions/alerts', 'functions/dashboard'].flatMap((folder) => sources(folder));
		const used = [...failures(texts), ...refusals(sources('runtime/host')), 'busy']
			.filter((code) => !NOT_OVER_HTTP.has(code));
		sameCodes(used, problemCodes);
	});
});
