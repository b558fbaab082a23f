// The runner as the receiver of mail: only SMTP, with a volume for accepted mail. It must see the
// address of the client, on which SPF, PTR and the blocklists depend, so a connection goes to a runner
// on the node at which it arrived.
import { IMAGE, NAMESPACE, USER, confined, list, settings } from './cluster.mjs';

const NAME = 'eds-smtp';
const SMTP = 2525; // the port in EDS_SMTP_LISTEN of the image
const OPERATIONS = 9090;
const STOP_SECONDS = 30; // the runner finishes running work within 20
const SPOOL = '5Gi';
const MEMORY = '2Gi';

const labels = { app: NAME };

const service = (name, spec) => ({
	apiVersion: 'v1',
	kind: 'Service',
	metadata: { name, namespace: NAMESPACE, labels },
	spec: { selector: labels, ports: [{ name: 'smtp', port: 25, targetPort: 'smtp' }], ...spec },
});

const container = {
	name: 'runner',
	image: IMAGE,
	command: ['/opt/eds/runner', 'serve', '--only', 'smtp'],
	envFrom: settings,
	ports: [{ name: 'smtp', containerPort: SMTP }, { name: 'operations', containerPort: OPERATIONS }],
	// /healthz answers 503 while a part that mail needs does not work; then the container gets no
	// connections, and senders try again
	readinessProbe: { httpGet: { path: '/healthz', port: 'operations' }, periodSeconds: 5 },
	livenessProbe: { httpGet: { path: '/metrics', port: 'operations' }, initialDelaySeconds: 10, periodSeconds: 20, failureThreshold: 3 },
	resources: { requests: { memory: '256Mi' }, limits: { memory: MEMORY } },
	securityContext: confined,
	volumeMounts: [{ name: 'spool', mountPath: '/var/lib/eds' }, { name: 'tmp', mountPath: '/tmp' }],
};

const runner = {
	apiVersion: 'apps/v1',
	kind: 'StatefulSet',
	metadata: { name: NAME, namespace: NAMESPACE, labels },
	spec: {
		serviceName: `${NAME}-pods`,
		replicas: 2,
		selector: { matchLabels: labels },
		template: {
			metadata: { labels },
			spec: {
				automountServiceAccountToken: false,
				terminationGracePeriodSeconds: STOP_SECONDS,
				securityContext: { runAsUser: USER, runAsGroup: USER, fsGroup: USER },
				topologySpreadConstraints: [{
					maxSkew: 1, topologyKey: 'kubernetes.io/hostname', whenUnsatisfiable: 'ScheduleAnyway', labelSelector: { matchLabels: labels },
				}],
				containers: [container],
				volumes: [{ name: 'tmp', emptyDir: {} }],
			},
		},
		volumeClaimTemplates: [{
			apiVersion: 'v1',
			kind: 'PersistentVolumeClaim',
			metadata: { name: 'spool' },
			spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: SPOOL } } },
		}],
	},
};

export const smtpReceiver = () => list([
	service(NAME, { type: 'LoadBalancer', externalTrafficPolicy: 'Local' }),
	service(`${NAME}-pods`, { clusterIP: 'None' }),
	runner,
]);
