// make bench: every measurement in one table. Ratios within one run and CPU per unit, as absolute
// rates drift with the machine; it fails where something does not work, never because it is slow.
// With names as arguments only those: analysis, bootstrap, functions, ingest, mail, mta-sts, posture, reports,
// requests, selectors, store, sums.
import { analysis } from './analysis.mjs';
import { bootstrap } from './bootstrap.mjs';
import { functions } from './functions.mjs';
import { ingest } from './ingest.mjs';
import { mail } from './mail.mjs';
import { mtaSts } from './mta-sts.mjs';
import { posture } from './posture.mjs';
import { reports } from './reports.mjs';
import { requests } from './requests.mjs';
import { selectors } from './selectors.mjs';
import { store } from './store.mjs';
import { reportSums } from './sums.mjs';

const measurements = { analysis, bootstrap, functions, ingest, mail, 'mta-sts': mtaSts, posture, reports, requests, selectors, store, sums: reportSums };
const wanted = process.argv.slice(2);
for (const name of wanted.length > 0 ? wanted : Object.keys(measurements)) await measurements[name]();
