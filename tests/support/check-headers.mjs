// Prints each public function of the product that is not declared in the header with its file's name, and
// fails. A function that only the files of one module share may be declared in a header that begins with the
// file's name and has no source file of its own: functions of spool.c are declared in spool.h and in
// spool-state.h.
//
// Also prints each include in the store that points upwards: a folder may only include folders of lower steps,
// and the files beside the folders are below all of them.
//
// Also prints each include that contradicts the header itself: "Only the files of this folder include this
// header", or "of the store", or "… and their tests".
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { dirname } from 'node:path';

// These files replace functions of the C library and of other libraries; the headers of those libraries declare them.
const STAND_INS = new Set(['functions/lib/dkim/fast-key.c', 'functions/lib/reports/reader-main.c', 'functions/lib/sandbox/verifier-libc.c']);
const TOKEN = /"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'|\/\*[\s\S]*?\*\//g;
const DEFINITION = /^(?!static\b|typedef\b|#|\}|\s|extern\b|struct \w+ \{)[A-Za-z_][^;{}=#]*?\b(\w+)\([^;{}]*\)\s*\n\{/gm;

const list = (...patterns) => execFileSync('git', ['ls-files', ...patterns], { encoding: 'utf8' }).split('\n').filter(Boolean);
const code = (file) => readFileSync(file, 'utf8').replace(TOKEN, ' ');
const files = new Set(list('functions/*.[ch]', 'runtime/*.[ch]', 'local/*.[ch]'));
const headers = [...files].filter((file) => file.endsWith('.h')).map((file) => [file, code(file)]);

const isOf = (file) => ([header]) => {
	const stem = file.slice(0, -2);
	return header === `${stem}.h` || (dirname(header) === dirname(file) && header.startsWith(`${stem}-`) && !files.has(header.replace(/h$/, 'c')));
};

let breaches = 0;
for (const file of [...files].filter((name) => name.endsWith('.c') && !STAND_INS.has(name))) {
	const own = headers.filter(isOf(file)).map(([, text]) => text).join('\n');
	for (const [, name] of code(file).matchAll(DEFINITION)) {
		if (name === 'main' || new RegExp(`\\b${name}\\(`).test(own)) continue;
		console.log(`a public function that ${file.replace(/c$/, 'h')} does not declare: ${name}`);
		breaches++;
	}
}

const STORE = 'functions/lib/store/';
const STEPS = [['db'], ['schema'], ['accounts'], ['domains'], ['alerts', 'tokens'], ['selectors', 'mta-sts'], ['posture', 'reports', 'tester'], ['life']];
const folderOf = (file) => /^functions\/lib\/store\/([^/]+)\//.exec(file)?.[1];
const stepOf = (folder) => STEPS.findIndex((step) => step.includes(folder));
for (const file of [...files].filter((name) => name.startsWith(STORE) && folderOf(name))) {
	const folder = folderOf(file);
	if (stepOf(folder) < 0) {
		console.log(`a folder of the store without a step in check-headers.mjs: ${folder}`);
		breaches++;
	}
	for (const [, included] of readFileSync(file, 'utf8').matchAll(/^#include "([^"]+)"/gm)) {
		const other = folderOf(included);
		if (!other || other === folder || stepOf(other) < stepOf(folder)) continue;
		console.log(`an include that points up in the store: ${file} includes ${included}`);
		breaches++;
	}
}

const sources = [...files, ...list('tests/*.[ch]')].map((file) => [file, readFileSync(file, 'utf8')]);
for (const [header] of headers) {
	const text = readFileSync(header, 'utf8').replace(/\s+\*?\s*/g, ' ');
	const [, whose, tests] = /Only (?:the )?files of (this folder|the store)( and their tests)? include this header\./.exec(text) ?? [];
	if (!whose) continue;
	const home = whose === 'the store' ? STORE : `${dirname(header)}/`;
	for (const [file, source] of sources) {
		if (!source.includes(`#include "${header}"`) || file.startsWith(home) || (tests && file.startsWith('tests/'))) continue;
		console.log(`an include that ${header} excludes: ${file}`);
		breaches++;
	}
}
process.exit(breaches > 0 ? 1 : 0);
