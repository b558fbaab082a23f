// The policy host's front: a machine with Caddy, set up as in infra/caddy, in front of the API, which
// cannot have a certificate for each customer's name itself. Certificates are in a separate file system,
// so the machine can be replaced at any time. The functions recognize the front by its fixed address,
// and trust no other client to name the requested host.
import { readFileSync } from 'node:fs';

import { alarm } from './alarm.mjs';
import { choose, ref, sub } from './intrinsic.mjs';

const CADDYFILE = readFileSync(new URL('../caddy/Caddyfile', import.meta.url), 'utf8');
const INSTANCE_TYPE = 't3.micro';
const STORAGE = '/var/lib/caddy/eds';
const HTTPS = 443;
const NFS = 2049;

// The set-up script of the machine. It repeats its downloads, because the machine has no address for a moment
// while it gets the fixed one.
const SETUP = `#!/bin/sh
export DEBIAN_FRONTEND=noninteractive
until apt-get update && apt-get install -y --no-install-recommends caddy nfs-common unattended-upgrades; do
	sleep 5
done

mkdir -p ${STORAGE}
echo '\${FrontFilesTarget.IpAddress}:/ ${STORAGE} nfs4 nfsvers=4.1,hard,noresvport,_netdev 0 0' >> /etc/fstab
until mount ${STORAGE}; do
	sleep 5
done
chown caddy:caddy ${STORAGE}

mkdir -p /etc/systemd/system/caddy.service.d
cat > /etc/systemd/system/caddy.service.d/eds.conf <<'END'
[Unit]
RequiresMountsFor=${STORAGE}

[Service]
Environment=POLICY_UPSTREAM=\${Api.ApiEndpoint}
Environment=POLICY_UPSTREAM_HOST=own
Environment=POLICY_ASK=\${Api.ApiEndpoint}/certificate-ask
Restart=always
RestartSec=5
END
cat > /etc/caddy/Caddyfile <<'END'
${CADDYFILE}END
systemctl daemon-reload
systemctl restart caddy
`;

export const frontParameters = {
	FrontSubnetId: {
		Type: 'String',
		Description: 'Public subnet of the front that serves MTA-STS policies; empty for a front of your own (infra/README.md)',
		Default: '',
	},
	FrontVpcId: { Type: 'String', Description: 'The VPC of that subnet', Default: '' },
	FrontImage: {
		Type: 'AWS::SSM::Parameter::Value<AWS::EC2::Image::Id>',
		Description: 'Image of the front\'s machine, a Debian 12',
		Default: '/aws/service/debian/release/12/latest/amd64',
	},
};

export const frontRules = {
	FrontVpc: {
		RuleCondition: { 'Fn::Not': [{ 'Fn::Equals': [ref('FrontSubnetId'), ''] }] },
		Assertions: [{
			Assert: { 'Fn::Not': [{ 'Fn::Equals': [ref('FrontVpcId'), ''] }] },
			AssertDescription: 'FrontVpcId names the VPC of FrontSubnetId',
		}],
	},
};

export const frontConditions = {
	HasFront: { 'Fn::Not': [{ 'Fn::Equals': [ref('FrontSubnetId'), ''] }] },
};

const open = (port, source) => ({ IpProtocol: 'tcp', FromPort: port, ToPort: port, ...source });

const securityGroup = (description, ...ingress) => ({
	Type: 'AWS::EC2::SecurityGroup',
	Properties: { GroupDescription: description, VpcId: ref('FrontVpcId'), SecurityGroupIngress: ingress },
});

const files = {
	FrontFiles: {
		Type: 'AWS::EFS::FileSystem',
		DeletionPolicy: 'Retain',
		UpdateReplacePolicy: 'Retain',
		Properties: { Encrypted: true },
	},
	FrontFilesSecurityGroup: securityGroup('Certificates of the policy host, for its front alone',
		open(NFS, { SourceSecurityGroupId: { 'Fn::GetAtt': ['FrontSecurityGroup', 'GroupId'] } })),
	FrontFilesTarget: {
		Type: 'AWS::EFS::MountTarget',
		Properties: {
			FileSystemId: ref('FrontFiles'),
			SubnetId: ref('FrontSubnetId'),
			SecurityGroups: [{ 'Fn::GetAtt': ['FrontFilesSecurityGroup', 'GroupId'] }],
		},
	},
};

// The machine. It is replaced when its launch template has a new version, because of another Caddyfile or image.
const machine = {
	FrontSecurityGroup: securityGroup('HTTPS to the policy host', open(HTTPS, { CidrIp: '0.0.0.0/0' }), open(HTTPS, { CidrIpv6: '::/0' })),
	FrontTemplate: {
		Type: 'AWS::EC2::LaunchTemplate',
		Properties: {
			LaunchTemplateData: {
				ImageId: ref('FrontImage'),
				InstanceType: INSTANCE_TYPE,
				MetadataOptions: { HttpTokens: 'required', HttpPutResponseHopLimit: 1 },
				NetworkInterfaces: [{
					DeviceIndex: 0,
					AssociatePublicIpAddress: true,
					SubnetId: ref('FrontSubnetId'),
					Groups: [{ 'Fn::GetAtt': ['FrontSecurityGroup', 'GroupId'] }],
				}],
				UserData: { 'Fn::Base64': sub(SETUP) },
			},
		},
	},
	Front: {
		Type: 'AWS::EC2::Instance',
		Properties: {
			LaunchTemplate: {
				LaunchTemplateId: ref('FrontTemplate'),
				Version: { 'Fn::GetAtt': ['FrontTemplate', 'LatestVersionNumber'] },
			},
		},
	},
	FrontAddress: { Type: 'AWS::EC2::EIP', Properties: { Domain: 'vpc', InstanceId: ref('Front') } },
	FrontAlarm: alarm('StatusCheckFailed', 'AWS/EC2', { InstanceId: ref('Front') }, 'The policy host\'s front is down', {
		Statistic: 'Maximum',
	}),
};

export const frontResources = () => Object.fromEntries(Object.entries({ ...files, ...machine })
	.map(([id, resource]) => [id, { Condition: 'HasFront', ...resource }]));

// The proxies whose X-Forwarded-Host the functions trust: the front, and those in the parameter TrustedProxies.
export const proxies = choose('HasFront',
	{ 'Fn::Join': [',', [ref('FrontAddress'), ref('TrustedProxies')]] }, ref('TrustedProxies'));

export const frontOutputs = {
	PolicyAddress: {
		Condition: 'HasFront', Description: 'Give PolicyHost this address', Value: ref('FrontAddress'),
	},
};
