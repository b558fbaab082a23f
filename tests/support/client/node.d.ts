// What the client uses of node.
declare const process: { argv: string[] };
