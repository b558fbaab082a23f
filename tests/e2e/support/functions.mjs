// Makes folders of functions to serve in place of the built one.
import { mkdtempSync, readFileSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { BUILD } from './runner.mjs';

// The built functions without their schedules: the tests run the jobs. The caller removes the folder.
export function functionsWithoutSchedule() {
	const folder = mkdtempSync(join(tmpdir(), 'eds-functions-'));
	const manifest = JSON.parse(readFileSync(join(BUILD, 'functions/manifest.json')));
	for (const entry of Object.values(manifest.functions)) delete entry.schedule;
	for (const name of readdirSync(join(BUILD, 'functions')))
		if (name !== 'manifest.json') symlinkSync(join(BUILD, 'functions', name), join(folder, name));
	writeFileSync(join(folder, 'manifest.json'), JSON.stringify(manifest));
	return folder;
}
