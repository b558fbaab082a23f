// A job that brings the database up to date, with the image of the new release and before its services are
// replaced; programs of the previous release work with the new schema.
import { IMAGE, NAMESPACE, confined, settings } from './cluster.mjs';

const TRIES = 6; // number of retries, because the database may still be starting
const SECONDS_MAX = 300;
const KEPT_SECONDS = 3600;

export const migrateJob = () => ({
	apiVersion: 'batch/v1',
	kind: 'Job',
	metadata: { name: 'eds-migrate', namespace: NAMESPACE },
	spec: {
		backoffLimit: TRIES,
		activeDeadlineSeconds: SECONDS_MAX,
		ttlSecondsAfterFinished: KEPT_SECONDS,
		template: {
			spec: {
				restartPolicy: 'Never',
				automountServiceAccountToken: false,
				containers: [{
					name: 'migrate',
					image: IMAGE,
					command: ['sh', '-c', 'echo \'{"action": "migrate"}\' | /opt/eds/runner invoke admin -'],
					envFrom: settings,
					securityContext: confined,
				}],
			},
		},
	},
});
