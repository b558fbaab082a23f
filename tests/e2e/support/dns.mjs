// The scripted DNS server (tests/support/dnsd.c) for end-to-end tests.
//
//     const dns = await startDns(['example.com A 300 192.0.2.1', 'slow.test !delay=50']);
//     dns.address                        // "127.0.0.1:40123", for EDS_DNS_SERVERS
//     dns.publish(['example.com A 300 192.0.2.2']);   // holds for the next query on
//     dns.queries()                      // ['example.com A', …] since the last publish
//     await dns.stop();
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, renameSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('../../..', import.meta.url));
const START_MS = 20000;
const STOP_MS = 5000;

export async function startDns(lines = [], { build = process.env.BUILD ?? 'build' } = {}) {
  const folder = mkdtempSync(join(tmpdir(), 'dnsd-'));
  const zone = join(folder, 'zone');
  const log = join(folder, 'log');

  // Replaces the file by renaming, so that the server never reads half a file.
  const write = (text) => {
    writeFileSync(`${zone}.new`, text.join('\n') + '\n');
    renameSync(`${zone}.new`, zone);
  };

  write(lines);
  // The server's standard input is a pipe from this process, so it ends when the test does, even if the test
  // crashes.
  const server = spawn(resolve(ROOT, build, 'tests/support/dnsd'), ['--log', log, zone], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const ended = new Promise((done) => server.once('exit', done));
  let address;
  try {
    address = await readAddress(server);
  } catch (error) {
    server.kill();
    rmSync(folder, { recursive: true });
    throw error;
  }

  return {
    address,
    publish(text) {
      truncateSync(log);
      write(text);
    },
    queries() {
      return readFileSync(log, 'utf8').split('\n').filter(Boolean);
    },
    async stop() {
      const timer = setTimeout(() => server.kill('SIGKILL'), STOP_MS);
      server.stdin.end();
      await ended;
      clearTimeout(timer);
      rmSync(folder, { recursive: true });
    },
  };
}

async function readAddress(server) {
  const signal = AbortSignal.timeout(START_MS);
  const [line] = await Promise.race([
    once(createInterface({ input: server.stdout }), 'line', { signal }),
    once(server, 'exit').then(([code]) => {
      throw new Error(`dnsd ended with ${code} before it served`);
    }),
    once(server, 'error').then(([error]) => {
      throw error;
    }),
  ]);
  return JSON.parse(line).address;
}
