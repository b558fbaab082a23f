// CloudFormation's functions for values that are only known when a stack is created.
export const ref = (name) => ({ Ref: name });
export const arnOf = (name) => ({ 'Fn::GetAtt': [name, 'Arn'] });
export const sub = (text) => ({ 'Fn::Sub': text });
export const choose = (condition, yes, no) => ({ 'Fn::If': [condition, yes, no] });
