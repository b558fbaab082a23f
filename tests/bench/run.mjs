// make bench: every measurement in one table. It shows ratios within one run and CPU per unit, because absolute rates drift with the
// machine. It fails when something does not work, never because it is slow. With names as arguments it makes only those measurements:
// analysis, bootstrap, functions, growth, ingest, machine, mail, mta-sts, page, posture, report-watch, reports, requests, selectors, store, sums,
// webhooks. With FIGURES=FILE it also writes the table to that file, in Markdown, and keeps the part of it that is written by hand.
import { existsSync, readFileSync, writeFileSync } from 'node:fs';

import { analysis } from './analysis.mjs';
import { bootstrap } from './bootstrap.mjs';
import { functions } from './functions.mjs';
import { growth } from './growth.mjs';
import { ingest } from './ingest.mjs';
import { machine, ofMachine } from './machine.mjs';
import { mail } from './mail.mjs';
import { shown } from './measure.mjs';
import { mtaSts } from './mta-sts.mjs';
import { page } from './page.mjs';
import { posture } from './posture.mjs';
import { reportWatch } from './report-watch.mjs';
import { reports } from './reports.mjs';
import { requests } from './requests.mjs';
import { selectors } from './selectors.mjs';
import { store } from './store.mjs';
import { reportSums } from './sums.mjs';
import { webhooks } from './webhooks.mjs';

const measurements = { machine: ofMachine, analysis, bootstrap, functions, ingest, mail, 'mta-sts': mtaSts, page, posture, 'report-watch': reportWatch, reports, requests, selectors, store, sums: reportSums, webhooks, growth };
const wanted = process.argv.slice(2);

const EXPLAINED = '# What stands in the way';

function explanations(file) {
	const text = existsSync(file) ? readFileSync(file, 'utf8') : '';
	return text.includes(`\n${EXPLAINED}`) ? text.slice(text.indexOf(`\n${EXPLAINED}`) + 1) : '';
}

const cell = (text) => text.replaceAll('|', '\\|');
const table = ({ title, rows }) => [`## ${title[0].toUpperCase()}${title.slice(1)}`, '', '| what | measured | target | how |', '|---|---|---|---|',
	...rows.map((cells) => `| ${cells.map(cell).join(' | ')} |`), ''];
const document = () => ['# Figures', '',
	`Measured by \`make figures\` on ${new Date().toISOString().slice(0, 10)}, on this machine: ${machine()}.`,
	'Rates vary with the machine and its other load; eds and its peer are measured in turns in the same run. Targets are',
	'goals; no test depends on them.', '',
	...shown.filter(({ rows }) => rows.length > 0).flatMap(table)];

for (const name of wanted.length > 0 ? wanted : Object.keys(measurements)) {
	const began = performance.now();
	await measurements[name]();
	console.log(`  (${name}: ${Math.round((performance.now() - began) / 1000)} s)`);
}
if (process.env.FIGURES) writeFileSync(process.env.FIGURES, `${document().join('\n')}\n${explanations(process.env.FIGURES)}`);
