// Receiving mail: SES puts a message into the bucket under its messageId and then tells its function.
import { MAIL_DOMAINS } from '../functions.mjs';
import { MAIL_PREFIX, logicalId } from './function.mjs';
import { arnOf, ref, sub } from './intrinsic.mjs';

const MAIL_DAYS = 3; // past the 48 hours of a session; the functions delete in time, this is the net

const DOMAIN_PARAMETERS = { tester: 'TesterDomain', report: 'ReportDomain' };
const FROM_SES = { StringEquals: { 'aws:SourceAccount': ref('AWS::AccountId') } };

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

function rule({ name }) {
	const id = logicalId(name);
	return {
		[`${id}MailPermission`]: {
			Type: 'AWS::Lambda::Permission',
			Properties: {
				FunctionName: ref(id),
				Action: 'lambda:InvokeFunction',
				Principal: 'ses.amazonaws.com',
				SourceAccount: ref('AWS::AccountId'),
			},
		},
		[`${id}Rule`]: {
			Type: 'AWS::SES::ReceiptRule',
			DependsOn: ['MailPolicy', `${id}MailPermission`],
			Properties: {
				RuleSetName: ref('RuleSet'),
				Rule: {
					Name: name,
					Enabled: true,
					ScanEnabled: false,
					TlsPolicy: 'Optional',
					Recipients: [ref(DOMAIN_PARAMETERS[MAIL_DOMAINS[name]])],
					Actions: [
						{ S3Action: { BucketName: ref('Mail'), ObjectKeyPrefix: MAIL_PREFIX } },
						{ LambdaAction: { FunctionArn: arnOf(id), InvocationType: 'Event' } },
					],
				},
			},
		},
	};
}

export const mailResources = (functions) =>
	Object.assign({}, bucket, ...functions.filter(({ mail }) => mail).map(rule));
