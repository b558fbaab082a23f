// Classes of Python for the schemas of the interface, each with from_dict, which checks types, and to_dict:
//
//   node make-python.mjs openapi.yaml eds.py Domain NewDomain …
import { readFileSync, writeFileSync } from 'node:fs';

import { FetchingJSONSchemaStore, InputData, JSONSchemaInput, quicktype } from 'quicktype-core';
import { parse } from 'yaml';

const [from, to, ...names] = process.argv.slice(2);
const { schemas } = parse(readFileSync(from, 'utf8')).components;
const wanted = { type: 'object', definitions: schemas,
	properties: Object.fromEntries(names.map((name) => [name, { $ref: `#/definitions/${name}` }])) };

const input = new JSONSchemaInput(new FetchingJSONSchemaStore());
await input.addSource({ name: 'Wanted', schema: JSON.stringify(wanted).replaceAll('#/components/schemas/', '#/definitions/') });
const inputData = new InputData();
inputData.addInput(input);
const { lines } = await quicktype({ inputData, lang: 'python', rendererOptions: { 'python-version': '3.7' } });
writeFileSync(to, lines.join('\n'));
