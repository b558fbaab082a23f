// Runs AWS's own validator on a CloudFormation template: it has schemas, and rules about how resources fit
// together. It needs no network.
//
//   node tests/support/aws-validate.mjs infra/aws/template.json      fails when it finds anything
import { fileURLToPath } from 'node:url';

import validator from '@aws/cloudformation-validate';

const SILENT = ['INFO', 'DEBUG'];
// An expected finding: the validator takes the ARN of a secret for the secret itself,
// although an ARN reveals nothing.
const EXPECTED = (rule, { logicalId } = {}) => rule === 'W2509' && ['DatabaseSecret', 'CombinedListSecret', 'AlertRelaySecret'].includes(logicalId);

// The faults as sentences; an empty array if there is none.
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
