// One function: its program, its role with only the rights that it needs, and its log.
import { mailStore } from '../functions.mjs';
import { databaseStatements, databaseUrl } from './database.mjs';
import { proxies } from './front.mjs';
import { arnOf, choose, ref, sub } from './intrinsic.mjs';

export const MAIL_PREFIX = 'mail/';
const MEMORY_MB_MIN = 128;
// the memory in the manifest is doubled, for bootstrap, libraries and a message
const MEMORY_FACTOR = 2;

export const logicalId = (name) => name.replace(/(^|-)([a-z])/g, (_, dash, letter) => letter.toUpperCase());

// The time limit for Lambda: a second more than the function's own time-out, so that bootstrap
// answers before Lambda kills it.
export const lambdaSeconds = (timeoutMs) => Math.ceil(timeoutMs / 1000) + 1;

const queueStatement = ({ name }) => ({
	Effect: 'Allow',
	Action: ['sqs:ReceiveMessage', 'sqs:DeleteMessage', 'sqs:GetQueueAttributes'],
	Resource: arnOf(`${logicalId(name)}Queue`),
});

function mailStatements(name) {
	const actions = { read: 's3:GetObject', write: 's3:PutObject', delete: 's3:DeleteObject' };
	const rights = mailStore(name);
	if (rights.length === 0) return [];
	return [
		{
			Effect: 'Allow',
			Action: rights.filter((right) => actions[right]).map((right) => actions[right]),
			Resource: sub(`\${Mail.Arn}/${MAIL_PREFIX}*`),
		},
		// Without this right S3 would answer 403 instead of 404 for a missing message.
		{
			Effect: 'Allow',
			Action: 's3:ListBucket',
			Resource: arnOf('Mail'),
			Condition: { StringLike: { 's3:prefix': [MAIL_PREFIX, `${MAIL_PREFIX}*`] } },
		},
	];
}

function role(entry) {
	const id = logicalId(entry.name);
	return {
		Type: 'AWS::IAM::Role',
		Properties: {
			AssumeRolePolicyDocument: {
				Version: '2012-10-17',
				Statement: [{ Effect: 'Allow', Principal: { Service: 'lambda.amazonaws.com' }, Action: 'sts:AssumeRole' }],
			},
			Policies: [{
				PolicyName: 'function',
				PolicyDocument: {
					Version: '2012-10-17',
					Statement: [
						{ Effect: 'Allow', Action: ['logs:CreateLogStream', 'logs:PutLogEvents'], Resource: arnOf(`${id}Log`) },
						// Resource is *, because these actions do not support single
						// network interfaces.
						{
							Effect: 'Allow',
							Action: ['ec2:CreateNetworkInterface', 'ec2:DescribeNetworkInterfaces', 'ec2:DescribeSubnets',
								'ec2:DeleteNetworkInterface', 'ec2:AssignPrivateIpAddresses', 'ec2:UnassignPrivateIpAddresses'],
							Resource: '*',
						},
						...(entry.mail ? [queueStatement(entry)] : []),
						...mailStatements(entry.name),
						...databaseStatements(entry),
					],
				},
			}],
		},
	};
}

// All settings that functions read; each function gets only its own. The key of a blocklist is a reference that
// CloudFormation fills in; the function itself reads the database's password.
const environment = {
	EDS_BASE_URL: ref('BaseUrl'),
	EDS_TESTER_DOMAIN: ref('TesterDomain'),
	EDS_REPORT_DOMAIN: ref('ReportDomain'),
	EDS_POLICY_HOST: ref('PolicyHost'),
	EDS_POLICY_AUTHORITY: ref('PolicyAuthority'),
	EDS_DATABASE_URL: databaseUrl,
	EDS_MAIL_STORE: sub(`s3://\${Mail}/${MAIL_PREFIX}`),
	EDS_DNS_SERVERS: ref('DnsServers'),
	EDS_DNSBL_COMBINED: choose('HasCombinedList',
		sub('{{resolve:secretsmanager:${CombinedListSecret}:SecretString:zone}}'), ref('AWS::NoValue')),
	EDS_DNSBL_RELAY: ref('RelayList'),
	EDS_DNSBL_REPUTATION: ref('ReputationList'),
	EDS_DNSBL_REPORTED: ref('ReportedList'),
	EDS_ASN_ZONE: ref('AsnZone'),
	EDS_TESTER_SESSIONS_PER_HOUR: ref('SessionsPerHour'),
	EDS_TESTER_MESSAGE_MAX: ref('TestMessageMax'),
	EDS_TESTER_MAIL_QUOTA: ref('TestMailQuota'),
	EDS_QUOTA_FREE: ref('QuotaFree'),
	EDS_QUOTA_PAID: ref('QuotaPaid'),
	EDS_TITLE: ref('Title'),
	EDS_CONTACT: ref('Contact'),
	EDS_IMPRINT_URL: ref('ImprintUrl'),
	EDS_PRIVACY_URL: ref('PrivacyUrl'),
	EDS_BLOCKED_NETWORKS: ref('BlockedNetworks'),
	EDS_TRUSTED_PROXIES: proxies,
	EDS_TRUSTED_RELAYS: ref('TrustedRelays'),
	EDS_RSPAMD: ref('Rspamd'),
	EDS_ALERT_RELAY: choose('HasAlertRelay',
		sub('{{resolve:secretsmanager:${AlertRelaySecret}:SecretString:relay}}'), ref('AWS::NoValue')),
	EDS_ALERT_FROM: ref('AlertFrom'),
	EDS_LOG_LEVEL: ref('LogLevel'),
};

const environmentOf = ({ settings = [] }) => Object.fromEntries(Object.entries(environment)
	.filter(([name]) => settings.includes(name) || name === 'EDS_LOG_LEVEL'));

// An update of the stack first replaces the function that migrates, then lets it migrate, then replaces the
// others; if the migration fails, the others stay unchanged.
const MIGRATES = 'admin';
const MIGRATION_SECONDS_MAX = 120; // the sum of both tries: Lambda repeats a failed invocation

export const migration = {
	Migrated: {
		Type: 'AWS::CloudFormation::CustomResource',
		Properties: { ServiceToken: arnOf(logicalId(MIGRATES)), ServiceTimeout: MIGRATION_SECONDS_MAX, Release: ref('CodePrefix') },
	},
};

export function functionResources(entry) {
	const { name, timeoutMs, memoryMb = 64 } = entry;
	const id = logicalId(name);
	return {
		[id]: {
			Type: 'AWS::Lambda::Function',
			...(name === MIGRATES ? {} : { DependsOn: 'Migrated' }),
			Properties: {
				Runtime: 'provided.al2023',
				Architectures: [ref('Architecture')],
				Handler: name,
				Code: { S3Bucket: ref('CodeBucket'), S3Key: sub(`\${CodePrefix}${name}.zip`) },
				Role: arnOf(`${id}Role`),
				Timeout: lambdaSeconds(timeoutMs),
				MemorySize: Math.max(MEMORY_MB_MIN, memoryMb * MEMORY_FACTOR),
				Environment: { Variables: environmentOf(entry) },
				VpcConfig: { SubnetIds: ref('SubnetIds'), SecurityGroupIds: ref('SecurityGroupIds') },
				LoggingConfig: { LogGroup: ref(`${id}Log`) },
			},
		},
		[`${id}Role`]: role(entry),
		[`${id}Log`]: { Type: 'AWS::Logs::LogGroup', Properties: { RetentionInDays: ref('LogDays') } },
	};
}
