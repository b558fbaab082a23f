// A CloudFormation template of the whole service on AWS: a Lambda function of each zip of
// `make package`, an HTTP API with every route, schedules, SES's receipt rules (the message into S3,
// then its function), a queue for events that failed for good, alarms, the policy host's front.
import { deployed } from '../functions.mjs';
import { alarm } from './alarm.mjs';
import { frontConditions, frontOutputs, frontParameters, frontResources, frontRules } from './front.mjs';
import { functionResources, logicalId } from './function.mjs';
import { arnOf, ref, sub } from './intrinsic.mjs';
import { mailResources } from './mail.mjs';

const API_TIMEOUT_MS_MAX = 30000; // of an HTTP API's integration
const API_REQUESTS_PER_SECOND = 200;

const text = (Description, more = {}) => ({ Type: 'String', Description, ...more });

const parameters = {
	CodeBucket: text('Bucket that holds the zips of make package'),
	CodePrefix: text('Where in it they lie, as a release: releases/2026-01-31/', { Default: '' }),
	BaseUrl: text('Address of the service as its users see it', { AllowedPattern: 'https://.+[^/]' }),
	TesterDomain: text('Domain of the one-time addresses; its MX is inbound-smtp.REGION.amazonaws.com'),
	ReportDomain: text('Domain that receives DMARC reports, with the same MX'),
	PolicyHost: text('Host of the front that serves MTA-STS policies: where the CNAME records of the domains lead'),
	DatabaseSecret: text('ARN of the Secrets Manager secret whose member "url" is the PostgreSQL address: ' +
		'postgresql://USER:PASSWORD@HOST/NAME?sslmode=verify-full&sslrootcert=/var/task/ca-certificates.crt'),
	DnsServers: text('Resolvers of your own, ip:port,…: blocklists refuse public ones'),
	CombinedListSecret: text('ARN of a secret whose member "zone" is EDS_DNSBL_COMBINED, as a zone may hold a key; ' +
		'empty for the default', { Default: '' }),
	RelayList: text('EDS_DNSBL_RELAY; empty for none', { Default: 'psbl.surriel.com=2' }),
	ReputationList: text('EDS_DNSBL_REPUTATION; empty for none', { Default: 'bl.mailspike.net=2,10-12' }),
	ReportedList: text('EDS_DNSBL_REPORTED; empty for none', { Default: 'bl.spamcop.net=2' }),
	SessionsPerHour: { Type: 'Number', Description: 'Test addresses per client address in an hour; 0 for no limit', Default: 60 },
	TrustedProxies: text('Addresses and ranges whose X-Forwarded-For and X-Forwarded-Host count, beside the front of this stack',
		{ Default: '' }),
	TrustedRelays: text('Mail relays of yours, skipped when the sending client is looked for', { Default: '' }),
	LogLevel: text('What is logged', { Default: 'info', AllowedValues: ['error', 'warning', 'info', 'debug'] }),
	SubnetIds: {
		Type: 'List<AWS::EC2::Subnet::Id>',
		Description: 'Private subnets with a way to the database, the resolvers and the internet',
	},
	SecurityGroupIds: { Type: 'List<AWS::EC2::SecurityGroup::Id>', Description: 'Security groups of the functions' },
	AlarmTopic: text('ARN of the SNS topic that alarms go to; empty for none', { Default: '' }),
	LogDays: { Type: 'Number', Description: 'Days that logs are kept', Default: 30 },
	...frontParameters,
};

const queue = {
	FailedEvents: {
		Type: 'AWS::SQS::Queue',
		Properties: { MessageRetentionPeriod: 14 * 24 * 3600, SqsManagedSseEnabled: true },
	},
};

function alarms(functions) {
	const all = {
		FailedEventsAlarm: alarm('ApproximateNumberOfMessagesVisible', 'AWS/SQS', { QueueName: { 'Fn::GetAtt': ['FailedEvents', 'QueueName'] } },
			'An event failed three times and lies in the queue', { Statistic: 'Maximum' }),
		ApiAlarm: alarm('5xx', 'AWS/ApiGateway', { ApiId: ref('Api') }, 'The API answers with 5xx', { Threshold: 5 }),
	};
	for (const { name, schedule, mail } of functions)
		if (schedule || mail)
			all[`${logicalId(name)}Alarm`] = alarm('Errors', 'AWS/Lambda', { FunctionName: ref(logicalId(name)) },
				`${name} fails`, { Threshold: 3 });
	return all;
}

function api() {
	return {
		Api: { Type: 'AWS::ApiGatewayV2::Api', Properties: { Name: sub('${AWS::StackName}'), ProtocolType: 'HTTP' } },
		ApiLog: { Type: 'AWS::Logs::LogGroup', Properties: { RetentionInDays: ref('LogDays') } },
		ApiStage: {
			Type: 'AWS::ApiGatewayV2::Stage',
			Properties: {
				ApiId: ref('Api'),
				StageName: '$default',
				AutoDeploy: true,
				DefaultRouteSettings: { ThrottlingBurstLimit: API_REQUESTS_PER_SECOND, ThrottlingRateLimit: API_REQUESTS_PER_SECOND },
				// The route and not the path: a path may hold a test id, which is a secret.
				AccessLogSettings: {
					DestinationArn: arnOf('ApiLog'),
					Format: '{"requestId":"$context.requestId","route":"$context.routeKey",' +
						'"status":"$context.status","ip":"$context.identity.sourceIp"}',
				},
			},
		},
	};
}

// ops: what the policy host's front asks before it gets a certificate. It may be public: whether a name
// has a policy anybody can see by fetching it.
function routes({ name, http, ops, timeoutMs }) {
	const id = logicalId(name);
	const all = {};
	if (http.length + ops.length === 0) return all;
	all[`${id}Integration`] = {
		Type: 'AWS::ApiGatewayV2::Integration',
		Properties: {
			ApiId: ref('Api'),
			IntegrationType: 'AWS_PROXY',
			IntegrationUri: arnOf(id),
			PayloadFormatVersion: '2.0',
			TimeoutInMillis: Math.min(timeoutMs + 1000, API_TIMEOUT_MS_MAX),
		},
	};
	all[`${id}ApiPermission`] = {
		Type: 'AWS::Lambda::Permission',
		Properties: {
			FunctionName: ref(id),
			Action: 'lambda:InvokeFunction',
			Principal: 'apigateway.amazonaws.com',
			SourceArn: sub('arn:${AWS::Partition}:execute-api:${AWS::Region}:${AWS::AccountId}:${Api}/*'),
		},
	};
	[...http, ...ops].forEach((route, i) => {
		all[`${id}Route${i > 0 ? i + 1 : ''}`] = {
			Type: 'AWS::ApiGatewayV2::Route',
			Properties: {
				ApiId: ref('Api'),
				RouteKey: route,
				Target: sub(`integrations/\${${id}Integration}`),
			},
		};
	});
	return all;
}

function schedule({ name, schedule: expression }) {
	const id = logicalId(name);
	if (!expression) return {};
	return {
		[`${id}Schedule`]: {
			Type: 'AWS::Events::Rule',
			Properties: { ScheduleExpression: expression, State: 'ENABLED', Targets: [{ Id: name, Arn: arnOf(id) }] },
		},
		[`${id}SchedulePermission`]: {
			Type: 'AWS::Lambda::Permission',
			Properties: {
				FunctionName: ref(id),
				Action: 'lambda:InvokeFunction',
				Principal: 'events.amazonaws.com',
				SourceArn: arnOf(`${id}Schedule`),
			},
		},
	};
}

export function awsTemplate(manifest) {
	const functions = deployed(manifest);
	return {
		AWSTemplateFormatVersion: '2010-09-09',
		Description: 'eds, email domain security. Made from functions/manifest.json by make infra; ' +
			'infra/README.md says how it is used.',
		Parameters: parameters,
		Rules: frontRules,
		Conditions: {
			HasAlarmTopic: { 'Fn::Not': [{ 'Fn::Equals': [ref('AlarmTopic'), ''] }] },
			HasCombinedList: { 'Fn::Not': [{ 'Fn::Equals': [ref('CombinedListSecret'), ''] }] },
			...frontConditions,
		},
		Resources: Object.assign(
			{}, queue, api(), mailResources(functions), alarms(functions), frontResources(),
			...functions.map((entry) => ({ ...functionResources(entry), ...routes(entry), ...schedule(entry) })),
		),
		Outputs: {
			ApiEndpoint: { Description: 'Give it the domain of BaseUrl', Value: { 'Fn::GetAtt': ['Api', 'ApiEndpoint'] } },
			RuleSet: { Description: 'Make it the active rule set of SES', Value: ref('RuleSet') },
			...frontOutputs,
		},
	};
}
