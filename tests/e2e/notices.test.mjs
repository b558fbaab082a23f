// The information in the zips of make package about third-party libraries: a list (SPDX 2.3), and the
// notices that their licenses require.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { copyFileSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { describe, test } from 'node:test';

import { packageFile } from './support/package.mjs';
import { BUILD } from './support/runner.mjs';

const names = Object.keys(JSON.parse(readFileSync('functions/manifest.json', 'utf8')).functions);
const missing = names.every((name) => existsSync(packageFile(name))) ? false : 'make package was not run';
const own = join(BUILD, 'package/own');
const PURL = /^pkg:deb\/debian\/[a-z0-9.%-]+[A-Za-z0-9.%+-]*@[A-Za-z0-9.%~-]+\?arch=(amd64|arm64)$/;
const ID = /^SPDXRef-[A-Za-z0-9.-]+$/;

// Texts of libraries: each occurs in a program if, and only if, the library is linked into it.
const SAYS = {
	'libsqlite3-dev': 'SQLite format 3',
	'libjansson-dev': 'unable to decode byte 0x%x',
	'libc-ares-dev': 'c-ares library initialization not yet performed',
	'libspf2-dev': 'SPF_c_mech_add: type=',
	'libgmime-3.0-dev': 'GMimeParser',
	'libarchive-dev': 'Unrecognized archive format',
	'libexpat1-dev': 'http://www.w3.org/XML/1998/namespace',
	'libhttp-parser-dev': 'HPE_INVALID_EOF_STATE',
};

const run = (program, ...args) => execFileSync(program, args, { encoding: 'utf8', maxBuffer: 64 * 1024 * 1024 });

// Whether the file is one of our builds; it is not if Debian's libcurl is packed, with Debian's other libraries.
function isOwn(file) {
	const built = join(own, basename(file));
	return existsSync(built) && readFileSync(built).equals(readFileSync(file));
}

// The Debian package from which a library in the zip comes, according to Debian's own lists; undefined for a
// library that we have built.
const packages = new Map();
function debianOf(file) {
	const library = basename(file);
	if (isOwn(file)) return library === 'libcurl.so.4' ? 'libcurl4' : undefined;
	if (!packages.has(library)) packages.set(library, findDebianOf(library));
	return packages.get(library);
}
function findDebianOf(library) {
	const path = realpathSync(run('gcc', `-print-file-name=${library}`).trim());
	const found = [path, path.replace(/^\/usr/, '')].map((file) => {
		try {
			return execFileSync('dpkg', ['-S', file], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] });
		} catch {
			return '';
		}
	}).find(Boolean);
	return found.split(/[:,]/)[0];
}
const versionOf = (name) => (name === 'libcurl4' && existsSync(join(own, 'libcurl.so.4'))
	? readFileSync(join(own, 'libcurl.version'), 'utf8').trim()
	: run('dpkg-query', '-W', '-f=${Version}', name));

function unpack(name) {
	const folder = mkdtempSync(join(tmpdir(), 'eds-notices-'));
	run('unzip', '-q', packageFile(name), '-d', folder);
	const files = readdirSync(folder, { recursive: true }).map((file) => join(folder, file)).filter((file) => statSync(file).isFile());
	const elf = files.filter((file) => readFileSync(file).subarray(0, 4).equals(Buffer.from('\x7fELF', 'latin1')));
	return {
		folder,
		list: JSON.parse(readFileSync(join(folder, 'sbom.spdx.json'), 'utf8')),
		notices: readFileSync(join(folder, 'notices.txt'), 'utf8'),
		libraries: elf.filter((file) => file.includes('/lib/')),
		programs: elf.filter((file) => !file.includes('/lib/')),
	};
}

const linked = ({ packages: all, relationships }, how) => relationships.filter(({ relationshipType }) => relationshipType === how)
	.map(({ relatedSpdxElement }) => all.find(({ SPDXID }) => SPDXID === relatedSpdxElement).name).sort();

// SPDX 2.3: https://spdx.github.io/spdx-spec/v2.3/
function assertSpdx(list, name) {
	assert.deepEqual([list.spdxVersion, list.dataLicense, list.SPDXID], ['SPDX-2.3', 'CC0-1.0', 'SPDXRef-DOCUMENT']);
	assert.ok(list.name.startsWith(`${name}-`), list.name);
	assert.equal(new URL(list.documentNamespace).hash, '');
	assert.match(list.creationInfo.created, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/);
	for (const creator of list.creationInfo.creators) assert.match(creator, /^(Tool|Organization|Person): \S/);
	const ids = list.packages.map(({ SPDXID }) => SPDXID);
	assert.equal(new Set(ids).size, ids.length);
	for (const each of list.packages) {
		assert.match(each.SPDXID, ID);
		for (const field of ['name', 'versionInfo', 'downloadLocation', 'licenseConcluded', 'licenseDeclared', 'copyrightText'])
			assert.ok(typeof each[field] === 'string' && each[field] !== '', `${each.name}: ${field}`);
		assert.equal(each.filesAnalyzed, false);
		for (const { referenceCategory, referenceType, referenceLocator } of each.externalRefs ?? []) {
			assert.deepEqual([referenceCategory, referenceType], ['PACKAGE-MANAGER', 'purl']);
			assert.match(referenceLocator, PURL);
		}
	}
	const described = list.relationships.filter(({ relationshipType }) => relationshipType === 'DESCRIBES');
	assert.deepEqual(described, [{ spdxElementId: 'SPDXRef-DOCUMENT', relationshipType: 'DESCRIBES', relatedSpdxElement: ids[0] }]);
	for (const { spdxElementId, relationshipType, relatedSpdxElement } of list.relationships.slice(1)) {
		assert.equal(spdxElementId, ids[0]);
		assert.ok(['STATIC_LINK', 'DYNAMIC_LINK', 'CONTAINS'].includes(relationshipType), relationshipType);
		assert.ok(ids.slice(1).includes(relatedSpdxElement), relatedSpdxElement);
	}
}

describe('the package', { skip: missing, timeout: 600000 }, () => {
	for (const name of names)
		test(`of ${name} lists the components in it, with their notices`, () => {
			const { folder, list, notices, libraries, programs } = unpack(name);
			try {
				assertSpdx(list, name);
				const needed = new Set([...programs, ...libraries].flatMap((file) =>
					[...run('readelf', '-d', file).matchAll(/\(NEEDED\).*\[(.*)\]/g)].map(([, library]) => library)));
				for (const library of needed) assert.ok(libraries.some((file) => basename(file) === library), library);
				assert.deepEqual(linked(list, 'DYNAMIC_LINK'), [...new Set(libraries.map(debianOf).filter(Boolean))].sort());

				const text = Buffer.concat(programs.map((file) => readFileSync(file)));
				const statically = linked(list, 'STATIC_LINK');
				for (const [library, words] of Object.entries(SAYS)) assert.equal(statically.includes(library), text.includes(words), library);
				for (const each of list.packages.slice(1)) {
					assert.equal(each.versionInfo, versionOf(each.name), each.name);
					assert.ok(notices.includes(`${each.name} ${each.versionInfo} (source `), each.name);
					const copyright = each.name === 'libcurl4' && existsSync(join(own, 'libcurl.so.4')) ? join(own, 'libcurl.copyright') : `/usr/share/doc/${each.name}/copyright`;
					assert.ok(notices.includes(readFileSync(copyright, 'utf8')), each.name);
				}
				for (const [license] of notices.matchAll(/\/usr\/share\/common-licenses\/[A-Za-z0-9.-]*[A-Za-z0-9]/g))
					assert.ok(!existsSync(license) || notices.includes(readFileSync(license, 'utf8')), license);
			} finally {
				rmSync(folder, { recursive: true, force: true });
			}
		});
});

describe('the image', { skip: !existsSync(join(BUILD, 'map/runner.map')) && 'nothing is built' }, () => {
	test('lists the libraries linked into its programs and those they load, with their notices', () => {
		const folder = mkdtempSync(join(tmpdir(), 'eds-image-'));
		try {
			const programs = ['runner', 'libexec/eds-report-reader', 'functions/tester-analyze'];
			for (const program of programs) {
				mkdirSync(join(folder, 'opt', dirname(program)), { recursive: true });
				copyFileSync(join(BUILD, program), join(folder, 'opt', program));
			}
			execFileSync('infra/container/notices', [join(folder, 'opt'), folder], { env: { ...process.env, BUILD }, stdio: 'pipe' });
			const list = JSON.parse(readFileSync(join(folder, 'sbom.spdx.json'), 'utf8'));
			const notices = readFileSync(join(folder, 'notices.txt'), 'utf8');
			assertSpdx(list, 'eds');
			for (const library of ['libgmime-3.0-dev', 'libarchive-dev', 'libexpat1-dev']) assert.ok(linked(list, 'STATIC_LINK').includes(library), library);
			const dynamic = linked(list, 'DYNAMIC_LINK');
			const needed = new Set(['libpq.so.5', 'libcurl.so.4', ...programs.flatMap((program) =>
				[...run('readelf', '-d', join(BUILD, program)).matchAll(/\(NEEDED\).*\[(.*)\]/g)].map(([, library]) => library))]);
			for (const library of needed) assert.ok(dynamic.includes(findDebianOf(library)), library);
			for (const { name } of list.packages.slice(1)) assert.ok(notices.includes(readFileSync(`/usr/share/doc/${name}/copyright`, 'utf8')), name);
		} finally {
			rmSync(folder, { recursive: true });
		}
	});
});
