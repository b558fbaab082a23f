// Alarms, sent to the topic AlarmTopic. Each examines only the last minutes, so that it ends when its cause ends.
import { choose, ref } from './intrinsic.mjs';

const PERIOD_SECONDS = 300;
const NO_TOPIC = 'none';

export const alarmParameters = {
	AlarmTopic: { Type: 'String', Description: `ARN of the SNS topic that alarms go to; ${NO_TOPIC} for none`, Default: NO_TOPIC },
};
export const alarmConditions = { HasAlarmTopic: { 'Fn::Not': [{ 'Fn::Equals': [ref('AlarmTopic'), NO_TOPIC] }] } };

const named = (dimensions) => Object.entries(dimensions).map(([Name, Value]) => ({ Name, Value }));

const resource = (AlarmDescription, properties) => ({
	Type: 'AWS::CloudWatch::Alarm',
	Properties: {
		AlarmDescription,
		EvaluationPeriods: 1,
		Threshold: 1,
		ComparisonOperator: 'GreaterThanOrEqualToThreshold',
		TreatMissingData: 'notBreaching',
		AlarmActions: choose('HasAlarmTopic', [ref('AlarmTopic')], ref('AWS::NoValue')),
		...properties,
	},
});

// An alarm on one metric. dimensions: { FunctionName: … }; more: other properties, such as Threshold.
export const alarm = (metric, namespace, dimensions, description, more = {}) => resource(description, {
	Namespace: namespace,
	MetricName: metric,
	Dimensions: named(dimensions),
	Statistic: 'Sum',
	Period: PERIOD_SECONDS,
	...more,
});

// An alarm on metrics { id: [metric, namespace, dimensions] }, each by its maximum or another statistic. It
// fires when one of the last two periods is over the threshold, because the newest may have no data yet.
export const mathAlarm = (Expression, metrics, description, Stat = 'Maximum') => resource(description, {
	EvaluationPeriods: 2,
	DatapointsToAlarm: 1,
	Metrics: [
		{ Id: 'result', Expression, ReturnData: true },
		...Object.entries(metrics).map(([Id, [MetricName, Namespace, dimensions]]) => ({
			Id,
			ReturnData: false,
			MetricStat: { Metric: { MetricName, Namespace, Dimensions: named(dimensions) }, Period: PERIOD_SECONDS, Stat },
		})),
	],
});
