// Alarms, which go to the topic of AlarmTopic.
import { choose, ref } from './intrinsic.mjs';

// dimensions: { FunctionName: … }. more: other properties, as the Threshold.
export const alarm = (metric, namespace, dimensions, description, more = {}) => ({
	Type: 'AWS::CloudWatch::Alarm',
	Properties: {
		AlarmDescription: description,
		Namespace: namespace,
		MetricName: metric,
		Dimensions: Object.entries(dimensions).map(([Name, Value]) => ({ Name, Value })),
		Statistic: 'Sum',
		Period: 300,
		EvaluationPeriods: 1,
		Threshold: 1,
		ComparisonOperator: 'GreaterThanOrEqualToThreshold',
		TreatMissingData: 'notBreaching',
		AlarmActions: choose('HasAlarmTopic', [ref('AlarmTopic')], ref('AWS::NoValue')),
		...more,
	},
});
