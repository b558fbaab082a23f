// Reads infra/openapi.yaml: the operations, and whether an answer follows the document.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

import Ajv2020 from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { parse } from 'yaml';

export const FILE = join(fileURLToPath(new URL('.', import.meta.url)), '../../../infra/openapi.yaml');
const ID = 'interface';
const METHODS = ['get', 'put', 'post', 'delete', 'options', 'head', 'patch', 'trace'];

export const document = parse(readFileSync(FILE, 'utf8'));

const ajv = addFormats(new Ajv2020({ allErrors: true, strictTypes: false, strictRequired: false }));

// Rewrites references to schemas of openapi.yaml as ajv expects them from outside the document,
// with the id of the document.
function outside(node) {
	if (Array.isArray(node)) return node.map(outside);
	if (node === null || typeof node !== 'object') return node;
	return Object.fromEntries(Object.entries(node).map(([key, value]) => [key,
		key === '$ref' ? value.replace('#/components/schemas/', `${ID}#/$defs/`) : outside(value)]));
}

ajv.addSchema({ $id: ID, $defs: outside(document.components.schemas) });

const validators = new Map();

// The ways in which a value does not fit a schema of openapi.yaml, as sentences.
export function faults(schema, value) {
	if (!validators.has(schema)) validators.set(schema, ajv.compile(outside(schema)));
	const validate = validators.get(schema);
	return validate(value) ? [] : validate.errors.map((error) =>
		`${error.instancePath || 'the whole'} ${error.message} ${JSON.stringify(error.params)}`);
}

// The target of a reference.
export function resolve(node) {
	if (node?.$ref === undefined) return node;
	return node.$ref.slice(2).split('/')
		.map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'))
		.reduce((at, part) => at?.[part], document);
}

// [{ method, path, operation, parameters }, …]
export const operations = Object.entries(document.paths).flatMap(([path, item]) =>
	Object.entries(item)
		.filter(([method]) => METHODS.includes(method))
		.map(([method, operation]) => ({
			method: method.toUpperCase(),
			path,
			operation,
			parameters: [...(item.parameters ?? []), ...(operation.parameters ?? [])].map(resolve),
		})));

function fits(template, path) {
	const want = template.split('/');
	const have = path.split('/');
	return want.length === have.length && want.every((segment, i) =>
		(segment.startsWith('{') ? have[i] !== '' : have[i] === segment));
}

// The responses that a request may get, [[status, response], …].
function responsesTo(method, path) {
	const asked = method === 'HEAD' ? 'GET' : method;
	const found = operations.find((entry) => entry.method === asked && fits(entry.path, path));
	const own = found ? found.operation.responses : document['x-unrouted'];
	return [...Object.entries(own), ...Object.entries(document['x-refusals'])]
		.map(([status, response]) => [Number(status), resolve(response)]);
}

function headerFaults(response, headers) {
	return Object.entries(response.headers ?? {}).flatMap(([name, reference]) => {
		const { required, schema } = resolve(reference);
		const value = headers[name.toLowerCase()];
		if (value === undefined) return required ? [`there is no ${name}`] : [];
		return faults(schema, value).map((fault) => `${name} "${value}": ${fault}`);
	});
}

function parseJson(text) {
	try {
		return JSON.parse(text);
	} catch {
		return undefined;
	}
}

function bodyFaults(response, method, answer) {
	const type = answer.headers['content-type'];
	const content = response.content?.[type];
	if (method === 'HEAD' || !response.content)
		return answer.text === '' ? [] : ['there is a body'];
	if (!content) return [`Content-Type is ${type}`];
	const body = /json$/.test(type) ? parseJson(answer.text) : answer.text;
	return body === undefined ? ['the body is no JSON'] : faults(content.schema, body);
}

function answerFaults(response, method, answer) {
	return [...headerFaults(response, answer.headers), ...bodyFaults(response, method, answer)];
}

// The ways in which an answer { status, headers, text } to a request breaks the contract, as
// sentences; none when it follows it. path: as sent, without the query.
export function breaches(method, path, answer) {
	const possible = responsesTo(method, path).filter(([status]) => status === answer.status);
	if (possible.length === 0) return [`status ${answer.status} is not documented`];
	const each = possible.map(([, response]) => answerFaults(response, method, answer));
	return each.some((found) => found.length === 0) ? [] : each.flat();
}

// The same of the status and body alone: a function's answer, before the gateway adds its fields. A path that is no
// operation's has no contract.
export function bodyBreaches(method, path, answer) {
	if (!operations.some((entry) => entry.method === method && fits(entry.path, path))) return [];
	const possible = responsesTo(method, path).filter(([status]) => status === answer.status);
	if (possible.length === 0) return [`status ${answer.status} is not documented`];
	const each = possible.map(([, response]) => bodyFaults(response, method, answer));
	return each.some((found) => found.length === 0) ? [] : each.flat();
}

// The first example of an operation's first good answer: { status, body }.
export function exampleOf(method, path) {
	const { operation } = operations.find((entry) => entry.method === method && fits(entry.path, path));
	const [status, response] = Object.entries(operation.responses).find(([code]) => code.startsWith('2'));
	const content = resolve(response).content['application/json'];
	const example = content.examples ? Object.values(content.examples)[0] : { value: content.example };
	return { status: Number(status), body: resolve(example).value };
}
