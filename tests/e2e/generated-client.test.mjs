// Clients generated from the API description, as a developer makes and uses them: types by
// openapi-typescript, compiled in TypeScript's strictest mode, and Python classes by quicktype.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { cpSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { fileURLToPath } from 'node:url';

import { firstToken, request, startRunner } from './support/runner.mjs';

const TESTS = join(fileURLToPath(new URL('.', import.meta.url)), '..');
const STRICT = { strict: true, module: 'nodenext', target: 'es2022', lib: ['es2022', 'dom', 'dom.iterable'], types: [], outDir: 'out' };

let runner;
let folder;

before(async () => {
	// nothing answers at this address, so every DNS state is unknown
	runner = await startRunner({ env: { EDS_DNS_SERVERS: '127.0.0.1:9' } });
	folder = mkdtempSync(join(tmpdir(), 'eds-client-'));
	cpSync(join(TESTS, 'support/client'), folder, { recursive: true });
	symlinkSync(join(TESTS, 'node_modules'), join(folder, 'node_modules'));
	writeFileSync(join(folder, 'package.json'), '{"type": "module"}');
	writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions: STRICT, files: ['client.ts', 'node.d.ts'] }));
});
after(async () => {
	await runner?.stop();
	if (folder) rmSync(folder, { recursive: true });
});

const run = (program, ...args) => execFileSync(process.execPath, [join(folder, program), ...args], { cwd: folder, encoding: 'utf8' });
const compile = () => run('node_modules/typescript/bin/tsc', '--project', '.');

test('is generated from the served description, compiles and works', async () => {
	writeFileSync(join(folder, 'openapi.yaml'), (await request(`${runner.baseUrl}/openapi.yaml`)).text);
	run('node_modules/openapi-typescript/bin/cli.js', 'openapi.yaml', '--output', 'interface.d.ts');
	compile();
	assert.deepEqual(JSON.parse(run('out/client.js', runner.baseUrl, firstToken(runner))), {
		names: ['one.example', 'two.example'],
		second: 201,
		again: 'domain-exists',
		selector: 'key-temporary',
		policy: 'mx-patterns-missing',
		session: 'pending',
	});
});

test('does not compile with an unknown field', () => {
	writeFileSync(join(folder, 'client.ts'), "import createClient from 'openapi-fetch';\nimport type { paths } from './interface.js';\n"
		+ "await createClient<paths>().POST('/api/v1/domains', { body: { nome: 'one.example' } });\n");
	assert.throws(compile, ({ stdout }) => /'nome' does not exist/.test(stdout));
});

const inPython = (...args) => execFileSync('/usr/bin/python3', args, { cwd: folder, encoding: 'utf8' });

test('is generated for Python too, compiles and works', async () => {
	writeFileSync(join(folder, 'openapi.yaml'), (await request(`${runner.baseUrl}/openapi.yaml`)).text);
	run('make-python.mjs', 'openapi.yaml', 'eds.py', 'Domain', 'NewDomain', 'Problem', 'MtaSts', 'RegisteredSelector', 'KeyFindings', 'PendingSession');
	inPython('-m', 'py_compile', 'eds.py', 'client.py');
	const python = await startRunner({ env: { EDS_DNS_SERVERS: '127.0.0.1:9' } });
	try {
		assert.deepEqual(JSON.parse(inPython('client.py', python.baseUrl, firstToken(python))), {
			names: ['one.example', 'two.example'],
			again: 'domain-exists',
			selector: 's1',
			valid: false,
			mode: 'testing',
			policy: 'mx-patterns-missing',
			session: 'pending',
		});
	} finally {
		await python.stop();
	}
});

test('refuses in Python an answer that contradicts the description', () => {
	const read = "from eds import Domain; Domain.from_dict({'createdAt': '2026-01-31T00:00:00Z', 'expectedRecords': [], 'id': 1, 'name': 'one.example'})";
	assert.throws(() => inPython('-c', read), ({ stderr }) => /assert isinstance\(x, str\)/.test(stderr));
});
