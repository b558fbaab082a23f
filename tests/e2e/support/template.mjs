// Reads a CloudFormation template: checks it against the schemas of AWS's resources, and fills in its
// values like a deployment.
import { loadAwsServiceSpecSync } from '@aws-cdk/aws-service-spec';

const PSEUDO = ['AWS::AccountId', 'AWS::Partition', 'AWS::Region', 'AWS::StackName', 'AWS::NoValue'];
const INTRINSIC = /^(Ref|Condition|Fn::[A-Za-z0-9]+)$/;
const PRIMITIVES = { string: 'string', integer: 'number', number: 'number', boolean: 'boolean' };

const isIntrinsic = (value) =>
	value && typeof value === 'object' && Object.keys(value).length === 1 && INTRINSIC.test(Object.keys(value)[0]);

// Every fault of the template as a sentence; an empty array if there is none.
export function templateFaults(template) {
	const db = loadAwsServiceSpecSync();
	const faults = [];
	const say = (path, what) => faults.push(`${path}: ${what}`);

	const unwrap = (type) => (type.type === 'union' ? type.types : [type]);
	function checkOne(value, type, path, say) {
		if (isIntrinsic(value)) return;
		if (PRIMITIVES[type.type] && typeof value !== PRIMITIVES[type.type]) say(path, `is no ${type.type}`);
		if (type.type === 'integer' && typeof value === 'number' && !Number.isInteger(value)) say(path, 'is no integer');
		if (type.type === 'array' && !Array.isArray(value)) say(path, 'is no array');
		else if (type.type === 'array') value.forEach((item, i) => check(item, type.element, `${path}[${i}]`, say));
		if (type.type === 'map')
			for (const [key, item] of Object.entries(value)) check(item, type.element, `${path}.${key}`, say);
		if (type.type === 'ref') {
			const target = db.get('typeDefinition', type.reference.$ref);
			if (typeof value !== 'object') say(path, `is no ${target.name}`);
			else checkProperties(value, target.properties, path, say);
		}
	}
	function check(value, type, path, say) {
		const tries = unwrap(type).map((each) => {
			const found = [];
			checkOne(value, each, path, (where, what) => found.push([where, what]));
			return found;
		}).sort((a, b) => a.length - b.length);
		for (const [where, what] of tries[0] ?? []) say(where, what);
	}
	// the schema of a custom resource; its other properties depend on its function, so any are allowed
	const open = db.lookup('resource', 'cloudFormationType', 'equals', 'AWS::CloudFormation::CustomResource')[0].properties;
	function checkProperties(object, properties, path, say) {
		for (const [name, value] of Object.entries(object)) {
			if (!properties[name] && properties === open) continue;
			if (!properties[name]) say(`${path}.${name}`, 'is no property');
			else check(value, properties[name].type, `${path}.${name}`, say);
		}
		for (const [name, { required }] of Object.entries(properties))
			if (required && object[name] === undefined) say(`${path}.${name}`, 'is missing');
	}

	const specs = {};
	for (const [id, { Type, Properties = {}, DependsOn = [], Condition }] of Object.entries(template.Resources)) {
		[specs[id]] = db.lookup('resource', 'cloudFormationType', 'equals', Type);
		if (!specs[id]) say(id, `${Type} is no type of resource`);
		else checkProperties(Properties, specs[id].properties, id, say);
		if (Condition && !template.Conditions[Condition]) say(id, `${Condition} is no condition`);
		if (!/^[A-Za-z0-9]{1,255}$/.test(id)) say(id, 'is no logical id');
		for (const other of [DependsOn].flat()) if (!template.Resources[other]) say(id, `depends on ${other}, which is not there`);
	}
	const known = (name) => PSEUDO.includes(name) || template.Parameters[name] || template.Resources[name];
	const attribute = (path, name, field) => {
		if (!specs[name]) say(path, `${name} is no resource`);
		else if (!specs[name].attributes[field]) say(path, `${name} has no ${field}`);
	};
	function references(value, path) {
		if (!value || typeof value !== 'object') return;
		if (value.Ref !== undefined && !known(value.Ref)) say(path, `${value.Ref} is nothing`);
		if (value['Fn::GetAtt']) attribute(path, ...value['Fn::GetAtt']);
		if (value['Fn::If'] && !template.Conditions[value['Fn::If'][0]]) say(path, 'is no condition');
		for (const [, name] of String(value['Fn::Sub'] ?? '').matchAll(/\$\{([^}]+)\}/g)) {
			if (name.includes('.')) attribute(path, ...name.split('.'));
			else if (!known(name)) say(path, `${name} is nothing`);
		}
		for (const [key, item] of Object.entries(value)) references(item, `${path}.${key}`);
	}
	references({ ...template.Resources, ...template.Outputs, ...template.Conditions }, 'template');
	return faults;
}

// The value with parameters, names of resources, conditions and secrets filled in.
export function resolve(value, names, secrets = {}) {
	if (Array.isArray(value)) return value.map((item) => resolve(item, names, secrets));
	if (!value || typeof value !== 'object') return value;
	if (value.Ref) return value.Ref === 'AWS::NoValue' ? undefined : names[value.Ref];
	if (value['Fn::If']) return resolve(value['Fn::If'][names[value['Fn::If'][0]] ? 1 : 2], names, secrets);
	if (value['Fn::Join']) return resolve(value['Fn::Join'][1], names, secrets).join(value['Fn::Join'][0]);
	if (value['Fn::GetAtt']) return `${value['Fn::GetAtt'][0]}.${value['Fn::GetAtt'][1]}`;
	if (value['Fn::Sub'])
		return value['Fn::Sub'].replace(/\$\{([^}]+)\}/g, (_, name) => names[name] ?? name)
			.replace(/^\{\{resolve:secretsmanager:([^:]+):SecretString:(\w+)\}\}$/, (_, id, member) => secrets[id][member]);
	return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, resolve(item, names, secrets)])
		.filter(([, item]) => item !== undefined));
}
