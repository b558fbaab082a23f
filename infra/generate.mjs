// make infra: the deployments that follow from functions/manifest.json, and the documentation that follows
// from openapi.yaml and problems.yaml. With --check it writes nothing, and fails when the files here
// differ from the generated ones.
import { readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

import { parse } from '../tests/node_modules/yaml/dist/index.js';
import { awsTemplate } from './aws/template.mjs';
import { documentation, problemPage } from './docs.mjs';
import { migrateJob } from './knative/migrate.mjs';
import { gatewayRoutes } from './knative/routes.mjs';
import { knativeServices } from './knative/services.mjs';
import { smtpReceiver } from './knative/smtp.mjs';

const here = dirname(fileURLToPath(import.meta.url));
const manifest = JSON.parse(readFileSync(join(here, '../functions/manifest.json'), 'utf8'));
const outputs = {
	'aws/template.json': awsTemplate(manifest),
	'knative/migrate.json': migrateJob(),
	'knative/routes.json': gatewayRoutes(manifest),
	'knative/services.json': knativeServices(manifest),
	'knative/smtp.json': smtpReceiver(),
};

const yaml = (name) => parse(readFileSync(join(here, name), 'utf8'));
const texts = {
	...Object.fromEntries(Object.entries(outputs).map(([name, value]) => [name, `${JSON.stringify(value, null, 2)}\n`])),
	'../functions/dashboard/docs.html': documentation(yaml('openapi.yaml')),
	'../functions/dashboard/problems.html': problemPage(yaml('problems.yaml')),
};

for (const [name, text] of Object.entries(texts)) {
	const path = join(here, name);
	if (!process.argv.includes('--check')) {
		writeFileSync(path, text);
	} else if (readFileSync(path, 'utf8') !== text) {
		console.error(`${join('infra', name)} is not what ${name.endsWith('.html') ? 'infra/openapi.yaml or infra/problems.yaml' : 'functions/manifest.json'} says: run make infra`);
		process.exitCode = 1;
	}
}
