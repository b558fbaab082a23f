// Jobs: each has a rule, which starts as many instances at once as its parameter says. They share the due
// work (functions/lib/store/due.h). A failed run is neither repeated nor queued, because the next run, a
// minute or an hour later, does its work.
import { logicalId } from './function.mjs';
import { arnOf, choose, ref } from './intrinsic.mjs';

const INSTANCES = [1, 2, 4, 8];
const TARGETS_MAX = 5; // the maximum number of targets of one rule
const EVENT_AGE_SECONDS_MIN = 60;

const parameter = (name) => `${logicalId(name)}Instances`;
const condition = (name, atLeast) => `${logicalId(name)}Has${atLeast}`;

const scheduled = (functions) => functions.filter(({ schedule }) => schedule);

export const scheduleParameters = (functions) => Object.fromEntries(scheduled(functions).map(({ name }) => [parameter(name), {
	Type: 'Number',
	Description: `Instances of ${name} that share its work`,
	AllowedValues: INSTANCES,
	Default: 1,
}]));

export const scheduleConditions = (functions) => Object.fromEntries(scheduled(functions).flatMap(({ name }) =>
	INSTANCES.slice(1).map((atLeast) => {
		const equal = INSTANCES.filter((count) => count >= atLeast).map((count) => ({ 'Fn::Equals': [ref(parameter(name)), String(count)] }));
		return [condition(name, atLeast), equal.length > 1 ? { 'Fn::Or': equal } : equal[0]];
	})));

// The target that starts instance i of a job, counted from 1.
const target = (name, i) => ({ Id: `${name}-${i}`, Arn: arnOf(logicalId(name)) });

// The target of instance i if the parameter asks for at least i instances, else no value.
function optional(name, i) {
	const atLeast = INSTANCES.find((count) => count >= i);
	return atLeast === 1 ? target(name, i) : choose(condition(name, atLeast), target(name, i), ref('AWS::NoValue'));
}

const rule = (ScheduleExpression, Targets) => ({
	Type: 'AWS::Events::Rule',
	Properties: { ScheduleExpression, State: 'ENABLED', Targets },
});

const permission = (id, ruleId) => ({
	Type: 'AWS::Lambda::Permission',
	Properties: {
		FunctionName: ref(id), Action: 'lambda:InvokeFunction', Principal: 'events.amazonaws.com', SourceArn: arnOf(ruleId),
	},
});

export function scheduleResources({ name, schedule }) {
	const id = logicalId(name);
	if (!schedule) return {};
	const instances = Array.from({ length: INSTANCES.at(-1) }, (_, i) => i + 1);
	const further = condition(name, INSTANCES.at(-1));
	return {
		[`${id}Schedule`]: rule(schedule, instances.slice(0, TARGETS_MAX).map((i) => optional(name, i))),
		[`${id}SchedulePermission`]: permission(id, `${id}Schedule`),
		[`${id}ScheduleFurther`]: { Condition: further, ...rule(schedule, instances.slice(TARGETS_MAX).map((i) => target(name, i))) },
		[`${id}ScheduleFurtherPermission`]: { Condition: further, ...permission(id, `${id}ScheduleFurther`) },
		[`${id}Invoke`]: {
			Type: 'AWS::Lambda::EventInvokeConfig',
			Properties: {
				FunctionName: ref(id), Qualifier: '$LATEST', MaximumRetryAttempts: 0, MaximumEventAgeInSeconds: EVENT_AGE_SECONDS_MIN,
			},
		},
	};
}
