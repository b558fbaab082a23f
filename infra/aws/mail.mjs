// Receiving mail: SES puts a message into the bucket under its messageId and notifies a topic. The topic feeds a
// queue, and the mapping of the queue invokes the function, for at most as many messages at a time as a parameter
// allows. Further messages wait in the queue, not at the database. SQS counts how often a message was received, but
// does not know why it came back. So the maximum count allows for a long failure of the database, and a message that
// itself causes a failure is also tried every few minutes until then. After the maximum it is moved to the queue of
// failed messages, from which it can be sent again while its mail is in the bucket.
import { MAIL_DOMAINS } from '../functions.mjs';
import { alarm, mathAlarm } from './alarm.mjs';
import { MAIL_PREFIX, lambdaSeconds, logicalId } from './function.mjs';
import { arnOf, ref, sub } from './intrinsic.mjs';

const DAY_SECONDS = 24 * 3600;
// longer than the 48 hours of a session; normally a function deletes a message earlier
const MAIL_DAYS = 3;
const QUEUE_DAYS = 4;
const FAILED_DAYS = 14; // the time in the queue of failed messages; SQS counts it from the arrival in the first queue
const TRIES_SECONDS = DAY_SECONDS;
// How long a message may wait, seconds. Reports whose sender cannot be verified yet come back on purpose, and
// SQS counts a message until its third receipt.
const WAITING_SECONDS_MAX = { tester: 300, report: 1500 };
const FAILURES_MAX = 3; // one for each time that the message becomes visible
const VISIBILITY_TIMEOUTS = 6;

const DOMAIN_PARAMETERS = { tester: 'TesterDomain', report: 'ReportDomain' };
const CONCURRENCY_PARAMETERS = { tester: 'TesterConcurrency', report: 'ReportConcurrency' };
const FROM_SES = { StringEquals: { 'aws:SourceAccount': ref('AWS::AccountId') } };

const concurrency = (what, Default) => ({
	Type: 'Number', MinValue: 2, MaxValue: 1000, Default,
	Description: `${what} that are processed at the same time; each has a connection to the database`,
});

export const mailParameters = {
	TesterConcurrency: concurrency('Test messages', 10),
	ReportConcurrency: concurrency('Mails with reports', 5),
};

const bucket = {
	Mail: {
		Type: 'AWS::S3::Bucket',
		Properties: {
			BucketEncryption: { ServerSideEncryptionConfiguration: [{ ServerSideEncryptionByDefault: { SSEAlgorithm: 'AES256' } }] },
			PublicAccessBlockConfiguration: {
				BlockPublicAcls: true, BlockPublicPolicy: true, IgnorePublicAcls: true, RestrictPublicBuckets: true,
			},
			LifecycleConfiguration: { Rules: [{ Id: 'expire', Status: 'Enabled', ExpirationInDays: MAIL_DAYS }] },
		},
	},
	MailPolicy: {
		Type: 'AWS::S3::BucketPolicy',
		Properties: {
			Bucket: ref('Mail'),
			PolicyDocument: {
				Version: '2012-10-17',
				Statement: [
					{
						Effect: 'Allow',
						Principal: { Service: 'ses.amazonaws.com' },
						Action: 's3:PutObject',
						Resource: sub(`\${Mail.Arn}/${MAIL_PREFIX}*`),
						Condition: FROM_SES,
					},
					{
						Effect: 'Deny',
						Principal: '*',
						Action: 's3:*',
						Resource: [arnOf('Mail'), sub('${Mail.Arn}/*')],
						Condition: { Bool: { 'aws:SecureTransport': 'false' } },
					},
				],
			},
		},
	},
	RuleSet: { Type: 'AWS::SES::ReceiptRuleSet', Properties: {} },
};

const policy = (...Statement) => ({ Version: '2012-10-17', Statement });

const rule = ({ name }, id) => ({
	[`${id}Topic`]: { Type: 'AWS::SNS::Topic', Properties: {} },
	[`${id}TopicPolicy`]: {
		Type: 'AWS::SNS::TopicPolicy',
		Properties: {
			Topics: [ref(`${id}Topic`)],
			PolicyDocument: policy({
				Effect: 'Allow',
				Principal: { Service: 'ses.amazonaws.com' },
				Action: 'sns:Publish',
				Resource: ref(`${id}Topic`),
				Condition: FROM_SES,
			}),
		},
	},
	[`${id}Rule`]: {
		Type: 'AWS::SES::ReceiptRule',
		// A message that is received before the subscription exists would be stored, but
		// no function would hear of it.
		DependsOn: ['MailPolicy', `${id}TopicPolicy`, `${id}Subscription`],
		Properties: {
			RuleSetName: ref('RuleSet'),
			Rule: {
				Name: name,
				Enabled: true,
				ScanEnabled: false,
				TlsPolicy: 'Optional',
				Recipients: [ref(DOMAIN_PARAMETERS[MAIL_DOMAINS[name]])],
				Actions: [{ S3Action: { BucketName: ref('Mail'), ObjectKeyPrefix: MAIL_PREFIX, TopicArn: ref(`${id}Topic`) } }],
			},
		},
	},
});

const queue = (days, more = {}) => ({
	Type: 'AWS::SQS::Queue',
	Properties: { MessageRetentionPeriod: days * DAY_SECONDS, SqsManagedSseEnabled: true, ...more },
});

function queues({ timeoutMs }, id) {
	const VisibilityTimeout = VISIBILITY_TIMEOUTS * lambdaSeconds(timeoutMs);
	return {
		[`${id}Failed`]: queue(FAILED_DAYS),
		[`${id}Queue`]: queue(QUEUE_DAYS, {
			VisibilityTimeout,
			RedrivePolicy: {
				deadLetterTargetArn: arnOf(`${id}Failed`),
				maxReceiveCount: Math.ceil(TRIES_SECONDS / VisibilityTimeout),
			},
		}),
		[`${id}QueuePolicy`]: {
			Type: 'AWS::SQS::QueuePolicy',
			Properties: {
				Queues: [ref(`${id}Queue`), ref(`${id}Failed`)],
				PolicyDocument: policy({
					Effect: 'Allow',
					Principal: { Service: 'sns.amazonaws.com' },
					Action: 'sqs:SendMessage',
					Resource: [arnOf(`${id}Queue`), arnOf(`${id}Failed`)],
					Condition: { ArnEquals: { 'aws:SourceArn': ref(`${id}Topic`) } },
				}),
			},
		},
		[`${id}Subscription`]: {
			Type: 'AWS::SNS::Subscription',
			DependsOn: `${id}QueuePolicy`,
			Properties: {
				TopicArn: ref(`${id}Topic`),
				Protocol: 'sqs',
				Endpoint: arnOf(`${id}Queue`),
				RedrivePolicy: { deadLetterTargetArn: arnOf(`${id}Failed`) },
			},
		},
	};
}

// One message per invocation, so that each has the whole time of the function.
const mapping = ({ name }, id) => ({
	[`${id}Mapping`]: {
		Type: 'AWS::Lambda::EventSourceMapping',
		Properties: {
			EventSourceArn: arnOf(`${id}Queue`),
			FunctionName: ref(id),
			BatchSize: 1,
			FunctionResponseTypes: ['ReportBatchItemFailures'],
			ScalingConfig: { MaximumConcurrency: ref(CONCURRENCY_PARAMETERS[MAIL_DOMAINS[name]]) },
		},
	},
});

const queueName = (id) => ({ QueueName: { 'Fn::GetAtt': [id, 'QueueName'] } });

// Lambda does not count a failed message within a batch as an error of the function, so the alarm uses
// its line in the log.
const alarms = ({ name }, id) => ({
	[`${id}Failures`]: {
		Type: 'AWS::Logs::MetricFilter',
		Properties: {
			LogGroupName: ref(`${id}Log`),
			FilterPattern: '{ $.level = "error" && $.message = "message * failed: *" }',
			MetricTransformations: [{
				MetricNamespace: sub('eds/${AWS::StackName}'), MetricName: `${id}Failures`, MetricValue: '1', DefaultValue: 0,
			}],
		},
	},
	[`${id}FailuresAlarm`]: alarm(`${id}Failures`, sub('eds/${AWS::StackName}'), {},
		`${name} fails on messages; they are tried again`, { Threshold: FAILURES_MAX }),
	[`${id}WaitingAlarm`]: alarm('ApproximateAgeOfOldestMessage', 'AWS/SQS', queueName(`${id}Queue`),
		`Mail for ${name} waits longer than ${WAITING_SECONDS_MAX[MAIL_DOMAINS[name]] / 60} minutes`,
		{ Statistic: 'Maximum', Threshold: WAITING_SECONDS_MAX[MAIL_DOMAINS[name]] }),
	[`${id}FailedAlarm`]: mathAlarm('DIFF(FILL(lying, 0))', { lying: ['ApproximateNumberOfMessagesVisible', 'AWS/SQS', queueName(`${id}Failed`)] },
		`Mail for ${name} failed permanently and is in a queue (infra/README.md says how to send it again)`),
});

const receive = (entry) => {
	const id = logicalId(entry.name);
	return { ...rule(entry, id), ...queues(entry, id), ...mapping(entry, id), ...alarms(entry, id) };
};

const receivers = (functions) => functions.filter(({ mail }) => mail);

export const mailResources = (functions) => Object.assign({}, bucket, ...receivers(functions).map(receive));

// Outputs of the stack: the queue of each mail function, and its queue of failed messages.
export const mailOutputs = (functions) => Object.assign({}, ...receivers(functions).map(({ name }) => {
	const id = logicalId(name);
	return {
		[`${id}Queue`]: { Description: `Mail for ${name}`, Value: arnOf(`${id}Queue`) },
		[`${id}Failed`]: { Description: `Mail on which ${name} failed permanently`, Value: arnOf(`${id}Failed`) },
	};
}));
