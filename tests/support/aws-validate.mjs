// What AWS's own validator finds in a CloudFormation template: its schemas, and its rules of how resources
// go together. It needs no network.
//
//   node tests/support/aws-validate.mjs infra/aws/template.json      fails when it finds anything
import { fileURLToPath } from 'node:url';

import validator from '@aws/cloudformation-validate';

const SILENT = ['INFO', 'DEBUG'];
// It takes an ARN of a secret, which no secret can be read from, for the secret.
const EXPECTED = (rule, { logicalId } = {}) => rule === 'W2509' && ['DatabaseSecret', 'CombinedListSecret', 'AlertRelaySecret'].includes(logicalId);

// Sentences; none is an empty array.
export function awsFindings(path) {
	const engine = new validator.RegoEngine();
	try {
		return engine.validateStandard(new validator.TemplateFile(path)).diagnostics
			.filter(({ severity, ruleId, entity }) => !SILENT.includes(severity) && !EXPECTED(ruleId, entity))
			.map(({ ruleId, entity, message }) => `${ruleId} ${entity?.logicalId ?? ''}: ${message}`);
	} finally {
		engine.free();
	}
}

if (process.argv[1] === fileURLToPath(import.meta.url))
	for (const finding of awsFindings(process.argv[2])) {
		console.error(finding);
		process.exitCode = 1;
	}
