// Values that depend on the cluster, for the operator to set, and values that all objects share.
export const NAMESPACE = 'eds';
export const IMAGE = 'registry.example.com/eds:latest';
// Knative's gateway for requests from within the cluster, here that of Istio; Kourier's is
// kourier-internal in kourier-system.
export const LOCAL_GATEWAY = { name: 'knative-local-gateway', namespace: 'istio-system', port: 80 };
// The Gateway API's implementation, and the secret with the certificate of the address of EDS_BASE_URL.
export const GATEWAY_CLASS = 'example';
export const CERTIFICATE = 'eds-tls';

export const USER = 65532; // the user id of eds in the image

export const settings = [{ configMapRef: { name: 'eds' } }, { secretRef: { name: 'eds' } }];

export const confined = {
	runAsNonRoot: true,
	allowPrivilegeEscalation: false,
	readOnlyRootFilesystem: true,
	capabilities: { drop: ['ALL'] },
};

export const list = (items) => ({ apiVersion: 'v1', kind: 'List', items });
