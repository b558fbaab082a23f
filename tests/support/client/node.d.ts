// The part of node's API that the client uses.
declare const process: { argv: string[] };
