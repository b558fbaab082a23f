// Access to the database: every function that needs it reads the secret itself, with its own role, so that no
// environment contains a password, and a rotated password is noticed (functions/lib/store/db/database-url.h).
import { choose, ref, sub } from './intrinsic.mjs';

export const databaseParameters = {
	DatabaseSecret: {
		Type: 'String',
		AllowedPattern: 'arn:aws[a-z-]*:secretsmanager:[a-z0-9-]+:[0-9]+:secret:.+',
		Description: 'Complete ARN of the Secrets Manager secret with the address of PostgreSQL. Without DatabasePlace its member "url" is the address, ' +
			'postgresql://USER:PASSWORD@HOST/NAME?sslmode=verify-full&sslrootcert=/var/task/ca-certificates.crt',
	},
	DatabasePlace: {
		Type: 'String',
		Default: '',
		AllowedPattern: '[!-"$->@-~]*',
		Description: 'For a secret with "username" and "password", as RDS keeps and rotates it: the missing values, as host=HOST&dbname=NAME. ' +
			'The certificate is verified unless this sets sslmode',
	},
	DatabaseKmsKey: {
		Type: 'String',
		Default: '',
		AllowedPattern: '(arn:aws[a-z-]*:kms:.+)?',
		Description: 'ARN of the KMS key of the secret, if that is not aws/secretsmanager',
	},
};

export const databaseConditions = {
	HasDatabasePlace: { 'Fn::Not': [{ 'Fn::Equals': [ref('DatabasePlace'), ''] }] },
	HasDatabaseKmsKey: { 'Fn::Not': [{ 'Fn::Equals': [ref('DatabaseKmsKey'), ''] }] },
};

export const databaseUrl = choose('HasDatabasePlace',
	sub('secretsmanager:${DatabaseSecret}?${DatabasePlace}'), sub('secretsmanager:${DatabaseSecret}#url'));

export const databaseStatements = ({ settings = [] }) => (settings.includes('EDS_DATABASE_URL') ? [
	{ Effect: 'Allow', Action: 'secretsmanager:GetSecretValue', Resource: ref('DatabaseSecret') },
	choose('HasDatabaseKmsKey', {
		Effect: 'Allow',
		Action: 'kms:Decrypt',
		Resource: ref('DatabaseKmsKey'),
		Condition: { StringEquals: { 'kms:ViaService': sub('secretsmanager.${AWS::Region}.amazonaws.com') } },
	}, ref('AWS::NoValue')),
] : []);
