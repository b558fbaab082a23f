// Makes the pages that document the API from infra/openapi.yaml and infra/problems.yaml: without
// scripts, in the dashboard's style.

const METHODS = ['get', 'post', 'patch', 'put', 'delete'];
const DEPTH_MAX = 4;
const VALUES_MAX = 12; // the most values of an enumeration that are listed
const OF_ANY = ['413', '500', '502', '503', '504']; // statuses whose answers are described once for all operations

const escaped = (text) => String(text).replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');
const code = (text) => `<code>${escaped(text)}</code>`;
const inline = (text) => escaped(text).replace(/`([^`]*)`/g, '<code>$1</code>');
const paragraphs = (text = '') => text.trim().split(/\n\s*\n/).filter(Boolean).map((each) => `<p>${inline(each)}</p>`).join('\n');

const linked = (name) => `<a href="/problems#${name}">${code(name)}</a>`;

function page({ title, source, body }) {
	return `<!doctype html>
<!-- Made of ${source} by make infra. -->
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${title} · eds</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="/assets/style.css">
</head>
<body>
<header class="site"><div class="site-inner"><a class="brand" href="/" aria-label="eds"><span>eds</span></a></div></header>
<main class="view documentation">
${body}
</main>
</body>
</html>
`;
}

export function documentation(document) {
	const resolve = (node) => (node?.$ref ? resolve(node.$ref.slice(2).split('/').reduce((at, part) => at[part.replaceAll('~1', '/')], document)) : node);

	// Merges the schemas of allOf into one.
	function whole(schema) {
		const { allOf, ...own } = resolve(schema);
		return [own, ...(allOf ?? []).map(whole)].reduce((one, other) => ({ ...one, ...other,
			properties: { ...one.properties, ...other.properties }, required: [...one.required ?? [], ...other.required ?? []] }), {});
	}
	const alternatives = (schema) => (schema.anyOf ?? schema.oneOf ?? [schema]).map(whole);
	const isNothing = ({ type }) => type === 'null';

	function typeOf(schema) {
		const names = alternatives(schema).map((each) => {
			if (each.const !== undefined) return JSON.stringify(each.const);
			if (each.enum) return each.enum.length <= VALUES_MAX ? each.enum.map((value) => JSON.stringify(value)).join(' | ') : 'string';
			if (each.type === 'array') return `array of ${typeOf(whole(each.items ?? {}))}`;
			return [each.type ?? (Object.keys(each.properties ?? {}).length > 0 ? 'object' : 'any')].flat().join(' | ');
		});
		return [...new Set(names)].join(' | ');
	}

	// [path, type, description, required] of each member, followed by the members inside it.
	function members(schema, path = '', depth = 0) {
		if (depth === DEPTH_MAX) return [];
		return alternatives(schema).filter((each) => !isNothing(each)).flatMap((each) => {
			if (each.type === 'array' && each.items) return members(whole(each.items), `${path}[]`, depth);
			return Object.entries(each.properties ?? {}).flatMap(([name, property]) => {
				const its = whole(property);
				const at = path === '' ? name : `${path}.${name}`;
				return [[at, typeOf(its), its.description ?? '', (each.required ?? []).includes(name)], ...members(its, at, depth + 1)];
			});
		});
	}

	function table(heads, rows) {
		if (rows.length === 0) return '';
		return `<div class="wide-table" role="group" aria-label="${heads[0]}" tabindex="0"><table><thead><tr>${heads.map((head) => `<th scope="col">${head}</th>`).join('')}</tr></thead><tbody>\n${
			rows.map(([head, ...cells]) => `<tr><th scope="row">${head}</th>${cells.map((cell) => `<td>${cell}</td>`).join('')}</tr>`).join('\n')}\n</tbody></table></div>`;
	}

	const memberTable = (schema, isAsked) => {
		const rows = members(whole(schema));
		const once = [...new Map(rows.map((row) => [row[0], row])).values()];
		return table(isAsked ? ['Member', 'Type', 'Needed', 'Meaning'] : ['Member', 'Type', 'Meaning'], once.map(([path, type, text, isRequired]) =>
			[code(path), code(type), ...(isAsked ? [isRequired ? 'needed' : ''] : []), inline(text.trim())]));
	};

	function exampleOf(content) {
		const value = content.example ?? resolve(Object.values(content.examples ?? {})[0])?.value;
		if (value === undefined) return '';
		return `<pre tabindex="0"><code>${escaped(typeof value === 'string' ? value : JSON.stringify(value, null, 2))}</code></pre>`;
	}

	function bodyOf(content, isAsked) {
		return Object.entries(content ?? {}).map(([type, each]) => {
			const rows = each.schema && /json/.test(type) ? memberTable(each.schema, isAsked) : '';
			const example = exampleOf(each);
			return `<p>As ${code(type)}:</p>\n${rows}${example && `<details><summary>Example</summary>${example}</details>`}`;
		}).join('\n');
	}

	function codesOf(response) {
		const schema = response.content?.['application/problem+json']?.schema;
		const found = schema ? whole(schema).properties.code : undefined;
		const all = (each) => {
			const its = whole(each);
			return its.const ? [its.const] : its.enum ?? (its.anyOf ?? its.oneOf ?? []).flatMap(all);
		};
		return found ? all(found) : [];
	}

	function operation(path, method, shared, it) {
		const parameters = [...shared, ...it.parameters ?? []].map(resolve);
		const answers = Object.entries(it.responses).filter(([status, { $ref }]) => !(OF_ANY.includes(status) && $ref)).map(([status, response]) => [status, resolve(response)]);
		const access = (it.security ?? document.security ?? []).map((each) => Object.keys(each).length > 0);
		const token = access.includes(true) ? ` with a token${access.includes(false) ? ', or without' : ''}` : '';
		const good = answers.filter(([status]) => status.startsWith('2'));
		return `<section class="card" id="${it.operationId}">
<h3>${inline(it.summary)}</h3>
<p>${code(`${method.toUpperCase()} ${path}`)}${token}</p>
${paragraphs(it.description)}
${parameters.length > 0 ? `<h4>Parameters</h4>\n${table(['Name', 'In', 'Type', 'Meaning'], parameters.map(({ name, in: where, schema, required, description = '' }) =>
		[code(name), where + (required ? ', needed' : ''), code(typeOf(whole(schema ?? {}))), inline(description.trim())]))}` : ''}
${it.requestBody ? `<h4>Body</h4>\n${bodyOf(resolve(it.requestBody).content, true)}` : ''}
<h4>Answers</h4>
${table(['Status', 'Meaning', 'Codes'], answers.map(([status, response]) => [status, inline(response.description.trim()), codesOf(response).map(linked).join(' ')]))}
${good.map(([status, response]) => (response.content ? `<h4>Answer ${status}</h4>\n${bodyOf(response.content, false)}` : '')).join('\n')}
</section>`;
	}

	const operations = Object.entries(document.paths).flatMap(([path, item]) => METHODS.filter((method) => item[method])
		.map((method) => ({ path, method, shared: item.parameters ?? [], it: item[method] })));
	const firstOf = (status) => resolve(operations.map(({ it }) => it.responses[status]).find((each) => each?.$ref));
	const ofTag = (name) => operations.filter(({ it }) => it.tags[0] === name);
	const { info, tags } = document;

	return page({ title: 'The API', source: 'infra/openapi.yaml', body: `<h1>The API</h1>
<p class="lead">${inline(info.summary)}</p>
${paragraphs(info.description)}
<p>The same for programs: <a href="/openapi.yaml">openapi.yaml</a>, OpenAPI 3.1, of which clients can be made.</p>
<p>What may be answered to any request, and is not said again below:</p>
${table(['Status', 'Meaning', 'Codes'], OF_ANY.map((status) => [status, firstOf(status)]).map(([status, response]) =>
		[status, inline(response.description.trim()), codesOf(response).map(linked).join(' ')]))}
<nav aria-label="Operations">
${tags.map(({ name }) => `<h2>${escaped(name)}</h2>\n<ul>\n${ofTag(name).map(({ path, method, it }) =>
		`<li><a href="#${it.operationId}">${inline(it.summary)}</a> ${code(`${method.toUpperCase()} ${path}`)}</li>`).join('\n')}\n</ul>`).join('\n')}
</nav>
${tags.map(({ name, description }) => `<h2>${escaped(name)}</h2>\n<p>${inline(description)}</p>\n${ofTag(name).map(({ path, method, shared, it }) =>
		operation(path, method, shared, it)).join('\n')}`).join('\n')}` });
}

// problems: {code: {means, do}}.
export function problemPage(problems) {
	const codes = Object.keys(problems).sort();
	return page({ title: 'Refused requests', source: 'infra/problems.yaml', body: `<h1>Refused requests</h1>
<p class="lead">A request that cannot be done is answered with JSON of type <code>application/problem+json</code> (RFC 9457).
Its <code>code</code> is one of these and stays the same between releases; <code>detail</code> says it for this request.</p>
<p>Which codes an operation may answer with stands in <a href="/docs">the documentation of the API</a>.</p>
<nav aria-label="Codes"><p class="codes">${codes.map((name) => `<a href="#${name}">${code(name)}</a>`).join(' ')}</p></nav>
${codes.map((name) => `<section class="card problem" id="${name}">
<h2>${code(name)}</h2>
<p>${inline(problems[name].means)}</p>
<p><strong>What to do:</strong> ${inline(problems[name].do)}</p>
</section>`).join('\n')}` });
}
