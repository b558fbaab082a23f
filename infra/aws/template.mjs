// A CloudFormation template of the whole service on AWS: a Lambda function of each zip of
// `make package`, an HTTP API with every route, schedules, SES's receipt rules (the message into S3,
// a notification into the queue of its function), alarms, the policy host's front.
import { deployed } from '../functions.mjs';
import { alarm, alarmConditions, alarmParameters, mathAlarm } from './alarm.mjs';
import { databaseConditions, databaseParameters } from './database.mjs';
import { frontConditions, frontOutputs, frontParameters, frontResources, frontRules } from './front.mjs';
import { functionResources, logicalId, migration } from './function.mjs';
import { arnOf, ref, sub } from './intrinsic.mjs';
import { scheduleConditions, scheduleParameters, scheduleResources } from './schedule.mjs';
import { mailOutputs, mailParameters, mailResources } from './mail.mjs';

const API_TIMEOUT_MS_MAX = 30000; // time limit of an HTTP API's integration

const text = (Description, more = {}) => ({ Type: 'String', Description, ...more });

const parameters = {
	CodeBucket: text('Bucket that holds the zips of make package'),
	CodePrefix: text('Where in it they lie, as a release: releases/2026-01-31/', { Default: '' }),
	Architecture: text('Of the processors that the zips were made for', { Default: 'x86_64', AllowedValues: ['x86_64', 'arm64'] }),
	BaseUrl: text('Address of the service as its users see it', { AllowedPattern: 'https://.+[^/]' }),
	TesterDomain: text('Domain of the one-time addresses; its MX is inbound-smtp.REGION.amazonaws.com'),
	ReportDomain: text('Domain that receives DMARC reports, with the same MX'),
	PolicyHost: text('Host of the front that serves MTA-STS policies, the target of the domains\' CNAME records'),
	PolicyAuthority: text('Authority that issues the front\'s certificates, as CAA records name it', { Default: 'letsencrypt.org' }),
	...databaseParameters,
	DnsServers: text('Resolvers of your own, ip:port,…: blocklists refuse public ones'),
	CombinedListSecret: text('ARN of a secret whose member "zone" is EDS_DNSBL_COMBINED, because a zone may contain a key; ' +
		'empty for the default', { Default: '' }),
	RelayList: text('EDS_DNSBL_RELAY; empty for none', { Default: 'psbl.surriel.com=2' }),
	ReputationList: text('EDS_DNSBL_REPUTATION; empty for none', { Default: 'bl.mailspike.net=2,10-12' }),
	ReportedList: text('EDS_DNSBL_REPORTED; empty for none', { Default: 'bl.spamcop.net=2' }),
	AsnZone: text('EDS_ASN_ZONE, the DNS zone with the networks of senders; empty for none', { Default: '' }),
	SessionsPerHour: { Type: 'Number', Description: 'Test addresses per client address in an hour, and checks of domains; 0 for no limit', Default: 60 },
	TestMessageMax: { Type: 'Number', Description: 'MiB of a test message', Default: 10, MinValue: 1, MaxValue: 15 },
	TestMailQuota: { Type: 'String', Description: 'MiB of test mail stored at a time, for a client network and in total; 0 for no limit', Default: 'network=256,all=4096' },
	QuotaFree: { Type: 'String', Description: 'Limits of a free account', Default: 'domains=10,selectors=20,checks=60,certificates=10,callbacks=60,uploads=100' },
	QuotaPaid: { Type: 'String', Description: 'Limits of a paid account', Default: 'domains=10000,selectors=100,checks=1000,certificates=100,callbacks=1000,uploads=1000' },
	Title: text('Name of this instance, in the head of its page', { Default: 'eds' }),
	Contact: text('Mail address or web page of the operator, for users; empty for none', { Default: '' }),
	ImprintUrl: text('Address of the imprint, linked from the page; empty for none', { Default: '' }),
	PrivacyUrl: text('Address of the privacy notice, likewise', { Default: '' }),
	BlockedNetworks: text('Addresses and ranges of clients that get 403 for requests that need no token', { Default: '' }),
	TrustedProxies: text('Addresses and ranges whose X-Forwarded-For and X-Forwarded-Host are used, in addition to this stack\'s front',
		{ Default: '' }),
	TrustedRelays: text('Mail relays of yours, skipped when the sending client is looked for', { Default: '' }),
	Rspamd: text('Address of an rspamd of yours, like http://10.0.0.7:11333, asked for a second opinion; empty for none', { Default: '' }),
	AlertRelaySecret: text('ARN of a secret whose member "relay" is EDS_ALERT_RELAY, because its URL may contain a password; ' +
		'empty: no alerts by mail', { Default: '' }),
	AlertFrom: text('EDS_ALERT_FROM; empty for alerts@ the tester\'s domain', { Default: '' }),
	LogLevel: text('What is logged', { Default: 'info', AllowedValues: ['error', 'warning', 'info', 'debug'] }),
	SubnetIds: {
		Type: 'List<AWS::EC2::Subnet::Id>',
		Description: 'Private subnets that can reach the database, the resolvers and the internet',
	},
	SecurityGroupIds: { Type: 'List<AWS::EC2::SecurityGroup::Id>', Description: 'Security groups of the functions' },
	ApiRequestsPerSecond: { Type: 'Number', MinValue: 1, Default: 200, Description: 'Requests that the API accepts per second, and at the same time; further ones get 429' },
	...alarmParameters,
	...mailParameters,
	LogDays: { Type: 'Number', Description: 'Days that logs are kept', Default: 30 },
	...frontParameters,
};

// Whether a job runs less often than every minute. A job that runs every minute has five runs in the period
// of an alarm, any other at most one.
const isRare = (schedule) => Boolean(schedule) && schedule !== 'rate(1 minute)';

// Numbers of service-watch, which the adapter writes as metrics each minute; infra/runbooks has a page
// about each.
const WATCHED = [
	['databaseAway', 'Sum', 3, 'The database does not answer'],
	['mailStoreAway', 'Sum', 3, 'The mail store does not answer'],
	['dnsAway', 'Sum', 3, 'The resolvers do not answer'],
	['selectorsLateSeconds', 'Maximum', 3600, 'Checks of DKIM selectors are late by an hour'],
	['mtaStsLateSeconds', 'Maximum', 3600, 'Checks of MTA-STS are late by an hour'],
	['webhooksLateSeconds', 'Maximum', 900, 'Results wait for the receivers of webhooks'],
	['alertMailsLateSeconds', 'Maximum', 1800, 'Alerts by mail wait for the relay'],
	['postureLateSeconds', 'Maximum', 3600, 'Checks of domains in DNS are late by an hour'],
	['reportWatchLateSeconds', 'Maximum', 3600, 'The daily checks of DMARC reports are late by an hour'],
	['uploadsLateSeconds', 'Maximum', 900, 'Messages that arrived over HTTP wait for their analysis'],
];

const DNS_FAILURES = ['dnsTimeout', 'dnsUnreachable', 'dnsRefused', 'dnsServfail', 'dnsBogus', 'dnsMalformed', 'dnsOther'];

// Fires when more than one in five DNS questions of dkim-recheck fails, the job that asks most.
function dnsAlarm() {
	const failed = DNS_FAILURES.map((name) => `FILL(${name}, 0)`).join(' + ');
	return mathAlarm(`IF(dnsAsked > 100 AND (${failed}) > 0.2 * dnsAsked, 1, 0)`,
		Object.fromEntries(['dnsAsked', ...DNS_FAILURES].map((name) => [name, [name, 'eds', { FunctionName: ref(logicalId('dkim-recheck')) }]])),
		'More than one in five questions to DNS fails', 'Sum');
}

function alarms(functions) {
	const all = {
		ApiAlarm: alarm('5xx', 'AWS/ApiGateway', { ApiId: ref('Api') }, 'The API answers with 5xx', { Threshold: 5 }),
		DnsFailsAlarm: dnsAlarm(),
		// A period of an hour, because a policy without faults is checked once an hour.
		PolicyCertificatesEndingAlarm: alarm('policyCertificatesEnding', 'eds', { FunctionName: ref(logicalId('mta-sts-check')) },
			'Certificates of policies that are hosted here are not renewed', { Statistic: 'Maximum', Period: 3600 }),
		PortClosedAlarm: alarm('portClosed', 'eds', { FunctionName: ref(logicalId('mta-sts-check')) },
			'Mail servers cannot be asked, because port 25 is closed', { Statistic: 'Maximum' }),
		ListsSilentAlarm: alarm('listsSilent', 'eds', { FunctionName: ref(logicalId('service-watch')) },
			'A blocklist gives no usable answers', { Statistic: 'Minimum', Period: 3600 }),
	};
	for (const [metric, statistic, threshold, description] of WATCHED)
		all[`${logicalId(metric)}Alarm`] = alarm(metric, 'eds', { FunctionName: ref(logicalId('service-watch')) }, description,
			{ Statistic: statistic, Threshold: threshold });
	for (const { name, schedule, mail } of functions)
		if (schedule || mail)
			all[`${logicalId(name)}Alarm`] = alarm('Errors', 'AWS/Lambda', { FunctionName: ref(logicalId(name)) },
				`${name} fails`, { Threshold: isRare(schedule) ? 1 : 3 });
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
				DefaultRouteSettings: { ThrottlingBurstLimit: ref('ApiRequestsPerSecond'), ThrottlingRateLimit: ref('ApiRequestsPerSecond') },
				// Logs the route instead of the path, because a path may contain a test id,
				// which is a secret.
				AccessLogSettings: {
					DestinationArn: arnOf('ApiLog'),
					Format: '{"requestId":"$context.requestId","route":"$context.routeKey",' +
						'"status":"$context.status","ip":"$context.identity.sourceIp"}',
				},
			},
		},
	};
}

// ops: the route that the policy host's front uses before it orders a certificate. It may be public,
// because anybody can see whether a name has a policy by fetching it.
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

export function awsTemplate(manifest) {
	const functions = deployed(manifest);
	return {
		AWSTemplateFormatVersion: '2010-09-09',
		Description: 'eds, email domain security. Made from functions/manifest.json by make infra; ' +
			'infra/README.md describes its use.',
		Parameters: { ...parameters, ...scheduleParameters(functions) },
		Rules: frontRules,
		Conditions: {
			...alarmConditions,
			...databaseConditions,
			HasAlertRelay: { 'Fn::Not': [{ 'Fn::Equals': [ref('AlertRelaySecret'), ''] }] },
			HasCombinedList: { 'Fn::Not': [{ 'Fn::Equals': [ref('CombinedListSecret'), ''] }] },
			...scheduleConditions(functions),
			...frontConditions,
		},
		Resources: Object.assign(
			{}, migration, api(), mailResources(functions), alarms(functions), frontResources(),
			...functions.map((entry) => ({ ...functionResources(entry), ...routes(entry), ...scheduleResources(entry) })),
		),
		Outputs: {
			BaseUrl: { Description: 'Address of the service', Value: ref('BaseUrl') },
			ApiEndpoint: { Description: 'Give it the domain of BaseUrl', Value: { 'Fn::GetAtt': ['Api', 'ApiEndpoint'] } },
			Admin: { Description: 'Function that makes accounts and tokens', Value: ref(logicalId('admin')) },
			RuleSet: { Description: 'Make it the active rule set of SES', Value: ref('RuleSet') },
			...mailOutputs(functions),
			...frontOutputs,
		},
	};
}
