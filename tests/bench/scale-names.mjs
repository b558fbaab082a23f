// The names of the domains in the measurement of scale by number, from 1, in JavaScript and in SQL.
const FIRST_ID = 0xa00000;

export const MAIL_HOST = 'mx.host';
export const POLICY_HOST = 'policy.host';

// Whether MTA-STS of the domain is switched on.
const isOn = (i) => i % 10 === 1;
export const sqlIsOn = 'i % 10 = 1';

export const nameOf = (i) => `d${i}.${isOn(i) ? 'on' : 'live'}`;
export const sqlName = `'d' || i || CASE WHEN ${sqlIsOn} THEN '.on' ELSE '.live' END`;

export const policyIdOf = (i) => `20260131235959k3f7q2m9xw4d${(FIRST_ID + i).toString(16)}`;
export const sqlPolicyId = `'20260131235959k3f7q2m9xw4d' || to_hex(${FIRST_ID} + i)`;

export const switchedOn = (count) => Array.from({ length: count }, (_, i) => i + 1).filter(isOn);
