// make bench: every measurement in one table. Ratios within one run and CPU per unit, as absolute
// rates drift with the machine; it fails where something does not work, never because it is slow.
// With names as arguments only those: analysis, bootstrap, functions, ingest, mail, mta-sts, reports,
// requests, selectors.
import { analysis } from './analysis.mjs';
import { bootstrap } from './bootstrap.mjs';
import { functions } from './functions.mjs';
import { ingest } from './ingest.mjs';
import { mail } from './mail.mjs';
import { mtaSts } from './mta-sts.mjs';
import { reports } from './reports.mjs';
import { requests } from './requests.mjs';
import { selectors } from './selectors.mjs';

const measurements = { analysis, bootstrap, functions, ingest, mail, 'mta-sts': mtaSts, reports, requests, selectors };
const wanted = process.argv.slice(2);
for (const name of wanted.length > 0 ? wanted : Object.keys(measurements)) await measurements[name]();
